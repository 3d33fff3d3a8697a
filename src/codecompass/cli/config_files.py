"""The text of an agent's file in, the same text with or without our entry out; pure."""

import json
import re
import tomllib
from collections.abc import Mapping
from typing import Any

from codecompass.errors import ConfigInvalid

_INDENT = re.compile(r"^([ \t]+)\S", re.MULTILINE)
_BEGIN, _END = "<!-- codecompass: begin -->", "<!-- codecompass: end -->"


def with_json_entry(text: str, section: str, name: str, entry: Mapping[str, object]) -> str:
    """A JSON file in which a server stands in a section."""
    content = _read_json(text)
    servers = content.get(section) or {}
    if not isinstance(servers, dict):
        raise ConfigInvalid(f"{section} is no object")
    known = servers.get(name)
    if _is_same(known, entry):
        return text
    kept = known if isinstance(known, dict) else {}
    content[section] = {**servers, name: {**kept, **entry}}
    return _written_json(content, text)


def _is_same(known: object, entry: Mapping[str, object]) -> bool:
    """Whether an entry starts this very server; what else its owner gave it is his."""
    if not isinstance(known, dict) or known.get("command") != entry["command"]:
        return False
    own, given = entry["args"], known.get("args")
    return isinstance(own, list) and isinstance(given, list) and set(own) <= set(given)


def without_json_entry(text: str, section: str, name: str) -> str:
    """The same file without the server; "" if nothing else is in it."""
    content = _read_json(text)
    servers = content.get(section)
    if not isinstance(servers, dict) or name not in servers:
        return text
    rest = {key: value for key, value in servers.items() if key != name}
    content = {key: value for key, value in content.items() if key != section or rest}
    if rest:
        content[section] = rest
    return _written_json(content, text) if content else ""


def _read_json(text: str) -> dict[str, Any]:
    try:
        content = json.loads(text) if text.strip() else {}
    except ValueError as error:
        raise ConfigInvalid(f"not plain JSON ({error})") from error
    if not isinstance(content, dict):
        raise ConfigInvalid("not a JSON object")
    return content


def _written_json(content: Mapping[str, object], before: str) -> str:
    """In the way it was written before: its indentation, its last line end."""
    found = _INDENT.search(before)
    indent: int | str = found[1] if found else 2
    text = json.dumps(content, indent=indent, ensure_ascii=_has_escapes(before))
    text += "\n" if before.endswith("\n") or not before else ""
    return text.replace("\n", "\r\n") if "\r\n" in before else text


def _has_escapes(text: str) -> bool:
    """Whether letters are written by their numbers; some of those cannot be written otherwise."""
    return re.search(r"\\u[0-9a-fA-F]{4}", text) is not None


def with_toml_entry(text: str, section: str, name: str, entry: Mapping[str, object]) -> str:
    """A TOML file in which a server stands in a section; everything else stays as it is."""
    before = _read_toml(text)
    if _is_same(_servers(before, section).get(name), entry):
        return text
    lines = [f"[{section}.{name}]", *(f"{key} = {_toml(value)}" for key, value in entry.items())]
    rest = _without_table(text, f"{section}.{name}").rstrip("\r\n")
    end = "\r\n" if "\r\n" in text else "\n"
    after = (rest + end * 2 if rest else "") + end.join(lines) + end
    _check_toml(before, after, section, name, entry)
    return after


def without_toml_entry(text: str, section: str, name: str) -> str:
    """The same file without the server."""
    before = _read_toml(text)
    if name not in _servers(before, section):
        return text
    after = _without_table(text, f"{section}.{name}")
    end = "\r\n" if "\r\n" in text else "\n"
    after = after.rstrip("\r\n") + end if after.strip() else ""
    _check_toml(before, after, section, name, None)
    return after


def _servers(content: Mapping[str, Any], section: str) -> dict[str, Any]:
    found = content.get(section, {})
    if not isinstance(found, dict):
        raise ConfigInvalid(f"{section} is no table")
    return found


def _read_toml(text: str) -> dict[str, Any]:
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise ConfigInvalid(f"not TOML ({error})") from error


def _without_table(text: str, table: str) -> str:
    """A text without a table and the tables inside it; comments behind it belong to the next."""
    kept: list[str] = []
    behind: list[str] = []  # blank lines and comments since the last line that was ours
    is_ours = False
    for line in text.splitlines(keepends=True):
        header = re.match(r"\s*\[+\s*([^\]]+?)\s*\]", line)
        if header:
            is_ours = header[1] == table or header[1].startswith(f"{table}.")
            kept += [] if is_ours else behind
            behind = []
        if not is_ours:
            kept.append(line)
        elif re.match(r"\s*(#|$)", line):
            behind.append(line)
        else:
            behind = []
    return "".join([*kept, *behind])


def _check_toml(
    before: dict[str, Any],
    after: str,
    section: str,
    name: str,
    entry: Mapping[str, object] | None,
) -> None:
    """Whether nothing but our entry is other than before; else it is left to its owner."""
    try:
        found = tomllib.loads(after)
    except tomllib.TOMLDecodeError as error:
        raise ConfigInvalid("written in a way that cannot be changed safely") from error
    ours = _servers(found, section).pop(name, None)
    _servers(before, section).pop(name, None)
    same = {key: value for key, value in found.items() if value != {}} == {
        key: value for key, value in before.items() if value != {}
    }
    if not same or ours != (None if entry is None else dict(entry)):
        raise ConfigInvalid("written in a way that cannot be changed safely")


def _toml(value: object) -> str:
    if isinstance(value, list):
        return f"[{', '.join(map(_toml, value))}]"
    return json.dumps(value, ensure_ascii=False)


def with_block(text: str, block: str) -> str:
    """A text for agents with our block in it, once."""
    rest = without_block(text)
    lead = rest.rstrip("\n") + "\n\n" if rest.strip() else ""
    return f"{lead}{_BEGIN}\n{block.strip()}\n{_END}\n"


def without_block(text: str) -> str:
    """The same text without it."""
    # From the last beginning before an end: one without an end is somebody's text by now.
    begin = re.escape(_BEGIN)
    pattern = rf"(?:\r?\n)*{begin}(?:(?!{begin}).)*?{re.escape(_END)}(?:\r?\n)?"
    found = re.sub(pattern, "\n", text, flags=re.DOTALL)
    return "" if not found.strip() else found.lstrip("\n") if text.startswith(_BEGIN) else found
