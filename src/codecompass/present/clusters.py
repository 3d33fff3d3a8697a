"""Symbols in, their previews by tier, and clusters that keep to their budgets out."""

import re
from collections.abc import Collection, Iterable, Sequence
from dataclasses import replace

from codecompass.model.cluster import (
    Cluster,
    ClusterMetadata,
    ClusterSeed,
    ClusterType,
    ExpansionState,
    MatchType,
    Related,
    RelatedSymbol,
    Relationship,
)
from codecompass.model.symbol import Symbol
from codecompass.text.identifiers import split_identifier
from codecompass.text.masks import show_masks
from codecompass.text.tokens import cut_to_tokens, estimate_tokens

FULL_TOKENS, SIGNATURE_TOKENS, MINIMAL_TOKENS = 200, 60, 25
SEED_TOKENS = 400
RELATION_TOKENS = {
    Relationship.CALLERS: 300,
    Relationship.CALLEES: 300,
    Relationship.TYPE_FAMILY: 200,
    Relationship.COLOCATED: 150,
    Relationship.SIBLINGS: 100,
}
_DOC_LINES = 3
_MAX_LINES = 60
_TYPES = frozenset({"class", "interface", "trait", "protocol", "struct", "enum", "type", "impl"})
_MODULES = frozenset({"file", "module", "namespace", "section", "key"})


def full_preview(symbol: Symbol, lines: Sequence[str]) -> str:
    """The doc and the first lines of a definition: as many whole lines as 200 tokens take."""
    doc = [line for line in symbol.doc.splitlines()[:_DOC_LINES] if line.strip()]
    if doc and any(doc[0].strip() in line for line in lines[:_MAX_LINES]):
        doc = []  # inside the code, as in Python
    shown: list[str] = []
    spent = 0
    for line in [*doc, *_dedented(lines[:_MAX_LINES])]:
        spent += estimate_tokens(f"{line}\n")
        if spent > FULL_TOKENS:
            break
        shown.append(line)
    return show_masks("\n".join(shown))


def _dedented(lines: Sequence[str]) -> list[str]:
    indents = [len(line) - len(line.lstrip()) for line in lines if line.strip()]
    least = min(indents, default=0)
    return [line[least:].rstrip() for line in lines]


def short_signature(symbol: Symbol) -> str:
    """A signature in at most 60 tokens."""
    whole = show_masks(symbol.signature or symbol.name)
    short = cut_to_tokens(whole, SIGNATURE_TOKENS - 1)
    return whole if short == whole else f"{short}…"


def minimal_preview(symbol: Symbol) -> str:
    """A name and what it is, in at most 25 tokens."""
    return cut_to_tokens(f"{symbol.name} ({symbol.kind})", MINIMAL_TOKENS)


def match_type(name: str, words: Collection[str]) -> MatchType:
    """How a name relates to the words of a question."""
    lowered = name.lower()
    asked = {re.split(r"[.:#]", word)[-1].lower() for word in words}
    if lowered in asked:
        return MatchType.EXACT
    if any(lowered.startswith(word) for word in asked if len(word) > 1):
        return MatchType.PREFIX
    if any(word in lowered for word in asked if len(word) > 2):
        return MatchType.CONTAINS
    parts = {part.lower() for part in split_identifier(name)}
    if any(part.startswith(word) for part in parts for word in asked if len(word) > 1):
        return MatchType.FUZZY
    return MatchType.SEMANTIC


def loaded(
    relationship: Relationship, symbols: Iterable[RelatedSymbol], total: int, budget: int
) -> Related:
    """As many of a relationship's symbols as its budget takes."""
    kept: list[RelatedSymbol] = []
    spent = 0
    for symbol in symbols:
        spent += estimate_tokens(related_text(relationship, symbol)) + 1
        if spent > budget:
            break
        kept.append(symbol)
    is_cut = len(kept) < total
    state = ExpansionState.TRUNCATED if is_cut else ExpansionState.LOADED
    return Related(state, tuple(kept), total)


def related_text(relationship: Relationship, symbol: RelatedSymbol) -> str:
    """One related symbol as it is read."""
    if symbol.signature is None:
        return symbol.preview or symbol.name
    at = symbol.line if relationship is Relationship.CALLERS and symbol.line else symbol.start_line
    far = f" ({symbol.depth} steps)" if symbol.depth else ""
    way = f"{symbol.relation} " if relationship is Relationship.TYPE_FAMILY else ""
    return f"    {way}{symbol.path}:{at} {symbol.name}{far} [{symbol.handle}] {symbol.signature}"


def cluster_type(seeds: Sequence[ClusterSeed]) -> ClusterType:
    """What holds a cluster together, by the kinds of its seeds."""
    groups = {
        ClusterType.TYPE_HIERARCHY
        if seed.kind in _TYPES
        else ClusterType.MODULE_BOUNDARY
        if seed.kind in _MODULES
        else ClusterType.FUNCTION_CHAIN
        for seed in seeds
    }
    return groups.pop() if len(groups) == 1 else ClusterType.MIXED


def make_cluster(seeds: Sequence[ClusterSeed], related: dict[Relationship, Related]) -> Cluster:
    """Seeds and what belongs to them, inside the budget of seeds."""
    shown: list[ClusterSeed] = []
    spent = 0
    for seed in seeds:
        spent += estimate_tokens(seed.preview or seed.signature or seed.name)
        fits = spent <= SEED_TOKENS or not shown
        shown.append(seed if fits else replace(seed, preview=None))
    metadata = ClusterMetadata(
        cluster_type(shown),
        max(seed.match_score for seed in shown),
        0,
        f"{shown[0].path}:{shown[0].start_line}",
    )
    cluster = Cluster(shown[0].handle, tuple(shown), related, metadata)
    tokens = estimate_tokens("\n".join(cluster_lines(cluster, 1)))
    return replace(cluster, metadata=replace(metadata, token_estimate=tokens))


def cluster_lines(cluster: Cluster, number: int, shown_files: Collection[str] = ()) -> list[str]:
    """A cluster as it is read; the rest of a file is not told again."""
    lines: list[str] = []
    for seed in cluster.seeds:
        span = f"{seed.start_line}-{seed.end_line}"
        place = f"{seed.path}:{span if seed.end_line > seed.start_line else seed.start_line}"
        lead = f"[{number}]" if not lines else "   "
        how = f"{seed.match_type} {seed.match_score}"
        lines.append(f"{lead} {place} {seed.kind} {seed.name} [{seed.handle}] {how}")
        text = seed.preview or seed.signature or ""
        lines += [f"    | {line}" for line in text.splitlines()]
    waiting = []
    for relationship, related in cluster.related.items():
        label = str(relationship).replace("_", " ")
        if relationship is Relationship.COLOCATED and cluster.seeds[0].path in shown_files:
            continue
        if related.state is ExpansionState.FAILED:
            lines.append(f"  {label}: failed: {related.error}")
        elif related.state is ExpansionState.NOT_LOADED:
            count = f" {related.total_count}" if related.total_count is not None else ""
            waiting.append(f"{label}{count}")
        elif related.data:
            lines += _loaded_lines(relationship, related, label)
    if waiting:
        lines.append(f"  not loaded: {', '.join(waiting)}")
    return lines


def _loaded_lines(relationship: Relationship, related: Related, label: str) -> list[str]:
    count = len(related.data)
    of = f"{count} of {related.total_count}" if related.total_count != count else f"{count}"
    texts = [related_text(relationship, item) for item in related.data]
    if related.data[0].signature is None:
        return [f"  {label} {of}: {', '.join(texts)}"]
    return [f"  {label} {of}:", *texts]
