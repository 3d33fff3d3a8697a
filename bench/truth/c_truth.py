"""Compiler truth for C and C++: the definition clangd gives each identifier use.

Usage: c_truth.py ROOT OUT.jsonl [--clangd CMD] [--under DIR]... [--index DIR]... [--flag=FLAG]...
           [--every N]

Compile commands are generated: include folders are worked out from the #include lines, nothing
is configured or built. clangd reads each file for itself and says per name where it is declared
and which symbol that is; declarations and definitions of one symbol are joined over all files.
Uses, roles and kinds come from tree-sitter. Not judged are macro bodies, names of namespaces,
what the preprocessor drops, and files that need a system header this machine lacks, as those
for other systems do. What `configure` would find out can be given as --flag=-DHAVE_X=1.

`t` is the definition, `same` lists the other places of the same symbol: its declarations,
definitions for other systems, the `struct` of a `typedef`.
"""

from __future__ import annotations

import argparse
import json
import re
import sys
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from c_syntax import (
    PARAMETERS,
    SourceFile,
    aliased,
    declared_kind,
    enclosing_class,
    in_using,
    is_definition,
    is_local,
    is_member,
    is_qualified,
    place_of,
    role_of,
)
from clangd_server import HEADER_SUFFIXES, Answer, Clangd, Position, Project, Spot, distance

ALWAYS_DEFINED = {"variant", "namespace", "concept"}
SINGLE = {"macro", "function", "type", "struct", "union", "enum"}  # in C one of each name
LOCAL = re.compile(r"c:[^@]*@\d+@")  # symbols clangd tells apart by their place in the file
NAMELESS = re.compile(r"c:[^@]*@\d+$")
MACRO = "@macro@"
USED = {"call", "write"}
MARKS = {  # the part before the name in clangd's names
    "macro": "macro",
    "N": "namespace",
    "F": "function",
    "FI": "field",
    "S": "struct",
    "ST": "class",
    "U": "union",
    "E": "enum",
    "T": "type",
}
LINKED = {"function", "method", "variable", "field"}  # may be defined in a file not read with it


@dataclass
class Symbols:
    """What is declared where, joined over all files."""

    names: dict[Spot, str] = field(default_factory=dict)
    places: dict[str, set[Spot]] = field(default_factory=dict)
    unread: dict[str, set[Spot]] = field(default_factory=dict)  # by name: not of this system

    def add(self, spot: Spot, name: str) -> None:
        """Takes note of a symbol; what has no name of its own, as a type parameter, is left."""
        if not name or NAMELESS.match(name):
            return
        self.names.setdefault(spot, name)
        self.places.setdefault(name, set()).add(spot)

    def same(self, spot: Spot) -> set[Spot]:
        """All places of the symbol that is declared here."""
        return self.places.get(self.names.get(spot, ""), set()) | {spot}


@dataclass
class Meaning:
    """What a use means: its definition, other places of that, and what is not wrong either."""

    spots: list[Spot]
    same: set[Spot]
    others: list[Spot]


class Truth:
    """Asks clangd about every name, one file after the other, and joins the answers."""

    def __init__(self, project: Project, clangd: Clangd) -> None:
        self.project = project
        self.clangd = clangd
        self.symbols = Symbols()
        self.files: dict[Path, SourceFile] = {}
        self.uses: list[tuple[Spot, Answer]] = []
        self.foreign: set[Path] = set()  # need system headers that are not here
        self.counts: Counter[str] = Counter()

    def file(self, path: Path) -> SourceFile:
        if path not in self.files:
            self.files[path] = SourceFile(path, self.project.is_cpp(path))
        return self.files[path]

    def is_inside(self, spot: Spot) -> bool:
        return spot[0].is_relative_to(self.project.root)

    # ---- what clangd says ------------------------------------------------------------------

    def read(self, path: Path, with_uses: bool) -> None:
        """Takes the declarations of a file, and its uses if wanted."""
        source = self.file(path)
        if set(self.clangd.open(path)) & self.project.outside:
            self.foreign.add(path)
        names = sorted(source.names.items())
        declaring = [at for at, node in names if is_announced(declared_kind(node))]
        for at, answer in zip(declaring, self.clangd.ask(path, declaring), strict=True):
            self.read_declared((path, at), answer)
        uses = [at for at, node in names if declared_kind(node) is None] if with_uses else []
        if path in self.foreign:
            self.counts["left out"] += len(uses)
        else:
            self.read_uses(path, uses)
        self.clangd.shut(path)

    def read_declared(self, spot: Spot, answer: Answer) -> None:
        """Takes the answer for a declaration of the open file."""
        path, at = spot
        node = self.file(path).names[at]
        kind = declared_kind(node)
        symbol = answer.symbols[-1] if answer.symbols else ""
        is_sure = symbol and self.project.is_cpp(path) and kind not in PARAMETERS
        if kind != "macro" and (LOCAL.match(symbol) if is_sure else is_local(node)):
            return  # the tree takes `class MACRO Name {}` for a function
        is_read = spot in answer.spots if kind == "macro" else bool(answer.symbols)
        if is_read and kind != "macro":
            self.symbols.add(spot, symbol)
        is_alone = kind == "macro" or (kind in SINGLE and not self.project.is_cpp(path))
        if is_alone and (not is_read or path in self.foreign):
            self.symbols.unread.setdefault(self.file(path).text(node), set()).add(spot)

    def read_uses(self, path: Path, places: list[Position]) -> None:
        """Takes the answers for the uses of the open file."""
        source = self.file(path)
        for at, answer in zip(places, self.clangd.ask(path, places), strict=True):
            if (path, at) in answer.spots:
                continue  # a declaration after all, in a form only the compiler understands
            name = source.text(source.names[at])
            spots = tuple(spot for spot in answer.spots if self.is_named(spot, name))
            known = Answer(spots if answer.symbols else (), answer.symbols)
            self.uses.append(((path, at), known))
            if len(answer.symbols) == 1 or (answer.symbols and len(spots) == 1):
                for spot in filter(self.is_inside, spots):
                    self.symbols.add(spot, self.symbols.names.get(spot, answer.symbols[-1]))

    def is_named(self, spot: Spot, name: str) -> bool:
        """Whether it is declared under this name, neither by a macro's nor by its first call."""
        if not self.is_inside(spot):
            return True
        node = self.node(spot)
        is_use = node is not None and declared_kind(node) is None and role_of(node) in USED
        return not is_use and self.file(spot[0]).word(spot[1]) == name

    # ---- what it means ---------------------------------------------------------------------

    def rows(self) -> Iterator[dict[str, Any]]:
        """The uses, once all files are read; names of namespaces are none."""
        for spot, answer in self.uses:
            meaning = self.meaning(spot[0], answer)
            kinds = [self.kind(target) for target in meaning.spots]
            if spot not in meaning.same and "namespace" not in kinds:
                yield self.row(spot, answer, meaning, kinds)

    def row(
        self, spot: Spot, answer: Answer, meaning: Meaning, kinds: list[str]
    ) -> dict[str, Any]:
        path, at = spot
        source = self.file(path)
        node = source.names[at]
        targets = meaning.spots
        role = role_of(node)
        unread = self.symbols.unread.get(source.text(node), ())
        may_be_inside = any(other == path or is_header(other) for other, _ in unread)
        is_outside = bool(answer.spots) and not (targets or may_be_inside)
        if role == "call" and kinds and kinds[0] in ("struct", "class", "type"):
            role = "new"
        row: dict[str, Any] = {
            "f": self.relative(path),
            "l": at[0] + 1,
            "c": at[1],
            "n": source.text(node),
            "k": role,
        }
        flags = {
            "m": is_member(node),
            "q": is_qualified(node),
            "loc": any(self.is_local(target) for target in targets),
            "amb": len(targets) > 1,
            "ext": is_outside,
            "un": not targets and not is_outside,
        }
        row.update((key, 1) for key, value in flags.items() if value)
        row["t"] = self.written(targets)
        row["dk"] = kinds
        if meaning.same:
            row["same"] = self.written(sorted(meaning.same))
        if meaning.others:
            row["alt"] = self.written(meaning.others)
        self.counts.update(["uses", outcome(row)])
        return row

    def meaning(self, path: Path, answer: Answer) -> Meaning:
        """From where clangd led to where the thing is defined."""
        inside = [spot for spot in dict.fromkeys(answer.spots) if self.is_inside(spot)]
        using = [spot for spot in inside if (node := self.node(spot)) and in_using(node)]
        real = [spot for spot in inside if spot not in using] or using
        if not real or len(inside) < len(set(answer.spots)):
            return Meaning([], set(), [])  # outside, or made known here by `using`
        if any(spot not in self.symbols.same(real[0]) for spot in real):
            return Meaning(real, set(), using)
        target = self.definition(path, real[0])
        same = self.announced(path, target) | self.other_names(target) | self.variants(target)
        return Meaning([target], same - {target}, [spot for spot in using if spot != target])

    def definition(self, path: Path, found: Spot) -> Spot:
        """The definition of what was found, the nearest where it has several."""
        if self.is_defined(found) and self.kind(found) not in LINKED:
            return found
        defined = [spot for spot in self.symbols.same(found) if self.is_defined(spot)]
        if not defined:
            return min(self.symbols.same(found), key=lambda spot: (spot != found, spot))
        return min(defined, key=lambda spot: (*self.farness(path, spot), spot))

    def farness(self, path: Path, spot: Spot) -> tuple[bool, int]:
        """How far a definition is from a use: not of this system, folders between."""
        if spot[0] == path:
            return False, -1
        return spot[0] in self.foreign, distance(path.parent, spot[0].parent)

    def announced(self, path: Path, target: Spot) -> set[Spot]:
        """The declarations of a symbol, and those definitions that may be meant as well."""
        found = set()
        near = self.farness(path, target)
        for spot in self.symbols.same(target):
            if not self.is_defined(spot):
                if (
                    spot[0] == path
                    or not self.is_defined(target)  # in a form the tree does not understand
                    or self.farness(spot[0], target)
                    == self.farness(spot[0], self.definition(spot[0], spot))
                ):
                    found.add(spot)
            elif (
                self.kind(spot) in LINKED
                and target[0] != path
                and (spot[0] in self.foreign or self.farness(path, spot) == near)
            ):
                found.add(spot)
        return found

    def variants(self, target: Spot) -> set[Spot]:
        """What is defined instead for other systems, by `#else` or in another header."""
        node = self.node(target)
        if node is None or self.kind(target) not in SINGLE:
            return set()
        found = self.symbols.unread.get(self.file(target[0]).text(node), set())
        beside = {spot for spot in found if self.is_beside(target[0], spot[0])}
        return beside.union(*(self.other_names(spot) for spot in beside))

    def is_beside(self, path: Path, other: Path) -> bool:
        """Whether what this system does not read there may stand for what it reads here."""
        return path == other or (is_header(path) and other in self.foreign and is_header(other))

    def other_names(self, target: Spot) -> set[Spot]:
        """The `struct` that a `typedef` gives its own name to; the class of a constructor."""
        node = self.node(target)
        if node is None:
            return set()
        source = self.file(target[0])
        around = enclosing_class(node)
        if around is not None and source.text(around) == source.text(node):
            return {(target[0], place_of(around))}
        specifier = aliased(node)
        if specifier is None:
            return set()
        tag = specifier.child_by_field_name("name")
        if specifier.child_by_field_name("body") is not None:
            starts = [specifier, tag] if tag is not None else [specifier]
            return {(target[0], place_of(each)) for each in starts}
        if tag is None or source.text(tag) != source.text(node):
            return set()
        return self.tagged(target[0], source.text(tag))

    def tagged(self, path: Path, tag: str) -> set[Spot]:
        """The definitions of `struct tag`, in this file if it is there."""
        spots = {
            spot
            for mark in "SUE"
            for spot in self.symbols.places.get(f"c:@{mark}@{tag}", ())
            if self.is_defined(spot)
        }
        return {spot for spot in spots if spot[0] == path} or spots

    # ---- places ----------------------------------------------------------------------------

    def node(self, spot: Spot) -> Any:
        return self.file(spot[0]).names.get(spot[1])

    def kind(self, spot: Spot) -> str:
        """What it is; the tree may be led astray by macros, so clangd's name comes first."""
        *_, mark, name = ["", *self.symbols.names.get(spot, "").split("@")]
        known = MARKS.get(mark.split(">")[0]) if name == self.file(spot[0]).word(spot[1]) else None
        node = self.node(spot)
        found = declared_kind(node) if node is not None else None
        return known or found or "other"

    def is_defined(self, spot: Spot) -> bool:
        node = self.node(spot)
        return node is not None and is_definition(node)

    def is_local(self, spot: Spot) -> bool:
        """Whether it is known inside one function only; asks the tree where clangd is silent."""
        symbol = self.symbols.names.get(spot, "")
        if symbol:
            return bool(LOCAL.match(symbol)) and MACRO not in symbol
        node = self.node(spot)
        return node is not None and is_local(node)

    def relative(self, path: Path) -> str:
        return path.relative_to(self.project.root).as_posix()

    def written(self, spots: Iterable[Spot]) -> list[list[str | int]]:
        return [[self.relative(path), at[0] + 1, at[1]] for path, at in spots]


def is_announced(kind: str | None) -> bool:
    """Whether things of this kind are declared in one place and defined in another."""
    return kind is not None and kind not in ALWAYS_DEFINED


def is_header(path: Path) -> bool:
    return path.suffix in HEADER_SUFFIXES


def outcome(row: dict[str, Any]) -> str:
    """The word a use is counted under."""
    marks = {"amb": "ambiguous", "ext": "outside", "un": "unknown", "loc": "local"}
    return next((word for key, word in marks.items() if key in row), "in-repo")


def parse_options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("root", type=Path)
    parser.add_argument("out", type=Path)
    beside = Path(sys.executable).with_name("clangd")
    parser.add_argument(
        "--clangd",
        default=str(beside) if beside.exists() else "clangd",
        help="command, split at spaces (default: beside the interpreter, else on the path)",
    )
    parser.add_argument("--under", action="append", default=[], help="ask about this folder only")
    parser.add_argument(
        "--index", action="append", default=[], help="look for definitions here and --under only"
    )
    parser.add_argument("--flag", action="append", default=[], help="further compiler flag")
    parser.add_argument("--every", type=int, default=1, help="ask about every Nth file only")
    return parser.parse_args()


def main() -> int:
    options = parse_options()
    project = Project(options.root.resolve(), options.flag)
    asked = set(project.below(options.under)[:: options.every])
    known = project.below(options.under + options.index if options.index else [])
    clangd = Clangd(options.clangd.split(), project, known)
    try:
        truth = Truth(project, clangd)
        for number, path in enumerate(known, 1):
            truth.read(path, path in asked)
            if number % 50 == 0:
                print(f"{number}/{len(known)} files", file=sys.stderr, flush=True)
    finally:
        clangd.close()
    with options.out.open("w", encoding="utf-8") as out:
        for row in truth.rows():
            out.write(json.dumps(row, ensure_ascii=False, separators=(",", ":")) + "\n")
    print(", ".join(f"{name} {count}" for name, count in truth.counts.items()), file=sys.stderr)
    print(f"{len(truth.foreign & asked)} files left out", file=sys.stderr)
    return 0


if __name__ == "__main__":
    sys.exit(main())
