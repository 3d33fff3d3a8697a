"""Ask for the code a commit changed: questions from history, searched in the parent commit.

    python bench/commits.py mine --repos GIT_DIR... --per-repo 40 --out questions.json
    python bench/commits.py run --questions questions.json --repos GIT_DIR... --work FOLDER
        --command 'codecompass batch --workspace {root}' [--command ...] [--out results.json]

`mine` takes subject lines of commits that modified one to five source files; the answer is
these files and the lines changed, as they stood in the parent. The same history gives the
same questions. `run` checks out each parent and starts every command there, with {root}
and {name} replaced; it writes one line to its standard input and expects one line back:
    {"id": 0, "op": "search_code", "args": {"query": "...", "top_k": 10}}
    {"id": 0, "ok": true, "answer": {"results": [{"path", "start_line", "end_line", "kind"}]}}
A failed answer scores 0 and is counted; so is a parent that cannot be checked out, but it
is left out of the scores (files that the git directory lacks do not matter, unless they are
targets). Commands see the same checkout one after the other; to compare two of one tool,
give each a store of its own: `env CODECOMPASS_HOME=... codecompass ...`.
"""

import argparse
import json
import re
import shlex
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from itertools import chain, islice
from pathlib import Path, PurePosixPath
from statistics import fmean
from typing import Any

_TOP_K = 10
_MAX_TARGETS = 5
_MIN_WORDS = 4
# A hit on a larger span says "somewhere in this class"; only a function that long is meant.
_MAX_SPAN_LINES = 200
_CALLABLE_KINDS = {"function", "method", "constructor", "component", "macro"}

_SOURCE_SUFFIXES = frozenset(
    """.bash .c .cc .cjs .cpp .cs .cts .cxx .dart .ex .exs .go .h .hh .hpp .hs .hxx .java .jl .js
    .jsx .kt .kts .lua .m .mjs .ml .mm .mts .php .pl .pm .py .pyi .pyx .r .rb .rs .scala .sh .sql
    .svelte .swift .ts .tsx .vue .zig""".split()
)
# `deps` and `third_party` hold other projects' code, like `vendor`.
_OTHER_FOLDERS = frozenset(
    """__mocks__ __tests__ .github bench benches benchmark benchmarks deps doc docs e2e example
    examples fixtures node_modules playground scripts spec specs test testdata testing tests
    third_party third-party vendor""".split()
)
_OTHER_NAMES = re.compile(
    r"test_.*|(tests?|mocks?)\.\w+|conftest\.py|.*_tests?\.\w+|.*[.-](spec|test|bench|min)\.\w+"
    r"|(package)?version\.\w+|\.?[\w-]+\.config\.\w+|setup\.py",
    re.IGNORECASE,
)

# Kinds in `kind(scope): subject` whose commits do not change what the code does.
_NOISE_KIND = re.compile(
    r"(build|chore|ci|deps?|docs?|examples?|lint|readme|release|revert|style|tests?|typos?|wip)"
    r"(\([^)]*\))?!?:|\w+\((deps|docs?|ci|release|changelog|readme)\)!?:|\[maven-release",
    re.IGNORECASE,
)
# What a subject without its prefix begins with when it says little about the code.
_NOISE_START = re.compile(
    r"(post-?)?merg(e|ed|es|ing) (branch|pull|remote|tag|pr\b|from|v?\d|['\"#]|\w+ into)"
    r"|post-merge|(partial(ly)? )?(un)?revert|undo|re-?appl(y|ied)|cherry|(back|forward)-?port"
    r"|releas\w+ |prepar\w+ |bump|upgrad\w+ |(clarif|mention|explain)\w* |sync with |trying to "
    r"|(mark|review|work|start|progress|continu|finish|complet|attempt)\w* |(and|yet|tests?"
    r"|which|by|about|another|one|because|re-?do|touch|not|finally) "
    r"|(more|some|minor|small|tiny|slight|misc|various|trivial|cosmetic|further|last|first|bit) "
    r"|(add|fix|improv|updat|mov|chang|renam|refactor|remov|enabl|disabl|extend|correct|skip"
    r"|unif|migrat|convert)\w* "
    r"([\w`-]+ ){0,3}(unit |failing |passing )?(tests?|testing)\b(?! (case|runner|client|file))"
    r"|follow-?up|address\w* (review|feedback|comments?)|add'l|actual fix",
    re.IGNORECASE,
)
_NOISE = re.compile(
    r"\b(typos?|spelling|misspell\w*|grammar\w*|grammatical|wording|white-?spaces? (fix|clean)\w*"
    r"|indentation|re-?format\w*|(code|fix\w*|minor|apply|run) format(ting)?|code style|pep ?8"
    r"|gofmt|rustfmt|clang-format|isort|prettier|lint\w*|clippy|eslint|flake8|golangci\S*|lgtm"
    r"|sonar\w*|docs?|documentation|documents?|documented|documenting|docstrings?|java-?docs?"
    r"|rustdoc|doctests?|(code )?comments?|read-?me|change-?logs?|release|deps|dependenc\w+"
    r"|bump\w*|ci|github|workflows?|travis|appveyor|codecov|versions?|cherry-pick\w*"
    r"|clean(ed|ing|s)?[- ]?ups?|nits?|tweak\w*|wip|license|copyright|authors?|translations?"
    r"|(compil\w+|fix\w*|gcc|clang|javac|build|lgtm) warnings?|warnings? (clean|fix)\w*"
    r"|(unused|unnecessary|redundant|missing) (\w+ )?(imports?|variables?|includes?|semicolons?)"
    r"|(jdk|java|python|go|rust|node) ?\d[\w.]*|super-linter|monorepo|todos?|fixmes?|junit"
    r"|examples?|explanation|readability|benchmarks?|tags|renam\w+ wr|back-?port\w*"
    r"|unit tests?|more work|previous commit|earlier (fix|commit|change)|oops|sigh|pull requests?)"
    r"\b|\b(an?|and|as|at|by|for|from|in|of|on|the|to|via|with|wrt)$",  # cut off at a ticket
    re.IGNORECASE,
)

# Not `UTF-8`, which looks like a ticket of JIRA.
_TICKET = (
    r"(?:\[?[\w./-]*#\d+\]?|CVE-\d+-\d+|(?:gh|issue)-\d+"
    r"|(?-i:\[?\b(?!UTF|ISO|SHA|RFC|IEEE|HTTP|TLS|IPV)[A-Z]{3,}-\d+\]?))"
)
_TICKETS = rf"{_TICKET}(?:(?:\s*[,/&+]\s*|\s+and\s+){_TICKET})*"
_VERB = r"(?:fix(?:es|ed|ing)?|refs?|clos(?:e|es|ed|ing)|resolv(?:e|es|ed)|implement(?:s|ed)?|see)"
_LINK = r"(?:issue|bug|by|for|from|re|wrt|as per|via|with|in|of|to|pr)"
_NUMBERS = rf"(?:{_TICKETS}|\d{{4,}}(?= --))"
_TICKET_START = re.compile(
    rf"(?:(?:{_VERB}|issue|for|re|wrt)\s+)*\(?{_NUMBERS}\)?\s*(?:--|[-:;,.–—])*\s*", re.IGNORECASE
)
_TICKET_INSIDE = re.compile(
    rf"[\s,;:-]*[(\[]?(?:\b(?:{_VERB}|{_LINK})\b[\s:]*)*(?:{_TICKETS})[)\]]?", re.IGNORECASE
)
_WRAPPED = re.compile(r"\((.*)\)")
# `sync:`, `fix(core):`, `[sync]`; not `XADD:`, a name the question is about.
_PREFIX = re.compile(
    r"[a-z][\w.,*/-]*!?(?:\([^)]*\))?!?:\s+|\[[\w .-]+\]:?\s+"
    r"|(?i:(?:bug-?)?fix(?:e[ds])?|feat(?:ure)?|perf|refactor(?:ing)?|improvement)\s*:\s+"
)
_FILE_PREFIX = re.compile(r"[\w./-]+\.\w{1,4}(?:\s*[:,]\s+|\s+-+\s+)|[\w.-]+/[\w./-]+:\s+")
_AND_TESTS = re.compile(r"\s*[(,]?\s*(?:and|with|plus|\+) (?:\w+ )?tests?\)?$", re.IGNORECASE)
_COMMENT = re.compile(
    r"\s*(//|/\*|\*[ /]|\*$|#(?!!?\[|\s*(include|define|if|el|end|undef|pragma|error))|$)"
)
_HUNK = re.compile(r"^@@ -(\d+)(?:,(\d+))? ", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Change:
    """One commit of the history that may become a question."""

    commit: str
    parent: str
    question: str
    paths: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Target:
    """A file a commit modified and the lines it replaced, as `[start, end]` in the parent."""

    path: str
    ranges: list[list[int]]


@dataclass(frozen=True, slots=True)
class Question:
    """A subject line, and what the commit under it changed."""

    repo: str
    commit: str
    parent: str
    question: str
    targets: list[Target]


@dataclass(frozen=True, slots=True)
class Score:
    """How one command did on one question."""

    at_1: float
    at_5: float
    at_10: float
    reciprocal_rank: float
    function_at_10: float
    failed: int
    wall_s: float


def main() -> None:
    """Mine questions or ask them."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    commands = parser.add_subparsers(required=True)
    sub = commands.add_parser("mine", help="write questions from the history of repositories")
    sub.add_argument("--repos", type=Path, nargs="+", required=True, metavar="GIT_DIR")
    sub.add_argument("--per-repo", type=int, default=40)
    sub.add_argument("--history", type=int, default=4000, help="look at so many last commits")
    sub.add_argument("--out", type=Path, required=True)
    sub.set_defaults(call=mine)
    sub = commands.add_parser("run", help="ask the questions and print scores")
    sub.add_argument("--questions", type=Path, required=True)
    sub.add_argument("--repos", type=Path, nargs="+", required=True, metavar="GIT_DIR")
    sub.add_argument("--work", type=Path, required=True, help="folder for the checkouts")
    sub.add_argument("--command", action="append", required=True, help="may be given repeatedly")
    sub.add_argument("--limit", type=int, help="ask only so many questions of each repository")
    sub.add_argument("--timeout", type=float, default=600, metavar="SECONDS")
    sub.add_argument("--out", type=Path)
    sub.set_defaults(call=run)
    arguments = parser.parse_args()
    arguments.call(arguments)


def mine(arguments: argparse.Namespace) -> None:
    """Write the questions of all repositories."""
    questions: list[Question] = []
    for name, git_dir in _named(arguments.repos).items():
        changes = _candidates(git_dir, arguments.history)
        chosen = _choose(name, git_dir, changes, arguments.per_repo)
        print(f"{name}: {len(chosen)} questions from {len(changes)} suitable commits", flush=True)
        questions += chosen
    arguments.out.write_text(json.dumps([asdict(q) for q in questions], indent=1) + "\n")


def run(arguments: argparse.Namespace) -> None:
    """Ask every command every question and print a table."""
    questions = [_decoded(row) for row in json.loads(arguments.questions.read_text())]
    arguments.work.mkdir(parents=True, exist_ok=True)
    for number, command in enumerate(arguments.command, 1):
        print(f"command {number}: {command}")
    columns = "command n acc@1 acc@5 acc@10 MRR func@10 failed skipped s_each".split()
    print(f"{'repository':<28} " + " ".join(f"{column:>7}" for column in columns))
    rows: list[dict[str, Any]] = []
    skipped = 0
    for name, git_dir in _named(arguments.repos).items():
        own = [question for question in questions if question.repo == name]
        if not own:
            print(f"{name}: no questions", file=sys.stderr)
            continue
        root = _clone(git_dir, arguments.work.resolve() / name)
        ordered = _spread(_by_date(git_dir, own), arguments.limit or len(own))
        answered = [_ask_all(arguments, root, question) for question in ordered]
        rows += chain.from_iterable(answered)
        skipped += answered.count([])
        _table(name, list(chain.from_iterable(answered)), skipped=answered.count([]))
    _table("all", rows, skipped=skipped)
    if arguments.out:
        arguments.out.write_text(json.dumps(rows, indent=1) + "\n")


def clean_subject(subject: str) -> str:
    """The subject without prefixes and ticket numbers; empty if it is no question about code."""
    if _NOISE_KIND.match(subject):
        return ""
    text = _without_prefixes(subject.strip())
    text = _AND_TESTS.sub("", _TICKET_INSIDE.sub("", text))
    text = re.sub(r"\s+", " ", text).strip(" .…:;,-")
    text = wrapped[1] if (wrapped := _WRAPPED.fullmatch(text)) else text
    words = re.findall(r"[^\W\d]\w+", text)
    if len(words) < _MIN_WORDS or _NOISE_START.match(text) or _NOISE.search(text):
        return ""
    return text


def _without_prefixes(text: str) -> str:
    before = ""
    while before != text:
        before = text
        for prefix in (_TICKET_START, _FILE_PREFIX, _PREFIX):
            text = text[found.end() :] if (found := prefix.match(text)) else text
    return text


def is_target(path: str) -> bool:
    """Whether a file is source code of the project itself, not its tests or documents."""
    pure = PurePosixPath(path)
    if pure.suffix.lower() not in _SOURCE_SUFFIXES or _OTHER_NAMES.fullmatch(pure.name):
        return False
    folders = [folder.lower() for folder in pure.parts[:-1]]
    return not any(name in _OTHER_FOLDERS or name.startswith("test-") for name in folders)


def _candidates(git_dir: Path, history: int) -> list[Change]:
    """Commits of the main line, newest first, whose subject and files are suitable."""
    log = _git(
        git_dir,
        *("-c", "core.quotePath=false", "log", "--first-parent", "--no-merges", "--raw"),
        *("--no-renames", f"--max-count={history}", "--format=%x01%H%x00%P%x00%s"),
    )
    changes: dict[str, Change] = {}
    for entry in log.split("\x01")[1:]:
        header, *raw = entry.splitlines()
        commit, parents, subject = header.split("\0", 2)
        question = clean_subject(subject)
        paths = _modified(raw)
        if question and paths and len(parents.split()) == 1:
            changes.setdefault(question.lower(), Change(commit, parents, question, paths))
    return list(changes.values())


def _modified(raw: Sequence[str]) -> tuple[str, ...]:
    """Source files a commit modified; none if it did too much or mostly added and deleted.

    A commit that mainly adds files is about code the parent does not have.
    """
    pairs = [line.split("\t", 1) for line in raw if line.startswith(":")]
    sources = [(info[-1], path) for info, path in pairs if is_target(path)]
    modified = tuple(sorted(path for status, path in sources if status == "M"))
    if len(sources) > _MAX_TARGETS or len(modified) * 2 <= len(sources):
        return ()
    return modified


def _choose(name: str, git_dir: Path, changes: Sequence[Change], count: int) -> list[Question]:
    """One commit out of each of `count` equal stretches of history: the first that can be read."""
    chosen: list[Question] = []
    for number in range(count):
        start, end = (len(changes) * edge // count for edge in (number, number + 1))
        readable = (_question(name, git_dir, change) for change in changes[start:end])
        chosen += list(islice(filter(None, readable), 1))
    return chosen


def _question(name: str, git_dir: Path, change: Change) -> Question | None:
    try:
        targets = [Target(path, _ranges(git_dir, change, path)) for path in change.paths]
    except subprocess.CalledProcessError:  # a blob the snapshot does not have
        return None
    targets = [target for target in targets if target.ranges]
    if not targets:
        return None
    return Question(name, change.commit, change.parent, change.question, targets)


def _ranges(git_dir: Path, change: Change, path: str) -> list[list[int]]:
    """Lines of the parent that were replaced; of an insertion, the line before it.

    None if only comments, blank lines or the mode of the file changed.
    """
    options = ("diff", "-U0", "--no-color", "--no-ext-diff", "--no-renames")
    diff = _git(git_dir, *options, change.parent, change.commit, "--", path)
    lines = diff.partition("\n@@ ")[2].splitlines()[1:]
    changed = [line[1:] for line in lines if line.startswith(("+", "-"))]
    if all(_COMMENT.match(line) for line in changed):
        return []
    ranges = []
    for start, count in _HUNK.findall(diff):
        first = max(int(start), 1)
        ranges.append([first, max(first + int(count or 1) - 1, first)])
    return ranges


def _named(git_dirs: Sequence[Path]) -> dict[str, Path]:
    """Repositories by name: that of the folder, or of the one around `.git` or `repo`."""
    named: dict[str, Path] = {}
    for git_dir in map(Path.resolve, git_dirs):
        inner = git_dir.name in {".git", "repo"}
        name = (git_dir.parent if inner else git_dir).name.removesuffix(".git")
        if name in named:
            sys.exit(f"two repositories named {name}: {named[name]} and {git_dir}")
        named[name] = git_dir / ".git" if (git_dir / ".git").is_dir() else git_dir
    return named


def _git(git_dir: Path, *arguments: str) -> str:
    command = ["git", f"--git-dir={git_dir}", *arguments]
    done = subprocess.run(command, capture_output=True, check=True)
    return done.stdout.decode(errors="replace")


def _decoded(row: Mapping[str, Any]) -> Question:
    targets = [Target(**target) for target in row["targets"]]
    return Question(**{**row, "targets": targets})


def _clone(git_dir: Path, root: Path) -> Path:
    """A clone that borrows the objects of `git_dir`, with nothing checked out; kept if there."""
    if not (root / ".git").is_dir():
        options = ("--quiet", "--shared", "--no-checkout")
        subprocess.run(["git", "clone", *options, str(git_dir), str(root)], check=True)
    return root


def _by_date(git_dir: Path, questions: Sequence[Question]) -> list[Question]:
    """Questions in the order of their parents, so that one checkout differs little from the next.

    Parents the repository does not have come first; they fail at the checkout.
    """
    dates = {}
    for question in questions:
        try:
            shown = _git(git_dir, "log", "-1", "--format=%ct", question.parent, "--")
        except subprocess.CalledProcessError:
            shown = "0"
        dates[question.commit] = int(shown)
    return sorted(questions, key=lambda question: (dates[question.commit], question.commit))


def _spread(questions: Sequence[Question], limit: int) -> list[Question]:
    """At most `limit` of the questions, at even distances."""
    count = min(limit, len(questions))
    return [questions[number * len(questions) // count] for number in range(count)]


def _ask_all(
    arguments: argparse.Namespace, root: Path, question: Question
) -> list[dict[str, Any]]:
    """One row for each command; none if the parent cannot be checked out."""
    if not _check_out(root, question):
        print(f"{question.repo}: cannot check out {question.parent}", file=sys.stderr)
        return []
    rows = []
    for number, command in enumerate(arguments.command, 1):
        started = time.monotonic()
        results = _ask(command, root, question, timeout_s=arguments.timeout)
        score = score_results(results, question.targets, time.monotonic() - started)
        top = [f"{r.get('path')}:{r.get('start_line')}" for r in (results or [])[:_TOP_K]]
        rows.append({**asdict(question), "command": number, **asdict(score), "top": top})
    return rows


def _check_out(root: Path, question: Question) -> bool:
    """Bring the folder to the parent commit; whether all targets stand there.

    Snapshots may lack large blobs, mostly pictures and generated documents. The checkout
    then fails, yet leaves everything else in place.
    """
    paths = [target.path for target in question.targets]
    _git_status(root, "checkout", "-q", "-f", "--detach", question.parent)
    head = ["git", "-C", str(root), "rev-parse", "HEAD"]
    if subprocess.run(head, capture_output=True, text=True).stdout.strip() != question.parent:
        return False
    _git_status(root, "clean", "-ffdxq")
    return _git_status(root, "diff", "--quiet", "HEAD", "--", *paths) == 0


def _git_status(root: Path, *arguments: str) -> int:
    return subprocess.run(["git", "-C", str(root), *arguments], capture_output=True).returncode


def _ask(
    command: str, root: Path, question: Question, *, timeout_s: float
) -> list[dict[str, Any]] | None:
    """The results a command gives, best first; None if it gives no answer."""
    filled = command.replace("{root}", shlex.quote(str(root))).replace("{name}", question.repo)
    arguments = {"query": question.question, "top_k": _TOP_K}
    line = json.dumps({"id": 0, "op": "search_code", "args": arguments}) + "\n"
    try:
        done = subprocess.run(
            shlex.split(filled), input=line.encode(), capture_output=True, timeout=timeout_s
        )
    except subprocess.TimeoutExpired:
        print(f"{question.repo}: no answer in {timeout_s:g} s", file=sys.stderr)
        return None
    for results in _answers(done.stdout.splitlines()):
        return results
    reason = (done.stderr.strip() or done.stdout.strip())[-300:].decode(errors="replace")
    print(f"{question.repo}: exit {done.returncode}; {reason}", file=sys.stderr)
    return None


def _answers(lines: Sequence[bytes]) -> Iterator[list[dict[str, Any]]]:
    for line in lines:
        try:
            reply = json.loads(line)
        except ValueError:
            continue
        if isinstance(reply, dict) and reply.get("id") == 0 and reply.get("ok"):
            yield (reply.get("answer") or {}).get("results") or []


def score_results(
    results: Sequence[Mapping[str, Any]] | None, targets: Sequence[Target], wall_s: float
) -> Score:
    """Compare the first ten results with what was changed; `None` is a failed answer."""
    first = (results or [])[:_TOP_K]
    paths = {target.path for target in targets}
    ranks = [rank for rank, result in enumerate(first, 1) if result.get("path") in paths]
    best = ranks[0] if ranks else 0
    return Score(
        at_1=float(best == 1),
        at_5=float(0 < best <= 5),
        at_10=float(best > 0),
        reciprocal_rank=1 / best if best else 0.0,
        function_at_10=float(any(_hits(result, target) for result in first for target in targets)),
        failed=int(results is None),
        wall_s=round(wall_s, 3),
    )


def _hits(result: Mapping[str, Any], target: Target) -> bool:
    """Whether a result is a piece of the file that overlaps changed lines and is not too large."""
    kind = result.get("kind")
    start, end = result.get("start_line"), result.get("end_line")
    if kind == "file" or result.get("path") != target.path or start is None or end is None:
        return False
    if end - start >= _MAX_SPAN_LINES and kind not in _CALLABLE_KINDS:
        return False
    return any(start <= last and end >= first for first, last in target.ranges)


def _table(name: str, rows: Sequence[Mapping[str, Any]], *, skipped: int) -> None:
    """One line for each command over the rows of a repository, or of all."""
    if not rows:
        print(f"{name:<28} nothing could be asked, {skipped} skipped", flush=True)
    for number in sorted({row["command"] for row in rows}):
        own = [row for row in rows if row["command"] == number]
        means = " ".join(
            f"{fmean(row[key] for row in own):7.3f}"
            for key in ("at_1", "at_5", "at_10", "reciprocal_rank", "function_at_10")
        )
        failed = sum(row["failed"] for row in own)
        seconds = fmean(row["wall_s"] for row in own)
        counts = f"{failed:7} {skipped:7} {seconds:7.2f}"
        print(f"{name:<28} {number:>7} {len(own):7} {means} {counts}", flush=True)


if __name__ == "__main__":
    main()
