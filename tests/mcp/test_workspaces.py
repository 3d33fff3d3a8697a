"""Which folders may be asked about, and how many are kept open or built at a time."""

import json
import os
import shutil
from pathlib import Path

import pytest

from codecompass.store.workspaces import KnownWorkspaces
from tests.conftest import Repo
from tests.mcp.caller import Caller, other_project
from tests.mcp.project import FILES


def test_a_workspace_is_named_by_its_path_or_name(
    repo: Repo, tmp_path: Path, callers: list[Caller]
) -> None:
    repo.commit(FILES)
    other = other_project(tmp_path / "second")
    caller = Caller(repo.root, other)
    callers.append(caller)
    assert "class Cart" in caller("locate_symbol", name="Cart")[0]
    for name in (str(other), "second", str(other / "../second")):
        assert "b.py" in caller("locate_symbol", name="only_here", workspace=name)[0]
    # A folder inside a workspace means the workspace.
    assert "class Cart" in caller("locate_symbol", name="Cart", workspace=f"{repo.root}/shop")[0]
    health = json.loads(caller("health_check", format="json")[0])
    assert [item["path"] for item in health["workspaces"]] == [str(repo.root), str(other)]
    assert all(item["is_warm"] for item in health["workspaces"])


def test_the_innermost_workspace_is_meant(
    repo: Repo, tmp_path: Path, callers: list[Caller]
) -> None:
    repo.commit(FILES)
    twin = other_project(tmp_path / "deep/repo")
    caller = Caller(repo.root, repo.root / "shop", twin)
    callers.append(caller)
    text, _ = caller("locate_symbol", name="Cart", workspace=str(repo.root / "shop"))
    assert text.splitlines()[1].startswith("cart.py:")
    text, is_error = caller("locate_symbol", name="Cart", workspace="repo")
    assert is_error
    assert "give the whole path" in text


def test_an_unknown_workspace(caller: Caller, tmp_path: Path) -> None:
    other = other_project(tmp_path / "other")
    text, is_error = caller("search_code", query="x", workspace=str(other))
    assert is_error
    assert text.startswith("workspace_not_registered: ")
    assert "--auto-workspace" in text
    text, is_error = caller("search_code", query="x", workspace=str(tmp_path / "nothing"))
    assert is_error
    assert text.startswith("workspace_not_found: ")
    text, is_error = caller("search_code", query="x", workspace=7)
    assert is_error
    assert "workspace: given 7" in text


def test_a_workspace_with_an_index_may_be_asked(
    caller: Caller, tmp_path: Path, callers: list[Caller]
) -> None:
    other = other_project(tmp_path / "other")
    callers.append(Caller(other))
    assert not callers[-1]("locate_symbol", name="only_here")[1]
    assert "b.py" in caller("locate_symbol", name="only_here", workspace=str(other))[0]


def test_workspaces_are_found_below_allowed_roots_only(
    repo: Repo, tmp_path: Path, callers: list[Caller]
) -> None:
    repo.commit(FILES)
    inside, outside = other_project(tmp_path / "in/one"), other_project(tmp_path / "out")
    (tmp_path / "in/link").symlink_to(outside)
    caller = Caller(repo.root, is_auto=True, allowed_roots=[str(tmp_path / "in")])
    callers.append(caller)
    assert "b.py" in caller("locate_symbol", name="only_here", workspace=str(inside))[0]
    for path in (outside, tmp_path / "in/link", tmp_path / "in/../out"):
        text, is_error = caller("locate_symbol", name="only_here", workspace=str(path))
        assert is_error
        assert text.startswith("workspace_not_allowed: ")


def test_an_allowed_root_that_is_missing_allows_nothing(
    repo: Repo, tmp_path: Path, callers: list[Caller]
) -> None:
    repo.commit(FILES)
    other = other_project(tmp_path / "other")
    callers.append(Caller(repo.root, is_auto=True, allowed_roots=[str(tmp_path / "nothing")]))
    text, is_error = callers[0]("locate_symbol", name="only_here", workspace=str(other))
    assert is_error
    assert text.startswith("workspace_not_allowed: ")


def test_a_folder_whose_name_is_no_text(caller: Caller, tmp_path: Path) -> None:
    folder = os.fsdecode(os.fsencode(tmp_path) + b"/caf\xe9")
    Path(folder).mkdir()
    text, is_error = caller("locate_symbol", name="Cart", workspace=folder)
    assert is_error
    assert text.startswith("workspace_unreadable: ")
    text.encode("utf-8")


def test_only_allowed_workspaces_are_warm_or_told(
    repo: Repo, tmp_path: Path, callers: list[Caller], home: Path
) -> None:
    repo.commit(FILES)
    (tmp_path / "in").mkdir()
    secret = other_project(tmp_path / "secret")
    callers.append(Caller(secret))
    assert not callers[0]("locate_symbol", name="only_here")[1]
    caller = Caller(repo.root, is_auto=True, allowed_roots=[str(tmp_path / "in")])
    callers.append(caller)
    caller.calls.prewarm()
    assert str(secret) not in caller("health_check")[0]


def test_others_may_ask_about_nothing_else(
    repo: Repo, tmp_path: Path, callers: list[Caller]
) -> None:
    repo.commit(FILES)
    other = other_project(tmp_path / "other")
    callers += [Caller(other), Caller(repo.root, is_local=False)]
    assert not callers[0]("locate_symbol", name="only_here")[1]
    text, is_error = callers[1]("locate_symbol", name="only_here", workspace=str(other))
    assert is_error
    assert text.startswith("workspace_not_registered: ")


def test_a_worktree_inside_a_workspace_is_itself(caller: Caller, repo: Repo) -> None:
    repo.git("worktree", "add", "--quiet", "-b", "feat", ".trees/feat")
    (repo.root / ".trees/feat/only.py").write_text("def only_there():\n    return 1\n")
    folder = str(repo.root / ".trees/feat")
    text, is_error = caller("locate_symbol", name="only_there", workspace=folder)
    assert not is_error
    assert text.splitlines()[1].startswith("only.py:1-2")


def test_a_folder_that_is_gone_does_not_hide_the_others(
    repo: Repo, tmp_path: Path, callers: list[Caller]
) -> None:
    repo.commit(FILES)
    other = other_project(tmp_path / "other")
    callers.append(Caller(repo.root, other))
    shutil.rmtree(other)
    text, is_error = callers[0]("health_check")
    assert not is_error
    assert f"{repo.root} · live" in text
    assert f"{other} ·  · error" in text


def test_indexing_on_demand_is_bounded(
    repo: Repo, tmp_path: Path, callers: list[Caller], monkeypatch: pytest.MonkeyPatch
) -> None:
    repo.commit(FILES)
    monkeypatch.setenv("CODECOMPASS_SERVER_JOBS_PER_MINUTE", "1")
    caller = Caller(repo.root, is_auto=True, allowed_roots=[str(tmp_path)])
    callers.append(caller)
    one, two = other_project(tmp_path / "one"), other_project(tmp_path / "two")
    assert not caller("locate_symbol", name="only_here", workspace=str(one))[1]
    text, is_error = caller("locate_symbol", name="only_here", workspace=str(two))
    assert is_error
    assert text.startswith("indexing_rate_limited: ")
    assert not caller("locate_symbol", name="Cart")[1]


def test_known_workspaces_are_forgotten_in_time(home: Path) -> None:
    known = KnownWorkspaces(home)
    known.note_use(Path("/own"), is_auto=False)
    for number in range(5):
        known.note_use(Path(f"/auto/{number}"), is_auto=True)
    gone = known.forget_auto(keep=3, days=7)
    assert len(gone) == 2
    assert len(known.recent(10)) == 4
    assert known.forget_auto(keep=3, days=-1)
    assert known.recent(10) == [Path("/own")]


def test_the_workspaces_asked_last_are_kept_open(
    repo: Repo, tmp_path: Path, callers: list[Caller], monkeypatch: pytest.MonkeyPatch
) -> None:
    repo.commit(FILES)
    monkeypatch.setenv("CODECOMPASS_SERVER_WARM_WORKSPACES", "2")
    roots = [repo.root, *(other_project(tmp_path / name) for name in ("one", "two"))]
    caller = Caller(*roots)
    callers.append(caller)
    for root in roots:
        caller("locate_symbol", name="x", workspace=str(root))
    assert caller.calls._engines.open_roots() == roots[1:]


def test_prewarming_opens_what_has_an_index(caller: Caller, repo: Repo) -> None:
    caller.calls.prewarm()
    assert caller.calls._engines.open_roots() == [repo.root]
    assert caller("index_status")[0].count("not_indexed") == 2
