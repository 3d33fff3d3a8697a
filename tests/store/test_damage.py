"""Every file of a store flipped, cut, emptied, deleted: told, answered around, mended."""

import contextlib
import random
import sqlite3
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from codecompass.engine.engine import Engine
from codecompass.engine.health import health
from codecompass.errors import CodeCompassError, IndexDamaged
from codecompass.source.program import own_command
from tests.conftest import Repo, age

FILES = {
    f"pkg/m{number}.py": f'"""Gives {number} back to whoever asks for a number."""\n\n'
    f"from pkg.m{max(0, number - 1)} import f{max(0, number - 1)}\n"
    f"def f{number}():\n    return f{max(0, number - 1)}() + {number}\n"
    for number in range(30)
}
QUESTIONS: dict[str, Callable[[Engine], object]] = {
    "search": lambda engine: [hit.path for hit in engine.search("return f7").results],
    "meaning": lambda engine: [hit.path for hit in engine.search("hand out numerals").results],
    "expression": lambda engine: [hit.path for hit in engine.search(r"/f1\d\(\)/").results],
    "symbol": lambda engine: [item.path for item in engine.locate("f9").results],
    "outline": lambda engine: [item.name for item in engine.outline("pkg/m3.py").results],
    "refs": lambda engine: [use.path for use in engine.find_references("f5").results],
    "status": lambda engine: engine.status().counts is not None,
}


@pytest.fixture
def indexed(repo: Repo, engine: Engine) -> Repo:
    repo.commit(FILES)
    for path in FILES:
        age(repo.root / path)
    engine.index()
    engine.search("warm up")
    return repo


def ask_all(root: Path) -> dict[str, object]:
    """What each question says; the code of the error where it is refused."""
    said: dict[str, object] = {}
    for name, question in QUESTIONS.items():
        with Engine.open(root) as engine:
            try:
                said[name] = question(engine)
            except CodeCompassError as error:
                said[name] = error.code if error.message and error.remediation else "silent"
    return said


def flip(data: bytearray, dice: random.Random) -> bytes:
    for _ in range(40):
        data[dice.randrange(len(data))] ^= dice.randrange(1, 256)
    return bytes(data)


DAMAGES: dict[str, Callable[[bytearray, random.Random], bytes | None]] = {
    "flipped": flip,
    "cut": lambda data, _dice: bytes(data[: len(data) // 2]),
    "emptied": lambda _data, _dice: b"",
    "deleted": lambda _data, _dice: None,
}


def store_files(engine: Engine) -> list[Path]:
    layout = engine.workspace.layout
    files = [layout.database, *layout.lexical.iterdir(), *layout.vectors.iterdir()]
    return [file for file in files if file.is_file() and file.stat().st_size]


@pytest.mark.parametrize("damage", DAMAGES)
@pytest.mark.timeout(280)
def test_every_file_damaged_in_turn_is_answered_or_refused_and_mended(
    indexed: Repo, damage: str
) -> None:
    with Engine.open(indexed.root) as engine:
        count = len(store_files(engine))
    right = ask_all(indexed.root)
    assert right["search"]
    dice = random.Random(29)  # noqa: S311  # a test's dice
    for number in range(count):
        with Engine.open(indexed.root) as engine:
            file = store_files(engine)[min(number, len(store_files(engine)) - 1)]
        new = DAMAGES[damage](bytearray(file.read_bytes()), dice)
        if new is None:
            file.unlink()
        else:
            file.write_bytes(new)
        said = ask_all(indexed.root)
        for name, answer in said.items():
            is_facts = file.suffix == ".db"  # a value may be another until the next index
            assert (
                is_facts
                or answer == right[name]
                or answer == "index_damaged"
                or (file.suffix == ".i8" and isinstance(answer, list))
            ), (file.name, name, answer)
        with Engine.open(indexed.root) as engine:
            engine.index()
            checks = {check.name: check for check in engine.doctor().checks}
            assert checks["integrity"].ok, (file.name, checks["integrity"].detail)
            assert ask_all(indexed.root) == right, file.name
            engine.index(force=True)


VALUES = {
    "a name": "UPDATE symbols SET name = 'f8' WHERE name = 'f9'",
    "the line of a use": "UPDATE uses SET line = line + 1",
    "a module": "UPDATE imports SET module = 'pkg.m0'",
    "letters of a file": "UPDATE grams SET bits = zeroblob(length(bits))",
    "what names mean": "UPDATE modules SET tables = (SELECT tables FROM modules LIMIT 1)",
    "a content": "UPDATE versions SET line_count = 99 WHERE id = 3",
    "where a use leads": "UPDATE reached SET places = zeroblob(length(places))",
    "a declaration": "UPDATE nodes SET key = 'g' WHERE id = (SELECT MIN(node_id) FROM reached)",
    "an edge": "UPDATE links SET edges = (SELECT edges FROM links LIMIT 1)",
    "a path": "UPDATE listed_files SET path = 'pkg/m99.py' WHERE path = 'pkg/m9.py'",
    "links of a snapshot": "DELETE FROM snapshot_links",
    "times": "UPDATE snapshots SET times = x''",
}


@pytest.mark.parametrize("value", VALUES)
def test_a_value_that_became_another_is_told_and_mended(indexed: Repo, value: str) -> None:
    right = ask_all(indexed.root)
    with Engine.open(indexed.root) as engine:
        path = engine.workspace.layout.database
    with contextlib.closing(sqlite3.connect(path)) as database:
        assert database.execute(VALUES[value]).rowcount > 0
        database.commit()
    with Engine.open(indexed.root) as engine:
        checks = {check.name: check for check in engine.doctor().checks}
        assert not checks["integrity"].ok
        engine.index()
        checks = {check.name: check for check in engine.doctor().checks}
        assert checks["integrity"].ok, checks["integrity"].detail
    assert ask_all(indexed.root) == right


def damage_pages(database: Path) -> None:
    data = bytearray(database.read_bytes())
    for place in range(8_192, len(data), 4_096):  # every page but the first two
        data[place : place + 200] = b"\xff" * 200
    database.write_bytes(bytes(data))
    for beside in ("-wal", "-shm"):
        database.with_name(database.name + beside).unlink(missing_ok=True)


def test_a_damaged_database_is_mended_by_the_next_index(indexed: Repo) -> None:
    right = ask_all(indexed.root)
    with Engine.open(indexed.root) as engine:
        damage_pages(engine.workspace.layout.database)
    assert "index_damaged" in ask_all(indexed.root).values()
    command = own_command("index", "--quiet", "--workspace", str(indexed.root))
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    assert ask_all(indexed.root) == right


@pytest.mark.parametrize(
    "words", [("search", "f1"), ("index", "--force"), ("doctor",), ("status",)]
)
def test_a_garbled_database_ends_no_command_in_a_trace(
    indexed: Repo, words: tuple[str, ...]
) -> None:
    dice = random.Random(7)  # noqa: S311  # a test's dice
    with Engine.open(indexed.root) as engine:
        database = engine.workspace.layout.database
    data = bytearray(database.read_bytes())
    for place in range(100, 4_096):  # the names of the tables, in what is no UTF-8
        if dice.random() < 0.2:
            data[place] = dice.randrange(0x80, 0xC0)
    database.write_bytes(bytes(data))
    command = own_command(*words, "--workspace", str(indexed.root))
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert "Traceback" not in done.stderr
    assert done.returncode in {0, 1, 3}
    if words[0] == "index":
        assert done.returncode == 0
        assert ask_all(indexed.root)["search"]


def test_a_broken_index_is_not_called_healthy(indexed: Repo) -> None:
    with Engine.open(indexed.root) as engine:
        engine.workspace.layout.database.write_bytes(b"this is no database" * 500)
    with Engine.open(indexed.root) as engine:
        found = health(engine)
        assert (found.status, found.workspaces[0].status) == ("error", "error")
        status = engine.status()
        assert status.schema_version is None
        advice = own_command("status", "--workspace", str(indexed.root))
        said = subprocess.run(advice, capture_output=True, text=True, check=False).stdout
        assert "next       codecompass index\n" in said
        engine.index()  # what was advised
        assert health(engine).status == "ready"


def test_status_tells_the_schema_of_the_store(indexed: Repo) -> None:
    import sqlite3

    with Engine.open(indexed.root) as engine:
        database = engine.workspace.layout.database
    with sqlite3.connect(database) as connection:
        connection.execute("UPDATE meta SET value = '99' WHERE key = 'schema_version'")
    connection.close()
    with Engine.open(indexed.root) as engine:
        assert engine.status().schema_version == 99
        assert health(engine).status == "error"
    said = subprocess.run(
        own_command("status", "--workspace", str(indexed.root)),
        capture_output=True,
        text=True,
        check=False,
    ).stdout
    assert "schema 99, reindex_required" in said
    assert "next       codecompass index --force" in said


def test_every_seventh_byte_of_the_vectors_flipped_is_seen_and_mended(indexed: Repo) -> None:
    with Engine.open(indexed.root) as engine:
        (file,) = engine.workspace.layout.vectors.glob("*.i8")
    data = bytearray(file.read_bytes())
    for place in range(0, len(data), 7):
        data[place] ^= 0xFF
    file.write_bytes(bytes(data))
    with Engine.open(indexed.root) as engine:
        check = next(item for item in engine.doctor().checks if item.name == "integrity")
        assert not check.ok
        assert check.detail == f"vectors: {file.name.rpartition('-')[0]}, of 30 files"
        assert engine.index().counts.extracted == 0
        assert next(i for i in engine.doctor().checks if i.name == "integrity").ok


def test_a_mark_of_damage_goes_when_all_is_well(indexed: Repo) -> None:
    """Or each later run of a large index would read all of it."""
    with Engine.open(indexed.root) as engine:
        mark = engine.workspace.layout.folder / "damaged"
        engine._store.note_damage()
        assert mark.exists()
        engine.index()
        assert not mark.exists()


def test_only_the_vectors_that_are_damaged_are_made_anew(
    indexed: Repo, monkeypatch: pytest.MonkeyPatch
) -> None:
    from codecompass.indexing.parsers import Parsers

    with Engine.open(indexed.root) as engine:
        (file,) = engine.workspace.layout.vectors.glob("*.i8")
        before = engine.search("hand out numerals").results
    with file.open("r+b") as out:
        out.truncate(file.stat().st_size - 300)
    made: list[str] = []
    original = Parsers.texts

    def texts(self: Parsers, root: Path, items: list[object], settings: object) -> object:
        made.extend(item.path for item in items)  # type: ignore[attr-defined]
        return original(self, root, items, settings)  # type: ignore[arg-type]

    monkeypatch.setattr(Parsers, "texts", texts)
    with Engine.open(indexed.root) as engine:
        engine.index()
        assert 0 < len(made) < 5
        assert engine.search("hand out numerals").results == before


def test_a_forced_index_that_is_killed_leaves_the_old_one(indexed: Repo) -> None:
    right = ask_all(indexed.root)
    with Engine.open(indexed.root) as engine:

        def stop(stage: str, done: int, total: int) -> None:
            if stage == "link":
                raise KeyboardInterrupt

        with pytest.raises(KeyboardInterrupt):
            engine.index(force=True, progress=stop)
        assert engine.locate("f9").total == 1
    assert ask_all(indexed.root) == right


def test_questions_are_answered_while_a_forced_index_is_made(indexed: Repo) -> None:
    right = ask_all(indexed.root)
    seen: list[object] = []

    def look(stage: str, done: int, total: int) -> None:
        if stage in {"extract", "link"} and not seen:
            with Engine.open(indexed.root, {"freshness.policy": "best_effort"}) as other:
                seen.append([item.path for item in other.locate("f9").results])

    with Engine.open(indexed.root) as engine:
        engine.index(force=True, progress=look)
    assert seen == [right["symbol"]]
    assert ask_all(indexed.root) == right


def test_what_needs_no_text_is_answered_without_the_text_index(indexed: Repo) -> None:
    with Engine.open(indexed.root) as engine:
        for file in engine.workspace.layout.lexical.glob("*.term"):
            file.unlink()
    with Engine.open(indexed.root) as engine:
        assert engine.locate("f9").total == 1
        assert engine.outline("pkg/m3.py").results
        assert engine.find_references("f5").results
        with pytest.raises(IndexDamaged):
            engine.search("return f7")
        engine.index()
        assert engine.search("return f7").results
