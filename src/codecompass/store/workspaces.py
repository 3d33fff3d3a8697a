"""Which workspaces servers were asked about, and when last; shared by all processes."""

import datetime
from pathlib import Path

from codecompass.store.database import Database
from codecompass.store.layout import make_private

_SQL = (
    "CREATE TABLE IF NOT EXISTS known_workspaces (path TEXT PRIMARY KEY,"
    " is_auto INTEGER NOT NULL, used_at TEXT NOT NULL)"
)
_BUSY_S = 2.0
_CACHE_MIB = 1


class KnownWorkspaces:
    """A small table of its own: it belongs to no repository."""

    def __init__(self, home: Path) -> None:
        self._home = home

    def note_use(self, path: Path, *, is_auto: bool) -> None:
        """A workspace is asked about now; one that a server was started for stays known."""
        now = datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds")
        with self._open() as database:
            database.run(
                "INSERT INTO known_workspaces VALUES (?, ?, ?) ON CONFLICT (path)"
                " DO UPDATE SET used_at = excluded.used_at,"
                " is_auto = MIN(is_auto, excluded.is_auto)",
                (str(path), int(is_auto), now),
            )

    def recent(self, limit: int) -> list[Path]:
        """The workspaces that were asked about last."""
        sql = "SELECT path FROM known_workspaces ORDER BY used_at DESC, path LIMIT ?"
        with self._open() as database:
            return [Path(path) for (path,) in database.rows(sql, (limit,))]

    def forget_auto(self, *, keep: int, days: int) -> list[Path]:
        """Forget those found on demand that nobody asked about, and the oldest beyond `keep`."""
        oldest = datetime.datetime.now(datetime.UTC) - datetime.timedelta(days=days)
        sql = "SELECT path, used_at FROM known_workspaces WHERE is_auto = 1 ORDER BY used_at DESC"
        with self._open() as database:
            rows = database.rows(sql)
            gone = [
                path
                for number, (path, used_at) in enumerate(rows)
                if number >= keep or used_at < oldest.isoformat(timespec="seconds")
            ]
            database.run_many(
                "DELETE FROM known_workspaces WHERE path = ?", [(path,) for path in gone]
            )
        return [Path(path) for path in gone]

    def _open(self) -> Database:
        make_private(self._home)
        path = self._home / "workspaces.db"
        path.touch(mode=0o600)
        database = Database(path, busy_timeout_s=_BUSY_S, cache_mib=_CACHE_MIB)
        database.run(_SQL)
        return database
