"""What the uses of one file mean in one snapshot."""

from dataclasses import dataclass
from enum import StrEnum
from typing import NamedTuple

Node = tuple[str, str]
"""A declaration: the path of its file and its key there; the key "" is the file itself."""


class Confidence(StrEnum):
    """How an edge is known."""

    VERIFIED = "verified"  # a compiler or a language server said so
    STATIC = "static"  # imports, scopes, members and types were followed to the target
    POSSIBLE = "possible"  # the same name, and nothing more


class Edge(NamedTuple):
    """One use whose meaning is known."""

    start: int
    line: int
    role: int  # number of the role
    enclosing: int  # ordinal of the innermost symbol around the use, -1 for none
    target: Node


class Miss(NamedTuple):
    """One use whose meaning is not known."""

    start: int
    line: int
    role: int
    enclosing: int
    name: str


@dataclass(frozen=True, slots=True)
class LinkedFile:
    """All uses of one file, resolved, and on what of other files the answers rest."""

    path: str
    edges: tuple[Edge, ...]
    misses: tuple[Miss, ...]
    outside: int  # uses of what is not in the repository
    needs: frozenset[Node]
