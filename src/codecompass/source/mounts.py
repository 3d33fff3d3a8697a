"""A folder in, whether it is on a file system that others may change unseen."""

from pathlib import Path

_REMOTE = frozenset(
    "nfs nfs4 cifs smb smb2 smb3 smbfs afs ncpfs 9p vboxsf vmhgfs prl_fs drvfs ceph glusterfs"
    " lustre beegfs davfs virtiofs fakeowner osxfs".split()
)
_MOUNTS = Path("/proc/self/mounts")


def is_remote(folder: Path) -> bool:
    """Whether a folder is on a network file system, or on one of a virtual machine's host."""
    found, kind = "", ""
    inside: list[str] = []
    try:
        lines = _MOUNTS.read_text("utf-8", "replace").splitlines()
    except OSError:
        return False
    for line in lines:
        _, point, name, *_ = line.split(" ")
        point = point.replace("\\040", " ")
        if folder.is_relative_to(point) and len(point) >= len(found):
            found, kind = point, name
        elif Path(point).is_relative_to(folder):
            inside.append(name)
    return any(_is_remote_kind(name) for name in (kind, *inside))


def _is_remote_kind(kind: str) -> bool:
    return kind in _REMOTE or kind.startswith("fuse.")
