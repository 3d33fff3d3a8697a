"""An index can be taken elsewhere, and an archive that was changed is refused."""

import io
import json
import os
import shutil
import sqlite3
import tarfile
from collections.abc import Callable
from pathlib import Path

import pytest

from codecompass.engine.engine import Engine, inspect_state
from codecompass.errors import ArchiveRefused, BadInput, IndexMissing
from codecompass.present.upkeep_text import render_state
from codecompass.store.schema import SCHEMA_VERSION
from tests.conftest import Repo
from tests.daemon.conftest import run

FILES = {f"pkg/m{number}.py": f"def f{number}(): return {number}\n" for number in range(30)}


@pytest.fixture
def archive(repo: Repo, engine: Engine, tmp_path: Path) -> Path:
    repo.commit({**FILES, "big.bin": b"\0" * 2_000})
    repo.git("branch", "other")
    engine.index()
    engine.search("f1", ref="other")
    engine.switch_ref("other")
    target = tmp_path / "index.tar.gz"
    answer = engine.export_state(target)
    assert answer.manifest.files == 30
    assert str(repo.root) not in target.read_bytes().decode("latin-1")
    return target


def copied(repo: Repo, tmp_path: Path) -> Engine:
    """The repository at another path, as on another machine."""
    other = tmp_path / "elsewhere" / "clone"
    other.parent.mkdir(exist_ok=True)
    repo.git("clone", "--quiet", str(repo.root), str(other))
    flags = {"store.home": str(tmp_path / "other home")}
    return Engine.open(other, flags)


def test_only_the_difference_is_read(repo: Repo, archive: Path, tmp_path: Path) -> None:
    with copied(repo, tmp_path) as engine:
        root = engine.workspace.root
        (root / "pkg/m3.py").write_text("def changed(): ...\n")
        (root / "pkg/m4.py").unlink()
        answer = engine.import_state(archive)
        assert answer.workspace == str(root)
        assert answer.note is None
        found = engine.index()
        assert found.counts.extracted == 1
        assert found.counts.deleted == 1
        assert [item.path for item in engine.locate("changed").results] == ["pkg/m3.py"]
        assert engine.locate("f3").total == engine.locate("f4").total == 0
        assert engine.locate("f5").total == 1
        assert engine.search("f7").results[0].path == "pkg/m7.py"
        assert engine.search("returns a number", ref="origin/other").meta.result_completeness
        assert engine.doctor().checks


def test_an_index_is_replaced_only_on_request(
    repo: Repo, engine: Engine, archive: Path, tmp_path: Path
) -> None:
    with copied(repo, tmp_path) as other:
        (other.workspace.root / "pkg/own.py").write_text("def own(): ...\n")
        other.index()
        with pytest.raises(BadInput, match="has an index already"):
            other.import_state(archive)
        assert other.locate("own").total == 1
        other.import_state(archive, force=True, sha256=inspect_state(archive).sha256)
        assert other.locate("own").total == 1  # of the working tree: read again
        assert other.locate("f1").total == 1


def test_the_archive_of_another_repository_is_told(archive: Path, tmp_path: Path) -> None:
    stranger = Repo(tmp_path / "stranger")
    stranger.commit({"own.py": "def own(): ...\n"})
    with Engine.open(stranger.root, {"store.home": str(tmp_path / "other home")}) as other:
        answer = other.import_state(archive)
        assert answer.note is not None
        assert "not in this repository" in answer.note
        assert answer.note in render_state(answer)
        assert other.locate("own").total == 1
        assert other.locate("f1").total == 0


def test_where_history_was_cut_off_no_commit_tells_a_stranger(
    repo: Repo, archive: Path, tmp_path: Path
) -> None:
    repo.commit({"later.py": "def later(): ...\n"})
    shallow = tmp_path / "shallow"
    repo.git("clone", "--quiet", "--depth=1", f"file://{repo.root}", str(shallow))
    with Engine.open(shallow, {"store.home": str(tmp_path / "other home")}) as engine:
        assert engine.import_state(archive).note is None


def test_what_was_not_indexed_cannot_be_exported(engine: Engine, tmp_path: Path) -> None:
    with pytest.raises(IndexMissing):
        engine.export_state(tmp_path / "x.tar.gz")
    assert not list(tmp_path.glob("*x.tar.gz*"))


def test_where_it_cannot_be_written(repo: Repo, engine: Engine, tmp_path: Path) -> None:
    repo.commit(FILES)
    engine.index()
    with pytest.raises(BadInput, match=r"No such file|Not a directory"):
        engine.export_state(repo.root / "pkg/m1.py" / "x.tar.gz")
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    for target in (tmp_path, pipe):  # a device would be replaced by a file
        with pytest.raises(BadInput, match="no file"):
            engine.export_state(target)
    assert pipe.is_fifo()


Parts = dict[str, bytes]


def rewritten(archive: Path, change: Callable[[Parts, dict[str, object]], None]) -> Path:
    """The archive with other parts, and a manifest that was changed with them or not."""
    with tarfile.open(archive) as source:
        parts = {member.name: source.extractfile(member).read() for member in source}  # type: ignore[union-attr]
    manifest = json.loads(parts.pop("manifest.json"))
    change(parts, manifest)
    target = archive.with_name("changed.tar.gz")
    with tarfile.open(target, "w:gz") as out:
        for name, data in {"manifest.json": json.dumps(manifest).encode(), **parts}.items():
            member = tarfile.TarInfo(name)
            member.size = len(data)
            out.addfile(member, io.BytesIO(data))
    return target


def _flip(parts: Parts, manifest: dict[str, object]) -> None:
    data = bytearray(parts["facts.db"])
    data[5_000] ^= 1
    parts["facts.db"] = bytes(data)


def _shorten(parts: Parts, manifest: dict[str, object]) -> None:
    parts["facts.db"] = parts["facts.db"][:-100]


def _leave_out(parts: Parts, manifest: dict[str, object]) -> None:
    del parts[next(name for name in parts if name.startswith("lexical/"))]


def _add(parts: Parts, manifest: dict[str, object]) -> None:
    parts["../../outside"] = b"x"


def _describe(parts: Parts, manifest: dict[str, object], name: str) -> None:
    import hashlib

    described = {"size_bytes": len(parts[name]), "sha256": hashlib.sha256(parts[name]).hexdigest()}
    manifest["parts"][name] = described  # type: ignore[index]


def _climb_out(parts: Parts, manifest: dict[str, object]) -> None:
    parts["lexical/../../../x"] = b"x"
    _describe(parts, manifest, "lexical/../../../x")


def _other_schema(parts: Parts, manifest: dict[str, object]) -> None:
    manifest["schema_version"] = SCHEMA_VERSION + 1


def _other_format(parts: Parts, manifest: dict[str, object]) -> None:
    manifest["format"] = 99


def _no_commit(parts: Parts, manifest: dict[str, object]) -> None:
    manifest["head"] = "x\nHEAD"


def _with_trigger(parts: Parts, manifest: dict[str, object]) -> None:
    sql = "CREATE TRIGGER bad AFTER INSERT ON jobs BEGIN DELETE FROM versions; END"
    _changed_facts(parts, manifest, sql)


def _changed_facts(parts: Parts, manifest: dict[str, object], sql: str) -> None:
    database = sqlite3.connect(":memory:")
    database.deserialize(parts["facts.db"])
    database.execute(sql)
    database.commit()
    parts["facts.db"] = database.serialize()
    database.close()
    _describe(parts, manifest, "facts.db")


def _foreign_vectors(parts: Parts, manifest: dict[str, object]) -> None:
    sql = "UPDATE vector_files SET file = '/tmp/victim.txt', row_count = 0"
    _changed_facts(parts, manifest, sql)


def _foreign_path(parts: Parts, manifest: dict[str, object]) -> None:
    sql = "UPDATE listed_files SET path = '../../outside.py' WHERE path = 'pkg/m3.py'"
    _changed_facts(parts, manifest, sql)


@pytest.mark.parametrize(
    "change",
    [
        _foreign_vectors,
        _foreign_path,
        _flip,
        _shorten,
        _leave_out,
        _add,
        _climb_out,
        _other_schema,
        _other_format,
        _no_commit,
        _with_trigger,
    ],
)
def test_a_changed_archive_is_refused_and_changes_nothing(
    repo: Repo, archive: Path, tmp_path: Path, change: Callable[[Parts, dict[str, object]], None]
) -> None:
    bad = rewritten(archive, change)
    with copied(repo, tmp_path) as engine:
        (engine.workspace.root / "own.py").write_text("def own(): ...\n")
        engine.index()
        with pytest.raises(ArchiveRefused):
            engine.import_state(bad, force=True)
        if change in (_flip, _shorten, _leave_out, _add, _climb_out, _other_format):
            with pytest.raises(ArchiveRefused):
                inspect_state(bad)
        assert engine.locate("own").total == 1
        assert not (engine.workspace.layout.folder / "importing").exists()
    assert not (tmp_path / "x").exists()


def test_no_file_of_the_current_folder_has_a_say(
    repo: Repo, archive: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What an archive may hold is compared with a database of ours, never with one found there."""
    bad = rewritten(archive, _with_trigger)
    with tarfile.open(bad) as parts:
        facts = parts.extractfile("facts.db")
        assert facts
        data = facts.read()
    with copied(repo, tmp_path) as engine:
        root = engine.workspace.root
        monkeypatch.chdir(root)
        before = sorted(root.rglob("*"))
        engine.import_state(archive)
        assert sorted(root.rglob("*")) == before
        for name in (":memory:", "facts.db"):
            (root / name).write_bytes(data)
        with pytest.raises(ArchiveRefused, match="holds what ours does not"):
            engine.import_state(bad, force=True)


def test_files_that_are_no_archive(engine: Engine, tmp_path: Path, archive: Path) -> None:
    broken = tmp_path / "broken"
    with pytest.raises(ArchiveRefused, match=r"[nN]o such file"):
        inspect_state(broken)
    for data in (b"", b"no archive", archive.read_bytes()[:3_000]):
        broken.write_bytes(data)
        with pytest.raises(ArchiveRefused):
            engine.import_state(broken, force=True)
    with pytest.raises(ArchiveRefused, match="checksum"):
        engine.import_state(archive, force=True, sha256="0" * 64)
    with pytest.raises(ArchiveRefused):
        inspect_state(tmp_path)


def test_text_left_behind_by_a_killed_import_is_not_met(
    repo: Repo, engine: Engine, archive: Path
) -> None:
    folder = engine.workspace.layout.folder
    (folder / "facts.db").unlink()  # the facts come last
    repo.write({"pkg/m0.py": "def another_text_altogether(): ...\n"})
    engine.index(ref="live")
    assert engine.search("return 29", ref="live").results[0].path == "pkg/m29.py"
    shutil.rmtree(folder)


def test_commands(repo: Repo, tmp_path: Path) -> None:
    repo.commit(FILES)
    root, target = str(repo.root), str(tmp_path / "index.tar.gz")
    assert run("state", "export", target, "--workspace", root).returncode == 3
    assert run("index", "--workspace", root).returncode == 0
    done = run("state", "export", target, "--workspace", root)
    assert done.returncode == 0, done.stderr
    assert "30 file versions" in done.stdout
    done = run("state", "inspect", target, "--json")
    assert json.loads(done.stdout)["manifest"]["schema_version"] == SCHEMA_VERSION
    assert run("state", "import", target, "--workspace", root).returncode == 2
    assert run("state", "import", target, "--force", "--workspace", root).returncode == 0
    assert "nothing to do" in run("migrate-index", "--workspace", root).stdout
    done = run("symbol", "f9", "--workspace", root)
    assert "pkg/m9.py" in done.stdout


def test_an_index_of_another_version_is_built_anew(repo: Repo, engine: Engine) -> None:
    repo.commit(FILES)
    repo.git("branch", "other")
    engine.index()
    engine.switch_ref("other")
    engine._store.close()
    database = sqlite3.connect(engine.workspace.layout.database)
    database.execute("UPDATE meta SET value = '1' WHERE key = 'schema_version'")
    database.commit()
    database.close()
    answer = engine.migrate()
    assert answer is not None
    assert engine.locate("f1", ref="live").total == 1
    assert engine.migrate() is None
