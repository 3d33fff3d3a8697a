"""Languages of which only names are known: what scopes and imports tell, and nothing more."""

from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

import pytest

from codecompass.engine.engine import Engine
from tests.graph.world import places, unaccounted, uses, write


class Project(NamedTuple):
    """Files, and the uses of some symbols in them."""

    files: Mapping[str, str]
    uses: Mapping[str, list[str]]


PROJECTS = {
    "swift": Project(
        {
            "Order.swift": """
                protocol Priced { func price() -> Int }
                class Order: Priced {
                    func price() -> Int { helper(1); return self.total() }
                    static func of() -> Order { return Order() }
                }
                extension Order { func total() -> Int { return price() } }
            """,
            "main.swift": """
                func helper(_ n: Int) -> Int { return n }
                func run(other: Unknown) { Order.of(); other.total() }
            """,
        },
        {
            "Order > price": ["Order.swift:6 call"],
            "total": ["Order.swift:3 call"],
            "Priced": ["Order.swift:2 inherit"],
            "of": ["main.swift:2 call"],
            "helper": ["Order.swift:3 call"],
        },
    ),
    "scala": Project(
        {
            "Order.scala": """
                package shop
                trait Priced { def price: Int }
                class Order extends Priced {
                  def price: Int = total(1)
                  private def total(n: Int): Int = n
                }
            """,
            "Main.scala": """
                package app
                import shop.Order
                object Main { def run(): Order = new Order }
            """,
        },
        {
            "total": ["Order.scala:4 call"],
            "Order": ["Main.scala:2 import", "Main.scala:3 type", "Main.scala:3 call"],
            "Priced": ["Order.scala:3 inherit"],
        },
    ),
    "lua": Project(
        {
            "lua/shop/order.lua": """
                local M = {}
                local function total(n) return n end
                function M.price(o) return total(1) + M.cost(o) end
                function M.cost(o) return o:price() end
                function M:show() return self:cost() end
                return M
            """,
            "main.lua": """
                local order = require("shop.order")
                local function total() end
                order.price(order)
                total()
            """,
        },
        {
            "lua/shop/order.lua > total": ["lua/shop/order.lua:3 call"],
            "main.lua > total": ["main.lua:4 call"],
            "price": ["main.lua:3 call"],
            "cost": ["lua/shop/order.lua:3 call", "lua/shop/order.lua:5 call"],
        },
    ),
    "zig": Project(
        {
            "main.zig": """
                const point = @import("point.zig");
                fn run() void { point.make(1); helper(); }
                fn helper() void {}
            """,
            "point.zig": """
                pub const Point = struct { x: i32 };
                pub fn make(x: i32) Point { helper(); return Point{ .x = x }; }
                fn helper() void {}
            """,
        },
        {
            "make": ["main.zig:2 call"],
            "main.zig > helper": ["main.zig:2 call"],
            "point.zig > helper": ["point.zig:2 call"],
            "Point": ["point.zig:2 type"],
        },
    ),
    "elixir": Project(
        {
            "lib/order.ex": """
                defmodule Shop.Order do
                  alias Shop.Line
                  def price(o), do: total(o) + Line.cost(o)
                  defp total(o), do: Shop.Line.cost(o)
                end
            """,
            "lib/line.ex": """
                defmodule Shop.Line do
                  def cost(o), do: o
                  def total(o), do: o
                end
            """,
        },
        {
            "lib/order.ex > total": ["lib/order.ex:3 call"],
            "lib/line.ex > total": [],
            "cost": ["lib/order.ex:3 call", "lib/order.ex:4 call"],
        },
    ),
    "haskell": Project(
        {
            "src/Shop/Order.hs": """
                module Shop.Order where
                import Shop.Line (cost)
                import qualified Shop.Util as U
                data Order = Order { name :: String }
                price :: Order -> Int
                price o = total o + cost o
                total o = U.help (name o)
            """,
            "src/Shop/Line.hs": "module Shop.Line where\ncost o = total o\ntotal o = 1\n",
            "src/Shop/Util.hs": "module Shop.Util where\nhelp o = o\n",
        },
        {
            "src/Shop/Order.hs > total": ["src/Shop/Order.hs:6 call"],
            "src/Shop/Line.hs > total": ["src/Shop/Line.hs:2 call"],
            "cost": ["src/Shop/Order.hs:2 import", "src/Shop/Order.hs:6 call"],
            "help": ["src/Shop/Order.hs:7 call"],
            "name": ["src/Shop/Order.hs:7 call"],
        },
    ),
    "bash": Project(
        {
            "run.sh": """
                source "$HERE/lib/util.sh"
                main() { helper; log x; elsewhere; }
                log() { echo "$1"; }
                main
            """,
            "lib/util.sh": "helper() { log y; }\n",
            "lib/other.sh": "elsewhere() { :; }\n",
        },
        {
            "helper": ["run.sh:2 call"],
            "log": ["run.sh:2 call"],
            "main": ["run.sh:4 call"],
            "elsewhere": [],
        },
    ),
}


@pytest.mark.parametrize("language", PROJECTS)
def test_uses(tmp_path: Path, language: str) -> None:
    project = PROJECTS[language]
    with Engine.open(write(tmp_path, project.files)) as engine:
        for symbol, expected in project.uses.items():
            assert uses(engine, symbol) == expected, symbol
            found = engine.find_references(symbol)
            assert not (found.certainty.complete and unaccounted(tmp_path, found))


def test_a_function_that_is_handed_over_is_told_where_reads_are_not_followed(
    tmp_path: Path,
) -> None:
    files = {"a.lua": "local function total(n) return n end\nlocal f = total\nprint(f(1))\n"}
    with Engine.open(write(tmp_path, files)) as engine:
        found = engine.find_references("total")
    assert not found.certainty.complete
    assert [(place.path, place.line) for place in places(found, "not_resolved")] == [("a.lua", 2)]


def test_an_alias_counts_where_it_stands(tmp_path: Path) -> None:
    files = {
        "lib/jobs.ex": """
            defmodule Shop.Jobs do
              defmodule Paid do
                alias Shop.Paid.Order
                def run(o), do: Order.cost(o)
              end
              defmodule Free do
                alias Shop.Free.Order
                def run(o), do: Order.cost(o)
              end
              def late(o) do
                alias Shop.Late.Order
                Order.cost(o)
              end
              def other(o), do: Order.cost(o)
            end
        """,
    }
    for name in ("Paid", "Free", "Late"):
        files[f"lib/{name.lower()}.ex"] = f"""
            defmodule Shop.{name}.Order do
              def cost(o), do: o
            end
        """
    with Engine.open(write(tmp_path, files)) as engine:
        assert uses(engine, "lib/paid.ex > cost") == ["lib/jobs.ex:4 call"]
        assert uses(engine, "lib/free.ex > cost") == ["lib/jobs.ex:8 call"]
        assert uses(engine, "lib/late.ex > cost") == ["lib/jobs.ex:12 call"]


def test_what_is_not_imported_may_be_meant(tmp_path: Path) -> None:
    with Engine.open(write(tmp_path, PROJECTS["bash"].files)) as engine:
        found = engine.find_references("elsewhere")
        assert not found.certainty.complete
        assert found.certainty.possible == 1
        assert uses(engine, "elsewhere", "possible") == ["run.sh:2 call"]
