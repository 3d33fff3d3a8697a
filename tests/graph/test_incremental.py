"""A law: after any change, what is kept of the links says what resolving everything would say."""

import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from codecompass.engine.engine import Engine
from codecompass.model.snapshot import live_name

PYTHON = (
    "from a import *",
    "from b import f, K",
    "from a import K as L, x",
    "import c",
    "import pkg.d",
    "from pkg import d, E",
    "from .d import E",
    "from pkg.d import *",
    "class K:\n    y: 'E'\n    def m(self): return self\n    def n(self): return f()",
    "class K(L):\n    def n(self): return x",
    "class E(K):\n    def o(self, k: K) -> 'E':\n        self.z = k.n()\n        return self",
    "def f():\n    return K()",
    "def f():\n    v = c.f()\n    return v.m()",
    "def g(k: K):\n    if isinstance(k, E):\n        k.o(k).z\n    return [k]",
    "x = f()",
    "x = d.E()",
    "x.m().n().m()",
    "c.x.n()",
    "pkg.d.E().o(x).m()",
    "for item in g(x):\n    item.m()",
)
PYTHON_FILES = ("a.py", "b.py", "c.py", "pkg/__init__.py", "pkg/d.py")
TYPESCRIPT = (
    'import { K, f } from "./a";',
    'import d, { x as y } from "./b";',
    'import * as c from "./c";',
    'export * from "./b";',
    'export { f as g } from "./c";',
    'import { K as L } from "@/lib/k";',
    "export class K { p = f(); m(): K { return this; } static s() { return new K(); } }",
    "export interface K { q: L; }",
    "export class K extends L { m() { return super.m(); } }",
    "export function f() { return new K(); }",
    "export const f = (k: K) => [k].map((i) => i.m());",
    "export const x = f();",
    "export default K;",
    "c.f(); c.x; y.m().m();",
    "K.s().m().p.m();",
    "d.s(); new d().m().q;",
    "declare global { interface Window { k: K } }",
    "window.k.m();",
)
TYPESCRIPT_FILES = ("a.ts", "b.ts", "c.ts", "lib/k.ts")
C = (
    '#include "a.h"',
    '#include "sub/b.h"',
    '#include "b.h"',
    "typedef struct t { struct t *next; u *other; } t;",
    "typedef struct u u;",
    "struct u { t one; int n; };",
    "t *make(u *from);",
    "t *make(u *from) { return from->one.next; }",
    "extern t all;",
    "t all;",
    "#define N all",
    "static int n(u *t) { return t->n + t->one.other->n; }",
    "int use(void) { u v; make(&v)->next->other; return n(&v) + N.n + all.other->n; }",
)
C_FILES = ("a.h", "sub/b.h", "sub/b.c", "c.c")
RUBY = (
    "class K; include M; def m; @f = K.new; @f.n; end; end",
    "class K; def n; self; end; attr_reader :x; end",
    "class K < N::L; def m; super; n.m; end; end",
    "module M; def o; [K.new].each { |k| k.m }; end; end",
    "module N; class L; def m; K.new; end; end; LIMIT = 1; end",
    "module N; def self.make; L.new.m; end; end",
    "def free; K.new.m.o; N.make.n; end",
    "x = K.new; x.o; x.x; N::LIMIT; free",
)
RUBY_FILES = ("a.rb", "b.rb", "lib/c.rb")
LUA = (
    'local a = require("a")',
    'local b = require("lib.b")',
    "local M = {}",
    "local function f() return a.f() end",
    "function M.f() return f() + b.g() end",
    "function M:g() self:f(); a.x() end",
    "function x() M.f(); b.f() end",
)
LUA_FILES = ("a.lua", "lib/b.lua", "b/init.lua")
CONFIGS = ("{}", '{ "compilerOptions": { "paths": { "@/*": ["./*"] } } }')

START: Mapping[str, tuple[str, ...]] = {
    "a.py": ("from b import f, K", "x = f()", "x.m().n().m()"),
    "b.py": ("import c", "from pkg import d, E", PYTHON[8], PYTHON[12]),
    "c.py": ("from pkg.d import *", "def f():\n    return E()", "x = f()"),
    "pkg/__init__.py": ("from .d import E",),
    "pkg/d.py": ("from a import K as L, x", PYTHON[9], PYTHON[10]),
    "a.ts": ('import d, { x as y } from "./b";', 'import { K as L } from "@/lib/k";',
             TYPESCRIPT[8], TYPESCRIPT[9], "d.s(); new d().m().q;"),
    "b.ts": ('export { f as g } from "./c";', 'import { K, f } from "./a";',
             "export const x = f();", "export default K;", "window.k.m();"),
    "c.ts": ('export * from "./b";', TYPESCRIPT[9], 'import { K } from "./lib/k";'),
    "lib/k.ts": (TYPESCRIPT[6], TYPESCRIPT[9], "declare global { interface Window { k: K } }"),
    "tsconfig.json": (CONFIGS[1],),
    "a.h": ('#include "sub/b.h"', C[3], C[6], C[8]),
    "sub/b.h": ("typedef struct u u;",),
    "sub/b.c": ('#include "a.h"', C[5], C[7], C[9], C[11]),
    "c.c": ('#include "a.h"', C[10], C[5], C[12]),
    "a.rb": (RUBY[0], RUBY[6]),
    "b.rb": (RUBY[1], RUBY[3], RUBY[7]),
    "lib/c.rb": (RUBY[4], RUBY[5]),
    "a.lua": (LUA[1], LUA[2], LUA[4], LUA[5]),
    "lib/b.lua": (LUA[0], LUA[2], LUA[3], LUA[5], LUA[6]),
}  # fmt: skip
"""Files that know each other in many ways: a change in one is felt in others."""


class Change(NamedTuple):
    """Another snippet in the place of one; one more or one less at the end; or no file at all."""

    path: str
    place: int
    snippet: str | None
    deletes: bool


def _changes(names: Sequence[str], snippets: Sequence[str]) -> st.SearchStrategy[Change]:
    return st.builds(
        Change,
        st.sampled_from(names),
        st.integers(0, 5),
        st.one_of(st.none(), st.sampled_from(snippets), st.sampled_from(snippets)),
        st.sampled_from([False, False, False, False, True]),
    )


CHANGES = st.lists(
    st.one_of(
        _changes(PYTHON_FILES, PYTHON),
        _changes(TYPESCRIPT_FILES, TYPESCRIPT),
        _changes(["tsconfig.json"], CONFIGS),
        _changes(C_FILES, C),
        _changes(RUBY_FILES, RUBY),
        _changes(LUA_FILES, LUA),
    ),
    min_size=1,
    max_size=5,
)


@settings(
    max_examples=int(os.environ.get("CODECOMPASS_LAW_EXAMPLES", "25")),
    deadline=None,
    suppress_health_check=list(HealthCheck),
)
@given(changes=CHANGES)
def test_links_after_changes_are_those_of_a_fresh_index(
    tmp_path_factory: pytest.TempPathFactory, changes: list[Change]
) -> None:
    root = tmp_path_factory.mktemp("project")
    state = {path: list(snippets) for path, snippets in START.items()}
    for path, snippets in state.items():
        (root / path).parent.mkdir(exist_ok=True)
        (root / path).write_text("\n".join(snippets), "utf-8")
    with Engine.open(root) as engine:
        engine.index()
        for change in changes:
            apply(change, state, root)
            engine.index()
            expected = fresh_links(root, tmp_path_factory.mktemp("fresh"))
            assert links(engine) == expected, change


def apply(change: Change, state: dict[str, list[str]], root: Path) -> None:
    """Do a change to the files."""
    if change.deletes:
        state.pop(change.path, None)
        (root / change.path).unlink(missing_ok=True)
        return
    snippets = state.setdefault(change.path, [])
    snippets[change.place : change.place + 1] = [change.snippet] if change.snippet else []
    (root / change.path).parent.mkdir(exist_ok=True)
    (root / change.path).write_text("\n".join(snippets), "utf-8")


def fresh_links(root: Path, folder: Path) -> dict[str, object]:
    """The links of a copy that was never indexed before."""
    for path in root.rglob("*"):
        if path.is_file():
            target = folder / path.relative_to(root)
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(path.read_bytes())
    with Engine.open(folder) as engine:
        engine.index()
        return links(engine)


def links(engine: Engine) -> dict[str, object]:
    """Everything that is stored of what uses mean, by path."""
    reader = engine._store.reader(live_name(engine.workspace.root))
    if reader is None:
        return {}
    with reader:
        graph = reader.graph
        found: dict[str, object] = {}
        for path in reader.files():
            edges = graph.edges(path)
            nodes = graph.nodes(edge.target for edge in edges)
            meant = sorted((edge[:4], nodes[edge.target]) for edge in edges)
            found[path] = (meant, graph.misses(path))
        return found
