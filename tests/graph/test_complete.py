"""What "complete" promises: every place where the name stands is in the answer."""

from collections.abc import Mapping
from pathlib import Path

import pytest

from codecompass.engine.engine import Engine
from codecompass.model.graph_answer import ReferencesAnswer
from codecompass.model.query import DiffOptions, DiffScope, GraphOptions, SymbolFilters
from tests.conftest import Repo
from tests.graph.world import family, places, unaccounted, write

Files = Mapping[str, str]


def found(root: Path, files: Files, symbol: str) -> ReferencesAnswer:
    with Engine.open(write(root, files)) as engine:
        return engine.find_references(symbol)


def lines(answer: ReferencesAnswer, group: str) -> list[str]:
    return [f"{place.path}:{place.line}" for place in places(answer, group)]


# Filters.


def test_uses_in_other_languages_are_found_with_a_filter(tmp_path: Path) -> None:
    files = {"a.py": "def charge(): ...\n\n\ncharge()\n", "docs/b.py": "import a\n\na.charge()\n"}
    with Engine.open(write(tmp_path, files)) as engine:
        python = engine.find_references("charge", filters=SymbolFilters(language=("python",)))
        assert (python.total, python.left_out) == (2, None)
        inside = engine.find_references("charge", filters=SymbolFilters(path_prefix="docs"))
        assert (inside.total, inside.left_out) == (1, {"call": 1})


# Files that are not analysed.

COMPONENT = "<script setup>\nimport { useNasa } from '../nasa'\nconst n = useNasa()\n</script>\n"


@pytest.mark.parametrize("suffix", ["vue", "svelte", "astro", "html"])
def test_a_use_in_a_component_file_is_told(tmp_path: Path, suffix: str) -> None:
    files = {"nasa.ts": "export function useNasa() {}\n", f"pages/a.{suffix}": COMPONENT}
    answer = found(tmp_path, files, "useNasa")
    assert not answer.certainty.complete
    assert lines(answer, "not_analysed") == [f"pages/a.{suffix}:2", f"pages/a.{suffix}:3"]


def test_a_use_in_a_generated_file_that_git_tracks_is_told(repo: Repo, engine: Engine) -> None:
    repo.commit(
        {
            "enc.go": "package p\n\nfunc EncodeVarint(x int) int { return x }\n",
            "m.pb.go": "package p\n\nvar n = EncodeVarint(1)\n",
        }
    )
    for ref in (None, "HEAD"):
        answer = engine.find_references("EncodeVarint", ref=ref)
        assert not answer.certainty.complete
        assert lines(answer, "not_analysed") == ["m.pb.go:3"]
    repo.commit({"m.pb.go": "package p\n"})
    assert engine.find_references("EncodeVarint").certainty.complete


def test_a_generated_file_is_looked_at_as_it_is_now(repo: Repo, engine: Engine) -> None:
    repo.commit({"a.go": "package p\n\nfunc Enc() {}\n", "m.pb.go": "package p\n"})
    assert engine.find_references("Enc").certainty.complete
    repo.write({"m.pb.go": "package p\n\nvar n = Enc\n"})
    assert lines(engine.find_references("Enc"), "not_analysed") == ["m.pb.go:3"]
    (repo.root / "m.pb.go").unlink()
    assert engine.find_references("Enc").certainty.complete


def test_a_generated_file_that_is_too_large_to_look_at_is_told(repo: Repo, engine: Engine) -> None:
    repo.commit({"a.go": "package p\n\nfunc Enc() {}\n", "b.pb.go": b"\0\1 Enc"})
    assert engine.find_references("Enc").certainty.complete  # what is binary holds no code
    repo.write({"m.pb.go": "package p\n" + "// filler\n" * 900_000})
    answer = engine.find_references("Enc")
    assert answer.certainty.reasons == ("1 file was not read, such as m.pb.go",)


def test_files_left_out_by_a_rule_are_no_changes(repo: Repo, engine: Engine) -> None:
    repo.commit({"a.py": "def a(): ...\n", "poetry.lock": "one\n"})
    repo.commit({"poetry.lock": "two\n"})
    for ref in ("HEAD", None):
        answer = engine.diff(ref=ref, base="HEAD~1", options=DiffOptions(scope=DiffScope.ALL))
        assert not answer.files


def test_a_file_that_was_left_out_is_indexed_once_it_is_brought_back(
    repo: Repo, engine: Engine
) -> None:
    repo.commit({"a.py": "def a(): ...\n", "b_generated.py": "from a import a\n\na()\n"})
    assert not engine.find_references("a").certainty.complete
    repo.write({".codecompassignore": "!b_generated.py\n"})
    answer = engine.find_references("a.py > a")
    assert (answer.total, answer.certainty.complete) == (2, True)


def test_an_unread_file_that_does_not_hold_the_name_changes_nothing(tmp_path: Path) -> None:
    files = {
        "a.py": "def taken(): ...\n\n\ntaken()\n",
        "broken.py": "def other(:\n    x =\n",
        "large.py": "y = 1\n" * 2_000,
    }
    with Engine.open(write(tmp_path, files), {"index.max_file_bytes": 4_000}) as engine:
        assert engine.find_references("taken").certainty.complete
        (tmp_path / "large.py").write_text("y = 1\n" * 2_000 + "taken()\n")
        answer = engine.find_references("taken")
        assert lines(answer, "not_analysed") == ["large.py:2001"]


@pytest.mark.parametrize(
    "files",
    [
        {"a.rs": "pub fn taken() {}\nfn main() { taken(); }\n", "n.md": "see `<b` {{ }}\n"},
        {"a.go": "package p\n\nfunc Taken() {}\n\nvar x = Taken\n", "c.json": "// no JSON\n{,}\n"},
    ],
)
def test_syntax_errors_elsewhere_are_no_reason(tmp_path: Path, files: Files) -> None:
    name = "taken" if "a.rs" in files else "Taken"
    assert found(tmp_path, files, name).certainty.complete


# Comments and documentation.


def test_comments_and_docs_that_name_it_are_listed(tmp_path: Path) -> None:
    files = {
        "a.py": '# charge is old\ndef charge():\n    """Let charge be."""\n\n\ncharge()\n',
        "README.md": "Call `charge` twice.\n",
        "b.py": 'raise ValueError("you cannot charge this card")\n',
    }
    answer = found(tmp_path, files, "charge")
    assert answer.certainty.complete
    assert lines(answer, "comment") == ["a.py:1", "a.py:3", "README.md:1", "b.py:1"]
    assert unaccounted(tmp_path, answer) == []


# What TypeScript does with names of properties.

OPTIONS = "export interface Options { status?: number; shadow?: string }\n"


@pytest.mark.parametrize(
    "code",
    [
        "export const o = { status: 1 };",
        "export function f({ status }: Options) { return status; }",
        "export type S = Options['status'];",
        "const k = 'status'; export const g = (m: Options) => m[k];",
        "export const h = (m: any) => m.status;",
    ],
)
def test_a_property_that_is_used_in_any_way_is_not_without_uses(tmp_path: Path, code: str) -> None:
    files = {"o.ts": OPTIONS, "u.ts": f"import {{ Options }} from './o';\n{code}\n"}
    answer = found(tmp_path, files, "Options > status")
    assert answer.total or not answer.certainty.complete
    assert unaccounted(tmp_path, answer) == []


@pytest.mark.parametrize(
    ("path", "source", "symbol"),
    [
        (
            "a.ts",
            "export interface Bird { quack(): void }\nexport class Duck { quack() {} }\n"
            "export function hear(b: Bird) { b.quack(); }\nhear(new Duck());\n",
            "Duck > quack",
        ),
        (
            "a.py",
            "from typing import Protocol\n\n\nclass Shape(Protocol):\n"
            "    def area(self) -> int: ...\n\n\nclass Sq:\n    def area(self) -> int:\n"
            "        return 1\n\n\ndef total(s: Shape) -> int:\n    return s.area()\n\n\n"
            "total(Sq())\n",
            "Sq > area",
        ),
    ],
)
def test_a_type_that_fits_without_saying_so_is_not_complete(
    tmp_path: Path, path: str, source: str, symbol: str
) -> None:
    answer = found(tmp_path, {path: source}, symbol)
    assert not answer.certainty.complete
    assert any("types may fit" in reason for reason in answer.certainty.reasons)


def test_calls_with_type_arguments_are_calls(tmp_path: Path) -> None:
    source = """
        export class Injector {
            async resolve<T>(x: T): Promise<T> { return x; }
            async one() { return await this.resolve<string>('a'); }
            two() { return this.resolve<number>(1); }
        }
    """
    with Engine.open(write(tmp_path, {"a.ts": source})) as engine:
        answer = engine.find_references("Injector > resolve")
    assert answer.roles == {"call": 2}
    assert answer.certainty.complete


# Python.


def test_an_attribute_that_is_only_said_to_be_final_has_the_type_of_its_value(
    tmp_path: Path,
) -> None:
    source = """
        from typing import Final
        import typing as t


        class Wrapper:
            def close(self): ...


        syms: Final = Wrapper()
        syms.close()


        class Holder:
            kept: t.Final = Wrapper()

            def __init__(self):
                self.w: Final = Wrapper()

            def end(self):
                self.w.close()
                self.kept.close()
    """
    answer = found(tmp_path, {"a.py": source}, "Wrapper > close")
    assert answer.total == 3
    assert answer.certainty.complete


def test_a_name_in_a_class_that_is_bound_to_its_own_name_means_the_modules(
    tmp_path: Path,
) -> None:
    answer = found(tmp_path, {"a.py": "x = 1\n\n\nclass A:\n    x: bool = x\n"}, "a.py > x")
    assert answer.total or not answer.certainty.complete


@pytest.mark.parametrize(
    "code",
    [
        'getattr(o, "paid")',
        'methodcaller("paid")',
        'mock.patch("pkg.mod.paid")',
        'globals()["paid"]',
    ],
)
def test_a_string_that_spells_the_name_is_told(tmp_path: Path, code: str) -> None:
    files = {"pkg/mod.py": "def paid(): ...\n", "t.py": f"{code}\n"}
    answer = found(tmp_path, files, "paid")
    assert not answer.certainty.complete
    assert lines(answer, "string") == ["t.py:1"]


@pytest.mark.parametrize(
    ("path", "code"),
    [
        ("a.py", 'getattr(self, f"visit_{kind}")()'),
        ("a.py", 'getattr(self, "visit_" + kind)()'),
        ("a.py", 'getattr(self, "visit_%s" % kind)()'),
        ("a.py", 'getattr(self, f"{what}_node")()'),
    ],
)
def test_a_name_that_a_string_may_be_put_together_to_is_told(
    tmp_path: Path, path: str, code: str
) -> None:
    files = {path: f"class V:\n    def visit_node(self): ...\n\n\n{code}\n"}
    answer = found(tmp_path, files, "V > visit_node")
    assert lines(answer, "string") == ["a.py:5"]
    assert not answer.certainty.complete


def test_an_entry_point_is_told(tmp_path: Path) -> None:
    files = {
        "pkg/cli.py": "def start(): ...\n",
        "pyproject.toml": '[project.scripts]\nrun = "pkg.cli:start"\n',
    }
    answer = found(tmp_path, files, "start")
    assert lines(answer, "not_analysed") == ["pyproject.toml:2"]


def test_a_module_that_is_found_by_a_path_set_at_run_time_may_be_meant(tmp_path: Path) -> None:
    files = {
        "lib/deep/tools.py": "def paid(): ...\n",
        "run.py": "import sys\nsys.path.append('lib/deep')\nfrom tools import paid\npaid()\n",
    }
    answer = found(tmp_path, files, "paid")
    assert answer.total == 2 or not answer.certainty.complete


# Java, Kotlin, C, C++.


@pytest.mark.parametrize(
    ("files", "symbol"),
    [
        (
            {
                "A.java": "enum Color { RED, BLUE }\nclass A { int f(Color c) {\n"
                "return switch (c) { case RED, case BLUE -> 1; default -> 2; }; } }\n"
            },
            "Color > RED",
        ),
        (
            {
                "A.java": "import java.util.Map;\ninterface Bag<K, V> extends Map<K, V> {\n"
                "V get(Object k); }\nclass U { void f(Bag<String, String> b) { b.get(1); } }\n"
            },
            "Bag > get",
        ),
        (
            {
                "A.kt": "class Cat { fun meow() {} }\nfun f(x: Any) {\n    when (x) {\n"
                "        is Cat -> x.meow()\n    }\n    if (x is Cat) x.meow()\n}\n"
            },
            "Cat > meow",
        ),
        (
            {"a.c": "void do_read(void) {}\n#define DO(n) do_##n()\nint main() { DO(read); }\n"},
            "do_read",
        ),
        (
            {
                "a.cc": "struct Slice { Slice(int x); };\nclass B { int last_key_; void f() {\n"
                "Slice piece(last_key_);\n} };\n"
            },
            "B > last_key_",
        ),
    ],
)
def test_a_use_that_is_hard_to_follow_is_no_reason_to_say_complete(
    tmp_path: Path, files: Files, symbol: str
) -> None:
    answer = found(tmp_path, files, symbol)
    assert answer.total or not answer.certainty.complete
    assert unaccounted(tmp_path, answer) == []


LEVELDB = """
    class LEVELDB_EXPORT Status {
     public:
      bool ok() const { return true; }
    };

    class LEVELDB_EXPORT Env : public Base {
      port::Mutex mutex_ GUARDED_BY(lock_);
      int count_ GUARDED_BY(mutex_) = 0;
      int plain_;
    };
"""


def test_classes_with_an_export_macro_and_guarded_fields_are_symbols(tmp_path: Path) -> None:
    with Engine.open(write(tmp_path, {"a.h": LEVELDB, "b.cc": '#include "a.h"\n'})) as engine:
        named = {item.qualified_name: item.kind for item in engine.outline("a.h").results}
        assert named["Status"] == named["Env"] == "class"
        assert {"Status::ok", "Env::mutex_", "Env::count_", "Env::plain_"} <= named.keys()
        assert engine.search("Status").results[0].name == "Status"


# Go.

LEASE = {
    "lease/lessor.go": """
        package lease

        type Lessor interface {
            Renew(id int) (int64, error)
            Stop()
        }

        type lessor struct{ n int }

        func (le *lessor) Renew(id int) (int64, error) { return 1, nil }
        func (le *lessor) Stop()                       {}

        type Wide struct{ lessor }

        type Other struct{}

        func (o Other) Renew(id int) int64 { return 0 }
        func (o Other) Stop()              {}

        func Use(l Lessor) { l.Renew(1) }
    """,
    "lease/lessor_test.go": """
        package lease

        func try() { le := &lessor{}; le.Renew(2) }
    """,
}


def test_the_family_of_an_interface_method_is_told_with_its_uses(tmp_path: Path) -> None:
    answer = found(tmp_path, LEASE, "Lessor > Renew")
    assert [(item.name, item.lines) for item in answer.family or ()] == [
        ("lessor.Renew", {"lease/lessor_test.go": (3,)})
    ]
    assert (answer.total, answer.certainty.complete) == (1, True)
    assert unaccounted(tmp_path, answer) == []


def test_who_implements_an_interface_of_go_is_told(tmp_path: Path) -> None:
    with Engine.open(write(tmp_path, LEASE)) as engine:
        assert family(engine, "Lessor", "implemented_by") == ["lessor"]
        assert family(engine, "lease/lessor.go > lessor", "implements") == ["Lessor"]
        assert family(engine, "Lessor > Renew", "overridden_by") == ["lessor.Renew"]


def test_possible_uses_are_never_said_to_be_none_where_there_are_some(tmp_path: Path) -> None:
    files = {"a.ts": OPTIONS, "b.ts": "export const h = (m: any) => m.status;\n"}
    with Engine.open(write(tmp_path, files)) as engine:
        options = GraphOptions(roles=("possible",))
        answer = engine.find_references("Options > status", options=options)
    assert [(item.path, item.line) for item in answer.results] == [("b.ts", 1)]


# Where a name can be seen.


@pytest.mark.parametrize(
    ("files", "symbol"),
    [
        ({"a.ts": "import './x';\nfunction Store() {}\n", "b.html": "<p>Store</p>\n"}, "Store"),
        (
            {
                "p/a.go": "package p\n\nfunc store() {}\n",
                "q/b.go": 'package q\n\nimport x "fs"\n\nvar y = x.z().store\n',
            },
            "store",
        ),
        (
            {"a.py": "def f():\n    def store(): ...\n    store()\n", "b.html": "store\n"},
            "store",
        ),
    ],
)
def test_what_a_language_keeps_in_its_file_means_nothing_elsewhere(
    tmp_path: Path, files: Files, symbol: str
) -> None:
    answer = found(tmp_path, files, symbol)
    assert answer.certainty.complete, answer.certainty.reasons


@pytest.mark.parametrize(
    "source",
    [
        "import './x';\nfunction Store() {}\nexport { Store };\n",
        "import './x';\nfunction Store() {}\nexport default Store;\n",
        "function Store() {}\nmodule.exports = { Store };\n",
        "function Store() {}\n",
        "export class Store {}\n",
    ],
)
def test_what_a_module_gives_away_may_be_meant_elsewhere(tmp_path: Path, source: str) -> None:
    answer = found(tmp_path, {"a.js": source, "b.vue": "Store\n"}, "a.js > Store")
    assert not answer.certainty.complete


# What a second look found: said to be complete, and was not.

WRONG = {
    "a name of three words in a string": (
        {
            "a.py": "def send_user_email(): ...\n",
            "t.py": 'mock.patch.object(a, "send_user_email")\n',
        },
        "send_user_email",
    ),
    "a query": (
        {"a.py": "class User: ...\n", "q.py": 'run("SELECT u FROM User u WHERE u.name = 1")\n'},
        "User",
    ),
    "code in a string": (
        {"a.py": "def compute(): ...\n", "t.py": 't("from mod import compute as other")\n'},
        "compute",
    ),
    "what a registry loads": (
        {"a.py": "def export(): ...\n", "t.py": 'registry.load("export")\n'},
        "export",
    ),
    "a keyword of a query": (
        {
            "a.py": "class Order(Model):\n    status = Field()\n",
            "t.py": 'from a import Order\n\nOrder.objects.filter(status="x")\n',
        },
        "Order > status",
    ),
    "an object's shorthand": (
        {
            "a.ts": "export interface Opts { label: string }\n"
            "export function go(o: Opts) { return o; }\n",
            "b.ts": "import { go } from './a';\nconst label = 'x'; go({ label });\n",
        },
        "Opts > label",
    ),
    "an object's method": (
        {
            "a.ts": "export interface H { run(): void }\nexport function reg(h: H) {}\n",
            "b.ts": "import { reg } from './a';\nreg({ run() { } });\n",
        },
        "H > run",
    ),
    "an inline type": (
        {
            "a.go": "package p\n\ntype B struct{}\n\nfunc (b B) Flush() error { return nil }\n\n"
            "func f(v any) { v.(interface{ Flush() error }).Flush() }\n"
        },
        "B > Flush",
    ),
    "an anonymous class": (
        {
            "G.java": "interface G { void go(); void stop(); }\nclass U {\n"
            "G g = new G() { public void go() { } public void stop() { } }; }\n"
        },
        "G > go",
    ),
    "a lambda": (
        {
            "G.java": "interface G { void go(int x); }\nclass U {\n"
            "void f() { G g = x -> { }; g.go(1); } }\n"
        },
        "G > go",
    ),
    "a field that fits": (
        {
            "a.ts": "export interface HasName { label: string }\n"
            "export class User { label = 'x' }\n"
            "export function greet(h: HasName) { return h.label; }\ngreet(new User());\n"
        },
        "User > label",
    ),
    "flags of a linker": (
        {"a.go": "package main\n\nvar version = 1\n", "Makefile": "X = -X main.version=2\n"},
        "version",
    ),
    "parts of a class": (
        {
            "A.cs": "partial class A { private void Reset() { } }\n",
            "B.cs": "partial class A { void F(A x) { Foo.Each(y => y.Reset()); } }\n",
        },
        "A > Reset",
    ),
    "what a module hands out": (
        {
            "a.js": "import './x';\nfunction helper() {}\nexport const api = { helper };\n",
            "b.js": "import { api } from './a';\napi.helper();\nfoo().helper();\n",
        },
        "helper",
    ),
    "a script of a page": (
        {"a.js": "import('./m.js').then(x);\nfunction openMenu() {}\n", "b.js": "openMenu();\n"},
        "openMenu",
    ),
    "an alias of a package": (
        {
            "src/a.ts": "export function share() {}\n",
            "b.ts": "import { share } from '~shared';\nshare();\n",
        },
        "share",
    ),
    "a page of a site": (
        {"a.js": "function runTask() {}\n", "src/site/index.html": '<a onclick="runTask()">\n'},
        "runTask",
    ),
    "a secret": (
        {
            "a.py": "def check_it(): ...\n",
            "b.py": 'password = "check_it"\n',
        },
        "check_it",
    ),
    "a base that nobody knows": (
        {
            "I.cs": "namespace N { public interface IPol { bool Try(int x); } }\n",
            "P.cs": "class P : IPol { public bool Try(int x) => true; }\n",
        },
        "IPol > Try",
    ),
}


@pytest.mark.parametrize("case", WRONG)
def test_it_is_not_called_complete_over(tmp_path: Path, case: str) -> None:
    files, symbol = WRONG[case]
    answer = found(tmp_path, files, symbol)
    assert answer.definitions
    assert not answer.certainty.complete


def test_an_implementation_that_is_inherited_belongs_to_the_family(tmp_path: Path) -> None:
    files = {
        "A.java": "interface Goer { void go(); void stop(); }\n"
        "class Base { public void go() { } }\n"
        "class Sub extends Base implements Goer { public void stop() { } }\n"
        "class U { void f(Goer g) { g.go(); } }\n"
    }
    answer = found(tmp_path, files, "Base > go")
    assert [(item.name, item.lines) for item in answer.family or ()] == [
        ("Goer.go", {"A.java": (4,)})
    ]


def test_an_implementation_by_another_name_of_the_type_belongs_to_the_family(
    tmp_path: Path,
) -> None:
    files = {
        "a.ts": "export interface Des<T> { des(x: T): void }\n"
        "export type Other = Des<string>;\n"
        "export class A implements Other { des(x: string) {} }\n"
    }
    answer = found(tmp_path, files, "Des > des")
    assert [item.name for item in answer.family or ()] == ["A.des"]


def test_a_symbol_that_is_not_defined_is_not_complete(tmp_path: Path) -> None:
    assert not found(tmp_path, {"a.py": "x = 1\n"}, "missing").certainty.complete


@pytest.mark.parametrize(
    "code",
    [
        'raise ValueError("load_user_data was not called before")',
        'logger.warning("load_user_data is slow today")',
        'assert_that(x, "load_user_data gives a map")',
    ],
)
def test_a_message_that_names_it_is_prose(tmp_path: Path, code: str) -> None:
    files = {"a.py": "def load_user_data(): ...\n", "b.py": f"{code}\n", "RELEASE.txt": "x\n"}
    answer = found(tmp_path, files, "load_user_data")
    assert answer.certainty.complete
    assert lines(answer, "comment") == ["b.py:1"]
