"""What is known of a value: types as plain tuples, and pure operations on them.

- `("inst", class, arguments)`: a value of a class; `("class", class, arguments)`: the class
- `("func", function, receiver, known type parameters)`: a function of this repository
- `("callable", result, parameters)`: any other function, by what it returns and takes
- `("module", path)`: a file as a value; `("space", declaration)`: a namespace
- `("self", class)`: the receiver, whatever it is derived from; `("super", class)`
- `("param", declaration)`: a type parameter
- `("tuple", types)`, `("union", types)`
- `NONE`; `EXTERNAL` for what is not of this repository: a library, what it defines, values
  of its types; `FOREIGN` for what a library hands back, which may be of any type
- None is unknown
"""

from collections.abc import Iterable, Mapping
from typing import Any

Type = tuple[Any, ...]
Place = tuple[str, int]
"""A declaration: the path of its file and its number there; -1 is the file itself."""

NONE: Type = ("none",)
EXTERNAL: Type = ("external",)
FOREIGN: Type = ("foreign",)
OUTSIDE: Place = ("", -1)
"""The place of everything that is not in the repository."""
# Further members of a union are forgotten; compilers' unions this wide come from tables.
_MAX_UNION = 24
_MAX_DEPTH = 6
_MAX_NESTING = 5
_MAX_PARTS = 300


def union(types: Iterable[Type | None]) -> Type | None:
    """One of several types; what is unknown or nothing adds nothing.

    A list, not a set: types hold types, and to hash one means to walk all of it, each time.
    Two different ones differ near their beginnings.
    """
    found: list[Type] = []
    for item in types:
        if item is None or item is NONE or item == NONE:
            continue
        for member in item[1] if item[0] == "union" else (item,):
            if len(found) < _MAX_UNION and member not in found:
                found.append(member)
    if len(found) <= 1:
        return found[0] if found else None
    return ("union", tuple(found))


def limited(type_: Type | None) -> Type | None:
    """A type that is not nested too deep; what lies deeper is forgotten."""
    if type_ is None or len(type_) < 2 or _is_flat(type_):
        return type_
    return _cut(type_, _MAX_NESTING, [_MAX_PARTS])


def _is_flat(type_: Type) -> bool:
    kind = type_[0]
    if kind in ("inst", "class"):
        return not type_[2]
    return kind not in ("union", "tuple", "callable", "func")


def _cut(type_: Type | None, depth: int, left: list[int]) -> Type | None:
    """A copy that ends at a depth or after so many parts."""
    if type_ is None:
        return None
    left[0] -= 1
    if _is_flat(type_):
        return type_
    if depth <= 0 or left[0] <= 0:
        return None
    kind, inner = type_[0], depth - 1
    if kind in ("inst", "class"):
        return (kind, type_[1], tuple(_cut(item, inner, left) for item in type_[2]))
    if kind == "union":
        return union(_cut(item, inner, left) for item in type_[1])
    if kind == "tuple":
        return ("tuple", tuple(_cut(item, inner, left) for item in type_[1]))
    if kind == "callable":
        taken = tuple(_cut(item, inner, left) for item in type_[2])
        return ("callable", _cut(type_[1], inner, left), taken)
    known = ((name, _cut(item, inner, left)) for name, item in type_[3])
    receiver = _cut(type_[2], inner, left)
    return ("func", type_[1], receiver, tuple(pair for pair in known if pair[1] is not None))


def members_of(type_: Type | None) -> tuple[Type, ...]:
    """The types that a type may be one of."""
    if type_ is None:
        return ()
    return type_[1] if type_[0] == "union" else (type_,)


def substitute(type_: Type | None, known: Mapping[Type, Type], depth: int = 0) -> Type | None:
    """Put types in the place of type parameters and of the receiver."""
    if type_ is None or not known or depth > _MAX_DEPTH:
        return type_
    kind = type_[0]
    if kind in ("param", "self"):
        return known.get(type_, type_)
    if kind in ("inst", "class"):
        if not type_[2]:
            return type_
        return (kind, type_[1], tuple(substitute(item, known, depth + 1) for item in type_[2]))
    if kind == "union":
        return union(substitute(item, known, depth + 1) for item in type_[1])
    if kind == "tuple":
        return ("tuple", tuple(substitute(item, known, depth + 1) for item in type_[1]))
    if kind == "callable":
        taken = tuple(substitute(item, known, depth + 1) for item in type_[2])
        return ("callable", substitute(type_[1], known, depth + 1), taken)
    if kind == "func":
        before = dict(type_[3])
        after = {name: substitute(item, known, depth + 1) for name, item in before.items()}
        after.update({name: item for name, item in known.items() if name not in after})
        receiver = substitute(type_[2], known, depth + 1)
        return ("func", type_[1], receiver, tuple(after.items()))
    return type_
