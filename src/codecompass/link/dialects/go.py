"""Go: which folder an import path means, and packages of several files."""

from collections.abc import Iterable, Mapping
from posixpath import dirname

from codecompass.link.dialect import Dialect
from codecompass.link.infer import Inference
from codecompass.link.members import Member
from codecompass.link.names import Places
from codecompass.link.types import Place, Type
from codecompass.model.module import DeclKind

_TEST = "_test"

DIALECT = Dialect(
    stubs="<go>",
    iterate=("each__",),
    called="()",
    indexed="at__",
    sequence="Slice",
    mapping="Map",
)


class GoModules:
    """The packages of a snapshot by import path; `configs` are the texts of `go.mod` files."""

    def __init__(self, paths: Iterable[str], configs: Mapping[str, str]) -> None:
        self.files: dict[str, list[str]] = {}
        for path in sorted(paths):
            if path.endswith(".go"):
                self.files.setdefault(unit_of(path), []).append(path)
        self._modules: dict[str, str] = {}
        for path, text in sorted(configs.items()):
            for line in text.splitlines():
                words = line.split()
                if words[:1] == ["module"] and len(words) > 1:
                    self._modules.setdefault(words[1].strip('"'), dirname(path))

    def resolve(self, _importer: str, module: str) -> str | None:
        """The folder of a package."""
        prefix = module
        while prefix:
            if prefix in self._modules:
                rest = module[len(prefix) :].strip("/")
                folder = "/".join(part for part in (self._modules[prefix], rest) if part)
                return f"{folder}/" if f"{folder}/" in self.files else None
            prefix = prefix.rpartition("/")[0]
        return None

    def part(self, _path: str, _name: str) -> str | None:
        """Packages have no parts but their names."""
        return None

    def units(self, path: str) -> list[str]:
        """The folder."""
        return [f"{dirname(path)}/"]

    def owners(self, _path: str) -> list[tuple[str, str]]:
        """What a file adds to its package is noted by name."""
        return []


def unit_of(path: str) -> str:
    """The folder whose files make up a package."""
    return f"{dirname(path)}/"


class GoInference(Inference):
    """Inference with the rules that only Go has."""

    constructor_name = "\0"
    receiver_is_parameter = False

    def _package(self, unit: str, package: str) -> dict[str, list[Place]]:
        """The names of a package, methods by their type and name."""
        found: dict[str, list[Place]] | None = self.solve(
            (unit, "package", package), lambda: self._collect(unit, package)
        )
        return found or {}

    def _collect(self, unit: str, package: str) -> dict[str, list[Place]]:
        names: dict[str, list[Place]] = {}
        modules = self._language.modules
        assert isinstance(modules, GoModules)  # noqa: S101  # the family says so
        for path in modules.files.get(unit, ()):
            facts = self.facts(path)
            if facts is None:
                continue
            is_meant = facts.package == package or (
                not package and not facts.package.endswith(_TEST)
            )
            if is_meant:
                for name, numbers in facts.scopes[0].names.items():
                    if facts.decls[numbers[0]].kind != DeclKind.IMPORT:
                        names.setdefault(name, []).extend((path, n) for n in numbers)
        return names

    def lookup_type_outside(self, path: str, name: str, _scope: int) -> Places:
        """A type of the package, whatever variable is called the same: `node := node{}`."""
        return self.lookup(path, name, 0)

    def beside(self, path: str, name: str) -> Places:
        """What other files of the package call so."""
        facts = self.facts(path)
        if facts is None or path == self.dialect.stubs:
            return ()
        unit = unit_of(path)
        self.note(unit, name)
        return tuple(self._package(unit, facts.package).get(name, ()))

    def _find_export(self, path: str, name: str) -> Places:
        if not path.endswith("/"):
            return super()._find_export(path, name)
        self.note(path, name)
        return tuple(self._package(path, "").get(name, ()))

    def _own(self, place: Place, name: str) -> Places:
        decl = self.decl(place)
        called = f"{decl.name}.{name}"
        own = super()._own(place, name)
        if own or not decl.name:
            return own
        if place[0] == self.dialect.stubs:
            numbers = self._language.stubs.scopes[0].names.get(called, ())
            return tuple((place[0], number) for number in numbers)
        return self.beside(place[0], called)

    def _find_in_class(self, type_: Type, name: str) -> Member:
        found = super()._find_in_class(type_, name)
        return Member(found.places, self.known_anew(found, type_))
