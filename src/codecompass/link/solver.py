"""Answers to questions that ask each other, each worked out once, cycles included.

A question that is asked while it is being answered gets what is known of its answer so
far, at first nothing; the outermost question of such a cycle is asked again until its
answer stays the same. So the answers do not depend on where one begins.
"""

from collections.abc import Callable, Hashable, Iterable
from typing import Any

from codecompass.model.edge import Node

_MAX_ROUNDS = 5
# Chains of inference this long exist only in code that is made to have them.
_MAX_DEPTH = 1_000
_FAR = 1 << 30

Question = tuple[Hashable, ...]


class Solver:
    """Remembers answers, and what each of them was made from."""

    def __init__(self) -> None:
        self._known: dict[Question, Any] = {}
        self._open: dict[Question, list[Any]] = {}  # depth, answer so far, whether it was taken
        self._lowest = _FAR  # the outermost open question that was asked again
        self._tentative: dict[Question, Any] = {}
        self._needs: dict[Question, set[Question]] = {}
        self._frame: set[Question] = set()

    def note(self, path: str, key: str) -> None:
        """The answer being worked out rests on this declaration."""
        self._frame.add((path, key))

    def solve(self, question: Question, answer: Callable[[], Any]) -> Any:
        """The answer to a question, from memory if it is there."""
        self._frame.add(question)
        if question in self._known:
            return self._known[question]
        if question in self._open:
            entry = self._open[question]
            entry[2] = True
            self._lowest = min(self._lowest, entry[0])
            return entry[1]
        if question in self._tentative:
            found, lowest = self._tentative[question]
            self._lowest = min(self._lowest, lowest)
            return found
        if len(self._open) >= _MAX_DEPTH:
            return None
        return self._work_out(question, answer)

    def _work_out(self, question: Question, answer: Callable[[], Any]) -> Any:
        depth, outer_lowest, outer_frame = len(self._open), self._lowest, self._frame
        entry = [depth, None, False]
        self._open[question] = entry
        self._frame = frame = self._needs[question] = set()
        mark = len(self._tentative)
        found = None
        try:
            for _ in range(_MAX_ROUNDS):
                self._lowest = _FAR
                found = answer()
                if not entry[2] or found == entry[1]:
                    break
                entry[1], entry[2] = found, False
                self._forget(mark)
        finally:
            del self._open[question]
            self._frame = outer_frame
        frame.discard(question)
        lowest, self._lowest = self._lowest, outer_lowest
        if lowest >= depth:
            self._settle(mark)
            self._known[question] = found
        else:
            self._tentative[question] = (found, lowest)
            self._lowest = min(outer_lowest, lowest)
        return found

    def _forget(self, mark: int) -> None:
        for question in list(self._tentative)[mark:]:
            del self._tentative[question]

    def _settle(self, mark: int) -> None:
        if len(self._tentative) > mark:
            for question in list(self._tentative)[mark:]:
                self._known[question] = self._tentative.pop(question)[0]

    def collect(self, work: Callable[[], Any]) -> tuple[Any, set[Node]]:
        """Do some work; also say on which declarations its result rests."""
        outer, self._frame = self._frame, set()
        try:
            result = work()
            return result, self._nodes(self._frame)
        finally:
            self._frame = outer

    def _nodes(self, questions: Iterable[Question]) -> set[Node]:
        seen = set(questions)
        pending = list(seen)
        found: set[Node] = set()
        while pending:
            question = pending.pop()
            needs = self._needs.get(question)
            if needs is None:
                if len(question) == 2:  # a declaration
                    found.add(question)  # type: ignore[arg-type]
                continue
            fresh = needs - seen
            seen |= fresh
            pending += fresh
        return found
