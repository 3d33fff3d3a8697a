"""Listing a workspace: what git shows, less our own rules, never through links."""

import os
from pathlib import Path

import pytest

from codecompass.model.source import SkipReason
from codecompass.source.walk import Listing, list_ignored_by_git, list_workspace
from tests.conftest import Repo


def listed(root: Path, home: Path) -> list[str]:
    return [file.path for file in list_workspace(root, home).files]


def test_tracked_and_untracked_files_are_listed(repo: Repo, home: Path) -> None:
    repo.commit({"a.py": "", "pkg/b.py": ""})
    repo.write({"new.py": ""})
    assert listed(repo.root, home) == ["a.py", "new.py", "pkg/b.py"]


def test_nested_gitignore_and_info_exclude_are_honoured(repo: Repo, home: Path) -> None:
    repo.write(
        {
            ".gitignore": "*.log\n",
            "x.log": "",
            "pkg/.gitignore": "secret.py\n!keep.log\n",
            "pkg/secret.py": "",
            "pkg/keep.log": "",
            "excluded.py": "",
        }
    )
    (repo.root / ".git/info/exclude").write_text("excluded.py\n")
    assert listed(repo.root, home) == [".gitignore", "pkg/.gitignore", "pkg/keep.log"]


def test_a_tracked_file_is_kept_although_git_ignores_it(repo: Repo, home: Path) -> None:
    repo.commit({".gitignore": "*.cfg\n", "kept.cfg": "x"})
    assert "kept.cfg" in listed(repo.root, home)


def test_a_plain_folder_is_listed_with_its_ignore_files(tmp_path: Path, home: Path) -> None:
    (tmp_path / "sub").mkdir()
    (tmp_path / "a.py").write_text("")
    (tmp_path / "sub" / ".gitignore").write_text("hidden.py\n")
    (tmp_path / "sub" / "hidden.py").write_text("")
    (tmp_path / "sub" / "seen.py").write_text("")
    assert listed(tmp_path, home) == ["a.py", "sub/.gitignore", "sub/seen.py"]


def test_repositories_inside_a_plain_folder_are_listed_too(tmp_path: Path, home: Path) -> None:
    Repo(tmp_path / "one").commit({"a.py": ""})
    Repo(tmp_path / "two").commit({"b.py": "", ".gitignore": "c.py\n"})
    (tmp_path / "two" / "c.py").write_text("")
    assert listed(tmp_path, home) == ["one/a.py", "two/.gitignore", "two/b.py"]


def test_an_empty_workspace_lists_nothing(tmp_path: Path, home: Path) -> None:
    assert list_workspace(tmp_path, home) == Listing((), {}, ())


def test_built_in_rules_name_themselves(repo: Repo, home: Path) -> None:
    repo.write({"node_modules/x/y.js": "", "app.min.js": "", "logo.png": b"\x89PNG", "a.js": ""})
    found = list_workspace(repo.root, home)
    assert [file.path for file in found.files] == ["a.js"]
    assert {item.path: item.pattern for item in found.ignored} == {
        "node_modules/x/y.js": "node_modules/",
        "app.min.js": "*.min.js",
        "logo.png": "*.png",
    }


def test_sources_in_a_tracked_build_folder_are_kept(repo: Repo, home: Path) -> None:
    repo.commit({"build/tool.py": "", ".cargo/config.toml": ""})
    repo.write({"build/output.py": "", ".cargo/registry/a.rs": ""})
    assert listed(repo.root, home) == [".cargo/config.toml", "build/tool.py"]


def test_our_ignore_files_nest_and_can_bring_back(repo: Repo, home: Path) -> None:
    repo.write(
        {
            ".codecompassignore": "vendor/\n*.gen.py\n!app.min.js\n",
            "vendor/x.py": "",
            "a.gen.py": "",
            "app.min.js": "",
            "sub/.codecompassignore": "!b.gen.py\nonly_here.py\n",
            "sub/b.gen.py": "",
            "sub/only_here.py": "",
            "only_here.py": "",
        }
    )
    found = list_workspace(repo.root, home)
    paths = [file.path for file in found.files]
    assert paths == [
        ".codecompassignore",
        "app.min.js",
        "only_here.py",
        "sub/.codecompassignore",
        "sub/b.gen.py",
    ]
    rules = {item.path: (item.source, item.line, item.pattern) for item in found.ignored}
    assert rules["vendor/x.py"] == (".codecompassignore", 1, "vendor/")
    assert rules["sub/only_here.py"] == ("sub/.codecompassignore", 2, "only_here.py")


def test_bad_lines_are_passed_over_and_numbers_are_right(repo: Repo, home: Path) -> None:
    repo.write(
        {".codecompassignore": "\n# comment\n!\n\nvendor/\n", "vendor/x.py": "", "a.py": ""}
    )
    found = list_workspace(repo.root, home)
    assert [(item.path, item.line) for item in found.ignored] == [("vendor/x.py", 5)]


@pytest.mark.skipif(os.name == "nt", reason="names are text on Windows")
def test_a_name_that_is_no_text_is_skipped(repo: Repo, home: Path) -> None:
    repo.write({"a.py": ""})
    (repo.root / os.fsdecode(b"caf\xe9.py")).write_text("")
    found = list_workspace(repo.root, home)
    assert [file.path for file in found.files] == ["a.py"]
    assert found.skipped == {"caf\ufffd.py": SkipReason.ODD_NAME}


def test_git_ignored_files_name_file_line_and_rule(repo: Repo, home: Path) -> None:
    repo.write({".gitignore": "# comment\n*.log\nout/\n", "a.log": "", "out/b.py": ""})
    rules = {
        item.path: (item.source, item.line, item.pattern)
        for item in list_ignored_by_git(repo.root, home)
    }
    assert rules == {"a.log": (".gitignore", 2, "*.log"), "out/": (".gitignore", 3, "out/")}


@pytest.mark.skipif(os.name == "nt", reason="links need rights on Windows")
def test_links_are_never_followed(repo: Repo, home: Path, tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "secret.py").write_text("password = 1")
    repo.commit({"a.py": "", "folder/b.py": ""})
    (repo.root / "leak.py").symlink_to(outside / "secret.py")
    (repo.root / "inside.py").symlink_to(repo.root / "a.py")
    (repo.root / "linked").symlink_to(outside)
    for path in (repo.root / "folder").iterdir():
        path.unlink()
    (repo.root / "folder").rmdir()
    (outside / "b.py").write_text("")
    (repo.root / "folder").symlink_to(outside)  # a tracked path now leads out
    found = list_workspace(repo.root, home)
    assert [file.path for file in found.files] == ["a.py"]
    assert found.skipped["leak.py"] == SkipReason.OUTSIDE
    assert found.skipped["folder/b.py"] == SkipReason.OUTSIDE
    assert found.skipped["inside.py"] == SkipReason.NOT_A_FILE


def test_deleted_tracked_files_are_not_listed(repo: Repo, home: Path) -> None:
    repo.commit({"a.py": "", "b.py": ""})
    (repo.root / "a.py").unlink()
    assert listed(repo.root, home) == ["b.py"]
