"""What is kept of a snapshot in memory is the same, however it came about."""

from hypothesis import given
from hypothesis import strategies as st

from codecompass.engine.engine import Engine
from codecompass.model.snapshot import VersionId
from codecompass.store.analyzers import shared_analyzer
from codecompass.store.catalog import Catalog, CatalogFile
from tests.conftest import Repo

PATHS = ("a.py", "b/a.py", "b/c.py", "b.py", "z/y/x.py")
CONTENTS = st.integers(1, 4).map(VersionId)  # few: the same content stands at several paths


def catalog(contents: dict[str, VersionId]) -> Catalog:
    files = [CatalogFile(path, version, "python") for path, version in contents.items()]
    return Catalog(files, shared_analyzer())


@given(
    st.fixed_dictionaries(dict.fromkeys(PATHS, CONTENTS)),
    st.lists(st.dictionaries(st.sampled_from(PATHS), CONTENTS), max_size=4),
)
def test_an_updated_catalog_is_like_one_made_anew(
    contents: dict[str, VersionId], changes: list[dict[str, VersionId]]
) -> None:
    updated = catalog(contents)
    for change in changes:
        assert updated.by_path
        assert updated.words.called("c") == [3]
        contents = {**contents, **change}
        updated = updated.updated(CatalogFile(p, v, "python") for p, v in change.items())
    fresh = catalog(contents)
    assert updated.files == fresh.files
    assert updated.paths == fresh.paths
    assert updated.versions == fresh.versions
    assert updated.by_version == fresh.by_version
    assert updated.by_path == fresh.by_path
    assert updated.words.stems == fresh.words.stems


def test_what_came_went_or_is_of_another_language_is_seen_at_once(repo: Repo) -> None:
    repo.write({"a.py": "def one(): ...\n", "b": "def two(): ...\n", "c.py": "x = 1\n"})
    with Engine.open(repo.root) as engine:
        assert engine.locate("two").total == 0
        repo.write({"a.py": "def uno(): ...\n"})
        assert [engine.locate(name).total for name in ("one", "uno")] == [0, 1]
        repo.write({"b": "#!/usr/bin/env python3\ndef two(): ...\n"})
        assert engine.locate("two").results[0].language == "python"
        repo.write({"d.py": "def three(): ...\n"})
        (repo.root / "c.py").unlink()
        assert engine.locate("three").total == 1
        assert {item.path for item in engine.outline(".").results} == {"a.py", "b", "d.py"}


def test_words_of_folders_whatever_their_depth() -> None:
    deep = "/".join(["deepFolder"] * 2_000)
    found = catalog(dict.fromkeys(["src/httpServer/a.py", f"{deep}/b.py"], VersionId(1))).words
    assert found.folders[1] == ("src", "http", "server")
    assert found.folders[0] == ("deep", "folder") * 2_000
    assert list(found.with_folder("server")) == [1]


def test_a_file_that_stands_for_its_folder_is_called_like_it() -> None:
    paths = [
        "index.js",
        "src/indexes/page.js",
        "src/userRoutes/index.js",
        "src/userRoutes/main.js",
    ]
    found = catalog(dict.fromkeys(paths, VersionId(1))).words
    assert found.stems == [("index",), ("page",), ("user", "rout", "index"), ("main",)]
    assert list(found.with_stem("rout")) == [2]
