"""Languages of which only names are known: scopes, imports, classes, no types of values."""

from codecompass.link.dialects.general import GeneralInference, Meant, anything
from codecompass.link.names import Places
from codecompass.link.types import OUTSIDE, Place
from codecompass.model.module import HIDDEN, INCLUDE, NOTHING, Expr


class PlainInference(GeneralInference):
    """Files are imported by path or name, or see each other."""

    def lookup(self, path: str, name: str, scope: int) -> Places:
        """What a name stands for; nothing is said of one that a file not imported defines."""
        found = super().lookup(path, name, scope)
        return () if found == (OUTSIDE,) and self.shared(HIDDEN + name) else found

    def imported(self, path: str, expr: Expr) -> Places:
        """What an import names: a file, something of a file, or something by its full name."""
        if not expr[1].startswith(INCLUDE):
            return self._by_last_name(path, expr[1])
        target = self._language.modules.resolve(path, expr[1])
        if target is None:
            return (OUTSIDE,)
        return self.export(target, expr[2]) if expr[2] else ((target, NOTHING),)

    def _by_last_name(self, path: str, full_name: str) -> Places:
        """The longest end of a full name that something has: packages may not be told."""
        parts = full_name.split(".")
        for start in range(len(parts)):
            found = self.known_as(path, ".".join(parts[start:]))
            if found:
                return found
        return (OUTSIDE,)

    def _of_stars(self, path: str, name: str, is_meant: Meant = anything) -> Places:
        facts = self.facts(path)
        self.note(path, "*")
        for module in facts.stars if facts is not None else ():
            target = self._language.modules.resolve(path, module)
            found = self.export(target, name) if target is not None else ()
            kept = tuple(p for p in found if self._is_one_of(p, is_meant))
            if kept:
                return kept
        return ()

    def _is_one_of(self, place: Place, is_meant: Meant) -> bool:
        return place != OUTSIDE and (place[1] == NOTHING or is_meant(self.decl(place)))
