"""JavaScript and TypeScript: which file a module text means, and how values are taken apart."""

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from posixpath import dirname, join, normpath
from typing import Any

from codecompass.link.dialect import Dialect

_SUFFIXES = (".ts", ".tsx", ".d.ts", ".mts", ".cts", ".js", ".jsx", ".mjs", ".cjs", ".json")
# Compiled code is imported by the name of the output.
_SOURCES = {
    ".js": (".ts", ".tsx", ".d.ts", ".jsx"),
    ".jsx": (".tsx",),
    ".mjs": (".mts", ".d.mts", ".ts"),
    ".cjs": (".cts", ".d.cts", ".ts"),
}
_PLAIN = (".js", ".jsx", ".mjs", ".cjs")
_PLAIN_FIRST = (*_PLAIN, *(suffix for suffix in _SUFFIXES if suffix not in _PLAIN))
_NOT_JSON = re.compile(r'("(?:\\.|[^"\\])*")|//[^\n]*|/\*.*?\*/', re.DOTALL)
_LAST_COMMA = re.compile(r",(\s*[}\]])")
_OUTPUT = re.compile(
    r"^(?:\./)?(?:dist|lib|build|out)/(?:(?:esm|cjs|types|prod|dev|src)/)*(.*?)(?:\.d)?\.[mc]?[jt]sx?$"
)
_MAX_EXTENDS = 6
TYPES = ":types"
"""The name of the part of a package's main file that says its types."""

DIALECT = Dialect(
    stubs="<ecma>",
    stub_modules=frozenset({"react"}),
    has_static_members=True,
    iterate=("__each__",),
    awaited="__await__",
    called="()",
    promise="Promise",
    generator="Generator",
    sequence="Array",
    mapping="Map",
    forms={
        "Readonly": "first", "Partial": "first", "Required": "first", "NonNullable": "first",
        "Omit": "first", "Pick": "first", "Mutable": "first", "Exclude": "first",
        "Extract": "first", "DeepPartial": "first", "NoInfer": "first", "Awaited": "awaited",
        "ReturnType": "result", "InstanceType": "instance",
    },
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class _Config:
    """What a `tsconfig.json` says about module names, for the files below its folder."""

    folder: str
    base: str
    has_base: bool
    paths: Mapping[str, list[str]]


class EcmaModules:
    """The files of a snapshot by the texts they are imported under.

    `configs` are the texts of `package.json`, `tsconfig*.json` and `jsconfig.json` files.
    """

    def __init__(self, paths: Iterable[str], configs: Mapping[str, str]) -> None:
        self._files = {path for path in paths if path.endswith(_SUFFIXES)}
        self._texts = configs
        self._configs = sorted(self._read_configs(), key=lambda config: -len(config.folder))
        self._packages: dict[str, tuple[str, Any]] = {}
        self._imports: dict[str, Any] = {}
        self._described: dict[str, str] = {}
        for path, text in sorted(configs.items()):
            if path.rpartition("/")[2] == "package.json":
                self._read_package(dirname(path), _loads(text))
        self._resolved: dict[tuple[str, str, bool], str | None] = {}
        self._suffixes: tuple[str, ...] = _SUFFIXES
        self._is_plain = False

    def resolve(self, importer: str, module: str) -> str | None:
        """The file that a module text means to a file; plain JavaScript sees no types."""
        is_plain = importer.endswith(_PLAIN)
        key = (dirname(importer), module, is_plain)
        if key not in self._resolved:
            self._suffixes = _PLAIN_FIRST if is_plain else _SUFFIXES
            self._is_plain = is_plain
            self._resolved[key] = self._find(importer, module)
        return self._resolved[key]

    def part(self, path: str, name: str) -> str | None:
        """Modules have no parts but their exports, and their types where they stand apart."""
        found = self._described.get(path) if name == TYPES else None
        return found if found in self._files else None

    def units(self, _path: str) -> list[str]:
        """A file is a module and nothing more."""
        return []

    def owners(self, path: str) -> list[tuple[str, str]]:
        """Nothing else means a file but the texts of imports, and being the types of another."""
        return [(main, TYPES) for main, types in self._described.items() if types == path]

    def _find(self, importer: str, module: str) -> str | None:
        if module.startswith("."):
            return self._at(join(dirname(importer), module))
        if module.startswith("#"):
            return self._own_import(importer, module)
        for config in self._configs:
            if config.folder and not importer.startswith(f"{config.folder}/"):
                continue
            found = self._by_config(config, module)
            if found:
                return found
        return self._in_package(module)

    def _at(self, place: str) -> str | None:
        place = normpath(place)
        stem, dot, suffix = place.rpartition(".")
        sources = [stem + source for source in _SOURCES.get(dot + suffix, ())]
        exact = [place, *sources] if self._is_plain else [*sources, place]
        found = next((path for path in exact if path in self._files), None)
        if found:
            return found
        for suffix in self._suffixes:
            if place + suffix in self._files:
                return place + suffix
        for suffix in self._suffixes:
            inside = normpath(f"{place}/index{suffix}")
            if inside in self._files:
                return inside
        return self._entry_of_folder(place)

    def _entry_of_folder(self, place: str) -> str | None:
        text = self._texts.get(normpath(f"{place}/package.json"))
        package = _loads(text) if text else None
        main = package.get("main") if isinstance(package, dict) else None
        if isinstance(main, str) and normpath(join(place, main)) != place:
            return self._at(join(place, main))
        return None

    def _by_config(self, config: _Config, module: str) -> str | None:
        best: tuple[int, list[str], str] | None = None
        for pattern, targets in config.paths.items():
            before, star, after = pattern.partition("*")
            if not star:
                if pattern == module:
                    best = (1 << 20, targets, "")
            elif (
                module.startswith(before)
                and module.endswith(after)
                and len(module) >= len(before) + len(after)
                and (best is None or len(before) > best[0])
            ):
                best = (len(before), targets, module[len(before) : len(module) - len(after)])
        for target in best[1] if best else ():
            found = self._at(join(config.base, target.replace("*", best[2] if best else "")))
            if found:
                return found
        return self._at(join(config.base, module)) if config.has_base else None

    def _in_package(self, module: str) -> str | None:
        parts = module.split("/")
        name = "/".join(parts[:2]) if module.startswith("@") else parts[0]
        if name not in self._packages:
            return None
        folder, package = self._packages[name]
        rest = module[len(name) + 1 :]
        wanted = f"./{rest}" if rest else "."
        for target in _exported(package, wanted):
            found = self._source_of(folder, target)
            if found:
                return found
        if rest:
            return self._at(join(folder, rest)) or self._at(join(folder, "src", rest))
        fields = ("source", "types", "typings", "module", "main")
        for field in ("main", "module") if self._is_plain else fields:
            if isinstance(package.get(field), str):
                found = self._source_of(folder, package[field])
                if found:
                    return found
        places = ("src/index", "index", "src/main", "lib/index")
        return next(filter(None, (self._at(join(folder, place)) for place in places)), None)

    def _own_import(self, importer: str, module: str) -> str | None:
        """`#name` of the nearest package."""
        folder = dirname(importer)
        while folder not in self._imports and folder:
            folder = dirname(folder)
        table = self._imports.get(folder)
        for target in _matching(table, module) if isinstance(table, dict) else ():
            found = self._source_of(folder, target)
            if found:
                return found
        return None

    def _source_of(self, folder: str, target: str) -> str | None:
        """A file of a package, or the source that it is compiled from."""
        found = self._at(join(folder, target))
        if found:
            return found
        output = _OUTPUT.match(target)
        if not output:
            return None
        stem = output.group(1)
        return self._at(join(folder, "src", stem)) or self._at(join(folder, stem))

    def _read_package(self, folder: str, package: Any) -> None:
        if not isinstance(package, dict):
            return
        if isinstance(package.get("imports"), dict):
            self._imports[folder] = package["imports"]
        main, types = package.get("main"), package.get("types", package.get("typings"))
        if isinstance(main, str) and isinstance(types, str) and main.endswith(_PLAIN):
            code, said = normpath(join(folder, main)), normpath(join(folder, types))
            if said.partition(".d.")[0] != code.rpartition(".")[0]:  # beside it, code goes first
                self._described[code] = said
        name = package.get("name")
        if isinstance(name, str) and name and name not in self._packages:
            self._packages[name] = (folder, package)

    def _read_configs(self) -> Iterator[_Config]:
        for path in sorted(self._texts):
            if path.rpartition("/")[2] == "package.json":
                continue
            options = self._options(path, 0)
            if "paths" in options or "baseUrl" in options:
                folder = dirname(path)
                base = normpath(join(folder, options.get("baseUrl", ".")))
                paths = options.get("paths", {})
                yield _Config(folder, base, "baseUrl" in options, paths)

    def _options(self, path: str, depth: int) -> dict[str, Any]:
        """The compiler options of a config about module names, those it extends included."""
        config = _loads(self._texts.get(path, ""))
        if not isinstance(config, dict) or depth > _MAX_EXTENDS:
            return {}
        own = config.get("compilerOptions")
        own = own if isinstance(own, dict) else {}
        found: dict[str, Any] = {}
        extends = config.get("extends")
        for base in [extends] if isinstance(extends, str) else extends or []:
            if isinstance(base, str) and base.startswith("."):
                found |= self._inherited(path, base, depth)
        if isinstance(own.get("baseUrl"), str):
            found["baseUrl"] = own["baseUrl"]
        if isinstance(own.get("paths"), dict):
            found["paths"] = {
                name: [item for item in targets if isinstance(item, str)]
                for name, targets in own["paths"].items()
                if isinstance(targets, list)
            }
        return found

    def _inherited(self, path: str, base: str, depth: int) -> dict[str, Any]:
        """The options of another config, its places written from this one's folder."""
        place = normpath(join(dirname(path), base))
        place = place if place in self._texts else f"{place}.json"
        options = self._options(place, depth + 1)
        folder, other = dirname(path), dirname(place)
        if "baseUrl" in options:
            options["baseUrl"] = _from(folder, join(other, options["baseUrl"]))
        if "paths" in options and "baseUrl" not in options:
            options["paths"] = {
                name: [_from(folder, join(other, item)) for item in targets]
                for name, targets in options["paths"].items()
            }
        return options


def _from(folder: str, place: str) -> str:
    """A place as seen from a folder."""
    up = "../" * (folder.count("/") + 1) if folder else ""
    return up + normpath(place)


def _loads(text: str) -> Any:
    """JSON as it is written in config files: with comments and commas too many."""
    text = _NOT_JSON.sub(lambda match: match.group(1) or "", text)
    try:
        return json.loads(_LAST_COMMA.sub(r"\1", text))
    except ValueError:
        return None


def _exported(package: Any, wanted: str) -> list[str]:
    exports = package.get("exports")
    if isinstance(exports, str):
        return [exports] if wanted == "." else []
    if not isinstance(exports, dict):
        return []
    if wanted == "." and not any(key.startswith(".") for key in exports):
        return _leaves(exports, "")
    return _matching(exports, wanted)


def _matching(table: Mapping[str, Any], wanted: str) -> list[str]:
    """The targets of a name in a table whose keys may hold a star."""
    if wanted in table:
        return _leaves(table[wanted], "")
    found: list[str] = []
    for key, value in table.items():
        before, star, after = key.partition("*")
        if star and wanted.startswith(before) and wanted.endswith(after):
            found += _leaves(value, wanted[len(before) : len(wanted) - len(after)])
    return found


def _leaves(value: Any, star: str) -> list[str]:
    """All texts of a conditional target, sources and types first."""
    if isinstance(value, str):
        return [value.replace("*", star)]
    if isinstance(value, list):
        return [leaf for item in value for leaf in _leaves(item, star)]
    if not isinstance(value, dict):
        return []
    keys = sorted(value, key=lambda key: (not key.endswith("source"), key != "types"))
    return [leaf for key in keys for leaf in _leaves(value[key], star)]
