"""Places of a name that are no uses, and uses of what overrides it, in; lines of text out."""

from collections.abc import Mapping, Sequence
from itertools import groupby

from codecompass.model.graph_answer import FamilyUses, PlaceGroup
from codecompass.model.occurrence import Group

_MAX_COMMENTS = 10  # more are counted
# Of a group, with their text: of code that may mean it more than of all else.
_MAX_PLACES, _MAX_OTHERS = 4, 2
_MAX_MEMBERS = 6
_MAX_FILES = 4
_MAX_TEXT = 70
_TITLES = {
    "read": "read without a call",
    "further_up": "further up, not resolved",
    Group.NOT_RESOLVED: "not resolved",
    Group.OUTSIDE: "members of values from outside",
    Group.STRING: "in strings",
    Group.NOT_ANALYSED: "not analysed",
}

_LESS_LIKELY = frozenset({Group.STRING, Group.NOT_ANALYSED, Group.OUTSIDE})


def family_lines(family: Sequence[FamilyUses]) -> list[str]:
    """Members that override or implement what is asked about, or the reverse, with their uses."""
    if not family:
        return []
    lines = [f"overrides and implementations ({len(family)}):"]
    for item in family[:_MAX_MEMBERS]:
        where = _by_file(item.lines)
        used = f"; used {where}" if where else ""
        lines.append(f"  {item.path}:{item.start_line} {item.name}{used}")
    rest = len(family) - _MAX_MEMBERS
    return [*lines, f"  and {rest} more"] if rest > 0 else lines


def group_lines(groups: Sequence[PlaceGroup]) -> list[str]:
    """Places that may be uses, with their text; comments and documentation, if they are few."""
    lines: list[str] = []
    for group in groups:
        title = _TITLES.get(group.group)
        if title is not None:
            lines.append(f"{title} ({group.total:,}):")
            is_code = group.group not in _LESS_LIKELY
            shown = group.places[: _MAX_PLACES if is_code else _MAX_OTHERS]
            for path, places in groupby(shown, key=lambda item: item.path):
                told = [f"{item.line}: {item.text[:_MAX_TEXT]}" for item in places]
                if len(told) == 1:
                    lines.append(f"  {path}:{told[0]}")
                else:
                    lines += [f"  {path}", *(f"    {line}" for line in told)]
            rest = group.total - len(shown)
            lines += [f"  and {rest:,} more"] if rest > 0 else []
        elif group.group == Group.COMMENT:
            where = _by_file(group.lines or {}) if group.total <= _MAX_COMMENTS else ""
            lines.append(f"in comments and docs: {where or f'{group.total:,} places'}")
    return lines


def numbers(lines: Sequence[int]) -> str:
    """Lines in order, three and more in a row as a range."""
    parts: list[str] = []
    for _, group in groupby(enumerate(lines), key=lambda pair: pair[1] - pair[0]):
        run = [line for _, line in group]
        parts += [f"{run[0]}-{run[-1]}"] if len(run) > 2 else [str(line) for line in run]
    return ",".join(parts)


def _by_file(lines: Mapping[str, Sequence[int]]) -> str:
    shown = [f"{path}:{numbers(found)}" for path, found in list(lines.items())[:_MAX_FILES]]
    rest = len(lines) - _MAX_FILES
    return "; ".join([*shown, *([f"{rest} more files"] if rest > 0 else [])])
