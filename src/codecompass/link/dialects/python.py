"""Python: which file `import a.b` means, and how values are taken apart."""

import sys
from collections import defaultdict
from collections.abc import Iterable
from copy import copy
from functools import lru_cache

from codecompass.link.dialect import Dialect
from codecompass.link.modules import nearness

_PACKAGE = "__init__"
_SUFFIXES = (".py", ".pyi", ".pyw")
FIXTURES = ":fixtures"
_CONFTEST = "conftest.py"

DIALECT = Dialect(
    stubs="<python>",
    stub_modules=frozenset(
        {
            "typing", "typing_extensions", "collections", "collections.abc", "builtins",
            "contextlib", "functools", "types", "enum", "dataclasses", "abc", "itertools",
        }
    ),
    hides_underscores=True,
    iterate=("__iter__", "__next__"),
    enter=("__enter__", "__aenter__"),
    awaited="__await__",
    called="__call__",
    indexed="__getitem__",
    generator="Generator",
    sequence="tuple",
    mapping="dict",
    forms={
        "Optional": "union", "Union": "union",
        "ClassVar": "first", "Final": "first", "Annotated": "first", "Required": "first",
        "NotRequired": "first", "ReadOnly": "first", "InitVar": "first",
        "Type": "class", "type": "class",
        "Callable": "callable", "Tuple": "tuple", "tuple": "tuple",
        "TypeGuard": "nothing", "TypeIs": "nothing", "Literal": "nothing",
    },
    type_makers={"TypeVar": "parameter", "ParamSpec": "parameter", "NewType": "second"},
)  # fmt: skip


def modules_of(paths: tuple[str, ...]) -> "PythonModules":
    """The modules of a snapshot."""
    return _kept_modules(paths).afresh()


@lru_cache(maxsize=2)
def _kept_modules(paths: tuple[str, ...]) -> "PythonModules":
    """They are kept for the next time: a saved file leaves them as they were."""
    return PythonModules(paths)


class PythonModules:
    """The files of a snapshot by the names they are imported under.

    A package begins at the outermost folder that has an `__init__`; other files are
    known by their path from the top, from `src` or `lib`, and from their own folder.
    """

    def __init__(self, paths: Iterable[str]) -> None:
        self._files = {path for path in paths if path.endswith(_SUFFIXES)}
        self._packages = {dirname(path) for path in self._files if _stem(path) == _PACKAGE}
        self._folders = {""}
        for path in self._files:
            folder = dirname(path)
            while folder not in self._folders:
                self._folders.add(folder)
                folder = dirname(folder)
        self._named: dict[str, list[str]] = defaultdict(list)
        self._tops: set[str] = set()
        for path in sorted(self._files):
            for name in self._names(path):
                self._named[name].append(path)
                self._tops.add(name.partition(".")[0])
        self._resolved: dict[tuple[str, str], str | None] = {}

    def afresh(self) -> "PythonModules":
        """The same modules, of which nothing has been asked yet."""
        other = copy(self)
        other._resolved = {}
        return other

    def resolve(self, importer: str, module: str) -> str | None:
        """The file or folder that a module text means to a file."""
        key = (dirname(importer), module)
        if module == FIXTURES:
            return self._conftest(importer)
        if key not in self._resolved:
            self._resolved[key] = self._find(importer, module)
        return self._resolved[key]

    def _find(self, importer: str, module: str) -> str | None:
        if module.startswith("."):
            rest = module.lstrip(".")
            folder = dirname(importer)
            for _ in range(len(module) - len(rest) - 1):
                folder = dirname(folder)
            return self._at(
                "/".join([folder, *rest.split(".")] if folder else rest.split("."))
                if rest
                else folder
            )
        top = module.partition(".")[0]
        folder = dirname(importer)
        found = self._named.get(module, ())
        if top in sys.stdlib_module_names:  # only a file beside a script comes before the library
            found = [path for path in found if dirname(path) == folder not in self._packages]
        if found:
            near = f"{folder}/"
            return max(found, key=lambda path: (nearness(path, near), *_rank(path)))
        if folder not in self._packages and top not in sys.stdlib_module_names:
            beside = self._at("/".join(part for part in (folder, *module.split(".")) if part))
            if beside:
                return beside
        if top in self._tops or top in sys.stdlib_module_names:
            return None
        for root in ("", "src/", "lib/"):  # a package without `__init__`
            place = root + module.replace(".", "/")
            if place in self._folders:
                return f"{place}/"
        return None

    def part(self, path: str, name: str) -> str | None:
        """A submodule."""
        if path.endswith("/"):
            return self._at(path + name)
        if _stem(path) != _PACKAGE:
            return None
        folder = dirname(path)
        return self._at(f"{folder}/{name}" if folder else name)

    def units(self, _path: str) -> list[str]:
        """A file is a module and nothing more."""
        return []

    def owners(self, path: str) -> list[tuple[str, str]]:
        """The packages that a file is a submodule of."""
        found = []
        place = path.rpartition(".")[0]
        if _stem(path) == _PACKAGE:
            place = dirname(path)
        while place:
            folder, _, name = place.rpartition("/")
            found += [(f"{folder}/{_PACKAGE}{suffix}".lstrip("/"), name) for suffix in _SUFFIXES]
            found.append((f"{folder}/", name))
            place = folder
        return found

    def _at(self, place: str) -> str | None:
        for suffix in _SUFFIXES:
            if place + suffix in self._files:
                return place + suffix
        for suffix in _SUFFIXES:
            inside = f"{place}/{_PACKAGE}{suffix}" if place else f"{_PACKAGE}{suffix}"
            if inside in self._files:
                return inside
        return f"{place}/" if place and place in self._folders else None

    def _conftest(self, importer: str) -> str | None:
        """The file of shared fixtures nearest above a file, itself aside."""
        folder = dirname(importer)
        while True:
            path = f"{folder}/{_CONFTEST}" if folder else _CONFTEST
            if path in self._files and path != importer:
                return path
            if not folder:
                return None
            folder = dirname(folder)

    def _names(self, path: str) -> list[str]:
        parts = path.rpartition(".")[0].split("/")
        folder = dirname(path)
        start = len(parts) - 1
        while folder in self._packages:
            start -= 1
            if not folder:
                break
            folder = dirname(folder)
        start = max(start, 0)
        if parts[-1] == _PACKAGE:
            parts = parts[:-1]
        names = [".".join(parts[start:]), ".".join(parts)]
        if parts and parts[0] in ("src", "lib"):
            names.append(".".join(parts[1:]))
        return [name for name in dict.fromkeys(names) if name]


def _rank(path: str) -> tuple[bool, bool]:
    """A package comes before a file of its name, and code before a stub."""
    return _stem(path) == _PACKAGE, path.endswith(".py")


def dirname(path: str) -> str:
    """The folder of a path, "" at the top; three times as fast as the library's."""
    return path.rpartition("/")[0]


def _stem(path: str) -> str:
    return path.rpartition("/")[2].partition(".")[0]
