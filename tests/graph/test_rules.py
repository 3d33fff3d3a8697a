"""Single rules of scopes, types and modules; every one was wrong once."""

from pathlib import Path

import pytest

from codecompass.engine.engine import Engine
from codecompass.errors import FileNotIndexed
from codecompass.link.digests import digests
from codecompass.parse.extract import extract
from codecompass.parse.languages import BY_NAME
from tests.graph.test_incremental import fresh_links, links
from tests.graph.world import callers, uses, write

PYTHON_RULES = {
    "the library comes before a file of another folder": (
        {
            "examples/random.py": "def choice(): ...\n",
            "src/app.py": "import random\nrandom.choice()\n",
        },
        "choice",
        [],
    ),
    "a nested class hides another of its name": (
        {
            "a.py": "class B:\n    def m(self): ...\n\nclass A:\n    class B:\n"
            "        def m(self): ...\n    def f(self, x: B):\n        x.m()\n"
        },
        "A > B > m",
        ["a.py:8 call"],
    ),
    "an annotation is not read inside the function": (
        {
            "k.py": "class date:\n    def m(self): ...\n",
            "a.py": "from k import date\n\ndef f(date: date):\n    date.m()\n",
        },
        "date > m",
        ["a.py:4 call"],
    ),
    "the last star import counts": (
        {
            "p.py": "def f(): ...\n",
            "s.py": "def f(): ...\n",
            "a.py": "from p import *\nfrom s import *\nf()\n",
        },
        "s.py > f",
        ["a.py:3 call"],
    ),
    "a star import leaves out what begins with an underscore": (
        {"u.py": "def _priv(): ...\n", "a.py": "from u import *\n_priv()\n"},
        "_priv",
        [],
    ),
    "another value ends what was known of a variable": (
        {
            "a.py": "class A:\n    def m(self): ...\n\nclass B:\n    def m(self): ...\n\n"
            "def f(x):\n    if not isinstance(x, A):\n        return\n    x.m()\n    x = B()\n"
            "    x.m()\n"
        },
        "B > m",
        ["a.py:12 call"],
    ),
    "names in patterns are bound": (
        {
            "a.py": "def run(): ...\n\ndef f(x):\n    match x:\n        case dict(name=run):\n"
            "            run()\n        case [1, *run]:\n            run()\n"
        },
        "run",
        [],
    ),
    "a bounded type parameter is one": (
        {
            "a.py": "class K:\n    def m(self): ...\n\nclass X:\n    def m(self): ...\n\n"
            "def f[X: K](x: X):\n    x.m()\n"
        },
        "K > m",
        ["a.py:8 call"],
    ),
}
PYTHON_RULES |= {
    "a member in a literal type": (
        {
            "a.py": "from enum import Enum\nimport typing as t\n\nclass C(Enum):\n    RED = 1\n\n"
            "x: t.Literal[C.RED] = C.RED\n"
        },
        "C > RED",
        ["a.py:7 read", "a.py:7 read"],
    ),
    "a generator as the only argument": (
        {
            "a.py": "class A:\n    def m(self): ...\n\n"
            "def f(items: list[A]):\n    return sum(item.m() for item in items)\n"
        },
        "A > m",
        ["a.py:5 call"],
    ),
    "a value in a pattern": (
        {
            "a.py": "from enum import Enum\n\nclass C(Enum):\n    RED = 1\n\n"
            "def f(x):\n    match x:\n        case C.RED:\n            pass\n"
        },
        "C > RED",
        ["a.py:8 read"],
    ),
    "a subclass writes what its base declares": (
        {
            "a.py": "class Base:\n    kind = 0\n\nclass Sub(Base):\n"
            "    def set(self):\n        self.kind = 2\n"
        },
        "Base > kind",
        ["a.py:6 write"],
    ),
    "a global is written": (
        {"a.py": "G = 1\n\ndef f():\n    global G\n    G = 5\n"},
        "G",
        ["a.py:4 read", "a.py:5 write"],
    ),
}
ECMA_RULES = {
    "a type leaves the value of the same name as it was": (
        {
            "a.ts": "export {};\ntype Error = { code: 1 };\nfunction f() { new Error(); }\n"
            "let e: Error;\n"
        },
        "Error",
        ["a.ts:4 type"],
    ),
    "a type that everybody has can be added to": (
        {
            "lib.d.ts": "interface Error { code: number }\n",
            "a.ts": "export function f() { let e: Error; }\n",
        },
        "Error",
        ["a.ts:1 type"],
    ),
    "what a class promises, a base outside has": (
        {
            "a.ts": "import { Duplex } from 'stream';\ninterface On { on(): void }\n"
            "class R extends Duplex implements On { go() { this.on(); } }\n"
        },
        "On > on",
        [],
    ),
    "the type of a member of a member": (
        {"a.ts": "class C { m() {} }\nconst a = { b: new C() };\nlet d: typeof a.b.m;\n"},
        "C > m",
        ["a.ts:3 type"],
    ),
    "a member named by a constant": (
        {"a.ts": "const KEY = 'k';\ntype T = { [KEY](): void };\n"},
        "KEY",
        ["a.ts:2 read"],
    ),
    "types inside a function": (
        {"a.ts": "export function f() { enum E { A } const e: E = E.A; return e; }\n"},
        "E",
        ["a.ts:1 type", "a.ts:1 read"],
    ),
    "what a set is made of": (
        {"a.ts": "class A { m() {} }\nfor (const a of new Set([new A()])) a.m();\n"},
        "A > m",
        ["a.ts:2 call"],
    ),
    "a member taken out by its name": (
        {"a.ts": "class A { m() {} }\nconst { m } = new A();\n"},
        "A > m",
        ["a.ts:2 read"],
    ),
    "var in a loop belongs to the function": (
        {"a.ts": "function item() {}\nfunction f(xs: any) { for (var item of xs) {} item(); }\n"},
        "item",
        [],
    ),
    "var in a namespace belongs to it": (
        {
            "a.ts": "class K { m() {} }\nnamespace N { export var x = new K(); }\nN.x.m();\n",
        },
        "K > m",
        ["a.ts:3 call"],
    ),
    "a cast in front of a call is a call": (
        {"a.ts": "export function f() {}\n(f as any)();\n(f satisfies Function)();\n"},
        "f",
        ["a.ts:2 call", "a.ts:3 call"],
    ),
    "a function in a local constant has uses": (
        {"a.tsx": "function C() {\n  const click = () => 1;\n  click();\n  return click;\n}\n"},
        "click",
        ["a.tsx:3 call", "a.tsx:4 read"],
    ),
    "a module that exports one thing later": (
        {"k.js": "function f() {}\nmodule.exports = { f };\n", "a.js": "require('./k').f();\n"},
        "f",
        ["a.js:1 call", "k.js:2 read"],
    ),
    "signatures without semicolons": (
        {
            "a.ts": "export interface H {\n  <T>(x: T): T\n  <T, U>(x: T, y: U): U\n}\n"
            "export function after(h: H) {}\nafter(null);\n"
        },
        "after",
        ["a.ts:6 call"],
    ),
}


@pytest.mark.parametrize("rule", [*PYTHON_RULES, *ECMA_RULES])
def test_rule(tmp_path: Path, rule: str) -> None:
    files, symbol, expected = {**PYTHON_RULES, **ECMA_RULES}[rule]
    with Engine.open(write(tmp_path, files)) as engine:
        assert uses(engine, symbol) == expected


GROWING = {
    "types that hold each other": "def f(x): return (g(x), f(x))\ndef g(x): return (f(x), g(x))\n"
    "tree = f(1)\nprint(tree[0].upper())\n",
    "tuples of tuples": "x0 = 1\n"
    + "".join(f"x{n + 1} = (x{n}, x{n})\n" for n in range(60))
    + "x60.m()\n",
    "a long chain": "class K:\n    def m(self): return self\n\nx = K()" + ".m()" * 300 + "\n",
    "many checks": "def f(x):\n" + "    assert isinstance(x, int)\n    x.m()\n" * 600,
    "functions of functions": "def f0(): return 1\n"
    + "".join(f"def f{n + 1}(): return [f{n}()][0]\n" for n in range(200)),
}


@pytest.mark.parametrize("name", GROWING)
def test_inference_is_bounded(tmp_path: Path, name: str) -> None:
    files = {"a.py": GROWING[name], "b.py": "def other(): ...\n\nother()\n"}
    with Engine.open(write(tmp_path, files)) as engine:
        assert uses(engine, "other") == ["b.py:3 call"]


CHANGES = {
    "a file changes while its import begins to mean something": (
        {"b.py": "from x import K\n", "a.py": "from b import K\nK().m()\n"},
        {"b.py": "# changed\nfrom x import K\n", "x.py": "class K:\n    def m(self): ...\n"},
    ),
    "one thing is exported as a whole later": (
        {"k.js": "function f() {}\n", "a.js": "const { f } = require('./k');\nf();\n"},
        {"k.js": "function f() {}\nmodule.exports = { f };\n"},
    ),
    "an object without a name gets a member": (
        {"a.ts": "export function f() { return { a: 1 }; }\n",
         "b.ts": "import { f } from './a';\nf().a; f().b;\n"},
        {"a.ts": "// moved\nexport function f() { return { a: 1, b: 2 }; }\n"},
    ),
    "the beginning of a long chain": (
        {"b.py": "class A:\n    def m(self): return self\n\nclass B(A): ...\n\nx = A()"
         + ".m()" * 60 + "\n", "a.py": "from b import x\nx.m()\n"},
        {"b.py": "class A:\n    def m(self): return self\n\nclass B(A): ...\n\nx = B()"
         + ".m()" * 60 + "\n"},
    ),
    "a method in another file of the package": (
        {"go.mod": "module m\n", "a.go": "package p\n\ntype T struct{}\n",
         "b.go": "package p\n\nfunc f(t T) { t.M() }\n", "c.go": "package p\n"},
        {"c.go": "package p\n\nfunc (t T) M() {}\n"},
    ),
    "a class that comes into a package": (
        {"src/p/A.java": "package p;\nclass A { void f(B b) { b.m(); } }\n"},
        {"src/p/B.java": "package p;\nclass B { void m() {} }\n"},
    ),
    "a method that a superclass gets": (
        {"p/A.java": "package p;\nclass A extends B { void f() { m(); } }\n",
         "p/B.java": "package p;\nclass B {}\nclass C { void m() {} }\n"},
        {"p/B.java": "package p;\nclass B extends C {}\nclass C { void m() {} }\n"},
    ),
    "a trait that a type gets": (
        {"Cargo.toml": '[package]\nname = "m"\n', "src/lib.rs": "mod a;\nmod b;\n",
         "src/a.rs": "pub struct T;\npub trait Tr { fn go(&self) {} }\n",
         "src/b.rs": "use crate::a::*;\nfn f(t: T) { t.go(); t.own(); }\n"},
        {"src/c.rs": "", "src/lib.rs": "mod a;\nmod b;\nmod c;\nuse a::*;\nimpl Tr for T {}\n"
         "impl T { fn own(&self) {} }\n"},
    ),
    "a type of the whole program": (
        {"g.d.ts": "interface Shared { a: number }\n", "b.ts": "export let s: Shared;\ns.a;\n"},
        {"g.d.ts": "interface Other { a: number }\n"},
    ),
}  # fmt: skip


@pytest.mark.parametrize("change", CHANGES)
def test_a_change_reaches_what_rests_on_it(
    tmp_path_factory: pytest.TempPathFactory, change: str
) -> None:
    before, after = CHANGES[change]
    root = write(tmp_path_factory.mktemp("project"), before)
    with Engine.open(root) as engine:
        engine.index()
        write(root, after)
        engine.index()
        assert links(engine) == fresh_links(root, tmp_path_factory.mktemp("fresh"))


def test_of_many_definitions_types_come_first(tmp_path: Path) -> None:
    files = {f"f{n}.py": f"class C{n}:\n    def Render(self): ...\n" for n in range(12)}
    files["z.py"] = "class Render:\n    def show(self): ...\n"
    with Engine.open(write(tmp_path, files)) as engine:
        found = engine.hierarchy("Render")
        assert found.definitions[0].path == "z.py"
        assert "Render.show" in [item.name for item in found.results]


def test_members_of_one_name_and_as_many_uses_are_not_the_same(tmp_path: Path) -> None:
    files = {
        "x.py": "class Config:\n    timeout: int = 5\n\n\n"
        "class Job:\n    def timeout(self): ...\n\n\n"
        "def a(c: Config):\n    return c.timeout\n\n\n"
        "def b(j: Job):\n    return j.timeout()\n",
    }
    with Engine.open(write(tmp_path, files)) as engine:
        assert uses(engine, "timeout") == ["x.py:10 read", "x.py:14 call"]


def test_a_link_inside_hides_no_use(tmp_path: Path) -> None:
    write(tmp_path, {"a.py": "def one(): ...\n"})
    (tmp_path / "link.py").symlink_to("a.py")
    (tmp_path / "broken.py").symlink_to("nowhere.py")
    with Engine.open(tmp_path) as engine:
        assert engine.find_references("one").certainty.complete
        with pytest.raises(FileNotIndexed, match="not_a_file"):
            engine.outline("link.py")


def test_an_answer_says_why_it_is_not_complete(tmp_path: Path) -> None:
    files = {f"f{n}.py": "def same(): ...\n" for n in range(12)}
    files["big.py"] = "x = 1\n" * 300
    files["broken.py"] = "def single(:\n  single(\n"
    files["single.py"] = "def single(): ...\n"
    root = write(tmp_path, files)
    with Engine.open(root, flags={"index.max_file_bytes": 1024}) as engine:
        many = engine.find_references("same").certainty
        assert not many.complete
        assert "4 more definitions" in many.reasons[0]
        one = engine.find_references("single.py > single").certainty
        assert not one.complete
        assert one.reasons == ("1 place that could not be resolved",)  # in what is broken


@pytest.mark.parametrize(
    ("files", "symbol", "base"),
    [
        (
            {
                "base.py": "class Base:\n    def fits(self): ...\n",
                "route.py": "from base import Base\n\n\nclass Route(Base):\n"
                "    def fits(self): ...\n",
                "use.py": "from base import Base\n\n\ndef run(one: Base):\n    one.fits()\n",
            },
            "Route > fits",
            "Base.fits",
        ),
        (
            {
                "a.go": "package p\n\ntype Shape interface {\n\tArea() int\n}\n\n"
                "type Sq struct{ n int }\n\nfunc (s Sq) Area() int { return s.n }\n\n"
                "func Total(x Shape) int { return x.Area() }\n"
            },
            "Sq > Area",
            "Shape.Area",
        ),
    ],
)
def test_what_is_called_by_the_name_of_another_is_told_with_that(
    tmp_path: Path, files: dict[str, str], symbol: str, base: str
) -> None:
    with Engine.open(write(tmp_path, files)) as engine:
        for found in (engine.find_references(symbol), engine.call_graph(symbol)):
            assert [(item.name, item.total) for item in found.family or ()] == [(base, 1)]
        above = engine.find_references(base.replace(".", " > "))
        assert above.certainty.complete
        assert [item.name.replace(".", " > ") for item in above.family or ()] == [symbol]


_OUTSIDE = "1 member of a value from outside"


@pytest.mark.parametrize(
    ("files", "symbol", "reasons"),
    [
        (
            {
                "A.kt": "class Box(val n: Int) {\n    fun run() { helper(1) }\n}\n\n"
                "fun Box.helper(x: Int): Int = x + n\n"
            },
            "helper",
            (_OUTSIDE,),  # an extension, by a receiver that nobody writes down
        ),
        (
            {"A.java": "class A { void help() {} void run(Other other) { other.help(); } }\n"},
            "help",
            (_OUTSIDE,),  # of a type that is not here
        ),
        (
            {
                "a.py": "def help_it(): ...\n\n\ndef run(help_it):\n    help_it()\n",
                "b.py": "class A:\n    def get(self): ...\n\n\n{}.get(1)\n",
            },
            "help_it",
            (),  # a parameter hides it
        ),
        (
            {"b.py": "class A:\n    def get(self): ...\n\n\n{}.get(1)\n"},
            "get",
            (),  # the language's own
        ),
    ],
)
def test_uses_of_the_name_that_seem_to_be_of_others_are_counted(
    tmp_path: Path, files: dict[str, str], symbol: str, reasons: tuple[str, ...]
) -> None:
    with Engine.open(write(tmp_path, files)) as engine:
        found = engine.find_references(symbol)
        assert (found.total, found.certainty.reasons) == (0, reasons)


def test_a_broken_file_counts_only_where_it_has_the_name(tmp_path: Path) -> None:
    """Those with like letters are found too, by their grams."""
    files = {"a.py": "def taken(): ...\n", "b.py": "def broken(:\n    take = aken = ken\n"}
    files["c.py"] = "def broken(:\n    taken(\n"
    with Engine.open(write(tmp_path, files)) as engine:
        reasons = engine.find_references("a.py > taken").certainty.reasons
    assert reasons == ("1 place that could not be resolved",)


@pytest.mark.parametrize(
    "text",
    [
        "from typing import Any\n\ndef f(x: Any):\n    x.m()\n",
        "def make(base):\n    class R(base):\n        def go(self): self.m()\n    return R\n",
        "import lib\nlib.load().m()\n",
        "from unittest.mock import MagicMock\nx = MagicMock()\nx.m()\n",
    ],
)
def test_what_may_be_of_any_type_is_possible(tmp_path: Path, text: str) -> None:
    files = {"a.py": "class A:\n    def m(self): ...\n", "b.py": text}
    with Engine.open(write(tmp_path, files)) as engine:
        answer = engine.find_references("A > m")
        assert (answer.total, answer.certainty.possible) == (0, 1)
        assert uses(engine, "A > m", "possible")[0].startswith("b.py:")


def test_recursion_is_cut(tmp_path: Path) -> None:
    text = "def a():\n    b()\n    a()\n\ndef b():\n    a()\n"
    with Engine.open(write(tmp_path, {"a.py": text})) as engine:
        assert callers(engine, "a", depth=5) == ["a@3 again", "b@6", "a@2 again"]


def test_variables_made_of_one_another_are_told_in_time() -> None:
    def told(first: str, steps: str) -> dict[str, str]:
        text = f"def run(a):\n    v0 = {first}\n{steps}    return v60\n".encode()
        return digests(extract(BY_NAME["python"], text).module)

    chain = "".join(f"    v{n} = g(v{n - 1}, v{n - 1})\n" for n in range(1, 61))
    assert told("a", chain) == told("a", chain)
    assert told("a", chain) != told("h()", chain)
    circle = "".join(f"    v{n} = g(v{(n * 7) % 61}, v{(n * 11) % 61})\n" for n in range(61))
    assert told("a", circle) != told("h()", circle)


@pytest.mark.parametrize(
    ("language", "text"),
    [
        (
            "java",
            "class A { int f() { return g(1, 2, 3).h().i(); } }\nenum E implements %s { X }\n",
        ),
        ("kotlin", "fun f() = g(1, 2, 3).h().i()\nenum class E : %s { X }\n"),
    ],
)
def test_what_an_enum_implements_is_told(language: str, text: str) -> None:
    told = [
        digests(extract(BY_NAME[language], (text % name).encode()).module)["E"]
        for name in ("Shape", "Colour")
    ]
    assert told[0] != told[1]


def test_what_others_may_call_is_not_called_complete(tmp_path: Path) -> None:
    files = {
        "a.py": """
            import json
            class Mine(json.JSONEncoder):
                def default(self, o): ...
            class Deep(Mine):
                def default(self, o): ...
            class Plain(object):
                def quiet(self): ...
                def __getitem__(self, key): ...
        """,
        "d.rs": """
            struct G;
            impl Drop for G { fn drop(&mut self) {} }
            impl G { fn lone(&self) {} }
        """,
    }
    said = {}
    with Engine.open(write(tmp_path, files)) as engine:
        for name in ("Mine > default", "Deep > default", "__getitem__", "drop", "quiet", "lone"):
            found = engine.find_references(name)
            assert found.total == 0
            said[name] = " ".join(found.certainty.reasons)
    assert "knows JSONEncoder" in said["Mine > default"]
    assert "knows JSONEncoder" in said["Deep > default"]
    assert "operators" in said["__getitem__"]
    assert "knows Drop" in said["drop"]
    assert (said["quiet"], said["lone"]) == ("", "")
