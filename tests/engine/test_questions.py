"""Outline, lookup, status and doctor over a real index."""

from pathlib import Path

import pytest

from codecompass import Engine
from codecompass.errors import BadInput, FileNotIndexed, PathOutside
from codecompass.model.answer import FolderAnswer
from codecompass.model.query import DetailLevel, OutlineDepth, SymbolFilters
from tests.conftest import Repo

FILES = {
    "src/auth/token.ts": (
        "export class TokenService {\n"
        "  validate(token: string): boolean {\n"
        "    return check(token);\n"
        "  }\n"
        "}\n"
        "export function validate() {}\n"
    ),
    "src/other.py": (
        '"""Module."""\n'
        "class TokenService:\n"
        '    """Checks tokens."""\n'
        "    def validate(self, token): return token\n"
        "    class Inner:\n"
        "        def validate(self): ...\n"
        'API_KEY = "sk-abcdefghijklmnopqrstuvwxyz123456"\n'
    ),
    "pkg/server.go": "package pkg\n\nfunc (s *Server) Run() {}\n",
    "README.md": "# Title\n\ntext\n",
}


@pytest.fixture
def indexed(repo: Repo, engine: Engine) -> Engine:
    repo.commit(FILES)
    engine.index()
    return engine


def places(engine: Engine, name: str, **filters: object) -> list[str]:
    found = engine.locate(name, filters=SymbolFilters(**filters))  # type: ignore[arg-type]
    return [f"{item.path}:{item.start_line}" for item in found.results]


@pytest.mark.parametrize(
    ("query", "found"),
    [
        ("Server > Run", ["pkg/server.go:3"]),
        ("TokenService", ["src/auth/token.ts:1", "src/other.py:2"]),
        (
            "validate",
            ["src/auth/token.ts:2", "src/auth/token.ts:6", "src/other.py:4", "src/other.py:6"],
        ),
        ("TokenService > validate", ["src/auth/token.ts:2", "src/other.py:4"]),
        ("TokenService > Inner > validate", ["src/other.py:6"]),
        ("Inner > validate", ["src/other.py:6"]),
        ("symbol = Inner > validate", ["src/other.py:6"]),
        ("src/auth/token.ts > TokenService > validate", ["src/auth/token.ts:2"]),
        ("token.ts > validate", ["src/auth/token.ts:2", "src/auth/token.ts:6"]),
        ("Inner.validate", ["src/other.py:6"]),
        ("TokenService::validate", ["src/auth/token.ts:2", "src/other.py:4"]),
        ("Validate", []),
        ("valid", []),
        ("Other > validate", []),
        ("TokenService.Inner > validate", ["src/other.py:6"]),
        ("src/none.ts > validate", []),
    ],
)
def test_lookup(indexed: Engine, query: str, found: list[str]) -> None:
    assert places(indexed, query) == found


def test_a_handle_finds_its_symbol_and_no_other(indexed: Engine) -> None:
    for item in indexed.locate("validate").results:
        found = indexed.locate(item.handle).results
        assert [(hit.path, hit.start_line) for hit in found] == [(item.path, item.start_line)]


def test_an_absent_name_gives_suggestions_and_what_was_searched(indexed: Engine) -> None:
    answer = indexed.locate("TokenServices")
    assert answer.results == ()
    assert answer.suggestions == ("TokenService",)
    elsewhere = indexed.locate("src/none.ts > TokenService > Inner").suggestions
    assert elsewhere == ("src/other.py > TokenService > Inner",)
    assert answer.meta.searched_files == 4
    assert answer.meta.searched_symbols == 10


def test_filters_narrow_and_never_widen(indexed: Engine) -> None:
    assert places(indexed, "validate", kind=("function",)) == ["src/auth/token.ts:6"]
    assert places(indexed, "validate", language=("python",), path_prefix="src/auth") == []
    assert places(indexed, "validate", path_glob="*.ts", path_contains=("auth",)) == [
        "src/auth/token.ts:2",
        "src/auth/token.ts:6",
    ]
    assert places(indexed, "TokenService", path_not_contains=("auth",)) == ["src/other.py:2"]
    assert places(indexed, "TokenService", paths=("src/other.py",)) == ["src/other.py:2"]


def test_filters_that_exclude_everything_say_so(indexed: Engine) -> None:
    answer = indexed.locate("validate", filters=SymbolFilters(path_prefix="none/"))
    assert (answer.total, answer.filtered_out, answer.suggestions) == (0, 4, ())


@pytest.mark.parametrize("name", [" > ", "A > ", "> A", "A >  > B", "x" * 5000, "\ud800"])
def test_names_that_are_none_are_refused(indexed: Engine, name: str) -> None:
    with pytest.raises(BadInput, match="name: given"):
        indexed.locate(name)


def test_an_absolute_path_may_begin_a_symbol_path(repo: Repo, indexed: Engine) -> None:
    assert places(indexed, f"{repo.root}/src/other.py > Inner") == ["src/other.py:5"]


def test_an_ignored_file_is_named_with_its_rule(repo: Repo, indexed: Engine) -> None:
    repo.write({"app.min.js": "x", ".gitignore": "out/\n", "out/gen.py": ""})
    with pytest.raises(FileNotIndexed, match=r"the rule \*\.min\.js"):
        indexed.outline("app.min.js")
    with pytest.raises(FileNotIndexed, match=r"the rule out/ \(\.gitignore:1\)"):
        indexed.outline("out/gen.py")


def test_a_preview_never_shows_another_file(repo: Repo, indexed: Engine, tmp_path: Path) -> None:
    (tmp_path / "outside.py").write_text("class TokenService: SECRET\n")
    (repo.root / "src/other.py").unlink()
    (repo.root / "src/other.py").symlink_to(tmp_path / "outside.py")
    with Engine.open(repo.root, {"freshness.policy": "best_effort"}) as lazy:
        for item in lazy.locate("TokenService", detail_level=DetailLevel.CONTEXT).results:
            assert "SECRET" not in str(item.body_preview)


def test_detail_levels(indexed: Engine) -> None:
    bare = indexed.locate("TokenService", detail_level=DetailLevel.LOCATION).results[0]
    assert bare.signature is None
    deep = indexed.locate("TokenService", detail_level=DetailLevel.CONTEXT).results[1]
    assert deep.doc == '"""Checks tokens."""'
    assert deep.body_preview is not None
    assert "def validate" in deep.body_preview


def test_secrets_are_masked(indexed: Engine) -> None:
    found = indexed.locate("API_KEY", detail_level=DetailLevel.CONTEXT).results[0]
    assert "abcdefghijkl" not in f"{found.signature}{found.body_preview}"
    assert "masked" in str(found.signature)


def test_outline(indexed: Engine) -> None:
    answer = indexed.outline("src/other.py")
    assert [(item.name, item.depth) for item in answer.results] == [
        ("TokenService", 0),
        ("validate", 1),
        ("Inner", 1),
        ("validate", 2),
        ("API_KEY", 0),
    ]
    assert (answer.language, answer.line_count) == ("python", 7)
    top = indexed.outline("src/other.py", depth=OutlineDepth.TOP)
    assert [item.name for item in top.results] == ["TokenService", "API_KEY"]


def test_outline_errors_say_what_to_do(indexed: Engine) -> None:
    with pytest.raises(FileNotIndexed):
        indexed.outline("src/nothing")
    with pytest.raises(FileNotIndexed) as caught:
        indexed.outline("token.ts")
    assert "src/auth/token.ts" in caught.value.remediation
    with pytest.raises(PathOutside):
        indexed.outline("../secret.py")
    with pytest.raises(BadInput, match="empty"):
        indexed.locate("  ")


def test_an_edit_is_visible_in_the_next_answer(repo: Repo, indexed: Engine) -> None:
    repo.write({"src/new.py": "def brand_new(): ...\n"})
    answer = indexed.locate("brand_new")
    assert answer.total == 1
    assert answer.meta.freshness_status == "fresh"


def test_best_effort_answers_stale_and_says_so(repo: Repo, indexed: Engine) -> None:
    repo.write({"src/new.py": "def brand_new(): ...\n"})
    with Engine.open(repo.root, {"freshness.policy": "best_effort"}) as lazy:
        answer = lazy.locate("brand_new")
        assert answer.total == 0
        assert answer.meta.freshness_status == "stale"
        assert lazy.status().changed_files == 1


def test_too_many_matches_are_counted_and_cut(repo: Repo, indexed: Engine) -> None:
    repo.write({f"m{number}.py": f"x = {number}\ndef same(): ...\n" for number in range(60)})
    answer = indexed.locate("same")
    assert (len(answer.results), answer.total) == (50, 60)
    assert answer.meta.result_completeness == "truncated"
    assert answer.meta.safety_limit_applied


def test_status_counts(indexed: Engine) -> None:
    status = indexed.status(wait=True)
    assert status.indexing_status == "ready"
    assert status.freshness_status == "fresh"
    assert status.counts is not None
    assert status.counts.languages == {"go": 1, "markdown": 1, "python": 1, "typescript": 1}
    assert status.head is not None


def test_status_before_anything_is_indexed(engine: Engine, repo: Repo) -> None:
    status = engine.status()
    assert status.indexing_status == "not_indexed"
    assert status.counts is None


def test_doctor_is_well(indexed: Engine) -> None:
    answer = indexed.doctor()
    assert [check.name for check in answer.checks if not check.ok] == []


def test_the_outline_of_nothing_is_empty(repo: Repo, engine: Engine) -> None:
    engine.index()
    answer = engine.outline(".")
    assert isinstance(answer, FolderAnswer)
    assert answer.total_files == 0
    with pytest.raises(FileNotIndexed):
        engine.outline("missing")
