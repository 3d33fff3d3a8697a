"""Results and how they are connected in, the connection graph as plain text out."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from codecompass.model.context import Connected, Key, Link, Links
from codecompass.present.budget import Form, Forms
from codecompass.text.masks import show_masks
from codecompass.text.tokens import cut_to_tokens

TOKENS = "\x00"
"""Stands where the number of tokens is put in when the answer is complete."""

_IN_RESULTS, _SHARED = "★", "◆"
_MAX_MEMBERS = 12
_MAX_SIGNATURE = 240
_QUERY_SHARE = 5  # a fifth of the budget at most repeats the question


@dataclass(frozen=True, slots=True)
class _Marks:
    """Which symbols are results, and which several results have in common."""

    results: frozenset[Key]
    shared: frozenset[Key]

    def of(self, link: Link) -> str:
        """The mark behind a symbol's name."""
        if link.key in self.results:
            return f" {_IN_RESULTS}"
        return f" {_SHARED}" if link.key in self.shared else ""


def connection_graph(query: str, results: Sequence[Connected], forms: Forms, budget: int) -> str:
    """The graph of all results that are not dropped, in the form that each has."""
    kept = [pair for pair in zip(results, forms, strict=True) if pair[1] < Form.DROPPED]
    files = len({result.path for result, _ in kept})
    count = f"{len(kept)} result{'' if len(kept) == 1 else 's'}"
    across = f" across {files} file{'' if files == 1 else 's'}" if len(kept) > 1 else ""
    asked = cut_to_tokens(_one_line(query), budget // _QUERY_SHARE)
    head = f'Search: "{asked}" | {count}{across} | {TOKENS}/{budget:,} tokens'
    if len(kept) == 1:
        lines = _entry(*kept[0], "", _Marks(frozenset(), frozenset()), with_paths=True)
        return "\n".join([head, "", *lines])
    marks = _marks([result for result, form in kept if form < Form.SIGNATURE], results)
    parts = [head, ""]
    for number, (result, form) in enumerate(kept, 1):
        parts += _entry(result, form, f"[{number}] ", marks, with_paths=False)
        if form < Form.NAME:
            parts.append("")
    if parts[-1]:
        parts.append("")
    parts += _legend(marks, kept)
    return "\n".join(parts).rstrip("\n")


def _one_line(text: str) -> str:
    return " ".join(text.split())[:200]


def _marks(told: Sequence[Connected], results: Sequence[Connected]) -> _Marks:
    """Exactly: what is in the results; what two or more of those told in full refer to."""
    own = frozenset(result.key for result in results)
    referred = Counter(key for result in told for key in {link.key for link in _links(result)})
    shared = frozenset(key for key, count in referred.items() if count > 1) - own
    return _Marks(own, shared)


def _links(result: Connected) -> dict[Link, str]:
    """All that a result refers to, and what that does for it."""
    found: dict[Link, str] = {}
    for group, done in (
        (result.calls, "called by"),
        (result.extends, "type used by"),
        (result.implements, "type used by"),
        (result.types_in, "type used by"),
        (result.types_out, "type used by"),
    ):
        for link in group.items:
            found.setdefault(link, done)
    return found


def _entry(
    result: Connected, form: Form, lead: str, marks: _Marks, *, with_paths: bool
) -> list[str]:
    place = f"{result.path}:{_span(result)}"
    if form is Form.NAME:
        return [f"{lead}{result.name} {place} {result.kind}"]
    about = [" ".join([*(word for word in result.modifiers if word != "export"), result.kind])]
    if result.is_exported:
        about.append("exported")
    if result.files is not None:
        about.append(f"refs: {result.files} file{'' if result.files == 1 else 's'}")
    lines = [f"{lead}{result.name}", f" {place}", f" {' | '.join(about)}"]
    if result.signature:
        lines.append(f" Signature: {_short(show_masks(result.signature))}")
    if form is Form.SIGNATURE and not with_paths:
        return lines
    for label, links in (
        ("Extends", result.extends),
        ("Implements", result.implements),
        ("Calls", result.calls),
        ("Called by", result.called_by),
        ("Used by", result.used_by),
    ):
        if links.items:
            shown = _names(links, result, marks, always=with_paths or label != "Calls")
            lines.append(f" {label}: {shown}")
    types = [
        f"Types {way}: {_names(links, result, marks, always=True)}"
        for way, links in (("in", result.types_in), ("out", result.types_out))
        if links.items
    ]
    if types:
        lines.append(f" {' | '.join(types)}")
    if result.members:
        rest = len(result.members) - _MAX_MEMBERS
        more = f" and {rest} more" if rest > 0 else ""
        lines.append(f" Members: {', '.join(result.members[:_MAX_MEMBERS])}{more}")
    return lines


def _short(signature: str) -> str:
    return signature if len(signature) <= _MAX_SIGNATURE else signature[: _MAX_SIGNATURE - 1] + "…"


def _names(links: Links, result: Connected, marks: _Marks, *, always: bool) -> str:
    """The symbols by name, with their paths where nothing else says them."""
    shown = []
    for link in links.items:
        mark = marks.of(link)
        with_path = always and not mark and link.path != result.path  # below, if it is marked
        shown.append(f"{link.name}{mark}{f' ({link.path})' if with_path else ''}")
    rest = links.total - len(links.items)
    return ", ".join(shown) + (f" and {rest} more" if rest > 0 else "")


def _legend(marks: _Marks, kept: Sequence[tuple[Connected, Form]]) -> list[str]:
    told = [result for result, form in kept if form < Form.SIGNATURE]
    links = [pair for result in told for pair in _links(result).items()]
    users_of = (link for one in told for link in (*one.called_by.items, *one.used_by.items))
    shown = (*(link for link, _ in links), *users_of)
    lines = []
    if marks.shared or any(link.key in marks.results for link in shown):
        lines.append(f"{_IN_RESULTS} = in results  {_SHARED} = shared across 2+ results")
    if not marks.shared:
        return lines
    lines += ["", "Shared dependencies not in results:"]
    users = Counter(key for result in told for key in {link.key for link in _links(result)})
    first = {link.key: (link, done) for link, done in reversed(links)}
    for key in sorted(marks.shared, key=lambda key: (-users[key], first[key][0].name)):
        link, done = first[key]
        lines.append(f" {link.name} ({link.path}) — {done} {users[key]}/{len(kept)} results")
    return lines


def _span(result: Connected) -> str:
    if result.start_line == result.end_line:
        return str(result.start_line)
    return f"{result.start_line}-{result.end_line}"
