"""Vectors in the store: of one snapshot, made once for each content, whole or not at all."""

import socket
from pathlib import Path

import pytest

from codecompass.engine.engine import Engine
from codecompass.model.query import GraphOptions, SymbolFilters
from codecompass.model.search import SearchMode, SearchOptions
from tests.conftest import Repo, age

MEANT = SearchOptions(SearchMode.SEMANTIC)
FILES = {
    "auth.py": "def authenticate(user, password):\n    return verify_password(user, password)\n",
    "shapes.py": "def polygon_area(points):\n    return abs(sum(cross(points)))\n",
    "files.py": "def remove_tree(path):\n    for item in path.iterdir():\n        item.unlink()\n",
}


def _paths(engine: Engine, query: str, **given: object) -> list[str]:
    return [item.path for item in engine.search(query, options=MEANT, **given).results]  # type: ignore[arg-type]


def _settle(repo: Repo) -> None:
    """Commit files that nobody has just written, so that a question does not look again."""
    repo.commit(FILES)
    for path in FILES:
        age(repo.root / path)


def _file(home: Path) -> Path:
    (found,) = home.rglob("*.i8")
    return found


def test_other_words_find_what_is_meant(repo: Repo, engine: Engine) -> None:
    repo.commit(FILES)
    assert _paths(engine, "login credentials check")[0] == "auth.py"
    assert _paths(engine, "delete directory recursively")[0] == "files.py"


def test_hybrid_asks_the_model_and_says_so(repo: Repo, engine: Engine) -> None:
    repo.commit(FILES)
    answer = engine.search("delete directory recursively")
    assert answer.results[0].path == "files.py"
    assert answer.meta.semantic_triggered
    assert answer.meta.semantic_ratio_used == 1.0


def test_a_file_found_by_its_path_shows_the_chunk_that_is_meant(repo: Repo) -> None:
    repo.commit(FILES)
    repo.commit({
        "people.py": "def polygon(points): ...\n\ndef verify_password(given):\n"
        "    return authenticate(given)\n\ndef unlink(item): ...\n",
    })  # fmt: skip
    with Engine.open(repo.root, {"search.alike_candidates": 1}) as engine:
        found = engine.search("people login credentials check").results
    assert ("people.py", "verify_password") in [(item.path, item.name) for item in found]


def test_a_sure_name_is_found_without_the_model(repo: Repo, engine: Engine) -> None:
    repo.commit(FILES)
    answer = engine.search("remove_tree")
    assert answer.results[0].path == "files.py"
    assert answer.meta.semantic_skipped_reason == "lexical_match"


def test_the_explanation_shows_the_semantic_part(repo: Repo, engine: Engine) -> None:
    repo.commit(FILES)
    answer = engine.explain("delete directory recursively", "files.py:1")
    assert {"meaning", "file_meaning"} <= answer.factors.keys()


def test_docs_of_a_few_words_do_not_speak_for_a_file(repo: Repo, engine: Engine) -> None:
    said = "Remove a folder with everything that is in it, deepest files first."
    repo.commit({
        "long.py": f'def gone(path):\n    """{said}"""\n',
        "short.py": 'def away(path):\n    """Remove a folder."""\n',
    })  # fmt: skip
    long, short = (
        engine.explain("remove a folder", f"{path}:1") for path in ("long.py", "short.py")
    )
    assert "docs_meaning" in long.factors
    assert "docs_meaning" not in short.factors
    assert short.factors["file_meaning"] > 0


def test_off_means_no_model_and_no_vectors(repo: Repo, home: Path) -> None:
    repo.commit(FILES)
    with Engine.open(repo.root, flags={"semantic.mode": "off"}) as engine:
        answer = engine.search("polygon area of points")
        assert answer.results[0].path == "shapes.py"
        assert answer.meta.semantic_skipped_reason == "off"
    assert list(home.rglob("*.i8")) == []


def test_rerank_only_judges_but_finds_nothing(repo: Repo) -> None:
    repo.commit(FILES)
    with Engine.open(repo.root, flags={"semantic.mode": "rerank_only"}) as engine:
        assert engine.search("erase the folder").results == ()
        answer = engine.search("erase the folder at a path")
        assert answer.meta.semantic_triggered
        assert [item.path for item in answer.results] == ["files.py"]


def test_switched_on_later_it_is_filled_by_the_next_run(repo: Repo) -> None:
    _settle(repo)
    with Engine.open(repo.root, flags={"semantic.mode": "off"}) as engine:
        engine.index()
    with Engine.open(repo.root) as engine:
        before = engine.search("delete directory recursively")
        assert before.meta.semantic_skipped_reason.startswith("no_vectors")
        engine.index()
        assert _paths(engine, "delete directory recursively")[0] == "files.py"


def test_each_snapshot_sees_its_own_chunks(repo: Repo, engine: Engine) -> None:
    repo.commit(FILES)
    repo.git("checkout", "--quiet", "-b", "feat")
    repo.commit({"mail.py": "def send_mail(receiver, subject):\n    smtp.deliver(receiver)\n"})
    assert _paths(engine, "deliver an email message", ref="feat")[0] == "mail.py"
    assert "mail.py" not in _paths(engine, "deliver an email message", ref="main")
    repo.git("checkout", "--quiet", "main")
    assert "mail.py" not in _paths(engine, "deliver an email message")


def test_a_saved_file_is_in_the_next_answer(repo: Repo, engine: Engine) -> None:
    repo.commit(FILES)
    assert _paths(engine, "deliver an email message")[:1] != ["mail.py"]
    repo.write({"mail.py": "def send_mail(receiver, subject):\n    smtp.deliver(receiver)\n"})
    assert _paths(engine, "deliver an email message")[0] == "mail.py"
    (repo.root / "mail.py").unlink()
    assert "mail.py" not in _paths(engine, "deliver an email message")


def test_the_same_answer_as_from_a_fresh_index(repo: Repo, tmp_path: Path) -> None:
    repo.commit({**FILES, "old.py": "def forgotten(value):\n    return value\n"})
    with Engine.open(repo.root) as engine:
        engine.index()
        repo.git("rm", "--quiet", "old.py")
        repo.commit({"mail.py": "def send_mail(receiver):\n    smtp.deliver(receiver)\n"})
        one = engine.search("send something to a user", options=MEANT).results
    fresh = {"store.home": str(tmp_path / "other")}
    with Engine.open(repo.root, flags=fresh) as engine:
        two = engine.search("send something to a user", options=MEANT).results
    assert [(item.handle, item.score) for item in one] == [(i.handle, i.score) for i in two]


def test_filters_hold_for_meaning_too(repo: Repo, engine: Engine) -> None:
    repo.commit({**FILES, "tests/test_files.py": "def test_remove_tree():\n    remove_tree()\n"})
    only = SymbolFilters(path_prefix="tests/")
    assert set(_paths(engine, "remove a folder", filters=only)) == {"tests/test_files.py"}
    classes = SymbolFilters(kind=("class",))
    assert _paths(engine, "remove a folder", filters=classes) == []


@pytest.mark.parametrize("damage", ["truncated", "gone"])
def test_a_damaged_file_is_seen_said_and_repaired(repo: Repo, home: Path, damage: str) -> None:
    _settle(repo)
    with Engine.open(repo.root) as engine:
        engine.index()
    file = _file(home)
    if damage == "gone":
        file.unlink()
    else:
        file.write_bytes(file.read_bytes()[:100])
    with Engine.open(repo.root) as engine:
        answer = engine.search("remove a tree recursively")
        assert answer.results[0].path == "files.py"
        assert answer.meta.semantic_skipped_reason.startswith("no_vectors")
        engine.index()
        assert _paths(engine, "delete directory recursively")[0] == "files.py"


def test_garbage_is_written_away(repo: Repo, home: Path) -> None:
    with Engine.open(repo.root) as engine:
        for number in range(5):
            repo.commit({"only.py": f"def name_{number}(value):\n    return value + {number}\n"})
            engine.index()
        before = _file(home).stat().st_size
        engine.gc()
        assert _file(home).stat().st_size < before
        assert _paths(engine, "name of a value") == ["only.py"]


def test_code_like_a_snippet_is_found(repo: Repo, engine: Engine) -> None:
    repo.commit(FILES)
    snippet = "for item in folder.glob('*'):\n    item.unlink()\n"
    options = SearchOptions(SearchMode.SIMILAR, code_snippet=snippet)
    answer = engine.search("", options=options)
    assert answer.results[0].path == "files.py"


@pytest.mark.parametrize(
    "first", ["symbol = None", "/item/", '"item"', "lang:none", "class:Item", "usages:item"]
)
def test_a_snippet_is_code_and_no_query(repo: Repo, engine: Engine, first: str) -> None:
    repo.commit(FILES)
    snippet = f"{first}\nfor item in path.iterdir():\n    item.unlink()\n"
    answer = engine.search("", options=SearchOptions(SearchMode.SIMILAR, code_snippet=snippet))
    assert answer.mode == "similar"
    assert answer.results[0].path == "files.py"


def test_definitions_like_a_symbol_are_found_without_itself(repo: Repo, engine: Engine) -> None:
    twin = "def remove_folder(path):\n    for item in path.iterdir():\n        item.unlink()\n"
    repo.commit({**FILES, "more.py": twin})
    answer = engine.similar("remove_tree", options=GraphOptions(limit=2))
    assert [item.path for item in answer.results] == ["more.py"]
    assert answer.meta.result_completeness == "complete"


def test_neighbours_in_one_file_may_all_be_alike(repo: Repo, engine: Engine) -> None:
    kinds = ("json", "yaml", "xml", "toml")
    text = "\n\n".join(
        f"def bind_{kind}(request, target):\n    return decode(request.body, target, {kind})"
        for kind in kinds
    )
    repo.commit({**FILES, "binding.py": text + "\n"})
    answer = engine.similar("bind_json", options=GraphOptions(limit=3))
    assert {item.name for item in answer.results} == {"bind_yaml", "bind_xml", "bind_toml"}


def test_nothing_leaves_the_machine_by_default(
    repo: Repo, engine: Engine, monkeypatch: pytest.MonkeyPatch
) -> None:
    def forbidden(*_: object) -> None:
        raise AssertionError("a connection was opened")

    monkeypatch.setattr(socket.socket, "connect", forbidden)
    monkeypatch.setattr(socket.socket, "connect_ex", forbidden)
    monkeypatch.setattr(socket, "getaddrinfo", forbidden)
    repo.commit(FILES)
    engine.index()
    for mode in (SearchMode.HYBRID, SearchMode.SEMANTIC, SearchMode.DEFINITION):
        assert engine.search("remove tree", options=SearchOptions(mode)).results
    assert engine.similar("remove_tree").meta.semantic_triggered
    assert engine.context("delete directory recursively").snapshots
