"""A target in, the part of its file that shows it and what it uses out."""

from pathlib import Path

import pytest

from codecompass.engine.code_files import code_file
from codecompass.engine.engine import Engine
from codecompass.model.context import Snapshot
from codecompass.parse.detect import detect_language
from codecompass.parse.extract import extract
from codecompass.present.snapshot import make_snapshot
from tests.context.languages import LANGUAGE_FILES
from tests.graph.world import write

SERVICE = """
    import fs from 'fs';
    import jwt from 'jsonwebtoken';
    import { JwtPayload, Session } from '../models/auth';
    import { Store } from './store';

    const TOKEN_EXPIRY = 3600;
    const RETRIES = 3;
    type Claims = { user: string };

    /** Checks tokens. */
    export class TokenService extends BaseValidator {
      private secret: string;
      private store: Store;
      private log: string[] = [];

      // Who it is.
      validate(token: string): JwtPayload | null {
        return jwt.verify(token, this.secret) as JwtPayload;
      }

      refresh(token: string): string {
        this.store.put(token);
        return jwt.sign(this.validate(token), this.secret, { expiresIn: TOKEN_EXPIRY });
      }

      read(path: string): Session {
        return fs.readFileSync(path);
      }

      plain(): number {
        return 1;
      }
    }

    export function claims(token: string): Claims {
      return { user: token.slice(TOKEN_EXPIRY, RETRIES) };
    }

    app.use(cors(RETRIES));
"""


def shown(root: Path, *symbols: str) -> Snapshot:
    """The one snapshot for these records of the file."""
    with Engine.open(root) as engine, engine._views.open(None, lambda *_: None) as view:
        file = code_file(view, "src/service.ts")
        assert file is not None
        return make_snapshot(file, {item.ordinal for item in file.records if item.name in symbols})


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return write(tmp_path, {"src/service.ts": SERVICE})


def test_single_method(root: Path) -> None:
    found = shown(root, "validate")
    assert found.text == (
        "// src/service.ts:2-3,11-12,16-19,33\n"
        "import jwt from 'jsonwebtoken';\n"
        "import { JwtPayload, Session } from '../models/auth';\n"
        "\n"
        "export class TokenService extends BaseValidator {\n"
        "  private secret: string;\n"
        "\n"
        "  // Who it is.\n"
        "  validate(token: string): JwtPayload | null {\n"
        "    return jwt.verify(token, this.secret) as JwtPayload;\n"
        "  }\n"
        "}\n"
    )


def test_two_methods_are_one_snapshot(root: Path) -> None:
    text = shown(root, "validate", "read").text
    assert text.count("import ") == 3
    assert text.count("class TokenService") == 1
    assert "import { Store }" not in text
    assert "secret: string" in text
    assert "store: Store" not in text
    assert "refresh" not in text


def test_root_constants(root: Path) -> None:
    text = shown(root, "claims").text
    assert "TOKEN_EXPIRY = 3600" in text
    assert "RETRIES = 3" in text
    assert "type Claims" in text
    assert "class" not in text
    assert "import" not in text


def test_no_dependencies(root: Path) -> None:
    assert shown(root, "plain").text == (
        "// src/service.ts:11,30-33\n"
        "export class TokenService extends BaseValidator {\n"
        "  plain(): number {\n"
        "    return 1;\n"
        "  }\n"
        "}\n"
    )


def test_cross_reference(root: Path) -> None:
    text = shown(root, "validate", "refresh").text
    for part in ("validate(token", "refresh(token", "secret", "store: Store", "TOKEN_EXPIRY ="):
        assert text.count(part) >= 1
    assert "import { Store } from './store'" in text
    assert "import fs" not in text
    assert "RETRIES" not in text


def test_what_a_target_calls_is_shown_unless_that_is_too_much(root: Path) -> None:
    assert "validate(token: string)" in shown(root, "refresh").text
    with Engine.open(root) as engine:
        assert engine.context("symbol = refresh").results[0].shown == "whole"


def test_an_expression(root: Path) -> None:
    text = shown(root, "app.use(cors(RETRIES));").text
    assert text.endswith("const RETRIES = 3;\n\napp.use(cors(RETRIES));\n")
    assert "TOKEN_EXPIRY" not in text


@pytest.mark.parametrize("path", sorted(LANGUAGE_FILES))
def test_every_language(tmp_path: Path, path: str) -> None:
    """`wanted` uses `used`, which is shown; `other` is used by nobody, and is not."""
    write(tmp_path, {path: LANGUAGE_FILES[path]})
    with Engine.open(tmp_path) as engine:
        answer = engine.context(f"symbol = {path} > wanted")
        if not answer.results:
            answer = engine.context("symbol = wanted")
        text = answer.snapshots[0].text
    assert "wanted" in text
    assert "used" in text.replace("unused", "")
    assert "other" not in text
    language = detect_language(path, text.encode())
    assert not extract(language, text.encode()).has_errors
    source = (tmp_path / path).read_text("utf-8").split("\n")
    numbered = [n for first, last in answer.snapshots[0].ranges for n in range(first, last + 1)]
    lines = [line for line in text.rstrip("\n").split("\n")[1:] if line]
    assert lines == [source[n - 1] for n in numbered if source[n - 1]]


PIECES = {
    "a block is whole or not there": (
        "a.py",
        """
        class Box:
            if FLAG:
                def first(self):
                    return 1
            else:
                def second(self):
                    return 2

            def wanted(self):
                return 3
        """,
        "wanted",
        ["class Box:", "def wanted"],
        ["FLAG", "else:"],
    ),
    "the branches of a statement belong together": (
        "a.py",
        """
        try:
            import fast
            HAS = True
        except ImportError:
            HAS = False

        def wanted():
            return HAS
        """,
        "wanted",
        ["HAS = True", "except ImportError:", "HAS = False"],
        [],
    ),
    "a class with one decorated member": (
        "a.py",
        """
        class Fault(Exception):
            @property
            def errors(self):
                return 1

        def wanted():
            raise Fault
        """,
        "wanted",
        ["class Fault(Exception):", "def errors"],
        [],
    ),
    "a function around a target is only its head": (
        "a.js",
        """
        function outer(first) {
          const other = first + 1;
          function wanted() {
            return 1;
          }
          return other;
        }
        """,
        "wanted",
        ["function outer(first) {", "function wanted() {", "return 1;"],
        ["other"],
    ),
    "constants that count on": (
        "a.go",
        """
        package a

        const (
            first = iota
            second
        )

        func wanted() int {
            return second
        }
        """,
        "wanted",
        ["first = iota", "second"],
        [],
    ),
    "the constants of an enumeration": (
        "A.java",
        """
        enum A {
            ONE,
            TWO;

            int wanted() {
                return 1;
            }
        }
        """,
        "wanted",
        ["ONE,", "TWO;"],
        [],
    ),
    "a comment that goes on below": (
        "a.c",
        """
        struct box {
            int other;
            int wanted;  /* as many as there
                          * are */
        };
        """,
        "wanted",
        ["int wanted;", "* are */"],
        ["other"],
    ),
    "two definitions that share a line": (
        "a.c",
        """
        struct wanted {
            int size;
        } boxes[] = {
            {1},
        };
        """,
        "wanted",
        ["struct wanted {", "} boxes[] = {", "{1},"],
        [],
    ),
    "the body of what is called, not its prototype": (
        "a.c",
        """
        static int helper(int a);

        int wanted(void) { return helper(1); }

        static int helper(int a) {
            return a;
        }
        """,
        "wanted",
        ["return a;", "int wanted"],
        [],
    ),
    "a name in a template, and one that is only in a docstring": (
        "a.ts",
        """
        import { Db } from './db';
        import { other } from './other';

        export function wanted() {
          return `https://host/${Db.name}`; // other
        }
        """,
        "wanted",
        ["import { Db }"],
        ["import { other }"],
    ),
    "words of docs are no uses": (
        "a.py",
        """
        import json
        import os

        def wanted():
            '''Return {"a": 1}; json is not used.'''
            return os.name
        """,
        "wanted",
        ["import os"],
        ["import json"],
    ),
    "a shift is no text that goes on below": (
        "a.py",
        """
        WIDTH = 3

        def wanted(bits):
            return bits<<WIDTH

        def other():
            return [
                WIDTH
            ]
        """,
        "wanted",
        ["bits<<WIDTH"],
        ["other"],
    ),
    "lists in lists of imports": (
        "a.rs",
        """
        use std::{
            collections::{HashMap,
                HashSet},
            io,
        };

        fn wanted(one: HashSet<u32>) {}
        """,
        "wanted",
        ["collections::{HashMap,", "HashSet},", "};"],
        [],
    ),
    "a field that the constructor declares": (
        "a.ts",
        """
        import { Db } from './db';

        export class Service {
          private other = 1;
          constructor(private readonly db: Db) {}
          wanted() {
            return this.db.get();
          }
        }
        """,
        "wanted",
        ["constructor(private readonly db: Db) {}", "import { Db }"],
        ["other"],
    ),
    "what a function that is called uses": (
        "a.py",
        """
        LIMIT = 3
        other = 4

        def helper():
            return LIMIT

        def wanted():
            return helper()
        """,
        "wanted",
        ["LIMIT = 3", "def helper", "def wanted"],
        ["other"],
    ),
    "what a macro names": (
        "a.rs",
        """
        struct Visitor;
        struct Other;

        macro_rules! wanted {
            ($kind:ty) => {
                impl $kind {
                    fn visitor() -> Visitor {
                        Visitor
                    }
                }
            };
        }
        """,
        "wanted",
        ["struct Visitor;", "macro_rules! wanted"],
        ["Other"],
    ),
    "an import inside a module is of that module": (
        "a.rs",
        """
        use std::path::Path;

        fn wanted(at: &Path) -> bool {
            at.exists()
        }

        mod tests {
            use std::path::Path;

            fn other() {}
        }
        """,
        "wanted",
        ["use std::path::Path;", "fn wanted"],
        ["mod tests", "other"],
    ),
}


@pytest.mark.parametrize("name", sorted(PIECES))
def test_pieces(tmp_path: Path, name: str) -> None:
    path, source, target, there, not_there = PIECES[name]
    write(tmp_path, {path: source})
    with Engine.open(tmp_path) as engine:
        text = engine.context(f"symbol = {target}").snapshots[0].text
    for part in there:
        assert part in text
    for part in not_there:
        assert part not in text
    assert not extract(detect_language(path, text.encode()), text.encode()).has_errors


def test_what_a_type_of_a_header_consists_of(tmp_path: Path) -> None:
    source = "struct node { int key; };\nstruct other { int key; };\n"
    write(
        tmp_path,
        {
            "node.h": "typedef struct node node;\nint wanted(node *one);\n",
            "node.c": f'#include "node.h"\n\n{source}\nint wanted(node *one) '
            "{ return one == 0; }\n",
        },
    )
    with Engine.open(tmp_path) as engine:
        answer = engine.context("symbol = node.c > wanted")
    texts = {item.path: item.text for item in answer.snapshots}
    assert "struct node { int key; };" in texts["node.c"]
    assert "other" not in texts["node.c"]


def test_line_ends_of_windows(tmp_path: Path) -> None:
    lines = ("class C:", "    def m(self):", "        return 1", "", "    def n(self):")
    source = "\r\n".join([*lines, "        return 2", ""])
    (tmp_path / "a.py").write_bytes(source.encode())
    with Engine.open(tmp_path) as engine:
        text = engine.context("symbol = C > m").snapshots[0].text
    assert "def m" in text
    assert "def n" not in text
