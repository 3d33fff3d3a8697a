"""C and C++: a file means what it includes; definitions stand in other files."""

from collections.abc import Sequence

from codecompass.link.dialects.general import GeneralInference, Meant, anything
from codecompass.link.names import Places
from codecompass.link.types import Place, Type
from codecompass.model.module import DeclFlag, DeclKind, Expr

_HEADERS = (".h", ".hh", ".hpp", ".hxx", ".h++", ".inc", ".ipp", ".tpp")
_DEFINED_APART = frozenset({DeclKind.FUNCTION, DeclKind.METHOD, DeclKind.VARIABLE})


class IncludeInference(GeneralInference):
    """Languages whose files see what they include, and nothing else."""

    def known_as(self, path: str, full_name: str, is_meant: Meant = anything) -> Places:
        """What a full name stands for: what is declared in sight, and its definition."""
        places = self.candidates(full_name, is_meant)
        if not places:
            return ()
        seen = self.included(path)
        in_sight = [place for place in places if place[0] in seen]
        places = [p for p in places if not self.decl(p).flags & DeclFlag.STATIC]
        if not in_sight:
            return self._behind_header(path, places) if path.endswith(_HEADERS) else ()
        whole = [place for place in in_sight if not self._is_part(place)]
        declared = [place for place in in_sight if self._is_part(place)]
        if whole:
            least = min(seen[place[0]] for place in whole)
            return (*(p for p in whole if seen[p[0]] == least), *declared)
        return (*self._definitions(places, declared), *declared)

    def _behind_header(self, path: str, places: Sequence[Place]) -> Places:
        """What a header names without seeing it: a struct only its users know, or an include.

        A file that includes the header may define what the header leaves open; what such a
        file includes before the header, the header sees as well.
        """
        knowing = [place for place in places if path in self.included(place[0])]
        others = [p for p in places if p[0].endswith(_HEADERS) or self._is_defined_apart(p)]
        return self._nearest(path, knowing or others) if knowing or others else ()

    def _is_part(self, place: Place) -> bool:
        return bool(self.decl(place).flags & DeclFlag.PART)

    def _is_defined_apart(self, place: Place) -> bool:
        return self.decl(place).kind in _DEFINED_APART

    def _definitions(self, places: Sequence[Place], declared: Sequence[Place]) -> Places:
        """The definitions of what is declared in sight: in files that see the declaration."""
        whole = [p for p in places if not self._is_part(p) and self._is_defined_apart(p)]
        headers = {place[0] for place in declared}
        if len({place[0] for place in whole}) > 1:
            knowing = [p for p in whole if not headers.isdisjoint(self.included(p[0]))]
            whole = knowing or whole
        return self._nearest(declared[0][0], whole) if whole else ()

    def included(self, path: str) -> dict[str, int]:
        """A file and those that it includes, those that these include, …, by how far they are."""
        found: dict[str, int] | None = self.solve(
            (path, "included", ""), lambda: self._included(path)
        )
        return found or {path: 0}

    def _included(self, path: str) -> dict[str, int]:
        depths = {path: 0}
        pending = [path]
        for one in pending:
            facts = self.facts(one)
            self.note(one, "*")
            for module in facts.stars if facts is not None else ():
                target = self._language.modules.resolve(one, module)
                if target is not None and target not in depths:
                    depths[target] = depths[one] + 1
                    pending.append(target)
        return depths

    def _indexed(self, path: str, expr: Expr) -> Type | None:
        """A pointer gives what it points to."""
        return super()._indexed(path, expr) or self.value(path, expr[1])
