"""JavaScript: types that comments tell, CommonJS, counts exact."""

from pathlib import Path

from codecompass.engine.engine import Engine
from tests.graph.world import callees, callers, uses, write

FILES = {
    "lib/chunk.js": """
        /** @typedef {import("./graph")} Graph */
        /** @typedef {"a" | "b"} Kind */

        /**
         * @typedef {Object} Options
         * @property {Graph} graph where it is
         * @property {Kind=} kind
         */

        /** @template T */
        class Chunk {
            /** @param {Options} options what to do */
            constructor(options) {
                /** @type {Map<string, Chunk<T>>} */
                this.parts = new Map();
                this.graph = options.graph;
            }
            /** @returns {T} the value */
            value() { return undefined; }
            names() { return this.parts.get("x").graph.all(); }
        }
        module.exports = Chunk;
    """,
    "lib/graph.js": """
        /** @import Chunk from "./chunk" */
        /** @import { Options } from "./chunk" */

        class Graph {
            /**
             * @param {Chunk<Graph>} chunk of this
             * @param {...Chunk} more of these
             */
            add(chunk, ...more) { chunk.value().all(); more[0].names(); }
            all() { return []; }
        }

        /**
         * @callback Visit
         * @param {Graph} graph
         * @returns {void}
         */

        /**
         * @param {Options} options
         * @param {Visit} visit
         */
        Graph.make = (options, visit) => { visit(options.graph); options.graph.all(); };

        module.exports = Graph;
    """,
    "main.js": """
        const Graph = require("./lib/graph");
        const app = module.exports = create();
        const graph = /** @type {Graph} */ (app.locals.graph);
        graph.all();
        Graph.make({}, (one) => one.all());
        function create() { return { locals: {} }; }
    """,
    "test.js": """
        const app = require("./main");
        const render = require("./render");
        render(app);
    """,
    "render.js": "module.exports = function render(app) { return app; };\n",
}


def test_types_in_comments(tmp_path: Path) -> None:
    with Engine.open(write(tmp_path, FILES)) as engine:
        assert uses(engine, "lib/graph.js > Graph > all") == [
            "lib/chunk.js:20 call", "lib/graph.js:9 call", "lib/graph.js:23 call",
            "main.js:4 call", "main.js:5 call",
        ]  # fmt: skip
        assert callers(engine, "Chunk > names") == ["Graph.add@9"]
        assert callers(engine, "Chunk > value") == ["Graph.add@9"]


def test_what_a_module_exports_as_a_whole(tmp_path: Path) -> None:
    with Engine.open(write(tmp_path, FILES)) as engine:
        assert uses(engine, "main.js > app") == [
            "main.js:3 read", "test.js:1 import", "test.js:3 read",
        ]  # fmt: skip
        assert callees(engine, "lib/graph.js > Graph > add") == [
            "Chunk.value@9", "Graph.all@9", "Chunk.names@9",
        ]  # fmt: skip
        assert uses(engine, "render.js > render") == ["test.js:2 import", "test.js:3 call"]


def test_a_property_that_has_its_name_from_a_function_is_the_function(tmp_path: Path) -> None:
    files = {
        "utils.js": "function isForm(x) { return x; }\nexport default { isForm };\n",
        "main.js": 'import utils from "./utils.js";\nutils.isForm(1);\n',
    }
    with Engine.open(write(tmp_path, files)) as engine:
        assert uses(engine, "isForm", "call") == ["main.js:2 call"]


def test_an_export_that_is_one_of_two(tmp_path: Path) -> None:
    files = {
        "load.js": """
            const late = () => 1;
            const soon = () => 2;
            if (process.env.SOON) { exports.load = soon; } else { exports.load = late; }
        """,
        "main.js": 'const { load } = require("./load");\nload();\n',
    }
    with Engine.open(write(tmp_path, files)) as engine:
        assert uses(engine, "soon", "call") == uses(engine, "late", "call") == ["main.js:2 call"]


def test_the_default_of_a_class_that_is_a_module(tmp_path: Path) -> None:
    files = {
        "app.js": "module.exports = class App { static get default() { return App; } };\n",
        "main.js": 'async function run() { const all = await import("./app.js"); all.default; }\n',
    }
    with Engine.open(write(tmp_path, files)) as engine:
        found = engine.find_references("default")
        assert (found.results, found.certainty.possible) == ((), 1)


def test_a_name_for_a_module_is_not_said_to_be_without_uses(tmp_path: Path) -> None:
    files = {
        "a.js": "var net = require('net');\nfunction run() { net.connect(); }\nrun();\n",
        "b.js": "const own = 1;\nfunction other() { const own = require('own'); own(); }\n",
    }
    with Engine.open(write(tmp_path, files)) as engine:
        borrowed = engine.find_references("net").certainty
        assert not borrowed.complete
        assert "stands for what it imports" in borrowed.reasons[0]
        assert engine.find_references("own").certainty.complete


def test_a_name_for_a_part_of_a_module_is_not_said_to_be_without_uses(tmp_path: Path) -> None:
    source = "var isIP = require('net').isIP;\nfunction go(x) { return isIP(x); }\n"
    with Engine.open(write(tmp_path, {"a.js": source})) as engine:
        assert not engine.find_references("isIP").certainty.complete


def test_a_definition_by_assignment_is_no_use_of_itself(tmp_path: Path) -> None:
    source = "var app = {};\napp.run = function () {};\napp.run();\nmodule.exports = app;\n"
    with Engine.open(write(tmp_path, {"a.js": source})) as engine:
        assert uses(engine, "run") == ["a.js:3 call"]
