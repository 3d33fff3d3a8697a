"""Answers about connections in, compact lines grouped by file out."""

from collections.abc import Sequence
from itertools import groupby

from codecompass.model.answer import Meta, SymbolResult
from codecompass.model.graph_answer import (
    CallsAnswer,
    Completeness,
    FamilyAnswer,
    ReferencesAnswer,
    RelationResult,
)
from codecompass.present.groups import family_lines, group_lines, numbers
from codecompass.present.meta import state_line
from codecompass.text.tokens import estimate_tokens

_MAX_UNKNOWN = 12
_MAX_LINES = 12
_MAX_DEFINITIONS = 8
_USUAL = ("function", "method")
"""What calls; other kinds are named."""


def render_references(answer: ReferencesAnswer) -> str:
    """Uses grouped by file and by the definition they stand in."""
    roles = ", ".join(f"{role} {count}" for role, count in answer.roles.items())
    count = f"{answer.total} uses in {len(answer.files)} files"
    about = f"{count} ({roles})" if roles else "0 uses"
    if answer.left_out:
        left = ", ".join(f"{role} {number}" for role, number in answer.left_out.items())
        about += f"; left out by the filter: {left}"
    # The only role stands in the first line.
    with_roles = len({*answer.roles, *map(_role, answer.results)}) > 1
    body = _definitions(answer.definitions)
    body += _use_lines(answer.results, with_roles=with_roles)
    body += _nothing(answer.query, answer.definitions, answer.suggestions, answer.meta)
    if answer.definitions:
        body += family_lines(answer.family or ())
        body += group_lines(answer.groups or ())
        body += _certainty(answer.certainty)
    return _with_status(answer, about, body)


def render_calls(answer: CallsAnswer) -> str:
    """Callers and callees, each with the lines of the calls."""
    parts = []
    for relation in ("caller", "callee"):
        if answer.direction in ("both", f"{relation}s"):
            shown = sum(item.relation == relation for item in answer.results)
            parts.append(f"{shown} {relation}s")
    about = ", ".join(parts)
    if len(answer.results) < answer.total:
        about += f" of {answer.total}"
    body = _definitions(answer.definitions)
    for relation in ("caller", "callee"):
        found = [item for item in answer.results if item.relation == relation]
        if found and answer.direction == "both":
            body.append(f"{relation}s:")
        body += _call_lines(found)
    body += _nothing(answer.query, answer.definitions, answer.suggestions, answer.meta)
    if answer.unknown_calls:
        shown_names = ", ".join(answer.unknown_calls[:_MAX_UNKNOWN])
        rest = len(answer.unknown_calls) - _MAX_UNKNOWN
        more = f" and {rest} more" if rest > 0 else ""
        body.append(f"also calls, meaning unknown: {shown_names}{more}")
    if answer.definitions and answer.direction != "callees":
        body += family_lines(answer.family or ())
        body += group_lines(answer.groups or ())
        body += _certainty(answer.certainty)
    return _with_status(answer, about, body)


def render_family(answer: FamilyAnswer) -> str:
    """Relatives grouped by how they are related."""
    body = _definitions(answer.definitions)
    for relation, group in groupby(answer.results, key=lambda item: item.relation):
        body.append(f"{relation}:")
        body += [f"  {_place(item)}{_steps(item)}" for item in group]
    body += _nothing(answer.query, answer.definitions, answer.suggestions, answer.meta)
    count = f"{len(answer.results)} of {answer.total} relatives"
    return _with_status(answer, count, body)


def _with_status(
    answer: ReferencesAnswer | CallsAnswer | FamilyAnswer, about: str, body: Sequence[str]
) -> str:
    more = [f"more: cursor={answer.cursor}"] if answer.cursor else []
    text = "\n".join([*body, *more])
    return f"{state_line(answer.meta)} · {about} · {estimate_tokens(text)} tokens\n{text}"


def _definitions(definitions: Sequence[SymbolResult]) -> list[str]:
    lines: list[str] = []
    for path, group in groupby(definitions[:_MAX_DEFINITIONS], key=lambda item: item.path):
        told = [
            f"{_span(item)} {item.kind} {item.qualified_name or item.name} [{item.handle}]"
            for item in group
        ]
        lines += [f"{path}:{told[0]}"] if len(told) == 1 else [path, *(f"  {one}" for one in told)]
    rest = len(definitions) - _MAX_DEFINITIONS
    return [*lines, f"and {rest} more definitions of this name"] if rest > 0 else lines


def _use_lines(results: Sequence[RelationResult], *, with_roles: bool) -> list[str]:
    lines: list[str] = []
    for path, in_file in groupby(results, key=lambda item: item.path):
        lines.append(path)
        for (is_file, name), group in groupby(
            in_file, key=lambda item: (item.handle == path, item.name)
        ):
            uses = list(group)
            if any(item.context for item in uses):
                lines += [f"  {item.line} {_role(item)}: {item.context}" for item in uses]
                continue
            where = "" if is_file else f" in {name}"
            told = _by_role(uses) if with_roles else _shown_lines(uses)
            lines.append(f"  {told}{where}")
    return lines


def _shown_lines(uses: Sequence[RelationResult]) -> str:
    lines = list(dict.fromkeys(item.line for item in uses if item.line is not None))
    rest = len(lines) - _MAX_LINES
    return f"{numbers(lines[:_MAX_LINES])}{f' and {rest} more' if rest > 0 else ''}"


def _by_role(uses: Sequence[RelationResult]) -> str:
    parts = []
    for role, group in groupby(uses, key=_role):
        parts.append(f"{_shown_lines(list(group))} {role}")
    return "; ".join(parts)


def _role(item: RelationResult) -> str:
    return item.relation if item.confidence != "possible" else f"possible {item.relation}"


def _call_lines(results: Sequence[RelationResult]) -> list[str]:
    lines: list[str] = []
    path = ""
    for item in _as_tree(results):
        depth = item.depth or 1
        if depth > 1:
            lines.append(f"  {'  ' * (depth - 1)}{_place(item)}{' (again)' if item.cycle else ''}")
            path = ""
            continue
        if item.path != path:
            path = item.path
            lines.append(path)
        evidence = numbers(_evidence(item))
        if item.kind == "file":
            lines.append(f"  {evidence} outside definitions")
        else:
            at = evidence if item.relation == "caller" else f"{_span(item)}, called at {evidence}"
            again = " (again)" if item.cycle else ""
            kind = "" if item.kind in _USUAL else f"{item.kind} "
            lines.append(f"  {at} {kind}{item.name} [{item.handle}]{again}")
    return lines


def _evidence(item: RelationResult) -> tuple[int, ...]:
    return item.lines or ((item.line,) if item.line is not None else ())


def _steps(item: RelationResult) -> str:
    return f" ({item.depth} steps)" if item.depth and item.depth > 1 else ""


def _as_tree(results: Sequence[RelationResult]) -> list[RelationResult]:
    """Each right behind what it belongs to; what belongs to nothing that is shown at the end."""
    below: dict[str | None, list[RelationResult]] = {}
    for item in results:
        below.setdefault(item.of, []).append(item)
    found: list[RelationResult] = []
    pending = below.pop(None, [])[::-1]
    while pending:
        item = pending.pop()
        found.append(item)
        pending += below.pop(item.handle, [])[::-1]
    return [*found, *(item for rest in below.values() for item in rest)]


def _place(item: RelationResult) -> str:
    at = f" at {item.line}" if item.line is not None and item.relation == "caller" else ""
    return f"{item.path}:{_span(item)} {item.kind} {item.name}{at} [{item.handle}]"


def _span(item: SymbolResult | RelationResult) -> str:
    if item.start_line == item.end_line:
        return str(item.start_line)
    return f"{item.start_line}-{item.end_line}"


def _certainty(certainty: Completeness) -> list[str]:
    if certainty.complete:
        return ["complete"]
    reasons = certainty.reasons or ("some names could not be resolved",)
    return [f"not complete: {'; '.join(reasons)}"]


def _nothing(
    query: str,
    definitions: Sequence[SymbolResult],
    suggestions: Sequence[str],
    meta: Meta,
) -> list[str]:
    if definitions:
        return []
    lines = [
        f"no definition named {query!r}; searched {meta.searched_symbols or 0:,} definitions"
        f" in {meta.searched_files or 0:,} files"
    ]
    if suggestions:
        lines.append(f"not matches, but similar: {', '.join(suggestions)}")
    return lines
