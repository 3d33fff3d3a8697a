"""A path in, the symbols of that file, or the files of that folder, out."""

from collections import Counter
from dataclasses import dataclass

from codecompass.errors import FileNotIndexed
from codecompass.model.query import OutlineDepth
from codecompass.model.source import SkipReason
from codecompass.model.symbol import PlacedSymbol
from codecompass.store.catalog import CatalogFile
from codecompass.store.reader import SnapshotReader
from codecompass.text.paths import is_test_path

_EXAMPLES = 5
_MAX_FOLDERS = 100

_REMEDIES = {
    SkipReason.TOO_LARGE: "the setting index.max_file_bytes is the limit",
    SkipReason.LONG_LINE: "the setting index.max_line_bytes is the limit",
    SkipReason.NOT_A_FILE: "ask for the file that it leads to",
    SkipReason.SUBMODULE: "not checked out: git submodule update --init brings it",
    SkipReason.NOT_FETCHED: "git fetch brings what a partial clone lacks",
}


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
        raise no_such_file(reader, path)
    if entry.version_id is None:
        remedy = _REMEDIES.get(entry.skip_reason, "") if entry.skip_reason else ""
        raise FileNotIndexed(f"{path} is not indexed: {entry.skip_reason}", remediation=remedy)
    info = reader.version(entry.version_id)
    symbols = [
        PlacedSymbol(path, info.language, symbol)
        for symbol in reader.outline(entry.version_id)
        if not symbol.is_statement and (depth is OutlineDepth.ALL or symbol.depth == 0)
    ]
    return FileOutline(path, info.language, info.line_count, info.has_errors, tuple(symbols))


@dataclass(frozen=True, slots=True)
class FileSummary:
    """A file by its size and what it defines at its top."""

    path: str
    language: str
    line_count: int
    symbols: tuple[PlacedSymbol, ...]


@dataclass(frozen=True, slots=True)
class FolderOutline:
    """The files of a folder; of folders inside it that are not told, how many files each has."""

    path: str
    files: tuple[FileSummary, ...]
    folders: dict[str, int]
    total_files: int


def outline_folder(
    reader: SnapshotReader, path: str, depth: OutlineDepth, *, limit: int
) -> FolderOutline | None:
    """The files right in a folder, or in all of it; None if it has none, and is not the root."""
    lead = "" if path == "." else f"{path}/"
    inside = [file for file in reader.catalog.files if file.path.startswith(lead)]
    if not inside and lead:
        return None
    folders: Counter[str] = Counter()
    told = []
    for file in inside:
        first, slash, _ = file.path[len(lead) :].partition("/")
        if slash and depth is OutlineDepth.TOP:
            folders[f"{lead}{first}/"] += 1
        else:
            told.append(file)
    told.sort(key=lambda file: is_test_path(file.path))  # what comes last is cut first
    summaries = tuple(_summary(reader, file) for file in told[:limit])
    largest = dict(sorted(folders.most_common(_MAX_FOLDERS)))
    return FolderOutline(path, summaries, largest, len(inside))


def _summary(reader: SnapshotReader, file: CatalogFile) -> FileSummary:
    info = reader.version(file.version_id)
    top = [
        PlacedSymbol(file.path, info.language, symbol)
        for symbol in reader.outline(file.version_id)
        if symbol.depth == 0 and not symbol.is_statement
    ]
    return FileSummary(file.path, info.language, info.line_count, tuple(top))


def no_such_file(reader: SnapshotReader, path: str) -> FileNotIndexed:
    """What to say of a path that the index does not know."""
    name = path.rsplit("/", 1)[-1]
    near = reader.paths_ending(name)[:_EXAMPLES]
    if near:
        return FileNotIndexed(
            f"{path} is not in the index", remediation=f"one of: {', '.join(near)}"
        )
    return FileNotIndexed(f"{path} is not in the index")
