"""Callers' paths stay inside the workspace."""

from pathlib import Path

import pytest

from codecompass.errors import PathOutside, WorkspaceMissing
from codecompass.source.guard import inside_workspace, resolve_workspace


@pytest.mark.parametrize("path", ["../x", "a/../../x", "/etc/passwd", "a\0b"])
def test_paths_outside_are_refused(tmp_path: Path, path: str) -> None:
    with pytest.raises(PathOutside):
        inside_workspace(tmp_path, path)


@pytest.mark.parametrize(
    ("given", "inside"), [("a/b.py", "a/b.py"), ("./a//b.py", "a/b.py"), ("a/../b.py", "b.py")]
)
def test_paths_inside_are_normalised(tmp_path: Path, given: str, inside: str) -> None:
    assert inside_workspace(tmp_path, given) == inside


def test_absolute_paths_below_the_root_are_taken(tmp_path: Path) -> None:
    assert inside_workspace(tmp_path, str(tmp_path / "x.py")) == "x.py"


def test_a_link_that_leads_out_is_refused(tmp_path: Path) -> None:
    root = tmp_path / "root"
    root.mkdir()
    (root / "link").symlink_to(tmp_path)
    with pytest.raises(PathOutside):
        inside_workspace(root, "link/other.py")


def test_a_workspace_must_be_a_folder(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    for wrong in (tmp_path / "none", tmp_path / "file"):
        with pytest.raises(WorkspaceMissing):
            resolve_workspace(wrong)
