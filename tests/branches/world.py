"""A git repository with worktrees, the things people do to it, and what it then holds."""

import shutil
import subprocess
from collections.abc import Sequence
from pathlib import Path

PATHS = (
    "orders.py",
    "pkg/cart.py",
    "pkg/deep/price.go",
    "web/view.ts",
    "lib/sum.h",
    "tool",
    "README.md",
    "build/kept.py",
)
NAMES = ("total", "handle", "parse", "Cart", "render")


def source(path: str, words: Sequence[int]) -> str:
    """A small file of definitions, other ones for other words."""
    parts = [_definition(path, NAMES[word % len(NAMES)], word) for word in words]
    head = "#!/usr/bin/env python3\n" if path == "tool" else ""
    return head + "\n".join(parts)


def _definition(path: str, name: str, word: int) -> str:
    if path.endswith(".go"):
        return f"func {name}{word}(order int) int {{\n\treturn order + {word}\n}}\n"
    if path.endswith(".ts"):
        return f"export function {name}(order: number) {{\n  return parse(order) * {word}\n}}\n"
    if path.endswith(".h"):
        # The content decides between two languages.
        style = "namespace" if word % 3 == 0 else "struct"
        return f"{style} {name}{word} {{ int order; }};\n"
    if path.endswith(".md"):
        return f"# {name}\n\nHow an order is handled, part {word}.\n"
    if word % 4 == 0:
        return (
            f"class {name}:\n    def handle(self, order):\n        return total(order, {word})\n"
        )
    return f"def {name}(order, n={word % 3}):\n    return order.handle({word})\n"


class World:
    """The repository and its worktrees; every method is something people do."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.main = folder / "main"
        self.main.mkdir(parents=True)
        self.worktrees = [self.main]
        self._made = 0
        self.git(self.main, "init", "--quiet", "--initial-branch=main")
        for key, value in (("user.email", "a@example.org"), ("user.name", "A")):
            self.git(self.main, "config", key, value)
        self.git(self.main, "config", "gc.auto", "0")

    def git(self, where: Path, *arguments: str) -> str | None:
        """What git said; None if it refused, as it may."""
        done = subprocess.run(
            ["git", *arguments], cwd=where, capture_output=True, text=True, check=False
        )
        return done.stdout if done.returncode == 0 else None

    def write(self, where: Path, path: str, content: str) -> None:
        target = where / path
        if target.parent.is_file():
            target.parent.unlink()
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(content)

    def files(self, where: Path) -> list[str]:
        found = (file.relative_to(where) for file in where.rglob("*") if file.is_file())
        return sorted(file.as_posix() for file in found if file.parts[0] != ".git")

    def settle(self, where: Path) -> None:
        """End whatever a conflict has left half done."""
        for command in ("merge", "rebase", "cherry-pick", "revert"):
            self.git(where, command, "--abort")

    def commit(self, where: Path, *flags: str) -> None:
        self.git(where, "add", "--all", "--force")
        self.git(where, "commit", "--quiet", "--no-verify", "-m", "change", *flags)

    def branches(self) -> list[str]:
        said = self.git(self.main, "for-each-ref", "--format=%(refname:short)", "refs/heads")
        return (said or "").split()

    def refs(self) -> list[str]:
        said = self.git(
            self.main, "for-each-ref", "--format=%(refname)", "refs/heads", "refs/tags"
        )
        return (said or "").split()

    def tree(self, ref: str) -> str | None:
        said = self.git(self.main, "rev-parse", "--verify", "--quiet", f"{ref}^{{tree}}")
        return said.strip() if said else None

    def new_name(self) -> str:
        self._made += 1
        return f"n{self._made}"

    def add_worktree(self, ref: str) -> None:
        name = self.new_name()
        where = self.folder / name
        if (
            self.git(self.main, "worktree", "add", "--quiet", "-b", name, str(where), ref)
            is not None
        ):
            self.worktrees.append(where)

    def remove_worktree(self, where: Path) -> None:
        if where != self.main:
            self.git(self.main, "worktree", "remove", "--force", str(where))
            shutil.rmtree(where, ignore_errors=True)
            self.git(self.main, "worktree", "prune")
            self.worktrees.remove(where)

    def export(self, tree: str, into: Path) -> None:
        """The files of a tree in a repository of their own, as a checkout would have them."""
        into.mkdir()
        archive = subprocess.run(
            ["git", "archive", tree], cwd=self.main, capture_output=True, check=True
        )
        subprocess.run(["tar", "-x"], cwd=into, input=archive.stdout, check=True)
        for command in (("init", "--quiet"), ("add", "--all", "--force")):
            subprocess.run(["git", *command], cwd=into, check=True, capture_output=True)
