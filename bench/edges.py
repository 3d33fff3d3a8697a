"""Measure what uses mean against compilers: precision, recall and F1 of calls and references.

    python bench/edges.py LANGUAGE REPOSITORY... [--tool COMMAND] [--extra "ARGUMENTS"]

Truth comes from, by LANGUAGE:
- `python`: what two of ty, pyrefly and zuban agree on; --tool is an interpreter whose
  environment has them, tree-sitter and tree-sitter-python
- `typescript`, also for JavaScript: the checker of the `typescript` package 5.9; --tool is
  its folder; --extra may hold `--packages DIR` with types of packages outside
- `go`: go/types; --tool is the `go` command
- `java`: javac's tree API; --tool is the `java` command; --extra may hold a class path
- `rust`: rust-analyzer; --tool is an interpreter with tree-sitter-rust, --extra tells where
  rust-analyzer and the library's sources are (see bench/truth/rust_truth.py)
- `c`, also for C++: clangd; --tool is an interpreter with tree-sitter-c and tree-sitter-cpp,
  --extra may hold `--clangd COMMAND` and flags as `--flag=-DNAME=1` (see bench/truth/c_truth.py)

Truth and tool run over the same checkout in one go; truth is kept in --truth-dir by commit,
so that a second run only measures the tool.

Counted are uses whose definition is in the repository and not local to a function. A
prediction where the compiler says that the definition is outside counts as wrong; where it
does not know, it does not count. A symbol that stands in several places, as the declarations
and definitions of C do, is one symbol, and any of its places is right. Beside ours: every
definition of the same name, and grep for the name followed by a parenthesis in files that
import the defining file or the name.
"""

import argparse
import json
import os
import re
import shlex
import statistics
import subprocess
import sys
import tempfile
import time
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

from codecompass import Engine
from codecompass.model.query import GraphOptions
from codecompass.model.snapshot import live_name
from codecompass.present.graph_text import render_calls
from codecompass.text.patterns import needed_by_literal
from codecompass.text.tokens import estimate_tokens

_HERE = Path(__file__).parent / "truth"
_CALLS = frozenset({"call", "new", "jsx"})
_SKIPPED = frozenset({"jsxclose"})
_SYMBOLS = frozenset(
    {
        "function", "method", "class", "interface", "type", "enum", "function_var", "method_sig",
        "struct", "trait",
    }
)  # fmt: skip
_SAMPLE = 200
_IMPORT = re.compile(r"^.*\b(?:import|from|require)\b.*$", re.MULTILINE)
_INCLUDE = re.compile(r"^[ \t]*#[ \t]*include\b.*$", re.MULTILINE)
_C_ENDINGS = (".c", ".cc", ".cpp", ".cxx", ".h", ".hh", ".hpp", ".hxx", ".inc")
Spot = tuple[str, int, int]  # path, line, column in bytes
Line = tuple[str, int]


@dataclass
class Truth:
    """What a compiler says of one use."""

    spot: Spot
    name: str
    role: str
    targets: frozenset[Line]
    spots: frozenset[Spot]
    kinds: frozenset[str]
    same: frozenset[Line]  # the other places of the target: declarations, or for other systems
    accepted: frozenset[Line]  # not wrong either
    is_outside: bool

    @property
    def is_call(self) -> bool:
        """Whether something is called or made."""
        return self.role in _CALLS


@dataclass
class Ours:
    """What our index says: uses by place, and the other way round."""

    uses: dict[Spot, frozenset[Line]] = field(default_factory=dict)
    missed: Counter[str] = field(default_factory=Counter)
    broken: dict[str, set[str]] = field(default_factory=dict)  # words of files with errors
    seconds: float = 0.0


@dataclass
class Score:
    """Counts of one method."""

    right: int = 0
    predicted: int = 0
    true: int = 0

    def line(self) -> str:
        """Precision, recall and their harmonic mean."""
        precision = self.right / self.predicted if self.predicted else 0.0
        recall = self.right / self.true if self.true else 0.0
        both = precision + recall
        f1 = 2 * precision * recall / both if both else 0.0
        return f"{precision:.4f} {recall:.4f} {f1:.4f}"


def main() -> None:
    """Make truth, run the tool, compare, print a table."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("language", choices=("python", "typescript", "go", "java", "rust", "c"))
    parser.add_argument("repositories", nargs="+", type=Path)
    parser.add_argument("--tool", default="", help="see above")
    parser.add_argument("--extra", default="", help="arguments for what makes the truth")
    parser.add_argument("--truth-dir", type=Path, default=Path(tempfile.gettempdir()) / "truth")
    given = parser.parse_args()
    print(
        "| repository | uses | calls P R F1 | references P R F1 | sets exact | complete, wrongly"
        " | names P R F1 | grep P R F1 | ours by line P R F1 | callers: p95 ms, tokens |"
    )
    print("|---|---|---|---|---|---|---|---|---|---|")
    for repository in given.repositories:
        root = repository.resolve()
        files = tracked(root)
        truth = [item for item in read_truth(make_truth(root, given)) if item.spot[0] in files]
        with tempfile.TemporaryDirectory() as home:
            os.environ["CODECOMPASS_HOME"] = home
            with Engine.open(root, flags={"freshness.recheck_after_s": 86_400.0}) as engine:
                engine.index()
                report(engine, root, truth)


def tracked(root: Path) -> frozenset[str]:
    """The files of the repository: not what links lead to, nor what tools made."""
    listed = subprocess.run(
        ["git", "-C", str(root), "ls-files", "-z"], check=True, capture_output=True, text=True
    )
    return frozenset(listed.stdout.split("\0"))


def make_truth(root: Path, given: argparse.Namespace) -> Path:
    """The file with a compiler's answers for this commit; made if it is not there."""
    commit = subprocess.run(
        ["git", "-C", str(root), "rev-parse", "HEAD"], check=True, capture_output=True, text=True
    ).stdout.strip()
    given.truth_dir.mkdir(parents=True, exist_ok=True)
    target: Path = given.truth_dir / f"{root.name}-{commit[:12]}.jsonl"
    if target.exists():
        return target
    tool = given.tool or {"go": "go", "java": "java"}.get(given.language, sys.executable)
    command = {
        "python": [tool, str(_HERE / "python_truth.py")],
        "typescript": ["node", "--max-old-space-size=8000", _script("typescript_truth.cjs"), tool],
        "go": [tool, "run", _script("gotruth.go"), _script("gotruth_uses.go")],
        "java": [tool, _script("JavaTruth.java")],
        "rust": [tool, _script("rust_truth.py")],
        "c": [tool, _script("c_truth.py")],
    }[given.language]
    part = target.with_suffix(".part")
    arguments = [str(root), str(part), *shlex.split(given.extra)]
    subprocess.run([*command, *arguments], check=True, stdout=sys.stderr)
    part.rename(target)
    return target


def _script(name: str) -> str:
    return str(_HERE / name)


def read_truth(path: Path) -> Iterator[Truth]:
    """The uses that count: not local, and the compilers agree."""
    with path.open(encoding="utf-8") as lines:
        for line in lines:
            row = json.loads(line)
            if row.get("loc") or row.get("amb") or row["k"] in _SKIPPED:
                continue
            if row["k"] == "jsx" and row["n"][:1].islower():
                continue  # `<div>`: an element of the page, nobody's code
            if row["n"] in ("module", "exports") and row["f"].endswith((".js", ".cjs", ".jsx")):
                continue  # of CommonJS: the checker takes them for what is exported
            if row["n"] == "this" or not (row.get("t") or row.get("ext")):
                continue
            spots = frozenset((path_, at, column) for path_, at, column in row.get("t", ()))
            others, same = (
                frozenset((path_, at) for path_, at, _ in row.get(key, ()))
                for key in ("alt", "same")
            )
            targets = frozenset(spot[:2] for spot in spots)
            yield Truth(
                (row["f"], row["l"], row["c"]), row["n"], row["k"], targets, spots,
                frozenset(row.get("dk", ())), same, targets | same | others, bool(row.get("ext")),
            )  # fmt: skip


class Places:
    """Which places are one symbol; each symbol is known by one of its places."""

    def __init__(self, truth: Iterable[Truth]) -> None:
        self._above: dict[Line, Line] = {}
        for item in truth:
            for line in item.same:
                first, second = (self.one(each) for each in (line, min(item.targets)))
                if first != second:
                    self._above[max(first, second)] = min(first, second)

    def one(self, line: Line) -> Line:
        """The place that stands for the symbol of this place."""
        while line in self._above:
            line = self._above[line]
        return line

    def all(self, lines: Iterable[Line]) -> frozenset[Line]:
        """The places that stand for the symbols of these places."""
        return frozenset(self.one(line) for line in lines)


def read_ours(engine: Engine, root: Path) -> Ours:
    """Every resolved use of the index."""
    found = Ours()
    reader = engine._store.reader(live_name(root))  # what is stored is measured
    assert reader is not None  # noqa: S101  # it was just indexed
    with reader:
        graph = reader.graph
        for path in reader.broken_with(needed_by_literal("")):
            text = (root / path).read_text("utf-8", "replace")
            found.broken[path] = set(re.findall(r"[\w$]+", text))
        places: dict[str, dict[str, set[Line]]] = {}
        for path in reader.files():
            edges = graph.edges(path)
            for miss in graph.misses(path):
                found.missed[miss.name] += 1
            if not edges:
                continue
            starts = line_starts((root / path).read_bytes())
            nodes = graph.nodes(edge.target for edge in edges)
            uses: dict[Spot, set[Line]] = defaultdict(set)
            for edge in edges:
                target, key = nodes[edge.target]
                if target not in places:
                    places[target] = defaultdict(set)
                    places[target][""] = {(target, 1)}
                    for name, _, line, *_ in graph.names(target):
                        places[target][name].add((target, line))
                spot = (path, edge.line, edge.start - starts[edge.line - 1])
                uses[spot] |= places[target][key]
            found.uses.update((spot, frozenset(lines)) for spot, lines in uses.items())
    return found


def line_starts(data: bytes) -> list[int]:
    """Where each line begins."""
    return [0, *(match.end() for match in re.finditer(b"\n", data))]


def report(engine: Engine, root: Path, truth: list[Truth]) -> None:
    """One line of the table."""
    ours = read_ours(engine, root)
    calls, references = Score(), Score()
    for item in truth:
        for score in (calls, references) if item.is_call else (references,):
            count(score, ours.uses.get(item.spot, frozenset()), item)
    places = Places(truth)
    exact, sets = exact_sets(truth, ours, places)
    claims, false_claims = complete_claims(truth, ours, places)
    names, grep, by_line = by_lines(root, truth, ours, places)
    p95, tokens = callers(engine, truth)
    print(
        f"| {root.name} | {references.true:,} | {calls.line()} | {references.line()} |"
        f" {exact / max(sets, 1):.3f} of {sets:,} | {claims:,}, {false_claims} | {names.line()} |"
        f" {grep.line()} | {by_line.line()} | {p95:.1f}, {tokens:.0f} |",
        flush=True,
    )


def count(score: Score, predicted: frozenset[Line], item: Truth) -> None:
    """Take one use into account."""
    score.true += bool(item.targets)
    score.predicted += bool(predicted)
    score.right += bool(item.targets and predicted & item.accepted)


def exact_sets(truth: list[Truth], ours: Ours, places: Places) -> tuple[int, int]:
    """Of how many symbols the set of uses is exactly right."""
    expected: dict[frozenset[Line], set[Spot]] = defaultdict(set)
    judged = {item.spot for item in truth}
    for item in truth:
        if item.kinds & _SYMBOLS:
            expected[places.all(item.targets)].add(item.spot)
    found: dict[Line, set[Spot]] = defaultdict(set)
    for spot, lines in ours.uses.items():
        if spot in judged:
            for line in places.all(lines):
                found[line].add(spot)
    right = sum(
        spots == set().union(*(found[line] for line in lines)) for lines, spots in expected.items()
    )
    return right, len(expected)


def complete_claims(truth: list[Truth], ours: Ours, places: Places) -> tuple[int, int]:
    """How many symbols are said to be complete, and of how many of them a use is missing."""
    missing: set[tuple[frozenset[Line], str]] = set()
    symbols: set[tuple[frozenset[Line], str]] = set()
    for item in truth:
        if not item.kinds & _SYMBOLS:
            continue
        symbol = (places.all(item.targets), item.name)
        symbols.add(symbol)
        if not ours.uses.get(item.spot, frozenset()) & item.accepted:
            missing.add(symbol)
    endings = {Path(item.spot[0]).suffix for item in truth}
    doubtful = [words for path, words in ours.broken.items() if Path(path).suffix in endings]
    claimed = {
        symbol
        for symbol in symbols
        if not ours.missed[symbol[1]] and not any(symbol[1] in words for words in doubtful)
    }
    return len(claimed), len(claimed & missing)


def by_lines(
    root: Path, truth: list[Truth], ours: Ours, places: Places
) -> tuple[Score, Score, Score]:
    """Calls as pairs of a definition and a line: by name, by grep, by us."""
    calls = [item for item in truth if item.is_call and item.targets]
    expected = {(target, item.spot[:2]) for item in calls for target in places.all(item.targets)}
    definitions: dict[str, set[Line]] = defaultdict(set)
    for item in truth:
        definitions[item.name] |= item.targets | item.same
    at = {item.spot: item for item in truth if item.is_call}
    by_name = {(t, i.spot[:2]) for i in at.values() for t in places.all(definitions[i.name])}
    predicted = {
        (t, spot[:2]) for spot in at for t in places.all(ours.uses.get(spot, frozenset()))
    }
    wanted = {name: lines for name, lines in definitions.items() if lines}
    grepped = {
        (places.one(target), line)
        for target, line in grep_calls(root, wanted, {item.spot[0] for item in truth})
    }
    return tuple(
        Score(len(found & expected), len(found), len(expected))
        for found in (by_name, grepped, predicted)
    )  # type: ignore[return-value]  # three in, three out


def grep_calls(
    root: Path, definitions: dict[str, set[Line]], paths: Iterable[str]
) -> set[tuple[Line, Line]]:
    """The name and a parenthesis, in files that import the defining file or the name."""
    found: set[tuple[Line, Line]] = set()
    call = re.compile(r"(?<!def )(?<!function )\b([A-Za-z_$][\w$]*)\s*\(")
    for path in paths:
        text = (root / path).read_text("utf-8", "replace")
        imports = "\n".join((_INCLUDE if path.endswith(_C_ENDINGS) else _IMPORT).findall(text))
        words = set(re.findall(r"[\w$]+", imports))
        for number, line in enumerate(text.split("\n"), 1):
            for name in call.findall(line):
                for target in definitions.get(name, ()):
                    stem = Path(target[0]).stem
                    folder = Path(target[0]).parent.name
                    if target[0] == path or words & {name, stem, folder}:
                        found.add((target, (path, number)))
    return found


def callers(engine: Engine, truth: list[Truth]) -> tuple[float, float]:
    """The time and the size of the answer to `calls`, over symbols that are called."""
    called = sorted({item.name for item in truth if item.is_call and item.targets})
    names = called[:: max(1, len(called) // _SAMPLE)]
    times: list[float] = []
    tokens: list[int] = []
    for name in names:
        engine.call_graph(name, options=GraphOptions())
        started = time.perf_counter()
        answer = engine.call_graph(name, options=GraphOptions())
        times.append((time.perf_counter() - started) * 1000)
        tokens.append(estimate_tokens(render_calls(answer)))
    if not times:
        return 0.0, 0.0
    times.sort()
    return times[int(len(times) * 0.95)], statistics.median(tokens)


if __name__ == "__main__":
    main()
