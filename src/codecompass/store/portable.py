"""A store in, one archive out, and back: checksummed, versioned, without paths of a machine.

An archive may come from anybody: nothing of it is used before all of it has been checked.
"""

import contextlib
import datetime
import errno
import gzip
import hashlib
import json
import re
import shutil
import tarfile
import tempfile
import time
import zlib
from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path
from typing import Any

from codecompass.errors import ArchiveRefused, BadInput, CodeCompassError, StoreFull
from codecompass.model.portable import Manifest, PortableFile
from codecompass.model.snapshot import LIVE
from codecompass.store.checksums import seal
from codecompass.store.database import Database
from codecompass.store.layout import StoreLayout
from codecompass.store.schema import SCHEMA_VERSION, create_indexes, create_tables

FORMAT = 1
_MANIFEST = "manifest.json"
_DATABASE = "facts.db"
_NAME = re.compile(r"facts\.db|lexical/[A-Za-z0-9._-]+|vectors/[A-Za-z0-9._-]+\.i8")
_COMMIT = re.compile(r"[0-9a-f]{40}|[0-9a-f]{64}")
_LOCKS = frozenset({".tantivy-writer.lock", ".tantivy-meta.lock"})
_MANIFEST_BYTES = 10_000_000
_READ_BYTES = 1 << 20
_COMPRESSION = 5
_BUSY_S = 10.0
_HERE = ""  # the workspace of a working tree in an archive


def sha256_of(path: Path) -> str:
    """The checksum of a whole file."""
    try:
        with path.open("rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest()
    except OSError as error:
        raise ArchiveRefused(f"{path}: {error.strerror or error}") from error


def write_archive(layout: StoreLayout, workspace: str, made_by: str, target: Path) -> Manifest:
    """Pack a store, of working trees that of `workspace`; the caller holds the writer's lock."""
    if target.exists() and not target.is_file():
        raise BadInput(f"{target} is no file that could be replaced")
    staging = target.with_name(f".{target.name}.parts")
    fresh = target.with_name(f".{target.name}.new")
    try:
        shutil.rmtree(staging, ignore_errors=True)
        staging.mkdir(mode=0o700, parents=True)
        fresh.touch(mode=0o600)
        manifest = _stage_database(layout, workspace, made_by, staging)
        parts = {_DATABASE: staging / _DATABASE, **dict(_others(layout))}
        described = {
            name: PortableFile(path.stat().st_size, sha256_of(path))
            for name, path in sorted(parts.items())
        }
        manifest = Manifest(**{**_fields(manifest), "parts": described})
        (staging / _MANIFEST).write_text(json.dumps(asdict(manifest)))
        with (
            fresh.open("wb") as out,
            gzip.GzipFile("", "wb", _COMPRESSION, out, mtime=0) as packed,
            tarfile.open(fileobj=packed, mode="w") as archive,
        ):
            archive.add(staging / _MANIFEST, _MANIFEST, filter=_plain)
            for name in described:
                archive.add(parts[name], name, filter=_plain)
        fresh.replace(target)
    except OSError as error:
        if error.errno == errno.ENOSPC:
            raise StoreFull(f"{target}: {error.strerror}") from error
        raise BadInput(f"{target}: {error.strerror or error}") from error
    finally:
        shutil.rmtree(staging, ignore_errors=True)
        with contextlib.suppress(OSError):
            fresh.unlink()
    return manifest


def read_manifest(path: Path) -> Manifest:
    """What an archive says of itself, after all of its parts were compared with it."""
    with _reading(path) as archive:
        manifest = _read_manifest(archive)
        seen = {
            member.name: _digest(archive, member, None)
            for member in archive
            if member.name != _MANIFEST
        }
    wanted = {name: part.sha256 for name, part in manifest.parts.items()}
    if seen != wanted:
        raise ArchiveRefused(f"{path}: its parts are not those that it names")
    return manifest


def unpack(path: Path, into: Path, workspace: str) -> Manifest:
    """Unpack an archive into a new folder, check all of it, and make it the workspace's."""
    with _reading(path) as archive:
        manifest = _read_manifest(archive)
        if manifest.schema_version != SCHEMA_VERSION:
            raise ArchiveRefused(
                f"{path}: made by {manifest.made_by} with schema {manifest.schema_version};"
                f" this version reads {SCHEMA_VERSION}",
                remediation="export it again with this version, or index from nothing",
            )
        needed = sum(part.size_bytes for part in manifest.parts.values())
        if needed > shutil.disk_usage(into).free:
            raise StoreFull(f"unpack {path}: {needed:,} bytes are needed")
        for name in manifest.parts:
            (into / name).parent.mkdir(parents=True, exist_ok=True)
        seen = {_MANIFEST}
        for member in archive:
            if member.name == _MANIFEST and seen == {_MANIFEST}:
                continue
            is_plain = member.type in (tarfile.REGTYPE, tarfile.AREGTYPE)
            if member.name in seen or member.name not in manifest.parts or not is_plain:
                raise ArchiveRefused(f"{path}: {member.name!r} does not belong in it")
            seen.add(member.name)
            _extract(archive, member, into / member.name, manifest.parts[member.name])
    missing = manifest.parts.keys() - seen
    if missing or _DATABASE not in manifest.parts:
        raise ArchiveRefused(f"{path}: {', '.join(sorted(missing)) or _DATABASE} is missing")
    _settle(into / _DATABASE, workspace, manifest)
    return manifest


def _stage_database(layout: StoreLayout, workspace: str, made_by: str, staging: Path) -> Manifest:
    """A copy of the facts without what belongs to this machine."""
    with _open(layout.database) as database:
        database.run("VACUUM INTO ?", (str(staging / _DATABASE),))
    with _open(staging / _DATABASE) as copy:
        with copy.transaction("make it movable"):
            copy.run("DELETE FROM jobs")
            copy.run("DELETE FROM default_refs")
            condition = "ref = ? AND workspace != ?"
            copy.run(f"DELETE FROM snapshots WHERE {condition}", (LIVE, workspace))  # noqa: S608
            copy.run("UPDATE snapshots SET workspace = ? WHERE ref = ?", (_HERE, LIVE))
            _forget_times(copy)
        head = copy.row("SELECT head FROM snapshots WHERE ref = ?", (LIVE,))
        counts = [
            (copy.row(f"SELECT COUNT(*) FROM {table}") or (0,))[0]  # noqa: S608  # our own names
            for table in ("versions", "symbols", "snapshots")
        ]
        copy.run("PRAGMA journal_mode = DELETE")
    now = datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds")
    return Manifest(FORMAT, made_by, SCHEMA_VERSION, now, head[0] if head else None, *counts)


def _others(layout: StoreLayout) -> Iterator[tuple[str, Path]]:
    for folder in (layout.lexical, layout.vectors):
        for path in sorted(folder.iterdir()) if folder.is_dir() else ():
            if path.is_file() and path.name not in _LOCKS:
                yield f"{folder.name}/{path.name}", path


def _fields(manifest: Manifest) -> dict[str, Any]:
    return {name: getattr(manifest, name) for name in Manifest.__slots__}


def _plain(member: tarfile.TarInfo) -> tarfile.TarInfo:
    """Nothing of this machine's users and times."""
    member.uid = member.gid = 0
    member.uname = member.gname = ""
    member.mtime, member.mode = 0, 0o600
    return member


def _read_manifest(archive: tarfile.TarFile) -> Manifest:
    first = archive.next()
    if first is None or first.name != _MANIFEST or not first.isreg():
        raise ArchiveRefused(f"{archive.name!s}: no archive of CodeCompass")
    if first.size > _MANIFEST_BYTES:
        raise ArchiveRefused(f"{archive.name!s}: its manifest is too large")
    file = archive.extractfile(first)
    said: dict[str, Any] = json.loads(file.read()) if file is not None else {}
    if said.get("format") != FORMAT:
        raise ArchiveRefused(f"{archive.name!s}: format {said.get('format')!r} is not known")
    parts = {
        str(name): PortableFile(int(part["size_bytes"]), str(part["sha256"]))
        for name, part in said["parts"].items()
    }
    head = said.get("head")
    if head is not None and not (isinstance(head, str) and _COMMIT.fullmatch(head)):
        raise ArchiveRefused(f"{archive.name!s}: {head!r:.80} is no commit")
    strange = [name for name in parts if not _NAME.fullmatch(name) or ".." in name]
    if strange:
        raise ArchiveRefused(f"{archive.name!s}: {strange[0]!r} does not belong in it")
    return Manifest(**{**said, "parts": parts})


def _extract(
    archive: tarfile.TarFile, member: tarfile.TarInfo, target: Path, part: PortableFile
) -> None:
    if member.size != part.size_bytes:
        raise ArchiveRefused(f"{member.name} is not as large as it should be")
    if _digest(archive, member, target) != part.sha256:
        raise ArchiveRefused(f"{member.name} was changed: its checksum is another one")


def _digest(archive: tarfile.TarFile, member: tarfile.TarInfo, target: Path | None) -> str:
    """The checksum of a part, which is written to a file on the way if one is given."""
    source = archive.extractfile(member)
    digest = hashlib.sha256()
    with target.open("wb") if target is not None else contextlib.nullcontext() as out:
        while source is not None and (data := source.read(_READ_BYTES)):
            digest.update(data)
            if out is not None:
                out.write(data)
    return digest.hexdigest()


def _settle(path: Path, workspace: str, manifest: Manifest) -> None:
    """Check the facts and give them to a workspace."""
    with _open(path) as database:
        if _objects(database) - _own_objects():
            raise ArchiveRefused("its database holds what ours does not")
        if database.row("PRAGMA quick_check") != ("ok",):
            raise ArchiveRefused("its database is damaged")
        _check_names(database, manifest)
        create_tables(database)
        create_indexes(database)
        with database.transaction("take it in"):
            database.run(
                "UPDATE snapshots SET workspace = ?, generation = ? WHERE ref = ?",
                (workspace, time.time_ns(), LIVE),
            )
            _forget_times(database)


def _forget_times(database: Database) -> None:
    database.run("UPDATE snapshots SET times = x''")
    for row in database.rows("SELECT id FROM snapshots"):
        seal(database, "snapshots", row[0])


def _check_names(database: Database, manifest: Manifest) -> None:
    """Refuse names by which something outside could be read or written."""
    for name, dims, count in database.rows("SELECT file, dims, row_count FROM vector_files"):
        part = manifest.parts.get(f"vectors/{name}")
        if part is None or dims <= 0 or count < 0 or dims * count > part.size_bytes:
            raise ArchiveRefused(f"vectors in {name!r:.80} are not part of it")
    for table in ("listed_files", "snapshot_files", "links"):
        paths = database.rows(
            f"SELECT path FROM {table} WHERE path LIKE '/%' OR path LIKE '%..%'"  # noqa: S608  # our own names
            " OR path LIKE '%\\%' OR path LIKE '%:%' OR typeof(path) <> 'text'"
        )
        strange = [path for (path,) in paths if not _is_inside(path)]
        if strange:
            raise ArchiveRefused(f"{strange[0]!r:.80} is no path inside a workspace")


def _is_inside(path: object) -> bool:
    if not isinstance(path, str) or path.startswith("/"):
        return False
    return ".." not in re.split(r"[/\\]", path)


def _objects(database: Database) -> set[tuple[str, str, str]]:
    rows = database.rows("SELECT type, name, coalesce(sql, '') FROM sqlite_master")
    return {(kind, name, " ".join(sql.split())) for kind, name, sql in rows}


@contextlib.contextmanager
def _reading(path: Path) -> Iterator[tarfile.TarFile]:
    try:
        with tarfile.open(path, "r:gz") as archive:
            yield archive
    except CodeCompassError:
        raise
    except FileNotFoundError as error:
        raise ArchiveRefused(f"{path}: no such file") from error
    except (
        tarfile.TarError, zlib.error, EOFError, ValueError, KeyError, TypeError, AttributeError,
        RecursionError,
    ) as error:  # fmt: skip
        raise ArchiveRefused(f"{path}: no archive of CodeCompass, or damaged: {error}") from error
    except OSError as error:
        if error.errno == errno.ENOSPC:
            raise StoreFull(f"unpack {path}: {error.strerror}") from error
        raise ArchiveRefused(f"{path}: {error.strerror or error}") from error


def _own_objects() -> set[tuple[str, str, str]]:
    """What is in a database of ours that holds nothing yet."""
    with tempfile.TemporaryDirectory() as folder, _open(Path(folder) / _DATABASE) as ours:
        create_tables(ours)
        create_indexes(ours)
        return _objects(ours)


def _open(path: Path) -> Database:
    return Database(path, busy_timeout_s=_BUSY_S, cache_mib=8)
