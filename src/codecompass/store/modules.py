"""The tables of files as stored: compact texts, one row for each version."""

import json
import zlib
from collections.abc import Iterable, Mapping, Sequence
from functools import partial
from typing import Any, NamedTuple

from codecompass.model.module import Decl, ModuleFacts, Scope, Use
from codecompass.model.snapshot import FileEntry, VersionId
from codecompass.store.database import Database, Row

_PUT = "INSERT INTO modules VALUES (?, ?, ?, ?, ?, ?)"
_SPARE = 200


def most_kept(used: int) -> int:
    """How many contents are remembered where so many are in use: some of the others may return.

    More would let a server grow with every saved file for an hour; all are read again in
    milliseconds.
    """
    return used + used // 4 + _SPARE


DeclaredName = Sequence[Any]
"""Key, ordinal of the symbol (-1 if it is none), line, start and kind of a declaration.

A plain list as it is stored: large files have thousands, and a question needs one.
"""


class ModuleInfo(NamedTuple):
    """What is known of a module without reading its tables."""

    language: str
    shares: bool  # whether it has names that every file may know


def encode_module(version_id: VersionId, facts: ModuleFacts) -> Row:
    """The row of a version's tables."""
    names = [
        (
            key,
            facts.ordinals.get(number, -1),
            facts.decls[number].line,
            facts.decls[number].start,
            facts.decls[number].kind,
        )
        for number, key in facts.keys.items()
    ]
    tables = (
        facts.decls, facts.scopes, facts.exprs, facts.exports, facts.stars,
        list(facts.keys.items()), facts.package, facts.shared,
    )  # fmt: skip
    shared = facts.scopes[facts.shared].names if facts.shared >= 0 else None
    return (
        version_id, _pack(tables), _pack(facts.uses), _pack(names), _pack(_modules_of(facts)),
        _pack(shared) if shared else None,
    )  # fmt: skip


def insert_modules(database: Database, rows: Iterable[Row]) -> None:
    """Add the tables of new versions; inside a transaction."""
    database.run_many(_PUT, rows)


# `Decl._make` by its parts: this is done a million times for a large repository.
_as_decl = partial(tuple.__new__, Decl)
_as_scope = partial(tuple.__new__, Scope)
_as_use = partial(tuple.__new__, Use)


def read_tables(database: Database, version_id: VersionId) -> ModuleFacts | None:
    """The tables of a version, without its uses."""
    row = database.row("SELECT tables FROM modules WHERE version_id = ?", (version_id,))
    if row is None:
        return None
    decls, scopes, exprs, exports, stars, keys, package, shared = _unpack(row[0])
    return ModuleFacts(
        list(map(_as_decl, decls)),
        list(map(_as_scope, scopes)),
        exprs,
        [],
        exports,
        stars,
        dict(keys),
        package,
        shared,
    )


def read_uses(database: Database, version_id: VersionId) -> list[Use]:
    """The uses of a version."""
    row = database.row("SELECT uses FROM modules WHERE version_id = ?", (version_id,))
    return list(map(_as_use, _unpack(row[0]))) if row else []


def read_names(database: Database, version_id: VersionId) -> list[DeclaredName]:
    """The declarations of a version that can be meant from elsewhere."""
    row = database.row("SELECT names FROM modules WHERE version_id = ?", (version_id,))
    return _unpack(row[0]) if row else []


def read_imported(database: Database, ids: Sequence[VersionId]) -> dict[VersionId, list[str]]:
    """The texts of the modules that versions import."""
    return _column(database, "imported", ids)


def read_shared(
    database: Database, ids: Sequence[VersionId]
) -> dict[VersionId, dict[str, list[int]]]:
    """The names that versions make known to every file, with their declarations."""
    return _column(database, "shared", ids)


def _column(database: Database, name: str, ids: Sequence[VersionId]) -> dict[VersionId, Any]:
    sql = f"SELECT version_id, {name} FROM modules WHERE version_id IN (*)"  # noqa: S608  # our own words
    return {VersionId(row[0]): _unpack(row[1]) for row in database.rows_among(sql, ids)}


class KnownModules:
    """Which versions have tables; kept, since versions never change and ids are never reused."""

    def __init__(self) -> None:
        self._known: dict[VersionId, ModuleInfo] = {}
        self._looked_at: set[VersionId] = set()

    def tidy(self, used: int) -> None:
        """Forget all if most of it is of contents long gone; so many are in use."""
        if len(self._looked_at) > most_kept(used):
            self._known, self._looked_at = {}, set()

    def read(
        self, database: Database, entries: Iterable[FileEntry]
    ) -> Mapping[VersionId, ModuleInfo]:
        """Those of the versions of some files that have tables, and others asked for before."""
        wanted = {entry.version_id for entry in entries if entry.version_id is not None}
        missing = sorted(wanted - self._looked_at)
        sql = (
            "SELECT version_id, language, shared IS NOT NULL FROM modules"
            " JOIN versions ON versions.id = version_id WHERE version_id IN (*)"
        )
        for version_id, language, shares in database.rows_among(sql, missing):
            self._known[VersionId(version_id)] = ModuleInfo(language, bool(shares))
        self._looked_at.update(missing)
        return self._known


def _modules_of(facts: ModuleFacts) -> list[str]:
    named = [expr[1] for expr in facts.exprs if expr[0] in ("from", "require")]
    has_fixtures = any(expr[0] == "fixture" for expr in facts.exprs)
    return sorted({*named, *facts.stars, *((":fixtures",) if has_fixtures else ())})


def _pack(value: Any) -> bytes:
    return zlib.compress(json.dumps(value, separators=(",", ":")).encode(), 1)


def _unpack(packed: bytes) -> Any:
    return json.loads(zlib.decompress(packed))
