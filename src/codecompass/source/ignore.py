"""Which listed files are left out, and by which rule: built-in ones and `.codecompassignore`.

Git's own ignore files are git's business (`walk`); these rules come on top of them.
"""

from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import PurePosixPath

from pathspec import GitIgnoreSpec

from codecompass.model.source import IgnoredFile

IGNORE_FILE = ".codecompassignore"
BUILT_IN = "built-in"
# In one name of a pattern, and names that stand for any folders: trying it takes time that
# grows with this power.
_MAX_STARS = 3

_FOLDERS = frozenset(
    ".git .hg .svn .bzr .jj node_modules bower_components __pycache__ .tox .nox .venv .mypy_cache"
    " .pytest_cache .ruff_cache .hypothesis .eggs .gradle .terraform .next .nuxt .svelte-kit"
    " .parcel-cache .turbo .yarn .dart_tool .idea .vs DerivedData".split()
)
# Build outputs and caches by name only: somebody may well keep sources or settings in a
# folder of that name, so files that git tracks are kept.
_OUTPUT_FOLDERS = frozenset(
    "build dist target out venv env coverage htmlcov obj .bundle .cargo".split()
)

_GENERATED = (
    "*.min.js", "*.min.css", "*.min.mjs", "*.bundle.js", "*.map", "*.generated.*",
    "*_generated.*", "*.pb.go", "*.pb.cc", "*.pb.h", "*_pb2.py", "*_pb2_grpc.py", "*_pb2.pyi",
    "*.g.dart", "*.freezed.dart", "*.Designer.cs", "*.g.cs", "*.snap",
    "package-lock.json", "npm-shrinkwrap.json", "yarn.lock", "pnpm-lock.yaml", "bun.lock",
    "poetry.lock", "uv.lock", "pdm.lock", "Pipfile.lock", "Cargo.lock", "composer.lock",
    "Gemfile.lock", "go.sum", "mix.lock", "pubspec.lock", "packages.lock.json", "flake.lock",
    "gradle.lockfile", "*.lockb",
)  # fmt: skip
_BINARY = (
    "*.exe *.dll *.so *.so.* *.dylib *.o *.a *.lib *.obj *.wasm *.pyc *.pyo *.pyd *.class *.jar"
    " *.war *.whl *.egg *.zip *.gz *.tgz *.bz2 *.xz *.zst *.7z *.rar *.tar *.png *.jpg *.jpeg"
    " *.gif *.bmp *.ico *.webp *.avif *.tiff *.psd *.pdf *.doc *.docx *.xls *.xlsx *.ppt *.pptx"
    " *.mp3 *.mp4 *.m4a *.wav *.ogg *.flac *.mov *.avi *.mkv *.webm *.woff *.woff2 *.ttf *.otf"
    " *.eot *.db *.sqlite *.sqlite3 *.mdb *.npy *.npz *.pkl *.parquet *.h5 *.onnx *.pt *.bin"
    " *.dat *.mo *.gmo *.keystore *.jks *.p12 *.pfx"
).split()

# The patterns sorted by shape, because a plain suffix test is many times faster than a glob.
_PATTERNS = (*_GENERATED, *_BINARY)
_ENDS = tuple(p[1:] for p in _PATTERNS if p[0] == "*" and "*" not in p[1:])
_SUFFIXES = {  # by what is behind their last dot
    last: [end for end in _ENDS if end.rpartition(".")[2] == last]
    for last in {end.rpartition(".")[2] for end in _ENDS}
}
_INFIXES = tuple(p.strip("*") for p in _PATTERNS if p[0] == "*" and p[-1] == "*")
_GENERATED_NAMES = frozenset(_GENERATED)
_EXACT_NAMES = frozenset(p for p in _PATTERNS if "*" not in p)


@dataclass(frozen=True, slots=True)
class _Line:
    """One line of an ignore file."""

    number: int
    text: str
    spec: GitIgnoreSpec


@dataclass(frozen=True, slots=True)
class IgnoreRules:
    """Every rule that applies to one workspace; `files` maps a folder to its ignore file."""

    files: Mapping[str, tuple[_Line, ...]]

    def rule_for(self, path: str, *, is_tracked: bool) -> IgnoredFile | None:
        """The rule that leaves a file out; None if it is kept.

        The rule nearest to the file has the last word, so `!` in a `.codecompassignore`
        brings back what a built-in rule leaves out.
        """
        rule = built_in_rule(path, is_tracked=is_tracked)
        for folder, lines in self.files.items():
            relative = path.removeprefix(f"{folder}/") if folder else path
            if relative == path and folder:
                continue
            source = f"{folder}/{IGNORE_FILE}" if folder else IGNORE_FILE
            for line in lines:
                verdict = line.spec.check_file(relative).include
                if verdict is not None:
                    rule = IgnoredFile(path, source, line.number, line.text) if verdict else None
        return rule


def make_rules(ignore_files: Mapping[str, str]) -> IgnoreRules:
    """Rules from the texts of the `.codecompassignore` files, keyed by their workspace path.

    A line that is no pattern is passed over, as git does.
    """
    files: dict[str, tuple[_Line, ...]] = {}
    for path in sorted(ignore_files, key=lambda item: (item.count("/"), item)):
        folder = PurePosixPath(path).parent.as_posix()
        files["" if folder == "." else folder] = tuple(_lines(ignore_files[path]))
    return IgnoreRules(files)


def _lines(text: str) -> Iterator[_Line]:
    for number, line in enumerate(text.splitlines(), start=1):
        if not line.strip() or line.startswith("#") or _is_too_dear(line):
            continue
        with suppress(ValueError):
            yield _Line(number, line, GitIgnoreSpec.from_lines([line]))


def _is_too_dear(line: str) -> bool:
    """Whether to try a pattern can take for ever: a repository somebody cloned may hold one."""
    parts = line.split("/")
    deep = sum(part == "**" for part in parts)
    stars = sum(part.count("*") for part in parts if part != "**")
    return stars > _MAX_STARS or stars + deep > _MAX_STARS + 1


def is_ignored_folder(name: str) -> bool:
    """Whether a built-in rule leaves out what is in a folder of this name and not tracked."""
    return name in _FOLDERS or name in _OUTPUT_FOLDERS


def built_in_rule(path: str, *, is_tracked: bool) -> IgnoredFile | None:
    """The built-in rule that leaves a file out, if any."""
    if path.splitlines() != [path]:  # could pass for lines of an answer
        return IgnoredFile(path, BUILT_IN, 0, "a line break in its name")
    *folders, name = path.split("/")
    for folder in folders:
        if folder in _FOLDERS or (folder in _OUTPUT_FOLDERS and not is_tracked):
            return IgnoredFile(path, BUILT_IN, 0, f"{folder}/")
    if name in _EXACT_NAMES:
        return IgnoredFile(path, BUILT_IN, 0, name)
    for suffix in _SUFFIXES.get(name.rpartition(".")[2], ()):
        if name.endswith(suffix):
            return IgnoredFile(path, BUILT_IN, 0, f"*{suffix}")
    infix = next((part for part in _INFIXES if part in name), None)
    return IgnoredFile(path, BUILT_IN, 0, f"*{infix}*") if infix else None


def may_be_text(rule: IgnoredFile) -> bool:
    """Whether a file that a rule leaves out may be a text that somebody wrote or uses."""
    if rule.source != BUILT_IN:
        return True
    return rule.pattern in _GENERATED_NAMES


def count_by_rule(ignored: Iterable[IgnoredFile]) -> dict[str, int]:
    """How many files each rule leaves out, most first."""
    counts: dict[str, int] = {}
    for item in ignored:
        rule = f"{item.source}:{item.line}: {item.pattern}" if item.line else item.pattern
        counts[rule] = counts.get(rule, 0) + 1
    return dict(sorted(counts.items(), key=lambda pair: (-pair[1], pair[0])))
