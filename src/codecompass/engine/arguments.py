"""What a caller gives in, arguments in the types that an operation takes out."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from codecompass.errors import BadInput

_IN_WORDS = {str: "a text", int: "a whole number", float: "a number", bool: "true or false"}
_LARGEST = 2**53  # no number that is asked for is larger


@dataclass(frozen=True, slots=True)
class Argument:
    """One argument: its type, and its allowed values where they are few."""

    name: str
    kind: type
    choices: tuple[str, ...] = ()
    required: bool = False
    repeated: bool = False  # a list; a single value is taken as a list of one


def checked(
    name: str, arguments: Sequence[Argument], given: Mapping[str, object]
) -> dict[str, Any]:
    """The arguments of an operation in the types it takes; what it does not take is refused."""
    known = {argument.name: argument for argument in arguments}
    for key in given:
        if key not in known:
            allowed = ", ".join(known) or "no arguments"
            raise BadInput(f"{name}: unknown argument {key!r:.80}; allowed: {allowed}")
    found: dict[str, Any] = {}
    for argument in arguments:
        value = given.get(argument.name)
        if value is None:
            if argument.required:
                raise BadInput(f"{name}: argument {argument.name!r} is missing")
            continue
        found[argument.name] = _converted(argument, value)
    return found


def _converted(argument: Argument, value: object) -> object:
    if argument.repeated:
        values = value if isinstance(value, list) else [value]
        return tuple(_single(argument, item) for item in values)
    return _single(argument, value)


def _single(argument: Argument, value: object) -> object:
    if argument.kind is float and isinstance(value, int) and not isinstance(value, bool):
        value = float(min(value, _LARGEST))
    elif argument.kind is int and isinstance(value, float) and value.is_integer():
        value = int(value)  # some programs know but one kind of number
    if type(value) is not argument.kind:
        kind = _IN_WORDS[argument.kind]
        raise BadInput(f"{argument.name}: given {value!r:.200}; allowed: {kind}")
    if isinstance(value, str) and not _is_text(value):
        raise BadInput(f"{argument.name}: given text that is not Unicode; allowed: plain text")
    if argument.choices and value not in argument.choices:
        allowed = ", ".join(argument.choices)
        raise BadInput(f"{argument.name}: given {value!r:.200}; allowed: {allowed}")
    return value


def _is_text(value: str) -> bool:
    """Whether it can be written; half of a pair of surrogates cannot."""
    try:
        value.encode("utf-8")
    except UnicodeEncodeError:
        return False
    return True
