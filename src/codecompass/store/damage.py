"""A store in, what of it is not as it was written out."""

import struct
import traceback
import zlib
from pathlib import Path

from codecompass.errors import CodeCompassError, IndexDamaged
from codecompass.store.checksums import changed_values
from codecompass.store.database import Database
from codecompass.store.layout import StoreLayout
from codecompass.store.lexical import LexicalIndex
from codecompass.store.segments import damaged_files
from codecompass.store.vectors import damaged_vectors

# What code runs into where a stored value is not of the form that it was written in.
_OF_VALUES = (ValueError, LookupError, TypeError, OverflowError, EOFError)
_STORE = str(Path(__file__).parent)


def find_damage(database: Database, layout: StoreLayout) -> list[str]:
    """What is damaged, in words; everything is read for it.

    SQLite sees whether pages and indexes hang together, our checksums whether a value changed.
    """
    found = [f"facts: {row[0]}" for row in database.rows("PRAGMA integrity_check(3)")]
    if found == ["facts: ok"]:
        found = changed_values(database)
    if not layout.lexical.is_dir():
        return [*found, "text: missing"]
    texts = damaged_files(layout.lexical, is_thorough=True)
    found += [f"text: {file.name}" for file in texts]
    try:
        LexicalIndex(layout.lexical).close()
    except CodeCompassError as error:
        found.append(f"text: {error.message}")
    for name, versions in damaged_vectors(database, layout.vectors).items():
        found.append(f"vectors: {name}, of {len(versions):,} files")
    return found


class DamagedText:
    """Stands in for a text index that cannot be read; whoever asks it is told."""

    def __init__(self, error: IndexDamaged) -> None:
        self._error = error

    def __getattr__(self, name: str) -> object:
        """Nothing can be asked."""
        raise self._error


def is_of_store(error: Exception) -> bool:
    """Whether an unexpected error came up while something stored was read."""
    if isinstance(error, zlib.error | struct.error):
        return True
    if not isinstance(error, _OF_VALUES):
        return False  # a fault of ours
    frames = traceback.extract_tb(error.__traceback__)
    ours = [frame.filename for frame in frames if "codecompass" in frame.filename]
    return bool(ours) and ours[-1].startswith(_STORE)
