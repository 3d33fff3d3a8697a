"""Searching a repository from end to end: filters, stages, everything, pages, bad input."""

import random
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from codecompass.engine.engine import Engine
from codecompass.errors import (
    BadInput,
    CursorExpired,
    FileNotIndexed,
    PathOutside,
    PatternTooSlow,
    StoreError,
)
from codecompass.model.answer import Completeness, SearchAnswer
from codecompass.model.query import AnswerShape, DetailLevel, ExplainLevel, SymbolFilters
from codecompass.model.search import SearchMode, SearchOptions, Stage
from codecompass.present.search_text import render_explain, render_search
from codecompass.store.schema import check_compatibility
from codecompass.text.tokens import estimate_tokens
from tests.conftest import Repo, without_rights

ROUTER = '''"""Match requests to handlers."""


class Router:
    """Keeps routes and finds the one for a path."""

    def add_route(self, path, handler):
        """Register a handler for a path."""
        self.routes.append((path, handler))

    def match(self, path):
        return [handler for known, handler in self.routes if known == path]


@cached
def parse_pattern(text):
    return text.split("/")
'''
STORE = '''class Store:
    def save(self, record):
        """Write a record to the disk."""
        raise StoreError("cannot save the record")

    def _flush(self):
        self.router.match("x")
'''


@pytest.fixture
def project(repo: Repo, engine: Engine) -> Engine:
    repo.write(
        {
            "src/router.py": ROUTER,
            "src/store.py": STORE,
            "tests/test_router.py": "def test_add_route():\n    Router().add_route('a', 1)\n",
            "docs/guide.md": "# Routes\n\nHow routes are registered with the router.\n",
            "web/router.ts": "export class Router {\n  match(path: string) { return path }\n}\n",
        }
    )
    return engine


def paths(answer: SearchAnswer) -> list[str]:
    return [result.path for result in answer.results]


def names(answer: SearchAnswer) -> list[str]:
    return [result.name for result in answer.results]


def test_words_find_the_code_that_answers(project: Engine) -> None:
    answer = project.search("how are routes registered for a path")
    assert answer.results[0].path == "src/router.py"
    assert answer.meta.query_intent == "natural_language"
    assert answer.meta.freshness_status == "fresh"


def test_a_name_finds_its_definition_first(project: Engine) -> None:
    assert names(project.search("add_route"))[0] == "add_route"
    assert names(project.search("addRoute"))[0] == "add_route"
    assert project.search("parse_pattern").results[0].kind == "function"


def test_a_name_in_many_others_finds_its_definition_first(repo: Repo, engine: Engine) -> None:
    others = "".join(f"def _echo_{n}(): ...\n\n\n" for n in range(700))
    repo.write({"app/voice.py": others, "app/deep/down/other.py": "def echo(): ...\n"})
    assert names(engine.search("echo"))[0] == "echo"


def test_an_empty_file_has_its_first_line(repo: Repo, engine: Engine) -> None:
    repo.commit({"pkg/py.typed": "", "pkg/a.py": "def one(): ...\n"})
    found = engine.search("pkg/py.typed").results[0]
    assert (found.path, found.start_line, found.end_line) == ("pkg/py.typed", 1, 1)


def test_a_line_of_a_long_signature_is_shown(repo: Repo, engine: Engine) -> None:
    given = "".join(f"    parameter_{n}: int,\n" for n in range(20))
    repo.write({"a.py": f"def long(\n{given}) -> None: ...\n"})
    preview = engine.search('"parameter_17: int"').results[0].preview
    assert preview is not None
    assert preview.endswith("\n19: parameter_17: int,")


def test_a_path_finds_its_file(project: Engine) -> None:
    first = project.search("src/store.py").results[0]
    assert (first.path, first.kind, first.start_line, first.end_line) == (
        "src/store.py",
        "file",
        1,
        7,
    )


@pytest.mark.parametrize(
    ("query", "name", "note"),
    [
        ("src/router.py:8", "add_route", None),
        ("src/router.py:8:5", "add_route", None),
        ("store.py:6-7:", "_flush", None),
        ('File "/home/me/project/src/router.py", line 12, in match', "match", None),
        ("src/router.py:1", "router.py", None),
        ("src/store.py:900", "_flush", "src/store.py has 7 lines"),
    ],
)
def test_a_line_of_a_file_finds_what_stands_around_it(
    project: Engine, query: str, name: str, note: str | None
) -> None:
    answer = project.search(query)
    assert names(answer) == [name]
    assert answer.notes == ((note,) if note else None)


@pytest.mark.parametrize(
    ("query", "name"),
    [
        ("src/router.py:8:in 'add_route': bad method (ValueError)", "add_route"),
        ("src/router.py:8 +0x2b", "add_route"),
        ("thread 'main' panicked at src/router.py:8:17", "add_route"),
        ("at Router.Add() in /home/me/project/src/router.py:line 8", "add_route"),
        ("ValueError in src/router.py on line 8", "add_route"),
        ("src/router.py(8): error 12", "add_route"),
        ("#0 /vendor/other.py(3)\n#1 src/router.py(8)", "add_route"),
        ('File "src/router.py", line 8, in a\n  x()\nFile "src/store.py", line 6, in b', "_flush"),
    ],
)
def test_a_line_inside_a_message_finds_what_stands_there(
    project: Engine, query: str, name: str
) -> None:
    assert names(project.search(query)) == [name]


def test_a_message_with_lines_of_other_files_is_searched(project: Engine) -> None:
    answer = project.search("add_route failed at http://localhost:8080/x and /gone/nowhere.py:7")
    assert answer.results[0].name == "add_route"
    assert not answer.notes


def test_a_line_of_a_file_that_is_not_there_is_said(project: Engine) -> None:
    for path in ("src/nowhere.py", "lib/router.py", "/elsewhere/nowhere.py"):
        notes = project.search(f"{path}:8").notes or ()
        assert f"no file is called {path}" in notes


def test_a_path_finds_no_file_that_is_called_like_its_suffix(repo: Repo, engine: Engine) -> None:
    repo.write({"net/router.go": "package net\n", "go.mod": "module m\n", "router.md": "r\n"})
    found = [item.path for item in engine.search("router.go").results]
    assert found == ["net/router.go", "router.md"]


def test_a_path_with_a_kind_finds_what_is_inside(project: Engine) -> None:
    found = project.search("src/store.py kind:class").results
    assert found[0].path == "src/store.py"
    assert found[0].kind != "file"


def test_code_comes_before_its_tests_and_documents(project: Engine) -> None:
    found = paths(project.search("router add route"))
    assert found.index("src/router.py") < found.index("tests/test_router.py")
    assert found.index("src/router.py") < found.index("docs/guide.md")


def test_who_asks_for_tests_gets_tests(project: Engine) -> None:
    assert paths(project.search("test add route"))[0] == "tests/test_router.py"


def test_the_answer_is_the_same_every_time(project: Engine) -> None:
    first = project.search("router match path")
    with Engine.open(project.workspace.root) as other:
        assert other.search("router match path").results == first.results


@pytest.mark.parametrize(
    ("filters", "wanted"),
    [
        (SymbolFilters(path_prefix="web/"), {"web/router.ts"}),
        (SymbolFilters(language=("typescript",)), {"web/router.ts"}),
        (SymbolFilters(extension=("ts",)), {"web/router.ts"}),
        (SymbolFilters(paths=("web/router.ts",)), {"web/router.ts"}),
        (SymbolFilters(path_glob="*.ts"), {"web/router.ts"}),
        (SymbolFilters(path_contains=("web", "router")), {"web/router.ts"}),
        (SymbolFilters(path_not_contains=("src", "tests", "docs")), {"web/router.ts"}),
        (SymbolFilters(kind=("class",), path_prefix="src/router"), {"src/router.py"}),
        (SymbolFilters(decorator_contains="cached"), {"src/router.py"}),
    ],
)
def test_filters_restrict_the_answer(
    project: Engine, filters: SymbolFilters, wanted: set[str]
) -> None:
    for query in ("router path", "Router", '"path"', "/path|text/"):
        found = project.search(query, filters=filters)
        assert set(paths(found)) <= wanted
        assert found.filters is not None
    assert set(paths(project.search("/path|text|Router/", filters=filters))) == wanted


def test_filters_on_symbols(project: Engine) -> None:
    documented = project.search("router match route", filters=SymbolFilters(has_doc=True))
    assert "match" not in names(documented)
    assert "add_route" in names(documented)
    private = project.search("flush router", filters=SymbolFilters(is_exported=False))
    assert names(private) == ["_flush"]
    methods = project.search("router", filters=SymbolFilters(kind=("method",)))
    assert {result.kind for result in methods.results} == {"method"}


def test_filters_apply_before_ranking(repo: Repo, engine: Engine) -> None:
    """A thousand better matches elsewhere must not use up the candidates."""
    crowd = "".join(f"def parse_config_{n}(config): return parse(config)\n" for n in range(1_000))
    repo.write({f"crowd/part{n}.py": crowd.replace("_", f"_{n}_") for n in range(3)})
    repo.write({"quiet/other.py": "def load(text):\n    config = text\n    return config\n"})
    found = engine.search("parse config", filters=SymbolFilters(path_prefix="quiet/"))
    assert paths(found) == ["quiet/other.py"]
    kinds = engine.search("parse config", filters=SymbolFilters(kind=("class",)))
    assert kinds.results == ()
    repo.write({"quiet/shape.py": "class Shape:\n    config = 1\n"})
    kinds = engine.search("parse config", filters=SymbolFilters(kind=("class",)))
    assert names(kinds) == ["Shape"]


def test_refine_wants_every_word(project: Engine) -> None:
    wide = project.search("save record routes")
    strict = project.search("save record routes", options=SearchOptions(stage=Stage.REFINE))
    assert "src/store.py" in paths(wide)
    assert strict.results == ()
    both = project.search("save record", options=SearchOptions(stage=Stage.REFINE))
    assert set(paths(both)) == {"src/store.py"}


def test_a_threshold_cuts_the_tail(project: Engine) -> None:
    everything = project.search("router match path")
    middle = everything.results[1].score
    cut = project.search("router match path", options=SearchOptions(min_score=middle))
    assert cut.results == everything.results[:2]


def test_everything_is_found_counted_and_paged(repo: Repo, engine: Engine) -> None:
    for n in range(23):
        repo.write({f"part{n:02}.py": f"def handler_{n}(event):\n    return old_call(event)\n"})
    options = SearchOptions(exhaustive=True, top_k=10)
    for query in ("old call event", '"old_call("', "/old_\\w+/", "usages:old_call"):
        found: list[str] = []
        cursor = ""
        for _ in range(3):
            with Engine.open(repo.root) as fresh:  # a cursor outlives the process
                page = fresh.search(query, options=replace(options, cursor=cursor))
            found += paths(page)
            assert page.total_matches == 23
            cursor = page.cursor or ""
        assert found == [f"part{n:02}.py" for n in range(23)]
        assert not cursor


def test_pages_of_a_ranked_answer_do_not_overlap(project: Engine) -> None:
    first = project.search("router path", options=SearchOptions(top_k=2))
    assert first.meta.result_completeness is Completeness.TRUNCATED
    second = project.search(
        "router path", options=SearchOptions(top_k=2, cursor=first.cursor or "")
    )
    whole = project.search("router path", options=SearchOptions(top_k=4))
    assert first.results + second.results == whole.results


def test_a_cursor_is_good_for_its_question_and_state_only(repo: Repo, project: Engine) -> None:
    cursor = project.search("router path", options=SearchOptions(top_k=1)).cursor or ""
    with pytest.raises(CursorExpired, match="another question"):
        project.search("router match", options=SearchOptions(top_k=1, cursor=cursor))
    repo.write({"src/new.py": "def path(): ...\n"})
    with pytest.raises(CursorExpired, match="index has changed"):
        project.search("router path", options=SearchOptions(top_k=1, cursor=cursor))
    with pytest.raises(BadInput, match="cursor: given 'nonsense'"):
        project.search("router path", options=SearchOptions(cursor="nonsense"))


def test_exact_text_and_expressions(project: Engine) -> None:
    exact = SearchOptions(mode=SearchMode.EXACT)
    found = project.search("self.routes.append((path", options=exact)
    assert [(r.path, r.name, r.match_lines) for r in found.results] == [
        ("src/router.py", "add_route", (9,))
    ]
    assert project.search("SELF.ROUTES", options=exact).results == ()
    assert names(project.search("/SELF\\.ROUTES/i")) == ["add_route", "match"]
    assert project.search('"cannot save the record"').results[0].name == "save"


def test_an_error_message_finds_where_it_is_raised(project: Engine) -> None:
    found = project.search("StoreError: cannot save the record")
    assert found.meta.query_intent == "error"
    assert found.results[0].name in {"save", "Store"}


def test_definitions_by_words_of_their_names(project: Engine) -> None:
    options = SearchOptions(mode=SearchMode.DEFINITION)
    assert names(project.search("route add", options=options)) == ["add_route", "test_add_route"]
    assert names(project.search("symbol = Router > match")) == ["match", "match"]
    assert names(project.search("symbol = web/router.ts > Router > match")) == ["match"]
    nothing = project.search("symbol = Router > matchh")
    assert nothing.results == ()
    assert "match" in nothing.suggestions


def test_usages(project: Engine) -> None:
    found = project.search("usages:match")
    assert [(r.path, r.name, r.match_lines) for r in found.results] == [
        ("src/store.py", "_flush", (7,))
    ]


def test_nothing_found_says_what_was_searched_and_what_is_similar(project: Engine) -> None:
    answer = project.search("parsepatern")
    text = render_search(answer)
    assert answer.results == ()
    assert answer.meta.searched_files == 5
    assert "nothing found for 'parsepatern'; searched 5 files" in text
    assert "not matches, but similar names: parse_pattern" in text


def test_copies_are_shown_once_and_counted(repo: Repo, engine: Engine) -> None:
    body = "def compute_total(items):\n    return sum(item.price for item in items)\n"
    repo.write({"a/total.py": body, "b/total.py": body, "c/other.py": f"x = 1\n{body}"})
    answer = engine.search("compute total price of items")
    assert names(answer).count("compute_total") == 1
    assert answer.meta.suppressed_duplicate_count >= 2


def test_files_take_turns(repo: Repo, engine: Engine) -> None:
    many = "".join(f"def parse_token_{n}(token): return parse(token)\n" for n in range(20))
    repo.write({"big.py": many, "small.py": "def parse_token(token): return token\n"})
    assert "small.py" in paths(engine.search("parse token"))[:3]


def test_factors_add_up_to_the_score(project: Engine) -> None:
    shape = AnswerShape(explain=ExplainLevel.FULL)
    answer = project.search("router add route path", shape=shape)
    assert answer.terms
    for result in answer.results:
        assert result.factors is not None
        total = sum(result.factors.values())
        assert result.score == pytest.approx(total / (1 + total), abs=0.01)


def test_explain_one_hit(project: Engine) -> None:
    query = "how are routes registered"
    first = project.search(query).results[0]
    for target in (first.handle, first.path, f"{first.path}:{first.start_line}"):
        answer = project.explain(query, target)
        assert answer.rank == 1
        assert answer.score == first.score
    assert "rank 1 of" in render_explain(answer)
    assert "not among" in render_explain(project.explain('"for a path"', "src/store.py:2"))
    with pytest.raises(FileNotIndexed, match="is not in the index"):
        project.explain(query, "no/such.py")


def test_a_path_preference_can_be_set(repo: Repo, project: Engine) -> None:
    repo.write({"codecompass.toml": "[ranking.path_preferences]\nsrc = 0.01\nweb = 2\n"})
    with Engine.open(repo.root) as other:
        answer = other.search("Router", shape=AnswerShape(explain=ExplainLevel.BASIC))
    assert paths(answer)[0] == "web/router.ts"
    assert (answer.results[0].factors or {})["path_preference"] > 0


def test_levels_of_detail(project: Engine) -> None:
    for level, has_preview, has_body in (
        (DetailLevel.LOCATION, False, False),
        (DetailLevel.SIGNATURE, True, False),
        (DetailLevel.CONTEXT, True, True),
    ):
        shape = AnswerShape(detail_level=level)
        result = project.search("add_route", shape=shape).results[0]
        assert bool(result.preview) is has_preview
        assert bool(result.body_preview) is has_body
    compact = AnswerShape(detail_level=DetailLevel.CONTEXT, compact=True)
    assert project.search("add_route", shape=compact).results[0].preview is None


def test_the_preview_shows_why_it_matched(project: Engine) -> None:
    result = project.search("append handler to routes").results[0]
    assert result.name == "add_route"
    assert result.preview is not None
    signature, best = result.preview.split("\n")
    assert signature == "def add_route(self, path, handler)"
    assert best == "9: self.routes.append((path, handler))"
    assert 9 in (result.match_lines or ())


def test_secrets_are_masked(repo: Repo, engine: Engine) -> None:
    repo.write({"a.py": 'def connect():\n    key = "AKIAABCDEFGHIJKLMNOP"\n'})
    assert "AKIAABCDEFGHIJKLMNOP" not in str(engine.search("connect key"))


def test_answers_are_short(project: Engine) -> None:
    answer = project.search("how are routes registered for a path")
    assert estimate_tokens(render_search(answer)) <= 700


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (SearchOptions(top_k=0), "top_k: given 0; allowed: 1 to 100"),
        (SearchOptions(top_k=10**9), "top_k: given 1000000000; allowed: 1 to 100"),
        (SearchOptions(min_score=2), "min_score: given 2; allowed: 0 to 1"),
    ],
)
def test_bad_options_are_refused(project: Engine, options: SearchOptions, message: str) -> None:
    with pytest.raises(BadInput, match=message):
        project.search("router", options=options)


def test_bad_patterns_and_paths_are_refused(project: Engine) -> None:
    with pytest.raises(BadInput, match="given the expression"):
        project.search("/router(/")
    for filters in (SymbolFilters(paths=("../x",)), SymbolFilters(path_prefix="/etc")):
        with pytest.raises(PathOutside):
            project.search("router", filters=filters)


def test_a_pattern_that_explodes_ends_in_time(repo: Repo, engine: Engine) -> None:
    repo.write({"a.txt": "a" * 70 + "!\n"})
    flags = {"search.time_limit_s": 0.2}
    with Engine.open(repo.root, flags) as other, pytest.raises(PatternTooSlow):
        other.search("/^(a|aa)+$/")


def test_another_worktree_changes_no_score(repo: Repo, engine: Engine, tmp_path: Path) -> None:
    """What other checkouts hold in the same store must not show, not even in a score."""
    repo.commit({"a.py": "def parse(text): return text\n", "b.py": "def render(): ...\n"})
    before = [engine.search(query).results for query in ("parse text", "Parser", "/parse/")]
    other = tmp_path / "other"
    repo.git("worktree", "add", "--quiet", "-b", "feature", str(other))
    for n in range(30):
        (other / f"more{n}.py").write_text(f"def parse_{n}(text): return parse(text)\n")
    with Engine.open(other) as feature:
        assert len(feature.search("parse text").results) == 10
    after = [engine.search(query).results for query in ("parse text", "Parser", "/parse/")]
    assert _plain(after) == _plain(before)


def test_after_many_edits_the_answer_is_that_of_a_fresh_index(
    repo: Repo, engine: Engine, tmp_path: Path
) -> None:
    """Order of indexing, deleted contents and merged segments must not show."""
    chance = random.Random(3)  # noqa: S311  # a test's dice
    words = ["parse", "token", "route", "match", "store", "cache", "user", "render"]
    queries = ["parse token", "route match store", "render_user", "/cache_\\w+/", "store.py"]
    for step in range(6):
        for _ in range(12):
            first, second = chance.sample(words, 2)
            path = f"{chance.choice(words)}/{first}.py"
            lines = [f"def {first}_{second}_{n}(x): return {second}(x)" for n in range(15)]
            repo.write({path: "\n".join(lines) + "\n"})
        for path in sorted(repo.root.glob("*/*.py"))[: chance.randrange(3)]:
            path.unlink()
        ours = [engine.search(query).results for query in queries]
        fresh_home = {"store.home": tmp_path / f"home{step}"}
        with Engine.open(repo.root, fresh_home) as fresh:
            theirs = [fresh.search(query).results for query in queries]
        assert _plain(ours) == _plain(theirs)


def test_letters_whose_small_ones_are_longer(repo: Repo, engine: Engine) -> None:
    repo.write({"a.txt": "İ" * 200 + "\nlast needle\n"})
    assert engine.search("needle").results[0].match_lines == (2,)


def test_a_phrase_does_not_get_round_the_filters(repo: Repo, engine: Engine) -> None:
    repo.write(
        {
            "a.py": 'def fun():\n    x = "needle here"\n    foo = 1\n',
            "b.py": "class C:\n    foo = 1\n",
        }
    )
    assert names(engine.search('foo "needle here"', filters=SymbolFilters(kind=("class",)))) == [
        "C"
    ]


def test_a_search_through_lines_does_not_stop_before_the_filter(
    repo: Repo, engine: Engine
) -> None:
    body = "".join(f"def f{n}():\n    return needle\n" for n in range(20))
    repo.write({f"part{n:02}.py": body for n in range(40)})
    repo.write({"z.py": "class Zed:\n    needle = 1\n"})
    found = engine.search('"needle"', filters=SymbolFilters(kind=("field", "property")))
    assert paths(found) == ["z.py"]
    strict = engine.search('"needle"', options=SearchOptions(min_score=0.99))
    assert strict.results == ()
    assert strict.meta.result_completeness is Completeness.COMPLETE


def test_every_copy_is_found_when_all_are_asked_for(repo: Repo, engine: Engine) -> None:
    repo.write({f"d{n}/x.py": "def uniq_word(): ...\n" for n in range(9)})
    everything = SearchOptions(exhaustive=True)
    for query in ("uniq_word", '"uniq_word"', "symbol = uniq_word"):
        answer = engine.search(query, options=everything)
        assert (len(answer.results), answer.total_matches) == (9, 9)
    named = engine.search("uniq_word", options=SearchOptions(mode=SearchMode.DEFINITION))
    assert len(named.results) == 9


def test_which_of_many_equal_hits_are_kept_depends_on_contents_alone(
    repo: Repo, engine: Engine, tmp_path: Path
) -> None:
    """Tantivy would keep those indexed first: other ones after each edit."""
    for n in range(300):
        repo.write({f"d{n:03}.py": f"def f{n}(): return needle({n})\n"})
    before = paths(engine.search("needle"))
    for n in (0, 5, 17):
        repo.write({f"d{n:03}.py": f"def f{n}(): return needle({n})  # x\n"})
        engine.sync()
        repo.write({f"d{n:03}.py": f"def f{n}(): return needle({n})\n"})
        engine.sync()
    assert paths(engine.search("needle")) == before
    with Engine.open(repo.root, {"store.home": tmp_path / "home"}) as fresh:
        assert paths(fresh.search("needle")) == before


def test_an_answer_that_left_candidates_out_says_so(repo: Repo, engine: Engine) -> None:
    repo.write({f"d{n:03}.py": f"def f{n}(): return needle({n})\n" for n in range(150)})
    answer = engine.search("needle", options=SearchOptions(top_k=100))
    assert len(answer.results) == 100
    assert answer.meta.result_completeness is Completeness.TRUNCATED


@pytest.mark.parametrize(
    "text",
    ["hello  world", 'foo = "x y"', "type:string", "`run`", "y = x / height / 2", 'a  "b"'],
)
def test_exact_mode_takes_the_query_as_it_stands(repo: Repo, engine: Engine, text: str) -> None:
    repo.write({"a.txt": f"before\nsome {text} thing\n", "b.txt": "hello world run height\n"})
    answer = engine.search(text, options=SearchOptions(mode=SearchMode.EXACT))
    assert [(r.path, r.match_lines) for r in answer.results] == [("a.txt", (2,))]


def test_a_file_with_one_odd_byte_is_still_utf8(repo: Repo, engine: Engine) -> None:
    repo.write({"a.txt": "café foo\nbad ".encode() + b"\xff\n"})
    assert engine.search('"café"').results[0].match_lines == (1,)


def test_long_names_made_of_words_are_found(repo: Repo, engine: Engine) -> None:
    name = "test_that_the_" + "very_" * 18 + "long_name_is_found"
    repo.write({"a.py": f"def {name}(): ...\n"})
    assert names(engine.search(name)) == [name]


def test_filters_inside_and_beside_narrow_each_other(project: Engine) -> None:
    both = project.search("class:Router", filters=SymbolFilters(kind=("class", "method")))
    assert {result.kind for result in both.results} == {"class"}
    with pytest.raises(BadInput, match="nothing in common"):
        project.search("Router lang:py", filters=SymbolFilters(language=("go",)))


def test_a_secret_is_masked_before_the_line_is_cut(repo: Repo, engine: Engine) -> None:
    line = "x = 1  # " + "p" * 50 + ' api_key = "abcdefgh12345678SECRETSECRETSECRET"'
    repo.write({"a.py": f"{line}\n"})
    assert "abcdefgh" not in str(engine.search("/api_key/").results)


def test_the_next_page_is_checked_too(project: Engine) -> None:
    cursor = project.search("router path", options=SearchOptions(top_k=1)).cursor or ""
    with pytest.raises(BadInput, match="top_k: given 0"):
        project.search("router path", options=SearchOptions(top_k=0, cursor=cursor))


def test_expressions_that_cross_lines_stay_quick(repo: Repo, engine: Engine) -> None:
    repo.write({"a.txt": "word word word\n" * 20_000 + "a zebra\n"})
    assert engine.search('/[^"]*zebra/').results[0].match_lines == (20_001,)


def test_methods_with_equal_bodies_are_no_copies(repo: Repo, engine: Engine) -> None:
    body = "class {0}:\n    def close(self):\n        self.handle.release()\n"
    repo.write({"a.py": "".join(body.format(name) for name in "ABC")})
    found = engine.search("function:close")
    assert [r.qualified_name for r in found.results] == ["A.close", "B.close", "C.close"]


def test_a_kind_filter_joins_lines_to_what_it_admits(repo: Repo, engine: Engine) -> None:
    repo.write({"a.py": "class File:\n    def read(self):\n        return self.fd\n"})
    found = engine.search('"self.fd"', filters=SymbolFilters(kind=("class",)))
    assert [(r.name, r.match_lines) for r in found.results] == [("File", (3,))]


def test_two_stars_may_stand_for_no_folder(project: Engine) -> None:
    for glob in ("**/router.py", "src/**/*.py"):
        found = project.search("router", filters=SymbolFilters(path_glob=glob))
        assert paths(found)[0] == "src/router.py"


def test_refine_knows_the_words_of_the_path(repo: Repo, engine: Engine) -> None:
    repo.write({"auth/login.py": "def check_user(user): ...\n", "b.py": "def check(): ...\n"})
    found = engine.search("login check", options=SearchOptions(stage=Stage.REFINE))
    assert set(paths(found)) == {"auth/login.py"}


def test_everything_of_a_question_that_is_a_path(repo: Repo, engine: Engine) -> None:
    repo.write({"router.py": "def py_router(): ...\n", "b.py": "def use_router_py(): ...\n"})
    answer = engine.search("router.py", options=SearchOptions(exhaustive=True))
    assert names(answer) == ["use_router_py", "py_router"]


def test_a_ranked_page_keeps_its_length(project: Engine) -> None:
    cursor = project.search("router path", options=SearchOptions(top_k=1)).cursor or ""
    with pytest.raises(CursorExpired):
        project.search("router path", options=SearchOptions(top_k=3, cursor=cursor))


def test_an_absolute_path_finds_its_file(repo: Repo, project: Engine) -> None:
    first = project.search(str(repo.root / "src/store.py")).results[0]
    assert (first.path, first.kind) == ("src/store.py", "file")


def test_a_pasted_message_finds_the_line_that_raises_it(repo: Repo, engine: Engine) -> None:
    repo.write(
        {
            "view.py": "def index(view): return view.index(view)\n" * 3,
            "app.py": "def render(name):\n"
            "    raise Error('Failed to lookup view \"' + name + '\" in the folder of views')\n",
        }
    )
    found = engine.search('Error: Failed to lookup view "index" in the folder of views')
    assert found.results[0].name == "render"


def test_a_text_without_quotes_is_found_in_a_file_that_defines_nothing(
    repo: Repo, engine: Engine
) -> None:
    repo.write(
        {
            "page.html": "<p>Please correct the errors below</p>\n",
            "forms.py": "def below(errors):\n    return errors\n\n\ndef please(correct): pass\n",
        }
    )
    shape = AnswerShape(explain=ExplainLevel.BASIC)
    found = engine.search("Please correct the errors below", shape=shape).results
    with_phrase = [result.path for result in found if "phrase" in (result.factors or {})]
    assert with_phrase == ["page.html"]


def test_usages_of_a_qualified_name_are_those_of_its_last_part(project: Engine) -> None:
    found = project.search("usages:Router.match")
    assert names(found) == ["_flush"]
    assert found.notes


def test_punctuation_is_searched_as_it_stands(project: Engine) -> None:
    assert project.search("((").results[0].match_lines == (9,)
    with pytest.raises(BadInput, match="only filters"):
        project.search("lang:py")


def test_the_line_that_matched_is_shown_even_if_space_is_short(repo: Repo, engine: Engine) -> None:
    name = "a_method_with_a_rather_long_name_that_takes_much_space"
    body = "class C{n}:\n    def {name}(self, first, second, third):\n        return needle\n"
    repo.write({f"part{n}.py": body.format(n=n, name=name) for n in range(10)})
    text = render_search(engine.search('"needle"'))
    assert text.count("3: return needle") == 10


def test_a_data_directory_without_rights_is_not_called_corrupt(repo: Repo) -> None:
    repo.write({"a.py": "x = 1\n"})
    with Engine.open(repo.root) as engine:
        engine.index()
        layout = engine.workspace.layout
    layout.folder.chmod(0o555)
    try:
        with without_rights(layout.folder):
            assert check_compatibility(layout.database) == "compatible"
        layout.database.with_name("facts.db-wal").write_bytes(b"not yet in the database")
        with without_rights(layout.folder), pytest.raises(StoreError, match="not writable"):
            check_compatibility(layout.database)
    finally:
        layout.folder.chmod(0o755)


def _plain(answers: Sequence[Sequence[object]]) -> list[list[str]]:
    return [[str(result) for result in results] for results in answers]


def test_a_changed_file_is_in_the_next_answer(repo: Repo, project: Engine) -> None:
    assert project.search("zebra").results == ()
    repo.write({"src/zoo.py": "def zebra(): ...\n"})
    assert names(project.search("zebra")) == ["zebra"]
    (repo.root / "src/zoo.py").unlink()
    assert project.search("zebra").results == ()


def test_a_word_in_the_paths_of_equal_files(repo: Repo, engine: Engine) -> None:
    repo.write({f"s{n}/orders.py": "def handle_order(): ...\n" for n in range(5)})
    assert engine.search("handle_order orders").results
