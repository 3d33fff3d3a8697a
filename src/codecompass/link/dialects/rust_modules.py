"""Rust: crates, their files, and how values are taken apart."""

import re
from collections.abc import Iterable, Mapping
from posixpath import dirname, normpath

from codecompass.link.dialect import Dialect

_NAME = re.compile(r'^\s*name\s*=\s*"([^"]+)"', re.MULTILINE)
_PATH = re.compile(r'^\s*path\s*=\s*"([^"]+\.rs)"', re.MULTILINE)
_SECTION = re.compile(r"^\s*\[([^\]]+)\]", re.MULTILINE)
_ROOTS = ("src/lib.rs", "src/main.rs", "lib.rs", "main.rs")
_TARGET_FOLDERS = ("src/bin", "tests", "examples", "benches")
_FILES = ("mod.rs", "lib.rs", "main.rs")

DIALECT = Dialect(
    stubs="<rust>",
    iterate=("__each__",),
    enter=("__try__",),
    indexed="__at__",
    sequence="Vec",
    mapping="HashMap",
)


class RustModules:
    """The files of a snapshot by crate; `configs` are the texts of `Cargo.toml` files."""

    def __init__(self, paths: Iterable[str], configs: Mapping[str, str]) -> None:
        self._files = {path for path in paths if path.endswith(".rs")}
        folders = sorted({dirname(path) for path in configs} | {""}, key=len, reverse=True)
        self._crates: dict[str, str] = {}  # roots of libraries by name
        self._written: dict[str, list[str]] = {}  # roots that are named, by folder
        self._roots = {
            path for path in self._files if path.rpartition("/")[2] in ("lib.rs", "main.rs")
        }
        for folder in folders:
            self._add_package(folder, configs.get(f"{folder}/Cargo.toml".lstrip("/"), ""))
        self._root_of: dict[str, str] = {path: self._find_root(path) for path in self._files}
        self.files: dict[str, list[str]] = {}
        for path in sorted(self._files):
            self.files.setdefault(self._root_of[path], []).append(path)

    def _add_package(self, folder: str, text: str) -> None:
        prefix = f"{folder}/" if folder else ""
        named = (normpath(prefix + match) for match in _PATH.findall(text))
        written = {path for path in named if path in self._files}
        self._roots |= written
        for path in written:
            self._written.setdefault(dirname(path), []).append(path)
        found = {prefix + place for place in _TARGET_FOLDERS} - {dirname(p) for p in written}
        self._roots |= {path for path in self._files if dirname(path) in found}
        package = _section(text, "package")
        name = _NAME.search(_section(text, "lib")) or _NAME.search(package)
        library = next((prefix + r for r in _ROOTS if prefix + r in self._files), None)
        if name and library:
            self._crates.setdefault(name.group(1).replace("-", "_"), library)

    def _find_root(self, path: str) -> str:
        """The root of the crate that a file belongs to: the nearest above it."""
        if path in self._roots:
            return path
        folder = dirname(path)
        while True:
            prefix = f"{folder}/" if folder else ""
            for name in ("lib.rs", "main.rs", "mod.rs"):
                if prefix + name in self._roots:
                    return prefix + name
            if f"{folder}.rs" in self._roots:
                return f"{folder}.rs"
            written = self._written.get(folder, [])
            if len(written) == 1:
                return written[0]
            if not folder:
                return path
            folder = dirname(folder)

    def root(self, path: str) -> str:
        """The root of a file's crate."""
        return self._root_of.get(path, path)

    def crate(self, name: str) -> str | None:
        """The root of a library of this repository."""
        return self._crates.get(name)

    def above(self, path: str) -> str | None:
        """The file of the module that a file's module is a part of."""
        folder, _, name = path.rpartition("/")
        if path in self._roots:
            return None
        if name == "mod.rs":
            folder = dirname(folder)
        prefix = f"{folder}/" if folder else ""
        places = [prefix + item for item in _FILES]
        places += [f"{folder}.rs", *self._written.get(folder, [])]
        return next((place for place in places if place in self._files and place != path), None)

    def part(self, path: str, name: str) -> str | None:
        """The file of a module's part."""
        folder, _, own = path.rpartition("/")
        if own not in _FILES and path not in self._roots:
            folder = path.removesuffix(".rs")
        prefix = f"{folder}/" if folder else ""
        for place in (f"{prefix}{name}.rs", f"{prefix}{name}/mod.rs"):
            if place in self._files and place != path:
                return place
        return None

    def resolve(self, _importer: str, _module: str) -> str | None:
        """Imports are paths, not texts."""
        return None

    def units(self, _path: str) -> list[str]:
        """The crates together: methods of a type may stand in any."""
        return ["crates"]

    def owners(self, path: str) -> list[tuple[str, str]]:
        """A file that comes or goes is a part of the module above it."""
        above = self.above(path)
        stem = path.removesuffix("/mod.rs").removesuffix(".rs").rpartition("/")[2]
        return [(above, stem)] if above else []


def _section(text: str, name: str) -> str:
    """One section of a TOML text."""
    for match in _SECTION.finditer(text):
        if match.group(1).strip() == name:
            following = _SECTION.search(text, match.end())
            return text[match.end() : following.start() if following else len(text)]
    return ""
