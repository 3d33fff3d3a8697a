"""Answers about refs in, compact lines for people and agents out."""

from collections.abc import Sequence
from itertools import groupby

from codecompass.model.answer import (
    ChangedFile,
    ChangeResult,
    CompareAnswer,
    DiffAnswer,
    GarbageAnswer,
    RefsAnswer,
    SwitchAnswer,
)
from codecompass.present.meta import lacking, state_line
from codecompass.text.tokens import estimate_tokens

_MIB = 1024 * 1024
# Two lines of a terminal; the value of a key may be a page long.
_SIGNATURE_CHARS = 160
_MARKS = {"added": "+", "deleted": "-", "modified": "~", "moved": ">", "renamed": ">"}
_FOLDED = ("added", "deleted")


def render_diff(answer: DiffAnswer) -> str:
    """What changed by file, one line for each symbol; members of what is new on one line."""
    whole = {item.path: item for item in answer.files or ()}
    body: list[str] = []
    for path, group in groupby(answer.results or (), key=lambda item: item.path):
        body += _file_with_symbols(path, whole.pop(path, None), list(group))
    body += [f"{_MARKS[item.change]} {_file(item)}" for item in whole.values()]
    body += [f"note: {note}" for note in answer.notes or ()]
    if answer.cursor:
        shown = f"{len(answer.results or ())} of {sum(answer.summary.values())} symbols"
        body.append(f"{shown}; more: narrow by path_prefix, or cursor={answer.cursor}")
    if not answer.affected_files:
        body.append("no difference")
    text = "\n".join(body)
    counts = ", ".join(f"{count} {kind}" for kind, count in sorted(answer.summary.items()))
    status = [
        state_line(answer.meta),
        f"against {answer.base} at {answer.merge_base}",
        f"{answer.affected_files} files",
        *([counts] if counts else []),
        f"{estimate_tokens(text)} tokens",
    ]
    return " · ".join(status) + f"\n{text}"


def _file_with_symbols(
    path: str, whole: ChangedFile | None, changes: Sequence[ChangeResult]
) -> list[str]:
    if whole is None:
        return [path, *_symbols(changes)]
    if whole.change == "deleted" and all(item.change == "deleted" for item in changes):
        names = [item.name for item, _ in _folded(changes)]
        return [f"- {path} (deleted) with {', '.join(names)}"]
    return [f"{_MARKS[whole.change]} {_file(whole)}", *_symbols(changes)]


def _symbols(changes: Sequence[ChangeResult]) -> list[str]:
    lines: list[str] = []
    for item, inside in _folded(changes):
        lines += [*_symbol(item), *_members(inside, item), *_callers(item)]
    return lines


def _callers(item: ChangeResult) -> list[str]:
    if not item.callers:
        return []
    rest = (item.caller_count or 0) - len(item.callers)
    more = f" and {rest} more" if rest > 0 else ""
    return [f"      called at {', '.join(item.callers)}{more}"]


def _folded(changes: Sequence[ChangeResult]) -> list[tuple[ChangeResult, list[str]]]:
    """Each symbol with the names of those that came or went inside it and stand behind it."""
    groups: list[tuple[ChangeResult, list[str]]] = []
    for item in changes:
        outer = groups[-1][0] if groups else None
        name = item.qualified_name or item.name
        around = f"{outer.qualified_name or outer.name}." if outer else ""
        is_inside = outer and item.change == outer.change and name.startswith(around)
        if is_inside and item.change in _FOLDED:
            groups[-1][1].append(name.removeprefix(around))
        else:
            groups.append((item, []))
    return groups


def _members(names: Sequence[str], outer: ChangeResult) -> list[str]:
    """What came or went inside something; with how many more where not all are told."""
    rest = (outer.members or 0) - len(names)
    more = [f"+{rest}"] if rest > 0 else []
    return [f"      with {', '.join([*names, *more])}"] if names or more else []


def _symbol(item: ChangeResult) -> list[str]:
    name = item.qualified_name or item.name
    span = str(item.start_line)
    if item.end_line != item.start_line:
        span += f"-{item.end_line}"
    said = item.change if item.change in {"moved", "renamed"} else ""
    if item.before_path or item.before_name:
        said += f" from {' '.join(filter(None, (item.before_path, item.before_name)))}"
    if item.parts:
        said += f" ({', '.join(item.parts)})"
    mark = _MARKS.get(item.change, " ")
    lines = [f"  {mark} {span} {item.kind} {name} [{item.handle}]{_pad(said)}"]
    if item.before_signature and item.signature and item.parts:
        old, new = _around_difference(item.before_signature, item.signature)
        lines += [f"      - {old}", f"      + {new}"]
    elif item.signature and item.change != "modified":
        lines.append(f"      {_shortened(item.signature)}")
    lines += [f"      | {line}" for line in (item.diff or "").splitlines()]
    return lines


def _around_difference(old: str, new: str) -> tuple[str, str]:
    """Two long texts from shortly before the first place where they differ."""
    if max(len(old), len(new)) <= _SIGNATURE_CHARS:
        return old, new
    pairs = enumerate(zip(old, new, strict=False))
    differs = next((place for place, (one, other) in pairs if one != other), len(old))
    start = max(0, differs - _SIGNATURE_CHARS // 4)
    lead = "…" if start else ""
    return lead + _shortened(old[start:]), lead + _shortened(new[start:])


def _shortened(text: str) -> str:
    return text if len(text) <= _SIGNATURE_CHARS else text[:_SIGNATURE_CHARS] + "…"


def _pad(text: str) -> str:
    return f" {text.strip()}" if text else ""


def _file(item: ChangedFile) -> str:
    said = [
        f"was {item.before_path}" if item.before_path else "",
        f"not indexed: {item.not_indexed}" if item.not_indexed else "",
        item.change if item.change in _FOLDED else "",
        f"outside definitions: {item.other_lines}" if item.other_lines else "",
    ]
    told = ", ".join(part for part in said if part)
    return f"{item.path} ({told})" if told else item.path


def render_compare(answer: CompareAnswer) -> str:
    """What became of a symbol."""
    old, new = (
        f"{ref} @{commit}" if commit else ref
        for ref, commit in (
            (answer.from_ref, answer.from_commit),
            (answer.to_ref, answer.to_commit),
        )
    )
    lines = [f"{answer.symbol}: {answer.change} from {old} to {new}{lacking(answer.meta)}"]
    for path, items in groupby(answer.results, key=lambda item: item.path):
        lines.append(path)
        for item in items:
            lines += _symbol(item)
    if answer.members_left:
        lines.append(f"… {answer.members_left} more members changed: compare one by its name")
    return "\n".join(lines)


def render_refs(answer: RefsAnswer) -> str:
    """Work trees first, then refs, the newest commit first."""
    lines = [f"questions mean {answer.default_ref} · base {answer.base or 'not found'}"]
    for tree in answer.worktrees:
        said = [
            tree.branch or "detached",
            tree.commit or "no commit yet",
            *(["this one"] if tree.is_current else []),
            *(["indexed"] if tree.is_indexed else []),
            *(["folder is gone"] if tree.is_gone else []),
        ]
        lines.append(f"worktree {tree.path} · {' · '.join(said)}")
    for ref in answer.refs:
        state = " · indexed" if ref.is_indexed else ""
        lines.append(f"{ref.kind} {ref.name} {ref.commit} {ref.date[:10]}{state}")
    if len(answer.refs) < answer.total:
        lines.append(f"{answer.total - len(answer.refs)} more: narrow by contains, or raise limit")
    return "\n".join(lines)


def render_switch(answer: SwitchAnswer) -> str:
    """What questions mean from now on."""
    at = f" at {answer.commit}" if answer.commit else ""
    return f"questions in {answer.workspace} now mean {answer.ref}{at} (before: {answer.before})"


def render_garbage(answer: GarbageAnswer) -> str:
    """What was thrown away."""
    others = answer.evicted_stores
    evicted = f"; removed {others:,} indexes of other repositories" if others else ""
    return (
        f"dropped {answer.snapshots:,} snapshots and {answer.versions:,} file versions"
        f" ({answer.freed_bytes / _MIB:.1f} MiB){evicted}"
    )
