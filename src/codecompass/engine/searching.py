"""A search request in, an answer out: the part of the engine that runs searches."""

import base64
import binascii
import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, fields, replace
from pathlib import Path

from codecompass.config.settings import Settings
from codecompass.errors import BadInput, CursorExpired
from codecompass.model.answer import SearchResult
from codecompass.model.query import DetailLevel, SymbolFilters
from codecompass.model.search import Hit, Question, SearchMode, SearchOptions
from codecompass.model.symbol import Symbol, symbol_handle
from codecompass.navigate.lookup import locate
from codecompass.present.concise import HitSource, concise_result
from codecompass.search.exact import TextOf
from codecompass.search.parse_query import parse_query
from codecompass.search.search import Found, found_definitions, search
from codecompass.source.guard import inside_workspace
from codecompass.store.reader import SnapshotReader
from codecompass.text.similarity import most_alike

_SUGGESTION_POOL = 60
# More do not fit into a result.
_MEMBERS = 12


@dataclass(frozen=True, slots=True)
class Page:
    """The part of the hits that an answer shows."""

    hits: Sequence[Hit]
    offset: int
    cursor: str | None  # None: nothing behind these


def ask(
    reader: SnapshotReader,
    query: str,
    options: SearchOptions,
    *,
    filters: SymbolFilters,
    settings: Settings,
    text_of: TextOf,
) -> Found:
    """All hits for a query, in order."""
    question = parse_query(query, filters, is_literal=options.mode is SearchMode.EXACT)
    parts = (settings.search, settings.ranking)
    if not question.symbol:
        return search(reader, question, options, settings=parts, text_of=text_of)
    matches = locate(reader, question.symbol, filters=question.filters, max_suggestions=0).matches
    return found_definitions(reader, question, options, settings=parts, matches=matches)


def check_options(options: SearchOptions, settings: Settings) -> None:
    """Refuse what cannot be asked for."""
    largest = settings.search.max_top_k
    if not 1 <= options.top_k <= largest:
        raise BadInput(f"top_k: given {options.top_k}; allowed: 1 to {largest}")
    if not 0 <= options.min_score <= 1:
        raise BadInput(f"min_score: given {options.min_score}; allowed: 0 to 1")


def inside_filters(root: Path, filters: SymbolFilters) -> SymbolFilters:
    """Filters whose paths are relative to the workspace; those that lead out are refused."""
    prefix = filters.path_prefix
    if prefix:
        inside = inside_workspace(root, prefix)
        prefix = "" if inside == "." else inside + ("/" if prefix.endswith("/") else "")
    paths = tuple(inside_workspace(root, path) for path in filters.paths)
    return replace(filters, path_prefix=prefix, paths=paths)


def page_of(found: Found, state: str) -> Page:
    """The hits that are due; `state` names the published state that was searched."""
    options = found.plan.options
    print_ = _fingerprint(found.plan.question, options, state)
    offset = _read_cursor(options.cursor, print_) if options.cursor else 0
    end = offset + options.top_k
    cursor = _make_cursor(end, print_) if end < len(found.hits) else None
    return Page(found.hits[offset:end], offset, cursor)


def _fingerprint(question: Question, options: SearchOptions, state: str) -> str:
    said = [str(question), options.mode, options.stage, options.min_score, options.exhaustive]
    if not options.exhaustive:
        said.append(options.top_k)  # of more results more candidates are ranked
    plain = "|".join(map(str, [*said, state]))
    return hashlib.blake2b(plain.encode("utf-8", "replace"), digest_size=6).hexdigest()


def _make_cursor(offset: int, print_: str) -> str:
    plain = json.dumps([offset, print_], separators=(",", ":"))
    return base64.urlsafe_b64encode(plain.encode()).decode().rstrip("=")


def _read_cursor(cursor: str, print_: str) -> int:
    try:
        plain = base64.urlsafe_b64decode(cursor + "=" * (-len(cursor) % 4))
        offset, made_for = json.loads(plain)
    except (ValueError, TypeError, binascii.Error) as error:
        raise BadInput(
            f"cursor: given {cursor[:40]!r}; allowed: the cursor of an earlier answer"
        ) from error
    if made_for != print_ or not isinstance(offset, int) or offset < 0:
        raise CursorExpired(
            "cursor: it belongs to another question, or the index has changed since"
        )
    return offset


def show(
    reader: SnapshotReader,
    found: Found,
    hits: Sequence[Hit],
    *,
    level: DetailLevel,
    text_of: TextOf,
    with_factors: bool,
) -> tuple[SearchResult, ...]:
    """Hits as results."""
    shares = {term.text: term.share for term in found.terms}
    missing = [hit.place for hit in hits if hit.place not in found.records]
    records = {**found.records, **reader.records_at(missing)}
    results = []
    for hit in hits:
        is_short = level is DetailLevel.LOCATION
        info = reader.version(hit.place.version_id)
        members = [] if is_short else reader.members(hit.place, _MEMBERS)
        source = HitSource(
            hit=hit,
            language=info.language,
            line_count=info.line_count,
            symbol=records.get(hit.place),
            members=[f"{member.kind} {member.name}" for member in members],
            text=None if is_short else text_of(hit.path),
        )
        results.append(concise_result(source, level, shares=shares, with_factors=with_factors))
    return tuple(results)


def rank_of(reader: SnapshotReader, found: Found, target: str) -> int | None:
    """The position of a hit by handle, by path, or by a line of it: `path:line`."""
    path, _, line = target.rpartition(":")
    records = found.records or reader.records_at(hit.place for hit in found.hits)
    for position, hit in enumerate(found.hits):
        symbol = records.get(hit.place)
        if hit.path == target or (symbol and symbol_handle(hit.path, symbol.stable_id) == target):
            return position
        if hit.path == path and line.isdigit() and _covers(symbol, int(line)):
            return position
    return None


def _covers(symbol: Symbol | None, line: int) -> bool:
    return symbol is None or symbol.span.start_line <= line <= symbol.span.end_line


def suggest_names(reader: SnapshotReader, question: Question, limit: int) -> tuple[str, ...]:
    """Names of this snapshot that look like those asked for."""
    wanted = [question.usages_of] if question.usages_of else list(question.names)
    if question.symbol:
        wanted = [question.symbol.rpartition(">")[2].strip()]
    found: list[str] = []
    for name in wanted[:3]:
        pool = reader.similar_names(name, _SUGGESTION_POOL)
        found += most_alike(name, pool, limit=limit)
    return tuple(dict.fromkeys(found))[:limit]


def said_filters(filters: SymbolFilters) -> dict[str, object] | None:
    """The filters in force, by name; None if there are none."""
    empty = asdict(SymbolFilters())
    given: Mapping[str, object] = {f.name: getattr(filters, f.name) for f in fields(filters)}
    return {name: value for name, value in given.items() if value != empty[name]} or None


def mode_of(found: Found) -> str:
    """The mode that was really used."""
    question = found.plan.question
    if question.usages_of:
        return "usages"
    if question.expression or (len(question.phrases) == 1 and not question.words):
        return SearchMode.EXACT
    if question.symbol:
        return SearchMode.DEFINITION
    return found.plan.options.mode
