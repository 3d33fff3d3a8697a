"""An index as one file that can be taken elsewhere."""

from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class PortableFile:
    """One part of it."""

    size_bytes: int
    sha256: str


@dataclass(frozen=True, slots=True)
class Manifest:
    """What an archive says of itself."""

    format: int
    made_by: str  # the version of CodeCompass
    schema_version: int
    made_at: str
    head: str | None  # the commit that was checked out
    files: int
    symbols: int
    snapshots: int  # the working tree and the refs that came with it
    parts: dict[str, PortableFile] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class StateAnswer:
    """An archive that was made, read or taken in."""

    action: str  # exported, imported or inspected
    archive: str
    size_bytes: int
    sha256: str
    manifest: Manifest
    workspace: str | None = None
    is_usable: bool = True  # by this version of CodeCompass
    note: str | None = None  # what speaks against it, and is no reason to refuse it
