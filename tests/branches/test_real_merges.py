"""`diff_context` of real merges beside a plain comparison of two checkouts.

    CODECOMPASS_CORPORA=path/to/clone:path/to/other pytest -m slow tests/branches

The comparison here knows nothing of ours but extraction: it reads both checkouts from the
disk and compares symbols by file, kind and qualified name.
"""

import os
import re
import subprocess
from collections import defaultdict
from collections.abc import Mapping
from pathlib import Path
from textwrap import dedent
from typing import NamedTuple

import pytest

from codecompass.engine.engine import Engine
from codecompass.model.answer import ChangeResult, DiffAnswer
from codecompass.model.query import DiffOptions, DiffScope
from codecompass.model.symbol import Symbol
from codecompass.parse.detect import detect_language
from codecompass.parse.extract import extract

CORPORA = [Path(path) for path in os.environ.get("CODECOMPASS_CORPORA", "").split(":") if path]
MERGES = 20
COMMENT = re.compile(r"\s*(//|#|/?\*|--|;;)")

Key = tuple[str, str, str]
"""Path, kind and qualified name."""


class Content(NamedTuple):
    """What is compared of a symbol: its signature and docs, and its text without inner ones."""

    signature: str
    doc: str
    marks: tuple[tuple[str, ...], tuple[str, ...]]
    own: tuple[str, ...]


def git(folder: Path, *arguments: str) -> str:
    done = subprocess.run(
        ["git", *arguments], cwd=folder, check=True, capture_output=True, text=True
    )
    return done.stdout.strip()


def symbols_of(folder: Path, paths: set[str]) -> dict[Key, list[Content]]:
    """Every definition of the given files, as it stands in a checkout."""
    found: dict[Key, list[Content]] = defaultdict(list)
    for path in paths:
        text = (folder / path).read_bytes()
        symbols = extract(detect_language(path, text), text).symbols
        for symbol in symbols:
            if not symbol.is_statement:
                key = (path, str(symbol.kind), symbol.qualified_name)
                found[key].append(content(text, symbol, symbols))
    return found


def content(text: bytes, symbol: Symbol, symbols: tuple[Symbol, ...]) -> Content:
    inner = [s for s in symbols if not s.is_statement and s.parent == symbol.ordinal]
    # How a signature is broken into lines is no difference.
    first, last = (symbol.body_start, symbol.body_end) if symbol.has_body else symbol.span[2:]
    raw = bytearray(text[first:last])
    for child in inner:
        start, end = max(0, child.span.start_byte - first), max(0, child.span.end_byte - first)
        raw[start:end] = b" " * (end - start)
    lines = raw.decode("utf-8", "replace").split("\n")
    if inner:
        lines = [line.strip() for line in lines if re.search(r"\w", line)]
        lines = [line for line in lines if not COMMENT.match(line)]
    else:
        lines = [lines[0], *dedent("\n".join(lines[1:])).split("\n")]
    own = tuple(line.rstrip() for line in lines if line.strip())
    return Content(symbol.signature, symbol.doc, (symbol.decorators, symbol.modifiers), own)


def source_name(item: ChangeResult) -> str:
    return item.before_name or item.qualified_name or item.name


def key_after(item: ChangeResult) -> Key:
    return item.path, item.kind, item.qualified_name or item.name


def check(answer: DiffAnswer, before: Path, after: Path) -> int:
    """Compare an answer with two checkouts; how many changed symbols there were."""
    files = answer.files or ()
    results = answer.results or ()
    files = [f for f in files if not f.not_indexed]
    old_paths = {f.before_path or f.path for f in files if f.change != "added"}
    new_paths = {f.path for f in files if f.change != "deleted"}
    renamed = {f.before_path: f.path for f in files if f.before_path}
    raw_old = symbols_of(before, old_paths)
    old = {(renamed.get(path, path), kind, name): v for (path, kind, name), v in raw_old.items()}
    new = symbols_of(after, new_paths)
    assert (
        names_git_gives(answer, before) == {(f.before_path or f.path) for f in files} | new_paths
    )
    # What is inside something moved or renamed is compared there, not told again.
    shifted = [r for r in results if r.change in {"moved", "renamed"}]
    told: Mapping[str, set[Key]] = defaultdict(set)
    for result in results:
        told[result.change].add(key_after(result))
    gone = {key for key in old if len(old[key]) > len(new.get(key, ()))}
    come = {key for key in new if len(new[key]) > len(old.get(key, ()))}
    explained_new = {k for k in come if inside(k, {(r.path, key_after(r)[2]) for r in shifted})}
    sources = {
        (renamed.get(r.before_path or r.path, r.before_path or r.path), source_name(r))
        for r in shifted
    }
    explained_old = {key for key in gone if inside(key, sources)}
    kinds = {key_after(r) for r in results if r.parts and "kind" in r.parts}
    assert come - explained_new - kinds == told["added"] - explained_new
    deleted = {(renamed.get(p, p), k, n) for p, k, n in told["deleted"]}
    kept_names = {(p, n) for p, _, n in kinds}
    assert {
        k for k in gone - explained_old if (k[0], k[2]) not in kept_names
    } == deleted - explained_old
    same_place = {key for key in old.keys() & new.keys() if len(old[key]) == len(new[key])}
    modified = {key for key in same_place if sorted(old[key]) != sorted(new[key])}
    ours = {key for key in told["modified"] | set(map(key_after, shifted)) if key in same_place}
    assert modified <= ours | {key for key in modified if inside(key, sources)}
    assert {key for key in told["modified"] if key in same_place} <= modified
    return len(results)


def inside(key: Key, places: set[tuple[str, str]]) -> bool:
    path, _, name = key
    return any(
        path == at and (name == outer or re.match(rf"{re.escape(outer)}\W", name))
        for at, outer in places
    )


def names_git_gives(answer: DiffAnswer, before: Path) -> set[str]:
    """Every path that git says differs, of those that were indexed on either side."""
    said = git(before, "diff", "--name-only", "--no-renames", "-z", answer.merge_base, answer.ref)
    files = [f for f in answer.files or () if not f.not_indexed]
    known = {f.path for f in files} | {f.before_path for f in files}
    return {path for path in said.split("\0") if path in known}


@pytest.mark.slow
@pytest.mark.timeout(0)
@pytest.mark.parametrize("corpus", CORPORA, ids=lambda path: path.name)
def test_diffs_of_real_merges(corpus: Path, tmp_path: Path, reports: list[str]) -> None:
    merges = git(
        corpus, "rev-list", "--merges", "--min-parents=2", "--max-parents=2", "-n300", "HEAD"
    )
    compared = symbols = 0
    flags = {"answers.max_changes": 1_000_000, "answers.diff_files": 1_000_000}
    root = tmp_path / "clone"
    git(tmp_path, "clone", "--quiet", "--shared", str(corpus), str(root))
    before, after = tmp_path / "before", tmp_path / "after"
    for place in (before, after):
        git(root, "worktree", "add", "--quiet", "--detach", str(place))
    with Engine.open(root, flags) as engine:
        for merge in merges.split():
            main, branch = f"{merge}^1", git(root, "rev-parse", f"{merge}^2")
            try:
                base = git(root, "merge-base", main, branch)
            except subprocess.CalledProcessError:
                continue  # a subtree that was merged in has no history in common
            if not git(root, "diff", "--name-only", base, branch):
                continue
            answer = engine.diff(ref=branch, base=main, options=DiffOptions(scope=DiffScope.ALL))
            git(before, "checkout", "--quiet", "--force", "--detach", base)
            git(after, "checkout", "--quiet", "--force", "--detach", branch)
            symbols += check(answer, before, after)
            compared += 1
            if compared == MERGES:
                break
    reports.append(f"{corpus.name}: {compared} merges, {symbols} changed symbols agree")
    assert compared == MERGES
