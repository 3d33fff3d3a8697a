"""The six multi-file fixtures for TypeScript, counts exact."""

from pathlib import Path

from codecompass.engine.engine import Engine
from tests.graph.world import callees, callers, family, related, uses, write

CALL_CHAIN = {
    "a.ts": """
        import { b } from "./b";
        export function a(): number {
          return b(1) + b(2);
        }
    """,
    "b.ts": """
        import { Counter } from "./c";
        export const b = (n: number): number => {
          const counter = new Counter();
          counter.add(n);
          return counter.total();
        };
    """,
    "c.ts": """
        import { log } from "./log";
        export class Counter {
          private sum = 0;
          add(n: number): void {
            this.sum += n;
            log(this.total());
          }
          total(): number {
            return this.sum;
          }
        }
    """,
    "log.ts": """
        export default function log(value: number): void {
          console.log(value);
        }
        export { log };
    """,
}


def test_call_chain(tmp_path: Path) -> None:
    with Engine.open(write(tmp_path, CALL_CHAIN)) as engine:
        assert callees(engine, "a") == ["b@3"]
        assert callers(engine, "b") == ["a@3"]
        assert callees(engine, "b") == ["Counter@3", "Counter.add@4", "Counter.total@5"]
        assert callers(engine, "Counter > total") == ["b@5", "Counter.add@6"]
        assert callers(engine, "log") == ["Counter.add@6"]
        assert callers(engine, "log", depth=3) == ["Counter.add@6", "b@4", "a@3"]
        assert "log@6" in callees(engine, "a", depth=4)


HIERARCHY = {
    "shape.ts": """
        export interface Shape { area(): number; }
        export interface Named { name: string; }
    """,
    "base.ts": """
        import type { Shape, Named } from "./shape";
        export abstract class Base implements Shape, Named {
          name = "base";
          abstract area(): number;
          describe(): string { return this.name; }
        }
    """,
    "square.ts": """
        import { Base } from "./base";
        export class Square extends Base {
          constructor(private side: number) { super(); }
          area(): number { return this.side * this.side; }
        }
        export class Unit extends Square {
          area(): number { return 1; }
        }
    """,
}


def test_type_hierarchy(tmp_path: Path) -> None:
    with Engine.open(write(tmp_path, HIERARCHY)) as engine:
        assert family(engine, "Unit", "supertype") == ["Square", "Base", "Shape", "Named"]
        assert family(engine, "Shape", "subtype") == ["Base", "Square", "Unit"]
        assert family(engine, "Square > area", "overrides") == ["Base.area", "Shape.area"]
        assert family(engine, "Square > area", "overridden_by") == ["Unit.area"]
        assert family(engine, "Square > area", "parent") == ["Square"]


REFERENCES = {
    "token.ts": "export class Token {\n  valid(): boolean { return true; }\n}\n",
    "one.ts": 'import { Token } from "./token";\nexport const one = new Token();\n',
    "two.ts": 'import { Token as T } from "./token";\nexport const two = (t: T): T => t;\n',
    "three.ts": 'import * as m from "./token";\nexport const three = new m.Token().valid();\n',
    "four.ts": 'import { one } from "./one";\nexport const four = one.valid();\n',
    "five.ts": 'import { Token } from "./token";\nclass S extends Token {}\nnew S().valid();\n',
    "other.ts": "class Token { valid() { return false; } }\nnew Token().valid();\n",
}


def test_references_are_counted_exactly(tmp_path: Path) -> None:
    with Engine.open(write(tmp_path, REFERENCES)) as engine:
        assert uses(engine, "token.ts > Token") == [
            "five.ts:1 import", "five.ts:2 inherit", "one.ts:1 import", "one.ts:2 call",
            "three.ts:2 call", "two.ts:1 import", "two.ts:1 import", "two.ts:2 type",
            "two.ts:2 type",
        ]  # fmt: skip
        assert uses(engine, "token.ts > Token > valid") == [
            "five.ts:3 call", "four.ts:2 call", "three.ts:2 call",
        ]  # fmt: skip
        assert uses(engine, "other.ts > Token") == ["other.ts:2 call"]
        answer = engine.find_references("token.ts > Token")
        assert answer.files == {"two.ts": 4, "five.ts": 2, "one.ts": 2, "three.ts": 1}
        assert answer.certainty.complete


TYPE_FLOWS = {
    "model.ts": "export interface Order { id: string; }\nexport type Receipt = { of: Order };\n",
    "pay.ts": """
        import { Order, Receipt } from "./model";
        export function pay(order: Order): Receipt {
          return { of: order };
        }
    """,
    "shop.ts": """
        import { pay } from "./pay";
        export function shop() {
          const receipt = pay({ id: "1" });
          return receipt.of.id;
        }
    """,
}


def test_type_flows(tmp_path: Path) -> None:
    with Engine.open(write(tmp_path, TYPE_FLOWS)) as engine:
        assert related(engine, "pay", "takes") == ["Order"]
        assert related(engine, "pay", "gives") == ["Receipt"]
        assert related(engine, "pay", "caller") == ["shop"]
        assert related(engine, "Receipt", "given_by") == ["pay"]
        assert related(engine, "Order", "taken_by") == ["pay"]
        assert uses(engine, "Order > id") == ["shop.ts:4 read"]


MEMBERS = {
    "store.ts": """
        export class Store {
          static shared = new Store();
          readonly items: string[] = [];
          #secret = 1;
          constructor(public name = "x") {}
          get size(): number { return this.items.length; }
          put(item: string): this { this.items.push(item); return this; }
          async load(): Promise<void> {}
          static of(name: string): Store { return new Store(name); }
        }
        Store.of("a").put("b").put("c");
        export const size = Store.shared.size;
    """,
}


def test_members_are_complete_and_in_order(tmp_path: Path) -> None:
    with Engine.open(write(tmp_path, MEMBERS)) as engine:
        assert family(engine, "Store", "member") == [
            "Store.shared", "Store.items", "Store.#secret", "Store.constructor", "Store.name",
            "Store.size", "Store.put", "Store.load", "Store.of",
        ]  # fmt: skip
        assert uses(engine, "Store > put") == ["store.ts:11 call", "store.ts:11 call"]
        assert uses(engine, "Store > size") == ["store.ts:12 read"]


CROSS_MODULE = {
    "tsconfig.json": '{ "compilerOptions": { "baseUrl": ".", "paths": { "@lib/*": ["lib/*"] } } }',
    "package.json": '{ "name": "root", "workspaces": ["packages/*"] }',
    "packages/kit/package.json": '{ "name": "@acme/kit", "main": "dist/index.js" }',
    "packages/kit/src/index.ts": 'export * from "./tools";\nexport * as math from "./math";\n',
    "packages/kit/src/tools.ts": "export function tool() {}\nexport default tool;\n",
    "packages/kit/src/math.ts": "export const half = (n: number) => n / 2;\n",
    "lib/index.ts": 'export { Widget as Gadget } from "./widget";\nexport * from "./extra";\n',
    "lib/widget.ts": """
        export class Widget { run() {} }
        export interface Widget { label: string; }
        export namespace Widget { export function make() { return new Widget(); } }
    """,
    "lib/extra.ts": 'export * from "./index";\nexport const extra = 1;\n',
    "app.ts": """
        import { Gadget, extra } from "@lib/index";
        import { tool, math } from "@acme/kit";
        tool();
        math.half(extra);
        const gadget = Gadget.make();
        gadget.run();
        gadget.label;
        const lazy = await import("./lib/widget");
        new lazy.Widget();
    """,
}


def test_cross_module(tmp_path: Path) -> None:
    with Engine.open(write(tmp_path, CROSS_MODULE)) as engine:
        assert uses(engine, "Widget > run") == ["app.ts:6 call"]
        assert uses(engine, "Widget > label") == ["app.ts:7 read"]
        assert uses(engine, "make") == ["app.ts:5 call"]
        assert uses(engine, "tool") == [
            "app.ts:2 import", "app.ts:3 call", "packages/kit/src/tools.ts:2 export",
        ]  # fmt: skip
        assert uses(engine, "half") == ["app.ts:4 call"]
        assert uses(engine, "extra", "read", "import") == ["app.ts:1 import", "app.ts:4 read"]
        assert uses(engine, "Widget", "call") == ["app.ts:9 call", "lib/widget.ts:3 call"]


def test_commonjs(tmp_path: Path) -> None:
    files = {
        "util.js": """
            function pad(text) { return text; }
            exports.trim = function (text) { return pad(text); };
            module.exports.pad = pad;
        """,
        "whole.js": "class Whole { go() {} }\nmodule.exports = Whole;\n",
        "main.js": """
            const { pad, trim } = require("./util");
            const Whole = require("./whole");
            const late = require("./util").pad;
            pad(trim("x"));
            late("y");
            new Whole().go();
        """,
        "old.js": """
            function Old() { this.count = 0; }
            Old.prototype.step = function () { this.count += 1; return this.step; };
            Old.make = function () { return new Old(); };
            Old.make().step();
        """,
    }
    with Engine.open(write(tmp_path, files)) as engine:
        assert uses(engine, "pad", "call") == [
            "main.js:4 call",
            "main.js:5 call",
            "util.js:2 call",
        ]
        assert uses(engine, "Whole > go") == ["main.js:6 call"]
        assert uses(engine, "Old", "call") == ["old.js:3 call"]


def test_a_type_parameter_follows_from_the_others_by_default(tmp_path: Path) -> None:
    files = {
        "produce.ts": """
            type Draft<T> = T extends object ? { -readonly [K in keyof T]: T[K] } : T;
            export interface Produce {
                <Base, D = Draft<Base>>(base: Base, recipe: (draft: D) => void): Base;
            }
            export declare const produce: Produce;
        """,
        "main.ts": """
            import { produce } from "./produce";
            interface State { count: number }
            declare const state: State;
            produce(state, (draft) => { draft.count = 1; });
        """,
    }
    with Engine.open(write(tmp_path, files)) as engine:
        assert uses(engine, "State > count") == ["main.ts:4 write"]


def test_a_namespace_says_what_the_default_is(tmp_path: Path) -> None:
    files = {
        "make.d.ts": """
            declare namespace make { const tool: Tool; export { tool as default }; }
            interface Tool { (): void; }
            declare function make(): void;
            export = make;
        """,
        "main.ts": 'import made from "./make";\nmade();\n',
    }
    with Engine.open(write(tmp_path, files)) as engine:
        assert uses(engine, "tool", "call") == ["main.ts:2 call"]


def test_a_package_means_its_code_and_its_types(tmp_path: Path) -> None:
    files = {
        "package.json": '{"name": "kit", "main": "./index.js", "types": "./types/kit.d.ts"}',
        "index.js": "class Kit { run() {} }\nmodule.exports = { Kit };\n",
        "types/kit.d.ts": "export class Kit { run(): void; }\n",
        "test/kit.js": 'const kit = require("..");\nnew kit.Kit().run();\n',
        "test/file.js": 'const kit = require("../index.js");\nnew kit.Kit().run();\n',
    }
    with Engine.open(write(tmp_path, files)) as engine:
        assert uses(engine, "index.js > run") == ["test/file.js:2 call", "test/kit.js:2 call"]
        assert uses(engine, "types/kit.d.ts > run") == ["test/kit.js:2 call"]
        (tmp_path / "types/kit.d.ts").write_text("export class Kit { go(): void; }\n")
        assert uses(engine, "index.js > run") == ["test/file.js:2 call", "test/kit.js:2 call"]
        (tmp_path / "types/kit.d.ts").unlink()
        assert uses(engine, "Kit", "call") == ["test/file.js:2 call", "test/kit.js:2 call"]


def test_nothing_is_said_of_a_type_that_goes_round(tmp_path: Path) -> None:
    files = {
        "store.ts": """
            export interface Store { set(): void }
            type Changed<S, L> = L extends [] ? S : L extends [infer M, ...infer R]
                ? Changed<M, R> : never;
            export declare function make<L>(list: L): Changed<Store, L>;
            make([1]).set();
        """,
    }
    with Engine.open(write(tmp_path, files)) as engine:
        found = engine.find_references("Store > set")
        assert (found.results, found.certainty.possible) == ((), 1)


def test_a_module_that_is_declared_by_its_name(tmp_path: Path) -> None:
    files = {
        "lib.d.ts": """
            declare module "codec" { function encode(): Chunk; export = encode; }
            declare module "parts" { export function split(): void; interface Part { } }
            interface Chunk { size: number }
        """,
        "main.ts": """
            import encode from "codec";
            import * as parts from "parts";
            let part: import("parts").Part;
            encode().size;
            parts.split();
        """,
        "plain.js": 'const { split } = require("parts");\nsplit();\n',
        "bundle.js": 'const { readFile } = require("fs").promises;\nreadFile();\n',
    }
    with Engine.open(write(tmp_path, files)) as engine:
        assert uses(engine, "encode", "call") == ["main.ts:4 call"]
        assert uses(engine, "Chunk > size") == ["main.ts:4 read"]
        assert uses(engine, "split", "call") == ["main.ts:5 call", "plain.js:2 call"]
        assert uses(engine, "Part") == ["main.ts:3 type"]
        assert uses(engine, "readFile") == []


def test_a_chain_of_exports_is_a_property_each(tmp_path: Path) -> None:
    files = {
        "base.js": "class Base { run() {} }\nmodule.exports = Base;\n",
        "all.js": 'exports.Base = exports.base = require("./base");\n',
        "main.js": 'const all = require("./all");\nnew all.Base().run();\n',
    }
    with Engine.open(write(tmp_path, files)) as engine:
        assert "main.js:2 call" in uses(engine, "base.js > Base")
        assert uses(engine, "run") == ["main.js:2 call"]


def test_a_check_says_what_a_value_is(tmp_path: Path) -> None:
    files = {
        "fault.ts": "export class Fault extends Error { reply() {} }\n",
        "main.ts": """
            import { Fault } from "./fault";
            export function answer(context: { error?: Error }, all: Error[], other: Error) {
                if (context.error instanceof Fault) context.error.reply();
                const first = other instanceof Fault && other.reply();
                const made = other instanceof Fault ? other.reply() : other.reply();
                if (other instanceof Fault) {
                    all.map((other) => other.reply());
                    other = new Error();
                    other.reply();
                }
                if (!(context.error instanceof Fault)) return;
                context.error.reply();
            }
        """,
    }
    with Engine.open(write(tmp_path, files)) as engine:
        assert uses(engine, "reply") == [
            "main.ts:3 call", "main.ts:4 call", "main.ts:5 call", "main.ts:12 call",
        ]  # fmt: skip


def test_a_step_is_a_write_and_who_is_handed_over_may_be_called(tmp_path: Path) -> None:
    files = {
        "a.ts": """
            export let counter = 0;
            export function step() { counter++; --counter; return counter; }
            export function late() { return step.call(null); }
            export function early() { return late(); }
        """
    }
    with Engine.open(write(tmp_path, files)) as engine:
        assert engine.find_references("counter").roles == {"write": 2, "read": 1}
        handed_over = engine.call_graph("step").certainty
        assert not handed_over.complete
        assert "read without a call at 1 place" in handed_over.reasons[0]
        assert engine.call_graph("late").certainty.complete


def test_a_parameter_that_is_a_property(tmp_path: Path) -> None:
    source = """
        class S { go(x: string) { return x; } }
        export class Ctl {
          constructor(private readonly svc: S, public name: string, plain: number) {}
          run() { return this.svc.go(this.name); }
        }
        export function f(c: Ctl) { return c.name; }
    """
    with Engine.open(write(tmp_path, {"c.ts": source})) as engine:
        assert uses(engine, "svc") == ["c.ts:4 read"]
        assert uses(engine, "name") == ["c.ts:4 read", "c.ts:6 read"]
        members = ["Ctl.constructor", "Ctl.svc", "Ctl.name", "Ctl.run"]
        assert family(engine, "Ctl", "member") == members
        assert uses(engine, "S > go") == ["c.ts:4 call"]


def test_a_function_given_to_a_member_writes_it(tmp_path: Path) -> None:
    source = """
        interface Subj { get: () => number }
        function make(): Subj { const obs = {} as Subj; obs.get = () => 3; return obs; }
        class P { constructor(private x: Subj) { x.get(); this.x.get(); } }
    """
    with Engine.open(write(tmp_path, {"a.ts": source})) as engine:
        assert uses(engine, "Subj > get") == ["a.ts:2 write", "a.ts:3 call", "a.ts:3 call"]
        assert uses(engine, "P > x") == ["a.ts:3 read", "a.ts:3 read"]
