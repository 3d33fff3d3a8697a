"""Files of one family in, what their uses mean out."""

import sys
from collections.abc import Callable, Generator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass

from codecompass.link.families import Family
from codecompass.link.infer import Inference
from codecompass.link.names import Language
from codecompass.link.resolve import Fate, Meaning, meaning_of, name_in
from codecompass.link.types import Place
from codecompass.model.edge import Edge, LinkedFile, Miss
from codecompass.model.module import ROLE_NUMBERS, DeclFlag, DeclKind, ModuleFacts, Use
from codecompass.model.reference import Role


@dataclass(frozen=True, slots=True)
class Program:
    """Everything that the meaning of a name can depend on."""

    family: Family
    paths: Sequence[str]
    configs: Mapping[str, str]  # texts of files that say what module names mean
    shared: Callable[[], Mapping[str, Sequence[Place]]]  # names that every file knows
    stubs: ModuleFacts
    tables: Callable[[str], ModuleFacts | None]
    uses: Callable[[str], Sequence[Use]]


_WRITE = ROLE_NUMBERS[Role.WRITE]
# Questions that ask each other go as deep as chains of calls are long.
_DEPTH = 20_000


@contextmanager
def _deep_recursion() -> Generator[None]:
    before = sys.getrecursionlimit()
    sys.setrecursionlimit(max(before, _DEPTH))
    try:
        yield
    finally:
        sys.setrecursionlimit(before)


class Linker:
    """Resolves the uses of files; what it has worked out for one helps with the next."""

    def __init__(self, program: Program) -> None:
        self._program = program
        modules = program.family.modules(program.paths, program.configs)
        self._language = Language(program.family.dialect, modules, program.stubs, program.shared)
        self._inference = self._fresh()

    def _fresh(self) -> Inference:
        return self._program.family.inference(self._program.tables, self._language)

    def forget(self) -> None:
        """Let go of what was worked out, so that memory stays bounded."""
        self._inference = self._fresh()

    def link(self, path: str) -> LinkedFile:
        """What every use of a file means."""
        inference = self._inference
        uses = self._program.uses(path)
        numbers = {use.expr for use in uses}
        with _deep_recursion():
            found, needs = inference.collect(
                lambda: {number: self._meaning(path, number) for number in numbers}
            )
        meanings: dict[int, Meaning] = found
        edges: list[Edge] = []
        misses: list[Miss] = []
        outside = 0
        own = self._defined(path)
        for start, line, role, number, enclosing in uses:
            fate, targets = meanings[number]
            if fate is Fate.EXTERNAL:
                outside += 1
            elif fate is Fate.UNRESOLVED:
                name = name_in(inference.expr(path, number))
                misses.append(Miss(start, line, role, enclosing, name))
            if role == _WRITE:  # `app.run = function` is no use of what it defines
                targets = tuple(node for node in targets if (*node, start) not in own)
            edges += [Edge(start, line, role, enclosing, target) for target in targets]
        rests_on = frozenset(node for node in needs if node[0] != path)
        return LinkedFile(path, tuple(edges), tuple(misses), outside, rests_on)

    def _defined(self, path: str) -> set[tuple[str, str, int]]:
        """Where a file declares members; `self.x = 1` of Python sets what others declare, too."""
        facts = self._inference.facts(path)
        if facts is None:
            return set()
        named = ((key, facts.decls[number]) for number, key in facts.keys.items())
        return {
            (path, key, decl.start)
            for key, decl in named
            if decl.kind != DeclKind.VARIABLE and not decl.flags & DeclFlag.INSTANCE
        }

    def _meaning(self, path: str, number: int) -> Meaning:
        try:
            return meaning_of(self._inference, path, number)
        except RecursionError:
            self.forget()
            return Meaning(Fate.UNRESOLVED, ())
