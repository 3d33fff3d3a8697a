"""With a watcher only what changed is looked at, and nothing that changed is missed."""

import json
import os
import random
import shutil
import signal
import socket
import threading
from pathlib import Path

import pytest

from codecompass.engine.engine import Engine
from codecompass.mcp.calls import Calls, ServeOptions
from codecompass.mcp.tools import chosen_tools
from codecompass.source.watch import ask_watcher, read_address, sealed
from tests.conftest import Repo
from tests.daemon.conftest import Start, run, said, status, until

IDLE = ("--idle-exit", "600")  # as a server starts it: questions sync, nobody else does


def names(engine: Engine, name: str) -> list[str]:
    return [item.path for item in engine.locate(name).results]


def looked_at(engine: Engine) -> tuple[str, ...] | None:
    """What the next question will look at; None: at everything."""
    told = engine._views.live.watching.ask()
    assert told is not None
    return told.since(engine._store.state_of(engine._views.name_of("live")))


@pytest.fixture
def watched(repo: Repo, engine: Engine, start: Start, monkeypatch: pytest.MonkeyPatch) -> Engine:
    monkeypatch.setenv("CODECOMPASS_WATCH_DEBOUNCE_S", "3600")  # nobody but questions reads
    repo.commit({
        "a.py": "def one(): ...\n",
        "pkg/b.py": "def two(): ...\n",
        "pkg/deep/c.py": "def three(): ...\n",
        ".gitignore": "ignored/\n",
    })  # fmt: skip
    repo.write({"ignored/x.py": "def hidden(): ...\n"})
    engine.index()
    start(*IDLE)
    assert names(engine, "one") == ["a.py"]
    assert looked_at(engine) == ()
    return engine


def test_a_saved_file_is_in_the_next_answer_and_nothing_else_is_looked_at(
    repo: Repo, watched: Engine
) -> None:
    repo.write({"pkg/b.py": "def renamed(): ...\n"})
    assert looked_at(watched) == ("pkg/b.py",)
    assert names(watched, "renamed") == ["pkg/b.py"]
    assert names(watched, "two") == []
    assert looked_at(watched) == ()


def test_ways_to_write_a_file(repo: Repo, watched: Engine) -> None:
    new = repo.root / "a.py.tmp.123"
    new.write_text("def by_rename(): ...\n")
    new.replace(repo.root / "a.py")
    assert names(watched, "by_rename") == ["a.py"]
    with (repo.root / "a.py").open("a") as out:  # not closed yet
        out.write("def still_open(): ...\n")
        out.flush()
        assert names(watched, "still_open") == ["a.py"]
    os.link(repo.root / "a.py", repo.root / "linked.py")
    assert names(watched, "still_open") == ["a.py", "linked.py"]


def test_a_file_with_two_names_changes_under_both(repo: Repo, watched: Engine) -> None:
    os.link(repo.root / "a.py", repo.root / "pkg" / "linked.py")
    assert names(watched, "one") == ["a.py", "pkg/linked.py"]
    with (repo.root / "pkg" / "linked.py").open("a") as out:
        out.write("def by_link(): ...\n")
    assert names(watched, "by_link") == ["a.py", "pkg/linked.py"]


def test_a_change_that_nothing_tells_of_is_seen_where_it_is_met(
    repo: Repo, watched: Engine, tmp_path: Path
) -> None:
    os.link(repo.root / "a.py", tmp_path / "outside.py")
    with (tmp_path / "outside.py").open("a") as out:
        out.write("def one_more(): ...\n")
    met = watched.search('"def one"')
    assert met.meta.freshness_status == "stale"
    assert met.meta.stale_reason == "a.py has just changed: ask again"
    assert looked_at(watched) == ()  # by everybody
    again = watched.search('"def one"')
    assert again.meta.freshness_status == "fresh"
    assert again.total_matches == 2


def test_files_and_folders_come_move_and_go(repo: Repo, watched: Engine) -> None:
    repo.write({"new.py": "def fresh(): ...\n"})
    assert names(watched, "fresh") == ["new.py"]
    repo.write({"x/y/z/far.py": "def far(): ...\n"})
    assert names(watched, "far") == ["x/y/z/far.py"]
    repo.write({"x/y/z/far.py": "def further(): ...\n"})
    assert looked_at(watched) == ("x/y/z/far.py",)
    assert names(watched, "further") == ["x/y/z/far.py"]
    (repo.root / "x").rename(repo.root / "pkg" / "moved")
    assert names(watched, "further") == ["pkg/moved/y/z/far.py"]
    repo.write({"pkg/moved/y/z/far.py": "def at_last(): ...\n"})
    assert names(watched, "at_last") == ["pkg/moved/y/z/far.py"]
    shutil.rmtree(repo.root / "pkg")
    assert names(watched, "at_last") == names(watched, "three") == []
    (repo.root / "a.py").unlink()
    assert names(watched, "one") == []


def test_ignore_rules_change(repo: Repo, watched: Engine) -> None:
    repo.write({"pkg/.codecompassignore": "deep/\n"})
    assert names(watched, "three") == []
    repo.write({".gitignore": ""})
    assert names(watched, "hidden") == ["ignored/x.py"]
    repo.write({"ignored/x.py": "def shown(): ...\n"})
    assert names(watched, "shown") == ["ignored/x.py"]
    repo.write({".git/info/exclude": "a.py\npkg/b.py\n", "pkg/new.py": "def new(): ...\n"})
    assert names(watched, "new") == ["pkg/new.py"]
    assert names(watched, "two") == ["pkg/b.py"]  # tracked: no rule hides it


def test_what_git_tracks_changes(repo: Repo, watched: Engine) -> None:
    repo.git("add", "--force", "ignored/x.py")
    assert names(watched, "hidden") == ["ignored/x.py"]
    repo.git("rm", "--quiet", "--cached", "ignored/x.py")
    assert names(watched, "hidden") == []
    repo.git("status")  # may write the index, and tracks what it did
    assert looked_at(watched) == ()


def test_many_files_change_at_once_in_one_job(repo: Repo, watched: Engine) -> None:
    repo.git("checkout", "--quiet", "-b", "other")
    repo.commit({f"many/m{number}.py": f"def n{number}(): ...\n" for number in range(1_500)})
    assert names(watched, "n1499") == ["many/m1499.py"]
    before = watched._store.last_job(watched._views.name_of("live"))
    repo.git("checkout", "--quiet", "main")
    assert names(watched, "n1499") == []
    after = watched._store.last_job(watched._views.name_of("live"))
    assert before
    assert after
    assert after.id == before.id + 1
    repo.git("checkout", "--quiet", "other")
    assert names(watched, "n7") == ["many/m7.py"]


def test_a_repository_inside_is_asked_by_its_own_git(repo: Repo, watched: Engine) -> None:
    inner = Repo(repo.root / "inner")
    inner.write({"in.py": "def inside(): ...\n"})
    assert names(watched, "inside") == ["inner/in.py"]
    inner.write({"in.py": "def changed(): ...\n", "other.py": "def another(): ...\n"})
    assert names(watched, "changed") == ["inner/in.py"]
    assert names(watched, "another") == ["inner/other.py"]


def test_only_folders_with_files_to_index_are_watched(repo: Repo, watched: Engine) -> None:
    repo.write({f"node_modules/p{number}/index.js": "1\n" for number in range(50)})
    names(watched, "one")
    found = status(watched)
    assert found is not None
    (tree,) = found["trees"]  # type: ignore[misc, attr-defined]
    # the root, pkg, pkg/deep; of git its own folder
    assert tree["folders"] == 4


def test_another_worktree_has_the_same_watcher(
    repo: Repo, watched: Engine, tmp_path: Path
) -> None:
    repo.git("worktree", "add", "--quiet", str(tmp_path / "second"), "-b", "second")
    with Engine.open(tmp_path / "second") as second:
        assert names(second, "one") == ["a.py"]
        (tmp_path / "second" / "a.py").write_text("def only_here(): ...\n")
        assert looked_at(second) == ("a.py",)
        assert looked_at(watched) == ()
        assert names(second, "only_here") == ["a.py"]
    assert names(watched, "only_here") == []
    repo.git("worktree", "add", "--quiet", str(tmp_path / "third"), "-b", "third")
    done = run("watch", "--workspace", str(tmp_path / "third"))
    assert done.returncode == 0
    assert str(tmp_path / "third") in done.stdout


class Disorder:
    """Does what people and programs do to a working tree, by chance."""

    FOLDERS = ("", "pkg/", "pkg/deep/", "n1/", "n1/n2/", "ignored/")

    def __init__(self, repo: Repo) -> None:
        self.repo = repo
        self.root = repo.root
        self.chance = random.Random(5)  # noqa: S311

    def some_file(self) -> Path:
        return self.root / f"{self.chance.choice(self.FOLDERS)}f{self.chance.randrange(6)}.py"

    def write(self) -> None:
        path = self.some_file()
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f"def f{self.chance.randrange(1000)}(): ...\n")

    def delete(self) -> None:
        self.some_file().unlink(missing_ok=True)

    def rename(self) -> None:
        source, target = self.some_file(), self.some_file()
        if source.exists() and target.parent.exists():
            source.replace(target)

    def move_folder(self) -> None:
        source = self.root / self.chance.choice(self.FOLDERS[1:])
        target = self.root / f"n{self.chance.randrange(3)}"
        if source.exists() and not target.exists() and not target.is_relative_to(source):
            source.rename(target)

    def remove_folder(self) -> None:
        shutil.rmtree(self.root / self.chance.choice(self.FOLDERS[3:]), ignore_errors=True)

    def ignore(self) -> None:
        rules = self.chance.choice(["", "ignored/\n", "n1/\n", "f1.py\n"])
        (self.root / self.chance.choice([".gitignore", ".codecompassignore"])).write_text(rules)

    def track(self) -> None:
        ways = [("add", "--all"), ("add", "-f", "."), ("reset", "--quiet")]
        self.repo.git(*self.chance.choice(ways))

    def stash(self) -> None:
        self.repo.git("add", "--all")
        self.repo.git("stash", "--quiet")

    def commit(self) -> None:
        self.repo.git("add", "--all")
        self.repo.git("commit", "--quiet", "--allow-empty", "-m", "x")

    def switch(self) -> None:
        self.repo.git("checkout", "--quiet", "--force", "--detach")
        self.repo.git("reset", "--quiet", "--hard", "main")

    def some(self) -> list[str]:
        """Do one thing or several; their names."""
        writes = [self.write] * 5 + [self.delete, self.rename, self.rename]
        others = [self.move_folder, self.remove_folder, self.ignore]
        by_git = [self.track, self.stash, self.commit, self.switch]
        count = self.chance.choice([1, 1, 2, 5])
        chosen = [self.chance.choice([*writes, *others, *by_git]) for _ in range(count)]
        for action in chosen:
            action()
        return [action.__name__ for action in chosen]


def test_whatever_happens_a_look_at_all_files_finds_nothing_more(
    repo: Repo, watched: Engine, reports: list[str]
) -> None:
    disorder = Disorder(repo)
    partial = 0
    for number in range(80):
        done = disorder.some()
        partial += looked_at(watched) is not None
        watched.locate("anything")
        left = watched._views.live.real_delta()
        assert left.is_empty, (number, done, left)
    assert partial > 20
    reports.append(f"80 changes under a watcher, {partial} by a partial look: none missed")


def test_a_watcher_that_was_killed_misleads_nobody(
    repo: Repo, watched: Engine, start: Start
) -> None:
    found = status(watched)
    assert found is not None
    os.kill(int(str(found["process"])), 9)
    repo.write({"a.py": "def unseen(): ...\n"})
    assert names(watched, "unseen") == ["a.py"]
    assert run("watch", "--status", "--workspace", str(repo.root)).returncode == 1
    start(*IDLE)
    assert names(watched, "unseen") == ["a.py"]
    assert looked_at(watched) == ()


def test_an_index_made_anew_is_not_taken_for_the_old_one(repo: Repo, watched: Engine) -> None:
    with Engine.open(repo.root) as other:
        other._views.live.watching._store = repo.root  # where no watcher is to be found
        repo.write({"a.py": "def middle(): ...\n"})
        other.index(force=True)
        repo.write({"a.py": "def last(): ...\n"})
    assert looked_at(watched) is None
    assert names(watched, "last") == ["a.py"]


def test_strangers_are_not_answered_and_do_no_harm(watched: Engine) -> None:
    folder = watched.workspace.layout.folder
    address = read_address(folder)
    assert address is not None
    assert (folder / "watch.json").stat().st_mode & 0o077 == 0
    forged = folder / "forged"
    forged.mkdir()
    said = {"port": address.port, "token": "guess", "process": 1}
    (forged / "watch.json").write_text(json.dumps(said))
    assert ask_watcher(forged, {"op": "stop"}, timeout_s=2) is None
    for noise in (b"[]\n", b"[" * 90_000 + b"\n", b"{}\n", b"\xff\n", b"no end"):
        with socket.create_connection(("127.0.0.1", address.port), 5) as connection:
            connection.sendall(noise)
    assert status(watched) is not None


def test_a_stranger_who_says_he_watches_is_not_believed(repo: Repo, watched: Engine) -> None:
    run("watch", "--stop", "--workspace", str(repo.root))
    repo.write({"a.py": "def unseen(): ...\n"})
    with socket.create_server(("127.0.0.1", 0)) as server:
        said = {"port": server.getsockname()[1], "token": "secret", "process": 1}
        (watched.workspace.layout.folder / "watch.json").write_text(json.dumps(said))
        state = watched._store.state_of(watched._views.name_of("live"))
        lie = {"watcher": "x", "moment": 1, "base": state, "paths": []}

        def answer() -> None:
            connection, _ = server.accept()
            with connection:
                connection.recv(1 << 16)
                connection.sendall(sealed(lie, "another secret", "0"))

        thread = threading.Thread(target=answer, daemon=True)
        thread.start()
        assert names(watched, "unseen") == ["a.py"]


def test_a_signal_ends_it_at_once(repo: Repo, engine: Engine, start: Start) -> None:
    repo.commit({"a.py": "def one(): ...\n"})
    engine.index()
    for number in (signal.SIGINT, signal.SIGTERM):
        process = start(*IDLE)
        process.send_signal(number)
        assert process.wait(5) == 0


def test_folders_that_hold_nothing_yet(repo: Repo, watched: Engine) -> None:
    (repo.root / "empty" / "deep").mkdir(parents=True)
    repo.write({"outputs/x.o": b"\0", ".gitignore": "ignored/\n*.o\n"})
    names(watched, "one")
    repo.write({"empty/deep/new.py": "def in_empty(): ...\n"})
    assert names(watched, "in_empty") == ["empty/deep/new.py"]
    repo.write({"outputs/y.py": "def beside(): ...\n"})
    assert names(watched, "beside") == ["outputs/y.py"]


def test_another_folder_at_the_same_place(repo: Repo, watched: Engine, tmp_path: Path) -> None:
    (repo.root / "pkg").rename(tmp_path / "old")
    repo.git("checkout", "--quiet", "pkg")
    assert names(watched, "two") == ["pkg/b.py"]
    repo.write({"pkg/b.py": "def replaced(): ...\n"})
    assert names(watched, "replaced") == ["pkg/b.py"]
    shutil.copytree(repo.root, tmp_path / "copy")
    repo.root.rename(tmp_path / "gone")
    (tmp_path / "copy").rename(repo.root)
    names(watched, "one")
    repo.write({"pkg/b.py": "def in_the_copy(): ...\n"})
    assert names(watched, "in_the_copy") == ["pkg/b.py"]


def test_folders_that_somebody_is_in_while_they_go(
    repo: Repo, watched: Engine, tmp_path: Path
) -> None:
    """The system does not tell that a folder went while it is somebody's current one."""
    held = [os.open(folder, os.O_RDONLY) for folder in (repo.root, repo.root / "pkg")]
    try:
        shutil.rmtree(repo.root / "pkg")
        repo.git("checkout", "--quiet", "pkg")
        names(watched, "two")
        repo.write({"pkg/s.py": "def in_pkg(): ...\n"})
        assert names(watched, "in_pkg") == ["pkg/s.py"]
        shutil.copytree(repo.root, tmp_path / "copy")
        shutil.rmtree(repo.root)
        (tmp_path / "copy").rename(repo.root)
        repo.write({"top.py": "def at_the_top(): ...\n"})
        assert names(watched, "at_the_top") == ["top.py"]
        repo.write({"top.py": "def again(): ...\n"})
        assert names(watched, "again") == ["top.py"]
    finally:
        for descriptor in held:
            os.close(descriptor)


def test_so_much_happens_that_some_of_it_is_lost(repo: Repo, watched: Engine) -> None:
    found = status(watched)
    assert found is not None
    process = int(str(found["process"]))
    limit = int(Path("/proc/sys/fs/inotify/max_queued_events").read_text())
    os.kill(process, signal.SIGSTOP)
    try:
        for number in range(limit // 2 + 2_000):
            os.utime(repo.root / "a.py", (number, number))
            os.utime(repo.root / "pkg/b.py", (number, number))
        repo.write({"late/n.py": "def late(): ...\n"})
    finally:
        os.kill(process, signal.SIGCONT)
    assert names(watched, "late") == ["late/n.py"]
    repo.write({"late/n.py": "def later(): ...\n"})
    assert names(watched, "later") == ["late/n.py"]


def test_rules_outside_the_folders(
    repo: Repo, watched: Engine, home: Path, tmp_path: Path
) -> None:
    excludes = tmp_path / "excludes"
    excludes.write_text("")
    repo.git("config", "core.excludesFile", str(excludes))
    repo.write({"new.py": "def fresh(): ...\n"})
    assert names(watched, "fresh") == ["new.py"]
    excludes.write_text("new.py\n")
    assert names(watched, "fresh") == []
    repo.git("config", "--unset", "core.excludesFile")
    assert names(watched, "fresh") == ["new.py"]
    with Engine.open(repo.root / "pkg") as inner:
        repo.write({"pkg/own.py": "def own(): ...\n"})
        assert names(inner, "own") == ["own.py"]
        repo.write({".gitignore": "ignored/\nown.py\n"})
        assert names(inner, "own") == []
        repo.write({".codecompassignore": "pkg/\n"})
        assert names(watched, "two") == []
        repo.write({"pkg/b.py": "def of_the_inner(): ...\n"})
        assert names(inner, "of_the_inner") == ["b.py"]


def test_where_it_cannot_start_that_is_said_at_once(
    repo: Repo, engine: Engine, home: Path, start: Start
) -> None:
    repo.commit({"a.py": "def one(): ...\n"})
    done = run("watch", "--background", "--idle-exit", "-5", "--workspace", str(repo.root))
    assert done.returncode == 2
    engine.index()
    process = start(*IDLE)
    process.send_signal(signal.SIGSTOP)
    try:
        done = run("watch", "--background", "--workspace", str(repo.root))
        assert done.returncode == 4
        assert "does not answer" in done.stderr
    finally:
        process.send_signal(signal.SIGCONT)


def test_what_changed_alone_is_read_on_request(repo: Repo, watched: Engine) -> None:
    repo.write({"a.py": "def brand_new(): ...\n"})
    done = run("index", "--changed", "--json", "--workspace", str(repo.root))
    assert json.loads(done.stdout)["counts"]["extracted"] == 1
    done = run("index", "--changed", "--json", "--workspace", str(repo.root))
    assert json.loads(done.stdout)["published"] is False


def test_background_status_stop(
    repo: Repo, engine: Engine, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CODECOMPASS_WATCH_SHARE", "1.0")
    monkeypatch.setenv("CODECOMPASS_WATCH_DEBOUNCE_S", "0.1")
    repo.commit({"a.py": "def one(): ...\n"})
    root = str(repo.root)
    assert run("watch", "--status", "--workspace", root).returncode == 1
    begun = run("watch", "--background", "--workspace", root)
    assert begun.returncode == 0, begun.stderr
    assert root in begun.stdout
    # It has indexed by itself, and does so again some time after a change.
    until(lambda: engine._store.state_of(engine._views.name_of("live")))
    until(lambda: looked_at(engine) == ())
    repo.write({"a.py": "def by_itself(): ...\n"})
    until(lambda: looked_at(engine) == (), 30)
    with engine._store.reader(engine._views.name_of("live")) as reader:  # type: ignore[union-attr]
        assert reader.symbols_named("by_itself")
    again = run("watch", "--background", "--workspace", root, "--json")
    assert begun.stdout.split()[1] in again.stdout
    stopped = run("watch", "--stop", "--workspace", root)
    assert "ended the watcher" in stopped.stdout
    assert run("watch", "--stop", "--workspace", root).returncode == 0
    assert said(home)[-1] == "ended"


def test_it_ends_when_nobody_needs_it(repo: Repo, engine: Engine, start: Start) -> None:
    repo.commit({"a.py": "def one(): ...\n"})
    engine.index()
    assert start("--idle-exit", "0.5").wait(20) == 0
    process = start(*IDLE)
    shutil.rmtree(repo.root)
    assert process.wait(20) == 0


def test_it_ends_when_the_repository_is_gone(repo: Repo, watched: Engine) -> None:
    assert status(watched) is not None
    shutil.rmtree(repo.root / ".git")
    until(lambda: status(watched) is None)


def test_a_server_starts_one_for_all(
    repo: Repo, engine: Engine, monkeypatch: pytest.MonkeyPatch
) -> None:
    repo.commit({"a.py": "def one(): ...\n"})
    engine.index()
    monkeypatch.setenv("CODECOMPASS_WATCH_START", "true")
    calls = [Calls(ServeOptions(workspaces=[str(repo.root)])) for _ in range(2)]
    tool = chosen_tools("core")["locate_symbol"]
    try:
        for server in calls:
            content, is_error = server.answer(tool, {"name": "one"})
            assert not is_error
            assert "a.py:1" in str(content)
        until(lambda: status(engine))
        repo.write({"a.py": "def two(): ...\n"})
        for server in calls:
            assert "a.py:1" in str(server.answer(tool, {"name": "two"})[0])
        found = status(engine)
        assert found is not None
        assert looked_at(engine) == ()
    finally:
        run("watch", "--stop", "--workspace", str(repo.root))
        for server in calls:
            server.close()
            for process in server._watchers._started.values():
                process.wait(10)
