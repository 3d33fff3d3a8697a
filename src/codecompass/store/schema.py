"""The tables, their version, and what an existing store's version means."""

from pathlib import Path

from codecompass.errors import (
    CodeCompassError,
    IndexIncompatible,
    StoreBusy,
    StoreError,
    StoreFull,
)
from codecompass.model.snapshot import Compatibility
from codecompass.store.database import Database, is_writable

SCHEMA_VERSION = 8

_TABLES = """
CREATE TABLE IF NOT EXISTS meta (
  key TEXT PRIMARY KEY,
  value TEXT NOT NULL
) WITHOUT ROWID;

CREATE TABLE IF NOT EXISTS versions (
  id INTEGER PRIMARY KEY,
  blob_id TEXT NOT NULL,
  language TEXT NOT NULL,
  extractor TEXT NOT NULL,
  size_bytes INTEGER NOT NULL,
  line_count INTEGER NOT NULL,
  has_errors INTEGER NOT NULL,
  symbol_count INTEGER NOT NULL,
  reference_count INTEGER NOT NULL,
  import_count INTEGER NOT NULL,
  failure TEXT NOT NULL,
  checksum INTEGER NOT NULL,
  UNIQUE (blob_id, language, extractor)
);

CREATE TABLE IF NOT EXISTS symbols (
  version_id INTEGER NOT NULL REFERENCES versions (id) ON DELETE CASCADE,
  ordinal INTEGER NOT NULL,
  name TEXT NOT NULL,
  qualified_name TEXT NOT NULL,
  kind TEXT NOT NULL,
  scope TEXT NOT NULL,
  parent INTEGER,
  chunk_parent INTEGER,
  depth INTEGER NOT NULL,
  start_line INTEGER NOT NULL,
  end_line INTEGER NOT NULL,
  start_byte INTEGER NOT NULL,
  end_byte INTEGER NOT NULL,
  name_start INTEGER NOT NULL,
  body_start INTEGER NOT NULL,
  body_end INTEGER NOT NULL,
  signature TEXT NOT NULL,
  doc TEXT NOT NULL,
  modifiers TEXT NOT NULL,
  decorators TEXT NOT NULL,
  is_exported INTEGER,
  body_hash TEXT NOT NULL,
  stable_id TEXT NOT NULL,
  PRIMARY KEY (version_id, ordinal)
) WITHOUT ROWID;

CREATE TABLE IF NOT EXISTS uses (
  version_id INTEGER NOT NULL REFERENCES versions (id) ON DELETE CASCADE,
  start_byte INTEGER NOT NULL,
  name TEXT NOT NULL,
  role TEXT NOT NULL,
  line INTEGER NOT NULL,
  enclosing INTEGER,
  receiver TEXT NOT NULL,
  PRIMARY KEY (version_id, start_byte)
) WITHOUT ROWID;

CREATE TABLE IF NOT EXISTS imports (
  version_id INTEGER NOT NULL REFERENCES versions (id) ON DELETE CASCADE,
  position INTEGER NOT NULL,
  module TEXT NOT NULL,
  name TEXT NOT NULL,
  bound_name TEXT NOT NULL,
  line INTEGER NOT NULL,
  start_byte INTEGER NOT NULL,
  flags TEXT NOT NULL,
  PRIMARY KEY (version_id, position)
) WITHOUT ROWID;

CREATE TABLE IF NOT EXISTS masks (
  version_id INTEGER PRIMARY KEY REFERENCES versions (id) ON DELETE CASCADE,
  places BLOB NOT NULL
);

CREATE TABLE IF NOT EXISTS grams (
  version_id INTEGER PRIMARY KEY REFERENCES versions (id) ON DELETE CASCADE,
  bits BLOB NOT NULL
);

CREATE TABLE IF NOT EXISTS vectors (
  version_id INTEGER NOT NULL REFERENCES versions (id) ON DELETE CASCADE,
  model TEXT NOT NULL,
  first_row INTEGER NOT NULL,
  ordinals BLOB NOT NULL,
  checksum INTEGER NOT NULL,
  PRIMARY KEY (version_id, model)
) WITHOUT ROWID;

CREATE TABLE IF NOT EXISTS vector_files (
  model TEXT PRIMARY KEY,
  file TEXT NOT NULL,
  dims INTEGER NOT NULL,
  row_count INTEGER NOT NULL
) WITHOUT ROWID;

CREATE TABLE IF NOT EXISTS modules (
  version_id INTEGER PRIMARY KEY REFERENCES versions (id) ON DELETE CASCADE,
  tables BLOB NOT NULL,
  uses BLOB NOT NULL,
  names BLOB NOT NULL,
  imported BLOB NOT NULL,
  shared BLOB
);

CREATE TABLE IF NOT EXISTS nodes (
  id INTEGER PRIMARY KEY,
  path TEXT NOT NULL,
  key TEXT NOT NULL,
  UNIQUE (path, key)
);

CREATE TABLE IF NOT EXISTS links (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  version_id INTEGER NOT NULL REFERENCES versions (id) ON DELETE CASCADE,
  path TEXT NOT NULL,
  edges BLOB NOT NULL,
  misses BLOB NOT NULL,
  needs BLOB NOT NULL,
  outside INTEGER NOT NULL,
  checksum INTEGER NOT NULL
);

CREATE TABLE IF NOT EXISTS reached (
  node_id INTEGER NOT NULL,
  link_id INTEGER NOT NULL REFERENCES links (id) ON DELETE CASCADE,
  places BLOB NOT NULL,
  PRIMARY KEY (node_id, link_id)
) WITHOUT ROWID;

CREATE TABLE IF NOT EXISTS missed (
  name TEXT NOT NULL,
  link_id INTEGER NOT NULL REFERENCES links (id) ON DELETE CASCADE,
  uses INTEGER NOT NULL,
  PRIMARY KEY (name, link_id)
) WITHOUT ROWID;

CREATE TABLE IF NOT EXISTS rests (
  node_id INTEGER NOT NULL,
  link_id INTEGER NOT NULL REFERENCES links (id) ON DELETE CASCADE,
  PRIMARY KEY (node_id, link_id)
) WITHOUT ROWID;

CREATE TABLE IF NOT EXISTS snapshot_links (
  snapshot_id INTEGER PRIMARY KEY REFERENCES snapshots (id) ON DELETE CASCADE,
  ids BLOB NOT NULL
);

CREATE TABLE IF NOT EXISTS pending_deletes (
  version_id INTEGER PRIMARY KEY
);

CREATE TABLE IF NOT EXISTS lists (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  checksum INTEGER NOT NULL
);

CREATE TABLE IF NOT EXISTS listed_files (
  list_id INTEGER NOT NULL REFERENCES lists (id) ON DELETE CASCADE,
  path TEXT NOT NULL,
  version_id INTEGER REFERENCES versions (id),
  skip_reason TEXT,
  blob_id TEXT,
  size_bytes INTEGER,
  PRIMARY KEY (list_id, path)
) WITHOUT ROWID;

CREATE TABLE IF NOT EXISTS snapshots (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  ref TEXT NOT NULL,
  workspace TEXT NOT NULL,
  list_id INTEGER NOT NULL REFERENCES lists (id),
  head TEXT,
  rules TEXT NOT NULL,
  generation INTEGER NOT NULL,
  revision INTEGER NOT NULL,
  times BLOB NOT NULL,
  published_at TEXT NOT NULL,
  used_at TEXT NOT NULL,
  checksum INTEGER NOT NULL DEFAULT 0,
  UNIQUE (ref, workspace)
);

CREATE TABLE IF NOT EXISTS snapshot_files (
  snapshot_id INTEGER NOT NULL REFERENCES snapshots (id) ON DELETE CASCADE,
  path TEXT NOT NULL,
  version_id INTEGER REFERENCES versions (id),
  skip_reason TEXT,
  blob_id TEXT,
  size_bytes INTEGER,
  PRIMARY KEY (snapshot_id, path)
) WITHOUT ROWID;

CREATE TABLE IF NOT EXISTS default_refs (
  workspace TEXT PRIMARY KEY,
  ref TEXT NOT NULL
) WITHOUT ROWID;

CREATE TABLE IF NOT EXISTS jobs (
  id INTEGER PRIMARY KEY,
  ref TEXT NOT NULL,
  workspace TEXT NOT NULL,
  mode TEXT NOT NULL,
  status TEXT NOT NULL,
  counts TEXT NOT NULL,
  first_version INTEGER NOT NULL,
  last_version INTEGER NOT NULL,
  duration_ms INTEGER NOT NULL,
  error_code TEXT NOT NULL,
  error_message TEXT NOT NULL,
  created_at TEXT NOT NULL,
  updated_at TEXT NOT NULL
);

CREATE UNIQUE INDEX IF NOT EXISTS one_active_job
  ON jobs (ref, workspace) WHERE status IN ('running', 'validating')
"""

# Built after a first full load and kept from then on: half the cost of filling them row by row.
_INDEXES = {
    "symbols_by_name": "symbols (name)",
    "symbols_by_stable_id": "symbols (stable_id)",
    "uses_by_name": "uses (name, role)",
    "listed_by_version": "listed_files (version_id)",
    "links_by_version": "links (version_id)",
    "reached_by_link": "reached (link_id)",
    "missed_by_link": "missed (link_id)",
    "rests_by_link": "rests (link_id)",
    "files_by_version": "snapshot_files (version_id)",
    "vectors_by_model": "vectors (model)",
}


def create_tables(database: Database) -> None:
    """Make what is not there yet and note the version."""
    with database.transaction("create tables"):
        database.run_script(_TABLES)
        database.run_many(
            "INSERT OR IGNORE INTO meta VALUES (?, ?)",
            [
                ("schema_version", str(SCHEMA_VERSION)),
                ("next_version_id", "1"),
            ],
        )


def create_indexes(database: Database) -> None:
    """Make the indexes that are missing."""
    for name, columns in _INDEXES.items():
        database.run(f"CREATE INDEX IF NOT EXISTS {name} ON {columns}")


def drop_indexes(database: Database) -> None:
    """Take the indexes away before a bulk load; queries still work, only slower."""
    for name in _INDEXES:
        database.run(f"DROP INDEX IF EXISTS {name}")


def schema_version_of(path: Path) -> int | None:
    """The version that a store says it has; None if there is none that can be read."""
    try:
        with Database(path, busy_timeout_s=5, cache_mib=1, read_only=True) as database:
            row = database.row("SELECT value FROM meta WHERE key = 'schema_version'")
    except CodeCompassError:
        return None
    return int(row[0]) if row and str(row[0]).isdigit() else None


def check_compatibility(path: Path) -> Compatibility:
    """What the store at this place can be used for."""
    if not path.exists():
        return Compatibility.NOT_INDEXED
    try:
        with Database(path, busy_timeout_s=5, cache_mib=1, read_only=True) as database:
            tables = database.rows("SELECT name FROM sqlite_master WHERE name = 'meta'")
            if not tables:
                return Compatibility.NOT_INDEXED
            row = database.row("SELECT value FROM meta WHERE key = 'schema_version'")
    except (StoreBusy, StoreFull):
        raise  # says nothing about the index
    except (StoreError, IndexIncompatible) as error:
        if not is_writable(path.parent):  # a log is left that only a writer can read
            raise StoreError(
                f"the data directory {path.parent} is not writable",
                remediation="make it writable, or set CODECOMPASS_HOME to another folder",
            ) from error
        return Compatibility.CORRUPT
    if row is None:
        return Compatibility.NOT_INDEXED
    is_ours = row[0] == str(SCHEMA_VERSION)
    return Compatibility.COMPATIBLE if is_ours else Compatibility.REINDEX_REQUIRED
