"""An import's text and a path in, whether the one means the other out."""

import re
from collections.abc import Container, Iterable
from dataclasses import dataclass
from posixpath import normpath

# Files that stand for the folder they are in.
_FOLDER_FILES = frozenset({"__init__", "index", "mod", "lib", "package"})
_SEPARATORS = re.compile(r"::|[./\\]")


class PathIndex:
    """The paths of a snapshot by the last word an import of them may end with."""

    def __init__(self, paths: Iterable[str], words: Container[str] | None = None) -> None:
        """Of all paths, or of those that imports ending with one of some words may mean."""
        self._by_word: dict[str, list[_Named]] = {}
        self._absolute: dict[str, list[str]] = {}  # what texts mean wherever they stand
        for path in paths if words is None else _ending_with(paths, words):
            named = _Named(path, tuple(names_of(path)))
            for word in import_words(path):
                self._by_word.setdefault(word, []).append(named)

    def meant(self, module: str, importer: str) -> list[str]:
        """The paths that a module text may mean, seen from the importing file.

        By the text alone: relative texts are followed exactly, others match the paths
        that end with their segments. Several paths mean that the text cannot tell.
        """
        if module.startswith("."):
            return self._find(module, importer)
        if module not in self._absolute:
            self._absolute[module] = self._find(module, "")
        return [path for path in self._absolute[module] if path != importer]

    def _find(self, module: str, importer: str) -> list[str]:
        words = last_words(module, importer)
        if not any(word in self._by_word for word in words):
            return []
        target = _target(module, importer)
        found = {
            named.path
            for word in words
            for named in self._by_word.get(word, ())
            if named.path != importer and target.is_met_by(named)
        }
        return sorted(found)


def last_words(module: str, importer: str) -> list[str]:
    """The words of which a path that a module text means is called one."""
    words = [word for word in _SEPARATORS.split(module) if word][-2:]
    return words or importer.split("/")[-4:-1]  # `.` and `..`


def _ending_with(paths: Iterable[str], words: Container[str]) -> list[str]:
    """Those of the paths that have one of the words among their `import_words`, and some more."""
    return [
        path
        for path in paths
        if (parts := path.rpartition("/"))[2].partition(".")[0] in words
        or parts[0].rpartition("/")[2] in words
    ]


def import_words(path: str) -> list[str]:
    """The words of which an import of this path ends with one, a suffix aside."""
    last = [name.rsplit("/", 1)[-1] for name in names_of(path)[1:]]
    return list(dict.fromkeys(word for word in last if word))


def names_of(path: str) -> list[str]:
    """What a file may be called in an import: itself, without suffix, or as its folder."""
    folder, _, name = path.rpartition("/")
    stem = name.split(".", 1)[0]
    names = [path, f"{folder}/{stem}" if folder else stem]
    return [*names, folder] if stem in _FOLDER_FILES else names


@dataclass(frozen=True, slots=True)
class _Named:
    path: str
    names: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class _Target:
    """What a path must be called to be meant: exactly so, or ending so."""

    exact: str = ""
    ending: str = ""
    file: str = ""  # an include with its suffix

    def is_met_by(self, named: _Named) -> bool:
        if self.exact:
            return self.exact in named.names
        if self.file and f"/{named.path}".endswith(f"/{self.file}"):
            return True
        return any(f"/{name}".endswith(self.ending) for name in named.names if name)


def _target(module: str, importer: str) -> _Target:
    if module.startswith(("./", "../")) or module in {".", ".."}:
        return _Target(exact=_followed(module, importer))
    if module.startswith("."):
        return _Target(exact=_python_relative(module, importer))
    segments = [part for part in _SEPARATORS.split(module) if part not in {"", "crate", "self"}]
    return _Target(ending=f"/{'/'.join(segments)}" if segments else "\0", file=module)


def _followed(module: str, importer: str) -> str:
    target = normpath(f"{importer.rpartition('/')[0] or '.'}/{module}")
    folder, slash, name = target.rpartition("/")
    # `./x.js` may mean x.ts: compiled code imports by the name of the output.
    return f"{folder}{slash}{name.split('.', 1)[0]}" if name.strip(".") else target


def _python_relative(module: str, importer: str) -> str:
    rest = module.lstrip(".")
    folders = importer.split("/")[:-1]
    up = len(module) - len(rest) - 1
    folders = folders[: len(folders) - up] if up else folders
    return "/".join([*folders, *rest.split(".")] if rest else folders)


def nearness(path: str, other: str) -> int:
    """How many folders two paths share."""
    count = 0
    for one, two in zip(path.split("/"), other.split("/"), strict=False):
        if one != two:
            break
        count += 1
    return count
