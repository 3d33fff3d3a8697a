"""Random work on a real repository; after each step every answer equals a fresh index's."""

import os
import secrets
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from hypothesis import HealthCheck, Phase, seed, settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    precondition,
    rule,
    run_state_machine_as_test,
)

from codecompass.engine.engine import Engine
from tests.branches.questions import OF_HISTORY, OF_ONE_STATE, Report, ask, check
from tests.branches.world import PATHS, World, source

NUMBERS = st.integers(0, 11)
PICKS = st.integers(0, 1_000)
CONTENTS = st.lists(NUMBERS, min_size=0, max_size=4)
IGNORES = st.sampled_from(["", "web/\n", "*.py\n!orders.py\n", "tool\nREADME.md\n"])
MAX_WORKTREES = 3
TICK_NS = 1_500_000_000


class Branches(RuleBasedStateMachine):
    """One repository, a few worktrees, one store; and a fresh store for every comparison."""

    folder: Path
    report: Report
    limit: int

    def __init__(self) -> None:
        super().__init__()
        self.number = len(list(self.folder.iterdir()))
        self.here = self.folder / f"run{self.number}"
        self.world = World(self.here)
        self.engines: dict[Path, Engine] = {}
        self.known: dict[str, list[object]] = {}  # answers of fresh indexes of trees
        self.steps = 0

    @initialize(content=CONTENTS)
    def start(self, content: list[int]) -> None:
        self.world.write(self.world.main, "orders.py", source("orders.py", [1, *content]))
        self.world.write(self.world.main, "pkg/cart.py", source("pkg/cart.py", [3, 8]))
        self.world.commit(self.world.main)
        self.verify("start", self.world.main)

    @rule(pick=PICKS, path=st.sampled_from(PATHS), content=CONTENTS)
    def edit(self, pick: int, path: str, content: list[int]) -> None:
        where = self.worktree(pick)
        self.world.write(where, path, source(path, content))
        self.verify("edit", where)

    @rule(pick=PICKS, which=PICKS)
    def swap_bytes(self, pick: int, which: int) -> None:
        """Another content of the same size in the same tick of the clock."""
        where = self.worktree(pick)
        path = self.file(where, which)
        if path is not None:
            seen = (where / path).stat()
            text = (where / path).read_text()
            (where / path).write_text(text.replace("order", "redro"))
            if time.time_ns() - seen.st_mtime_ns < TICK_NS:
                os.utime(where / path, ns=(seen.st_atime_ns, seen.st_mtime_ns))
        self.verify("swap_bytes", where)

    @rule(pick=PICKS, which=PICKS)
    def delete(self, pick: int, which: int) -> None:
        where = self.worktree(pick)
        path = self.file(where, which)
        if path is not None:
            (where / path).unlink()
        self.verify("delete", where)

    @rule(pick=PICKS, which=PICKS, path=st.sampled_from(PATHS))
    def rename(self, pick: int, which: int, path: str) -> None:
        where = self.worktree(pick)
        old = self.file(where, which)
        if old is not None and not (where / path).exists():
            (where / path).parent.mkdir(parents=True, exist_ok=True)
            (where / old).rename(where / path)
        self.verify("rename", where)

    @rule(pick=PICKS, text=IGNORES)
    def ignore(self, pick: int, text: str) -> None:
        where = self.worktree(pick)
        self.world.write(where, ".codecompassignore", text)
        self.verify("ignore", where)

    @rule(pick=PICKS)
    def stage(self, pick: int) -> None:
        where = self.worktree(pick)
        self.world.git(where, "add", "--all")
        self.verify("stage", where)

    @rule(pick=PICKS)
    def commit(self, pick: int) -> None:
        where = self.worktree(pick)
        self.world.commit(where)
        self.verify("commit", where)

    @rule(pick=PICKS)
    def amend(self, pick: int) -> None:
        where = self.worktree(pick)
        self.world.commit(where, "--amend", "--allow-empty")
        self.verify("amend", where)

    @rule(pick=PICKS, which=PICKS)
    def branch(self, pick: int, which: int) -> None:
        where = self.worktree(pick)
        self.world.git(
            where, "checkout", "--quiet", "-f", "-b", self.world.new_name(), self.ref(which)
        )
        self.verify("branch", where)

    @rule(pick=PICKS, which=PICKS)
    def checkout(self, pick: int, which: int) -> None:
        where = self.worktree(pick)
        branches = self.world.branches()
        branch = branches[which % len(branches)]
        self.world.git(where, "checkout", "--quiet", "-f", branch)
        self.verify("checkout", where)

    @rule(pick=PICKS, which=PICKS)
    def detach(self, pick: int, which: int) -> None:
        where = self.worktree(pick)
        self.world.git(where, "checkout", "--quiet", "-f", "--detach", self.ref(which))
        self.verify("detach", where)

    @rule(pick=PICKS, which=PICKS, is_left=st.booleans())
    def merge(self, pick: int, which: int, is_left: bool) -> None:
        """A merge, whose conflicts may be left in the files."""
        where = self.worktree(pick)
        self.world.git(where, "merge", "--quiet", "--no-edit", self.ref(which))
        if not is_left:
            self.world.settle(where)
        self.verify("merge", where)

    @rule(pick=PICKS, which=PICKS)
    def rebase(self, pick: int, which: int) -> None:
        where = self.worktree(pick)
        self.world.commit(where)
        if self.world.git(where, "rebase", "--quiet", self.ref(which)) is None:
            self.world.settle(where)
        self.verify("rebase", where)

    @rule(pick=PICKS, which=PICKS)
    def cherry_pick(self, pick: int, which: int) -> None:
        where = self.worktree(pick)
        if self.world.git(where, "cherry-pick", "--allow-empty", self.ref(which)) is None:
            self.world.settle(where)
        self.verify("cherry_pick", where)

    @rule(
        pick=PICKS, mode=st.sampled_from(["--hard", "--mixed", "--soft"]), back=st.integers(0, 2)
    )
    def reset(self, pick: int, mode: str, back: int) -> None:
        where = self.worktree(pick)
        self.world.git(where, "reset", "--quiet", mode, f"HEAD~{back}")
        self.verify("reset", where)

    @rule(which=PICKS, to=PICKS)
    def force_move(self, which: int, to: int) -> None:
        """What a fetch of a force-pushed branch does."""
        branches = self.world.branches()
        self.world.git(
            self.world.main, "branch", "-f", branches[which % len(branches)], self.ref(to)
        )
        self.verify("force_move", self.world.main)

    @rule(pick=PICKS)
    def stash(self, pick: int) -> None:
        where = self.worktree(pick)
        self.world.git(where, "stash", "push", "--quiet", "--include-untracked")
        self.verify("stash", where)

    @rule(pick=PICKS)
    def unstash(self, pick: int) -> None:
        where = self.worktree(pick)
        self.world.git(where, "stash", "pop", "--quiet")
        self.verify("unstash", where)

    @rule(which=PICKS)
    def tag(self, which: int) -> None:
        self.world.git(
            self.world.main, "tag", "-a", "-m", "t", self.world.new_name(), self.ref(which)
        )
        self.verify("tag", self.world.main)

    @rule(which=PICKS)
    def delete_branch(self, which: int) -> None:
        branches = self.world.branches()
        if len(branches) > 1:
            self.world.git(self.world.main, "branch", "-D", branches[which % len(branches)])
        self.verify("delete_branch", self.world.main)

    @rule(pick=PICKS)
    def pack(self, pick: int) -> None:
        self.world.git(self.world.main, "gc", "--quiet", "--prune=now")
        self.verify("pack", self.worktree(pick))

    @precondition(lambda self: len(self.world.worktrees) < MAX_WORKTREES)
    @rule(which=PICKS)
    def add_worktree(self, which: int) -> None:
        self.world.add_worktree(self.ref(which))
        self.verify("add_worktree", self.world.worktrees[-1])

    @precondition(lambda self: len(self.world.worktrees) > 1)
    @rule(pick=PICKS)
    def remove_worktree(self, pick: int) -> None:
        where = self.worktree(pick)
        if where in self.engines:
            self.engines.pop(where).__exit__(None, None, None)
        self.world.remove_worktree(where)
        self.verify("remove_worktree", self.world.main)

    @rule(pick=PICKS)
    def collect_garbage(self, pick: int) -> None:
        where = self.worktree(pick)
        if not self.is_enough():
            self.engine(where).gc()
        self.verify("collect_garbage", where)

    @rule(pick=PICKS)
    def start_anew(self, pick: int) -> None:
        """What another process sees."""
        where = self.worktree(pick)
        if where in self.engines:
            self.engines.pop(where).__exit__(None, None, None)
        self.verify("start_anew", where)

    def verify(self, operation: str, where: Path) -> None:
        """Ask this working tree, then one of the refs, everything; compare with fresh indexes."""
        if self.is_enough():
            return  # let the last example run out
        self.report.operations[operation] += 1
        self.steps += 1
        engine = self.engine(where)
        with self.fresh(where) as expected:
            for question in (*OF_ONE_STATE, *OF_HISTORY):
                check(self.report, question, ask(engine, question), ask(expected, question))
        ref = self.ref(self.steps)
        tree = self.world.tree(ref)
        assert tree is not None
        for question, expected_answer in zip(OF_ONE_STATE, self.answers(tree), strict=True):
            check(self.report, question, ask(engine, question, ref=ref), expected_answer)

    def is_enough(self) -> bool:
        return self.report.operations.total() >= self.limit

    def answers(self, tree: str) -> list[object]:
        """What a fresh index of a checkout of this tree says."""
        if tree not in self.known:
            into = self.here / f"export-{tree}"
            self.world.export(tree, into)
            with self.fresh(into) as engine:
                self.known[tree] = [ask(engine, question) for question in OF_ONE_STATE]
        return self.known[tree]

    @contextmanager
    def fresh(self, where: Path) -> Iterator[Engine]:
        """An index of its own that has seen nothing before."""
        home = self.here / "homes" / str(self.steps) / str(len(self.known))
        flags = {"store.home": home, "freshness.recheck_after_s": 1_000.0}
        with Engine.open(where, flags) as engine:
            yield engine

    def engine(self, where: Path) -> Engine:
        if where not in self.engines:
            self.engines[where] = Engine.open(where)
        return self.engines[where]

    def worktree(self, pick: int) -> Path:
        return self.world.worktrees[pick % len(self.world.worktrees)]

    def ref(self, pick: int) -> str:
        refs = self.world.refs()
        return refs[pick % len(refs)]

    def file(self, where: Path, pick: int) -> str | None:
        files = self.world.files(where)
        return files[pick % len(files)] if files else None

    def teardown(self) -> None:
        for engine in self.engines.values():
            engine.__exit__(None, None, None)


def run(folder: Path, reports: list[str], *, operations: int, first_seed: int) -> Report:
    """As many runs of the machine as it takes for so many operations."""
    report = Report()
    machine = type(
        "Machine", (Branches,), {"folder": folder, "report": report, "limit": operations}
    )
    limits = settings(
        max_examples=7,
        stateful_step_count=31,
        deadline=None,
        suppress_health_check=list(HealthCheck),
        phases=[Phase.generate],  # shrinking takes hours; SHRINK=1 when it is wanted
        database=None,
    )
    if os.environ.get("SHRINK"):
        limits = settings(limits, phases=[Phase.generate, Phase.shrink])
    number = first_seed
    try:
        while report.operations.total() < operations:
            run_state_machine_as_test(seed(number)(machine), settings=limits)
            number += 1
    finally:
        reports += report.lines()
    return report


@pytest.mark.timeout(400)
def test_every_answer_is_that_of_a_fresh_index(tmp_path: Path, reports: list[str]) -> None:
    report = run(tmp_path, reports, operations=60, first_seed=1)
    assert (report.leaked, report.lost) == (0, 0)


@pytest.mark.slow
@pytest.mark.timeout(0)
def test_five_thousand_operations(tmp_path: Path, reports: list[str]) -> None:
    report = run(tmp_path, reports, operations=5_000, first_seed=secrets.randbelow(10**9))
    assert (report.leaked, report.lost) == (0, 0)
