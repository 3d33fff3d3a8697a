"""What became of symbols between two states: pairs, moves, renames, parts."""

from textwrap import indent

import pytest

from codecompass.engine.engine import Engine
from codecompass.errors import BadInput, RefMissing, SymbolUnclear
from codecompass.model.answer import ChangeResult
from codecompass.model.change import FileSide
from codecompass.model.query import DetailLevel, DiffOptions, DiffScope
from codecompass.navigate.changes import FilePair, compare_files
from codecompass.parse.extract import extract
from codecompass.parse.languages import BY_NAME
from codecompass.present.render import Budget, rendered
from codecompass.text.tokens import estimate_tokens
from tests.conftest import Repo

BODY = "    first = order.price\n    second = order.count\n    return first * second\n"
SERVICE = "class Service:\n    def total(self, order):\n" + indent(BODY, "    ")


def changes(engine: Engine, ref: str | None = None) -> list[tuple[str, str]]:
    results = engine.diff(ref=ref).results or ()
    return [(item.change, f"{item.path}:{item.qualified_name or item.name}") for item in results]


def only(engine: Engine, level: DetailLevel = DetailLevel.SIGNATURE) -> ChangeResult:
    results = engine.diff(options=DiffOptions(detail_level=level)).results or ()
    assert len(results) == 1, results
    return results[0]


def test_a_changed_signature_shows_before_and_after(repo: Repo, engine: Engine) -> None:
    repo.commit({"a.py": f"def total(order):\n{BODY}"})
    repo.write({"a.py": f"def total(order, rate=1):\n{BODY}"})
    item = only(engine)
    assert (item.change, item.parts) == ("modified", ("signature",))
    assert item.before_signature == "def total(order)"
    assert item.signature == "def total(order, rate=1)"


def test_a_changed_body_doc_or_decorator_says_so(repo: Repo, engine: Engine) -> None:
    repo.commit({"a.py": 'def f(x):\n    """Old."""\n    return x\n'})
    for text, parts in (
        ('def f(x):\n    """New."""\n    return x\n', ("doc",)),
        ('def f(x):\n    """Old."""\n    return x + 1\n', ("body",)),
        ('@cached\ndef f(x):\n    """Old."""\n    return x\n', ("decorators",)),
    ):
        repo.write({"a.py": text})
        assert only(engine).parts == parts, text


def test_a_class_is_not_modified_because_a_method_is(repo: Repo, engine: Engine) -> None:
    repo.commit({"a.py": SERVICE})
    repo.write({"a.py": SERVICE.replace("first * second", "first")})
    assert changes(engine) == [("modified", "a.py:Service.total")]
    repo.write({"a.py": SERVICE + "\n    # about more\n    def more(self): ...\n"})
    assert changes(engine) == [("added", "a.py:Service.more")]


def test_moved_lines_and_blanks_are_no_change(repo: Repo, engine: Engine) -> None:
    repo.commit({"a.py": f"def one(): ...\n\n\ndef total(order):\n{BODY}"})
    repo.write({"a.py": f"def total(order):\n{BODY}\n\n\n\n\ndef one(): ...\n"})
    assert changes(engine) == []
    assert engine.diff(options=DiffOptions(scope=DiffScope.FILES)).affected_files == 1


def test_a_function_that_moved_to_another_file(repo: Repo, engine: Engine) -> None:
    repo.commit({"a.py": f"x = 1\ndef total(order):\n{BODY}", "b.py": "y = 2\n"})
    repo.write({"a.py": "x = 1\n", "b.py": f"y = 2\ndef total(order):\n{BODY}"})
    item = only(engine)
    assert (item.change, item.path, item.before_path, item.before_line) == (
        "moved", "b.py", "a.py", 2,
    )  # fmt: skip
    assert item.parts is None


def test_a_function_that_moved_into_a_class_and_changed_a_little(
    repo: Repo, engine: Engine
) -> None:
    repo.commit({"a.py": "x = 1\n", "b.py": SERVICE})
    repo.write({"a.py": f"x = 1\n\n\n{SERVICE.replace('first * second', '2 * first')}"})
    (repo.root / "b.py").unlink()
    assert changes(engine) == [("moved", "a.py:Service"), ("modified", "a.py:Service.total")]


def test_a_renamed_function_and_a_renamed_class(repo: Repo, engine: Engine) -> None:
    repo.commit({"a.py": f"{SERVICE}\n\ndef total(order):\n{BODY}"})
    text = f"{SERVICE}\n\ndef grand_total(order):\n{BODY}"
    repo.write({"a.py": text})
    item = only(engine)
    assert (item.change, item.name, item.before_name) == ("renamed", "grand_total", "total")
    repo.commit({})
    repo.write({"a.py": text.replace("Service", "Shop")})
    assert changes(engine) == [("renamed", "a.py:Shop")]


def test_two_short_functions_are_not_taken_for_one_renamed(repo: Repo, engine: Engine) -> None:
    repo.commit({"a.py": "def one(order):\n    return order\n"})
    repo.write({"a.py": "def two(order):\n    return order + 1\n"})
    assert changes(engine) == [("deleted", "a.py:one"), ("added", "a.py:two")]


def test_a_renamed_file_is_told_once(repo: Repo, engine: Engine) -> None:
    repo.commit({"a.py": f"{SERVICE}\ndef total(order):\n{BODY}", "keep.py": "k = 1\n"})
    (repo.root / "a.py").rename(repo.root / "new.py")
    repo.write({"new.py": f"{SERVICE}\ndef total(order):\n{BODY}\n\ndef extra(): ...\n"})
    answer = engine.diff(options=DiffOptions(scope=DiffScope.ALL))
    files = answer.files or ()
    assert [(f.change, f.path, f.before_path) for f in files] == [("renamed", "new.py", "a.py")]
    assert changes(engine) == [("added", "new.py:extra")]


def test_overloads_and_a_function_that_became_a_class(repo: Repo, engine: Engine) -> None:
    repo.commit(
        {"A.java": "class A {\n  int f(int x) { return 1; }\n  int f(String x) { return 2; }\n}\n"}
    )
    repo.write(
        {"A.java": "class A {\n  int f(int x) { return 1; }\n  int f(String x) { return 3; }\n}\n"}
    )
    assert only(engine).signature == "int f(String x)"
    repo.commit({"m.py": "def thing(): ...\n"})
    repo.write({"m.py": "class thing: ...\n"})
    assert only(engine).parts == ("kind", "signature")


def test_what_came_and_went_is_told_with_everything_inside(repo: Repo, engine: Engine) -> None:
    repo.commit({"a.py": "x = 1\n"})
    repo.write({"b.py": SERVICE})
    assert changes(engine) == [("added", "b.py:Service"), ("added", "b.py:Service.total")]
    answer = engine.diff()
    assert answer.summary == {"added": 2}
    assert (answer.affected_files, answer.base) == (1, "main")


def test_context_shows_how_the_text_differs_and_masks_secrets(repo: Repo, engine: Engine) -> None:
    repo.commit({"a.py": "def f():\n    key = 1\n    return key\n"})
    secret = "ghp_" + "a1B2" * 9
    repo.write({"a.py": f"def f():\n    key = '{secret}'\n    return key\n"})
    diff = only(engine, DetailLevel.CONTEXT).diff or ""
    assert "-    key = 1" in diff
    assert secret not in diff


def test_too_many_changes_are_counted_and_said(repo: Repo) -> None:
    repo.commit({"a.md": "# A\n"})
    repo.write({f"f{n:02}.py": SERVICE.replace("Service", f"S{n}") for n in range(20)})
    repo.write({"a.md": "# B\n\nother\n"})
    with Engine.open(repo.root, {"answers.max_changes": 25}) as engine:
        answer = engine.diff()
        assert answer.summary == {"added": 41, "deleted": 1}
        assert answer.meta.result_completeness == "truncated"
        names = [item.name for item in answer.results or ()]
        assert len(names) == 25
        assert {f"S{n}" for n in range(20)} < set(names)
    with Engine.open(repo.root, {"answers.diff_files": 5}) as engine:
        answer = engine.diff()
        assert answer.results == ()
        assert len(answer.files or ()) == 21
        assert "too many" in (answer.notes or ("",))[0]


def test_only_what_this_branch_did_since_it_left_the_base(repo: Repo, engine: Engine) -> None:
    repo.commit({"a.py": "def one(): ...\n"})
    repo.git("checkout", "--quiet", "-b", "feat")
    repo.commit({"b.py": "def two(): ...\n"})
    repo.git("checkout", "--quiet", "main")
    repo.commit({"c.py": "def theirs(): ...\n"})
    repo.git("checkout", "--quiet", "feat")
    repo.write({"d.py": "def dirty(): ...\n"})
    assert changes(engine) == [("added", "b.py:two"), ("added", "d.py:dirty")]
    assert changes(engine, "feat") == [("added", "b.py:two")]


def test_the_base_is_the_remote_branch_or_the_local_one(repo: Repo, engine: Engine) -> None:
    repo.commit({"a.py": "def one(): ...\n"})
    repo.git("update-ref", "refs/remotes/origin/main", "HEAD")
    repo.commit({"b.py": "def unpushed(): ...\n"})
    assert changes(engine) == [("added", "b.py:unpushed")]
    assert engine.diff().base == "origin/main"
    repo.git("checkout", "--quiet", "-b", "feat")
    repo.commit({"c.py": "def mine(): ...\n"})
    assert changes(engine) == [("added", "c.py:mine")]
    assert engine.diff().base == "main"
    with Engine.open(repo.root, {"refs.base": "origin/main"}) as other:
        assert other.diff().summary == {"added": 2}
    with Engine.open(repo.root, {"refs.base": "nothing"}) as other, pytest.raises(RefMissing):
        other.diff()


def test_histories_with_nothing_in_common(repo: Repo, engine: Engine) -> None:
    repo.commit({"a.py": "def one(): ...\n"})
    repo.git("checkout", "--quiet", "--orphan", "lonely")
    repo.commit({"b.py": "def two(): ...\n"})
    with pytest.raises(RefMissing):
        engine.diff()
    with pytest.raises(RefMissing, match="no commit in common"):
        engine.diff(base="main")


def test_one_symbol_at_two_refs(repo: Repo, engine: Engine) -> None:
    repo.commit({"a.py": f"def total(order):\n{BODY}", "b.py": "def same(): ...\n"})
    repo.git("tag", "v1")
    repo.commit({"a.py": f"def total(order, rate):\n{BODY}"})
    repo.git("tag", "v2")
    repo.commit({"a.py": "x = 1\n", "c.py": f"def grand(order, rate):\n{BODY}"})
    repo.git("tag", "v3")
    answer = engine.compare("total", "v1", "v2")
    assert (answer.change, answer.results[0].parts) == ("modified", ("signature",))
    assert "+def total(order, rate):" in (answer.results[0].diff or "")
    assert engine.compare("same", "v1", "live").change == "unchanged"
    assert engine.compare("total", "v2", "v3").change == "deleted"
    assert engine.compare("grand", "v2", "v3").change == "added"
    handle = engine.locate("total", ref="v1").results[0].handle
    assert engine.compare(handle, "v1", "v1").change == "unchanged"


def test_of_a_type_and_its_impl_the_type_is_meant(repo: Repo, engine: Engine) -> None:
    repo.commit({"a.rs": "pub struct One { a: u32 }\nimpl One { fn get(&self) {} }\n"})
    repo.git("tag", "v1")
    repo.commit({"a.rs": "pub struct One { b: u64 }\nimpl One { fn get(&self) {} }\n"})
    answer = engine.compare("One", "v1", "live")
    assert (answer.change, answer.results[0].kind) == ("modified", "struct")


def test_members_outside_their_type_are_told_with_their_text(repo: Repo, engine: Engine) -> None:
    code = (
        "pub struct One { a: u32 }\nimpl One {\n    fn get(&self) -> u32 {\n        1\n    }\n}\n"
    )
    repo.commit({"a.rs": code})
    repo.git("tag", "v1")
    repo.commit({"a.rs": code.replace("        1", "        2")})
    answer = engine.compare("One", "v1", "live")
    assert [(item.name, item.parts) for item in answer.results] == [
        ("One", ("members",)),
        ("get", ("body",)),
    ]
    assert "+        2" in (answer.results[1].diff or "")
    whole = rendered(answer, Budget(4_000))
    assert whole.count("a.rs") == 1
    least = rendered(answer, Budget(1))
    assert "more lines" in least
    for budget in range(estimate_tokens(whole) - 1, estimate_tokens(least) - 1, -7):
        text = rendered(answer, Budget(budget))
        assert estimate_tokens(text) <= budget
        assert "more lines" in text or "1 more members" in text


def test_a_type_whose_members_changed_is_not_unchanged(repo: Repo, engine: Engine) -> None:
    repo.commit({"a.py": "class A:\n    def m(self):\n        return 1\n", "b.py": SERVICE})
    repo.git("tag", "v1")
    repo.commit({"a.py": "class A:\n    def m(self):\n        return 2\n"})
    answer = engine.compare("A", "v1", "live")
    assert (answer.change, answer.results[0].parts) == ("modified", ("members",))
    assert "+        return 2" in (answer.results[0].diff or "")
    assert engine.compare("Service", "v1", "live").change == "unchanged"


def test_a_comment_before_the_body_is_a_change_of_it(repo: Repo, engine: Engine) -> None:
    repo.commit({"a.py": "def three():\n    q = 1\n    return q\n"})
    repo.write({"a.py": "def three():\n    # why\n    q = 1\n    return q\n"})
    answer = engine.compare("three", "HEAD", "live")
    assert (answer.change, answer.results[0].parts) == ("modified", ("body",))


def test_one_symbol_that_moved(repo: Repo, engine: Engine) -> None:
    repo.commit({"a.py": f"x = 1\ndef total(order):\n{BODY}"})
    repo.git("tag", "v1")
    repo.commit({"a.py": "x = 1\n", "c.py": f"def total(order):\n{BODY}"})
    answer = engine.compare("a.py > total", "v1", "live")
    assert (answer.change, answer.results[0].path) == ("moved", "c.py")


def test_a_name_that_is_not_one_symbol_is_refused(repo: Repo, engine: Engine) -> None:
    repo.commit({"a.py": SERVICE, "b.py": SERVICE.replace("Service", "Other")})
    with pytest.raises(SymbolUnclear, match=r"a\.py > Service > total"):
        engine.compare("total", "HEAD", "live")
    with pytest.raises(SymbolUnclear) as caught:
        engine.compare("totl", "HEAD", "live")
    assert "total" in caught.value.remediation
    assert engine.compare("Service > total", "HEAD", "live").change == "unchanged"


def test_modifiers_are_not_decorators_and_a_renamed_class_keeps_its_signature(
    repo: Repo, engine: Engine
) -> None:
    repo.commit({"a.rs": "pub fn f() -> u8 {\n    1\n}\n", "b.py": SERVICE})
    repo.write({"a.rs": "fn f() -> u8 {\n    1\n}\n"})
    assert only(engine).parts == ("signature",)
    repo.commit({})
    repo.write({"b.py": SERVICE.replace("Service", "Shop").replace("first *", "2 * first *")})
    results = engine.diff().results or ()
    assert [(item.change, item.name, item.parts) for item in results] == [
        ("renamed", "Shop", None),
        ("modified", "total", ("body",)),
    ]


def test_none_and_none_are_not_one_thing_renamed(repo: Repo, engine: Engine) -> None:
    repo.commit({"a.py": "A = None\n"})
    repo.write({"a.py": "B = None\n"})
    assert changes(engine) == [("deleted", "a.py:A"), ("added", "a.py:B")]


def test_lines_outside_definitions_are_told_with_their_file(repo: Repo, engine: Engine) -> None:
    before = f"import os\n\n# On total.\ndef total(order):\n{BODY}\nprint(1)\nprint(2)\nend()\n"
    repo.commit({"a.py": before})
    after = before.replace("import os\n", "import os\nimport sys\n").replace("print(1)\n", "")
    repo.write({"a.py": after.replace("* second", "+ second").replace("On", "About")})
    found = engine.diff()
    assert [item.name for item in found.results or ()] == ["total"]
    assert [(item.path, item.other_lines) for item in found.files or ()] == [("a.py", "2, 1 gone")]
    assert "~ a.py (outside definitions: 2, 1 gone)\n  ~" in rendered(found, Budget(4_000))
    repo.write({"a.py": before.replace("* second", "+ second")})
    assert not engine.diff().files
    repo.write({"a.py": before.replace("print(1)", "print(3)").replace("print(2)", "print(4)")})
    assert [item.other_lines for item in engine.diff().files or ()] == ["9-10"]


def test_a_symbol_that_only_its_file_took_along_says_from_where(
    repo: Repo, engine: Engine
) -> None:
    repo.commit({"a.py": f"def total(order):\n{BODY}"})
    repo.git("mv", "a.py", "b.py")
    repo.commit({})
    found = engine.compare("total", "HEAD~1", "HEAD")
    assert (found.change, found.results[0].before_path) == ("unchanged", "a.py")


def test_a_file_without_changed_symbols_is_told(repo: Repo, engine: Engine) -> None:
    repo.commit({"a.py": SERVICE, "b.py": "x = 1\n"})
    (repo.root / "a.py").rename(repo.root / "c.py")
    repo.write({"b.py": "# a comment\nx = 1\n"})
    files = engine.diff().files or ()
    assert [(f.change, f.path) for f in files] == [("modified", "b.py"), ("renamed", "c.py")]


def test_a_file_that_is_not_indexed_any_more_was_not_deleted(repo: Repo, engine: Engine) -> None:
    repo.commit({"a.py": SERVICE, "b.py": SERVICE.replace("Service", "Other")})
    repo.write({"a.py": f"{SERVICE}x = '{'y' * 1_100_000}'\n", ".codecompassignore": "b.py\n"})
    answer = engine.diff()
    assert answer.summary == {}
    files = {f.path: (f.change, f.not_indexed) for f in answer.files or ()}
    assert files == {"a.py": ("modified", "too_large"), ".codecompassignore": ("added", None)}
    repo.git("add", "--all")
    repo.git("commit", "--quiet", "-m", "ignore")
    files = {f.path: f.not_indexed for f in engine.diff(ref="HEAD", base="HEAD~1").files or ()}
    assert files == {"a.py": "too_large", ".codecompassignore": None}
    repo.commit({"b.py": "x = 1\n"})
    files = {f.path: f.not_indexed for f in engine.diff(ref="HEAD", base="HEAD~2").files or ()}
    assert files["b.py"] == "ignored"


def test_a_sparse_checkout_deletes_nothing(repo: Repo, engine: Engine) -> None:
    repo.commit({"a/a.py": SERVICE, "b/b.py": SERVICE.replace("Service", "Other")})
    repo.git("sparse-checkout", "set", "a")
    assert not (repo.root / "b").exists()
    assert engine.diff().affected_files == 0
    repo.write({"a/a.py": f"{SERVICE}\n\ndef more(): ...\n"})
    assert changes(engine) == [("added", "a/a.py:more")]


def test_other_line_ends_are_no_change(repo: Repo, engine: Engine) -> None:
    documented = SERVICE.replace("order):", 'order):\n        """Of an\n        order."""')
    repo.commit({"a.py": documented, "b.py": SERVICE})
    repo.git("config", "core.autocrlf", "true")
    for name in ("a.py", "b.py"):
        (repo.root / name).unlink()
    repo.git("checkout", "--quiet", ".")
    assert b"\r\n" in (repo.root / "a.py").read_bytes()
    assert engine.diff().affected_files == 0
    text = documented.replace("first * second", "first") + "\n\ndef more(): ...\n"
    repo.write({"a.py": text.replace("\n", "\r\n")})
    assert changes(engine) == [("modified", "a.py:Service.total"), ("added", "a.py:more")]


def test_a_range_as_git_writes_it(repo: Repo, engine: Engine) -> None:
    repo.commit({"a.py": "def one(): ...\n"})
    repo.git("tag", "v1")
    repo.commit({"b.py": "def two(): ...\n"})
    for ref in ("v1..main", "v1...main", "v1.."):
        assert changes(engine, ref) == [("added", "b.py:two")], ref
    answer = engine.diff(ref="v1")
    assert answer.affected_files == 0
    assert "already part of main" in (answer.notes or ("",))[0]


def test_a_part_of_the_repository_and_a_limit(repo: Repo, engine: Engine) -> None:
    repo.commit({"x.py": "x = 1\n"})
    repo.write({f"{folder}/{name}.py": SERVICE for folder in "ab" for name in "mn"})
    answer = engine.diff(options=DiffOptions(path_prefix="a", limit=3))
    assert (answer.affected_files, answer.summary) == (2, {"added": 4})
    assert [item.members for item in answer.results or ()] == [1, None, 1]
    with pytest.raises(BadInput, match="limit"):
        engine.diff(options=DiffOptions(limit=0))


def test_a_thousand_functions_that_all_changed_their_names(repo: Repo, engine: Engine) -> None:
    def text(mark: str) -> str:
        return "\n".join(
            f"def {mark}{n}(a):\n    b = a + {n}\n    return b\n" for n in range(1_000)
        )

    repo.commit({"a.py": text("old")})
    repo.write({"a.py": text("new").replace("b = a", "b = 2 * a")})
    summary = engine.diff().summary
    assert sum(summary.values()) in {1_000, 2_000}


def test_deep_nesting(repo: Repo, engine: Engine) -> None:
    def nested(leaf: str) -> str:
        opened = "".join(f"function f{n}() {{\n" for n in range(150))
        return f"{opened}{leaf}\n{'}' * 150}\n"

    repo.commit({"a.js": nested("return 1")})
    repo.write({"a.js": nested("return 2")})
    assert engine.diff().affected_files == 1


def test_a_moved_package_of_many_edited_files(repo: Repo, engine: Engine) -> None:
    files = {f"old/m{n}.py": SERVICE.replace("Service", f"S{n}") for n in range(60)}
    repo.commit(files)
    repo.git("mv", "old", "new")
    repo.write({path.replace("old", "new"): f"{text}# end\n" for path, text in files.items()})
    assert engine.diff().summary == {}
    assert {f.change for f in engine.diff().files or ()} == {"renamed"}


def test_texts_that_cannot_be_read_are_no_proof_of_a_move() -> None:
    facts = extract(BY_NAME["python"], f"def total(order):\n{BODY}".encode())
    old, new = (FileSide(path, "python", None, facts.symbols) for path in ("a.py", "b.py"))
    found = compare_files([FilePair(old, None), FilePair(None, new)])
    assert [str(change.kind) for change in found] == ["deleted", "added"]


def test_nothing_changed_is_the_base(repo: Repo, engine: Engine) -> None:
    repo.commit({"a.py": SERVICE})
    assert engine.diff().meta.source_layer == "base"
    repo.write({"a.py": "x = 1\n"})
    assert engine.diff().meta.source_layer == "overlay"


def test_a_difference_tells_who_calls_what_changed(repo: Repo, engine: Engine) -> None:
    repo.commit({"a.py": "def f():\n    return 1\n\ndef gone():\n    pass\n",
                 "b.py": "from a import f, gone\n\ndef g():\n    f()\n    gone()\n"})  # fmt: skip
    repo.git("switch", "--quiet", "--create", "feat")
    repo.commit({"a.py": "def f():\n    return 2\n"})
    options = DiffOptions(include_callers=True)
    found = {item.name: item for item in engine.diff(options=options).results or ()}
    assert (found["f"].caller_count, found["f"].callers) == (1, ("b.py:4 g",))
    assert (found["gone"].caller_count, found["gone"].callers) == (1, ("b.py:5 g",))
