"""Uses and imports of versions, as they were extracted."""

from collections.abc import Iterable
from typing import NamedTuple

from codecompass.model.reference import Import, Reference, Role
from codecompass.model.snapshot import VersionId
from codecompass.store.database import Database

# A text of dots and slashes comes before '0': most others are not trimmed to see that.
_IMPORTS_WITH = (
    "SELECT DISTINCT version_id, module, name FROM imports"
    " WHERE name = :word OR (module < '0' AND trim(module, './') = '')"
    " OR (instr(module, :word) AND (substr(module, -:size) = :word"
    "  OR (instr(module, :word || '.') AND"
    "   (instr(module, '/') OR length(module) <= :size + 4))))"
)
_ROLES = {str(role): role for role in Role}


def uses_of(database: Database, version_id: VersionId) -> list[Reference]:
    """All stored uses of a version in source order."""
    rows = database.rows(
        "SELECT name, role, line, start_byte, enclosing, receiver FROM uses"
        " WHERE version_id = ? ORDER BY start_byte",
        (version_id,),
    )
    return [Reference(row[0], _ROLES[row[1]], *row[2:]) for row in rows]


def bases_of(database: Database, version_id: VersionId, ordinal: int) -> dict[int, str]:
    """The types that a type of a version names as its own, by where it does."""
    rows = database.rows(
        "SELECT start_byte, name FROM uses WHERE version_id = ? AND role = ? AND enclosing = ?"
        " ORDER BY start_byte",
        (version_id, str(Role.INHERIT), ordinal),
    )
    return dict(rows)


def imports_of(database: Database, version_id: VersionId) -> list[Import]:
    """All imports of a version in source order."""
    rows = database.rows(
        "SELECT module, name, bound_name, line, start_byte, flags FROM imports"
        " WHERE version_id = ? ORDER BY position",
        (version_id,),
    )
    found = []
    for module, name, bound_name, line, start_byte, text in rows:
        flags: dict[str, bool] = dict.fromkeys(text.split(), True)
        found.append(Import(module, name, bound_name, line, start_byte, **flags))
    return found


def signatures_of(database: Database, version_id: VersionId) -> dict[str, str]:
    """The signatures of a version's top-level definitions; of overloads, all together."""
    found: dict[str, str] = {}
    for name, signature in database.rows(
        "SELECT name, signature FROM symbols WHERE version_id = ? AND depth = 0"
        " AND kind NOT IN ('import', 'export', 'expression') ORDER BY ordinal",
        (version_id,),
    ):
        found[name] = f"{found[name]}\n{signature}" if name in found else signature
    return found


class VersionImport(NamedTuple):
    """What a version imports."""

    version_id: VersionId
    module: str
    name: str


def imports_with(database: Database, words: Iterable[str]) -> list[VersionImport]:
    """Imports whose name is one of the words or whose module ends with one, less a suffix.

    Imports of `.` and `..` are among them: they end with no word. Of all versions:
    the caller knows which of them its snapshot holds.
    """
    found: set[tuple[VersionId, str, str]] = set()
    for word in set(words):
        found.update(database.rows(_IMPORTS_WITH, {"word": word, "size": len(word)}))
    return [VersionImport(*row) for row in sorted(found)]
