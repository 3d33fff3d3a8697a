"""A path in, the symbols of that file out."""

from dataclasses import dataclass

from codecompass.errors import BadInput, FileNotIndexed
from codecompass.model.query import OutlineDepth
from codecompass.model.symbol import PlacedSymbol
from codecompass.store.reader import SnapshotReader

_EXAMPLES = 5


@dataclass(frozen=True, slots=True)
class FileOutline:
    """A file's definitions in source order."""

    path: str
    language: str
    line_count: int
    has_errors: bool
    symbols: tuple[PlacedSymbol, ...]


def outline_file(reader: SnapshotReader, path: str, depth: OutlineDepth) -> FileOutline:
    """The definitions of a file; the file itself is not read."""
    entry = reader.file(path)
    if entry is None:
        raise _no_such_file(reader, path)
    if entry.version_id is None:
        raise FileNotIndexed(f"{path} is not indexed: {entry.skip_reason}")
    info = reader.version(entry.version_id)
    symbols = [
        PlacedSymbol(path, info.language, symbol)
        for symbol in reader.outline(entry.version_id)
        if not symbol.is_statement and (depth is OutlineDepth.ALL or symbol.depth == 0)
    ]
    return FileOutline(path, info.language, info.line_count, info.has_errors, tuple(symbols))


def _no_such_file(reader: SnapshotReader, path: str) -> Exception:
    inside = reader.paths_inside(path, _EXAMPLES)
    if inside:
        return BadInput(f"path: {path} is a folder; give a file, such as {', '.join(inside)}")
    name = path.rsplit("/", 1)[-1]
    near = reader.paths_ending(name)[:_EXAMPLES]
    if near:
        return FileNotIndexed(
            f"{path} is not in the index", remediation=f"one of: {', '.join(near)}"
        )
    return FileNotIndexed(f"{path} is not in the index")
