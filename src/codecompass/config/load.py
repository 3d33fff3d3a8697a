"""Configuration files, environment and flags in, one frozen `Settings` out.

The only module that reads configuration files and `CODECOMPASS_*` variables. Later
sources win: defaults, the user's file, the project's file, the environment, flags.
"""

import os
import stat
import sys
import tomllib
from collections.abc import Mapping
from dataclasses import fields, replace
from pathlib import Path

from codecompass.config.settings import PARTS, Settings
from codecompass.errors import ConfigInvalid

PROJECT_FILE = "codecompass.toml"
_CHOICES = {
    "freshness.policy": ("strict", "balanced", "best_effort"),
    "semantic.mode": ("off", "rerank_only", "hybrid"),
}
_PREFIX = "CODECOMPASS_"
_HOME_VARIABLE = "CODECOMPASS_HOME"
_NO_PRECOMPUTE = "CODECOMPASS_DISABLE_PRECOMPUTE"
# Read elsewhere: the word of a server over HTTP.
_OTHERS = frozenset({"CODECOMPASS_TOKEN"})
_FALSE = frozenset({"", "0", "false", "no", "off"})
_MAX_FILE_BYTES = 1_000_000
_OF_MACHINE = ("store.", "semantic.", "watch.", "server.")
_LIMITS = frozenset({"index.memory_mib", "search.time_limit_s"})


def load_settings(
    workspace: Path | None,
    environment: Mapping[str, str] | None = None,
    flags: Mapping[str, object] | None = None,
) -> Settings:
    """Settings for a workspace; a value of the wrong type names its source and what is allowed."""
    environment = os.environ if environment is None else environment
    values: dict[str, object] = {"store.home": _default_home(environment)}
    origins: dict[str, str] = {}
    sources = [_file_values(_user_file(environment), table=())]
    if workspace is not None:
        for name, table in (("pyproject.toml", ("tool", "codecompass")), (PROJECT_FILE, ())):
            path = workspace / name
            found = {} if _is_foreign(path, workspace) else _file_values(path, table=table)
            _refuse_foreign(found)
            sources.append(found)
    sources.append(_environment_values(environment))
    sources.append({key: (value, "flag") for key, value in (flags or {}).items()})
    for source in sources:
        for key, (value, origin) in source.items():
            values[key] = _converted(key, value, origin)
            origins[key] = origin
    return _build(values, origins)


def unknown_variables(environment: Mapping[str, str] | None = None) -> list[str]:
    """Variables that look like settings and are none: misspelt, or of another version."""
    environment = os.environ if environment is None else environment
    known = {_HOME_VARIABLE, _NO_PRECOMPUTE, *_OTHERS, *_variables()}
    return sorted(name for name in environment if name.startswith(_PREFIX) and name not in known)


def is_of_machine(key: str) -> bool:
    """Whether a setting is the user's alone.

    A repository somebody cloned must not decide where we write, whom we send code to, or
    how much of the machine we take.
    """
    return key in _LIMITS or (key.startswith(_OF_MACHINE) and key != "semantic.mode")


def _refuse_foreign(found: Mapping[str, tuple[object, str]]) -> None:
    for key, (_, origin) in found.items():
        if is_of_machine(key):
            raise ConfigInvalid(
                f"{origin}: {key} is a matter of the machine, not of a project",
                remediation="set it in the user's file or the environment",
            )


def _build(values: Mapping[str, object], origins: dict[str, str]) -> Settings:
    parts: dict[str, object] = {}
    for name, part in PARTS.items():
        own = {
            key.partition(".")[2]: value
            for key, value in values.items()
            if key.partition(".")[0] == name
        }
        parts[name] = replace(part(), **own)
    return Settings(**parts, origins=origins)  # type: ignore[arg-type]  # built by name above


def _default_home(environment: Mapping[str, str]) -> Path:
    if environment.get(_HOME_VARIABLE):
        return Path(environment[_HOME_VARIABLE]).expanduser().absolute()
    home = Path(environment.get("HOME") or Path.home())
    if sys.platform == "win32":
        return Path(environment.get("LOCALAPPDATA") or home / "AppData/Local") / "codecompass"
    if sys.platform == "darwin":
        return home / "Library/Application Support/codecompass"
    return Path(environment.get("XDG_DATA_HOME") or home / ".local/share") / "codecompass"


def _user_file(environment: Mapping[str, str]) -> Path:
    home = Path(environment.get("HOME") or Path.home())
    if sys.platform == "win32":
        return Path(environment.get("APPDATA") or home / "AppData/Roaming") / "codecompass.toml"
    return Path(environment.get("XDG_CONFIG_HOME") or home / ".config") / "codecompass/config.toml"


def _read(path: Path) -> str:
    """The text of a file of settings: of a device there would be no end."""
    kind = path.stat()
    if not stat.S_ISREG(kind.st_mode) or kind.st_size > _MAX_FILE_BYTES:
        raise OSError(f"no plain file of at most {_MAX_FILE_BYTES:,} bytes")
    return path.read_text("utf-8")


def _is_foreign(path: Path, root: Path) -> bool:
    """Whether a project's file is a link to something that is not the project's."""
    real = Path(os.path.realpath(path))  # `resolve` fails where links lead in a circle
    return path.is_symlink() and not real.is_relative_to(os.path.realpath(root))


def _file_values(path: Path, *, table: tuple[str, ...]) -> dict[str, tuple[object, str]]:
    try:
        text = _read(path)
    except (FileNotFoundError, NotADirectoryError):
        return {}
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigInvalid(f"{path}: cannot be read: {error}") from error
    try:
        content: object = tomllib.loads(text)
    except (tomllib.TOMLDecodeError, RecursionError) as error:
        if table:  # somebody else's file; its own tools will complain
            return {}
        raise ConfigInvalid(f"{path}: {error}") from error
    for name in table:
        content = content.get(name, {}) if isinstance(content, dict) else {}
    found: dict[str, tuple[object, str]] = {}
    for name, part in content.items() if isinstance(content, dict) else ():
        if not isinstance(part, dict):
            raise ConfigInvalid(f"{path}: {name} must be a table, one of {', '.join(PARTS)}")
        found |= {f"{name}.{key}": (value, str(path)) for key, value in part.items()}
    return found


def _environment_values(environment: Mapping[str, str]) -> dict[str, tuple[object, str]]:
    found: dict[str, tuple[object, str]] = {}
    if environment.get(_HOME_VARIABLE):
        found["store.home"] = (environment[_HOME_VARIABLE], _HOME_VARIABLE)
    if environment.get(_NO_PRECOMPUTE, "").lower() not in _FALSE:
        found["answers.precompute"] = (False, _NO_PRECOMPUTE)
    for variable, key in _variables().items():
        if variable in environment:
            found[key] = (environment[variable], variable)
    return found


def _variables() -> dict[str, str]:
    """The variable of each setting."""
    return {
        f"{_PREFIX}{name}_{item.name}".upper(): f"{name}.{item.name}"
        for name, part in PARTS.items()
        for item in fields(part)
    }


def _converted(key: str, value: object, origin: str) -> object:
    """The value in the type of its default; texts from the environment are read as such."""
    part_name, _, name = key.partition(".")
    part = PARTS.get(part_name)
    default = getattr(part(), name, None) if part else None
    if default is None:
        known = [f"{p}.{f.name}" for p, part_type in PARTS.items() for f in fields(part_type)]
        raise ConfigInvalid(f"{origin}: unknown setting {key}; known: {', '.join(known)}")
    if isinstance(default, dict):
        return {**default, **_table(key, value, origin)}
    try:
        if isinstance(default, Path):
            return Path(str(value)).expanduser().absolute()
        if isinstance(value, str) and not isinstance(default, str):
            is_switch = isinstance(default, bool)
            value = value.lower() not in _FALSE if is_switch else type(default)(value)
    except ValueError as error:
        raise _wrong(key, value, origin, f"a {type(default).__name__}") from error
    if isinstance(default, float) and isinstance(value, int):
        value = float(value)
    if type(value) is not type(default):
        raise _wrong(key, value, origin, f"a {type(default).__name__}")
    if isinstance(value, int | float) and not value >= 0:
        raise _wrong(key, value, origin, "zero or more")
    if key in _CHOICES and value not in _CHOICES[key]:
        raise _wrong(key, value, origin, f"one of {', '.join(_CHOICES[key])}")
    return value


def _table(key: str, value: object, origin: str) -> dict[str, float]:
    """A table of numbers; what it does not name keeps its default."""
    allowed = "a table of numbers, in a file"
    if not isinstance(value, dict):
        raise _wrong(key, value, origin, allowed)
    for name, number in value.items():
        if type(number) not in {int, float} or not number >= 0:
            raise _wrong(f"{key}.{name}", number, origin, "a number, zero or more")
    return {name: float(number) for name, number in value.items()}


def _wrong(key: str, value: object, origin: str, allowed: str) -> ConfigInvalid:
    return ConfigInvalid(f"{origin}: {key} = {value!r}, but it must be {allowed}")
