"""An expression that names something in, what it means out."""

from enum import StrEnum
from typing import NamedTuple

from codecompass.link.infer import Inference
from codecompass.link.types import OUTSIDE
from codecompass.model.edge import Node
from codecompass.model.module import Expr


class Fate(StrEnum):
    """What became of a use."""

    RESOLVED = "resolved"
    EXTERNAL = "external"  # it means something outside the repository
    UNRESOLVED = "unresolved"


class Meaning(NamedTuple):
    """What an expression names: declarations by path and key."""

    fate: Fate
    targets: tuple[Node, ...]


_PLAIN = frozenset({"name", "typename", "token", "attribute", "outer", "fixture", "require"})


def meaning_of(inference: Inference, path: str, number: int) -> Meaning:
    """What an expression of a file means."""
    places = inference.named(path, number)
    stubs = inference.dialect.stubs
    targets: dict[Node, None] = {}
    is_outside = False
    for place in places:
        if place == OUTSIDE or place[0] == stubs:
            is_outside = True
            continue
        key = inference.key(place)
        if key is not None:
            targets[place[0], key] = None
    if targets:
        return Meaning(Fate.RESOLVED, tuple(targets))
    # What has a place but no key is local to a function: nobody asks for it from elsewhere.
    return Meaning(Fate.EXTERNAL if is_outside or places else Fate.UNRESOLVED, ())


def name_in(expr: Expr) -> str:
    """The name that an expression ends with."""
    name = expr[1] if expr[0] in _PLAIN else expr[2] or expr[1]
    return str(name).removesuffix("()")
