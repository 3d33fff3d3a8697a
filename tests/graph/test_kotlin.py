"""Packages, extensions, companions, lambdas for Kotlin, counts exact."""

from pathlib import Path

from codecompass.engine.engine import Engine
from tests.graph.world import callees, callers, family, uses, write

FILES = {
    "src/shop/Order.kt": """
        package shop

        interface Priced { fun price(): Int }

        class Line(val name: String, val cost: Int)

        open class Order(private val lines: List<Line>) : Priced {
            override fun price(): Int = lines.map { it.cost }.sum()
            fun first(): Line = lines.first()
            companion object {
                fun of(line: Line) = Order(listOf(line))
            }
        }

        object Registry {
            val orders = mutableListOf<Order>()
            fun add(order: Order) { orders.add(order) }
        }
    """,
    "src/shop/text/Show.kt": """
        package shop.text

        import shop.Line
        import shop.Priced

        fun Priced.show(): String = "${price()}"
        val Line.title: String get() = name
        infix fun Line.with(other: Line): Line = other
        fun helper(line: Line) = line.title
    """,
    "src/app/Main.kt": """
        package app

        import shop.Line
        import shop.Order
        import shop.Registry
        import shop.text.helper as help
        import shop.text.show
        import shop.text.with

        fun main() {
            val order = Order.of(Line("a", 1) with Line("b", 2))
            Registry.add(order)
            println(order.show() + help(order.first()))
            order.first().let { println(it.name) }
        }
    """,
}


def test_call_chain(tmp_path: Path) -> None:
    with Engine.open(write(tmp_path, FILES)) as engine:
        assert callees(engine, "src/app/Main.kt > main") == [
            "Order.companion.of@11", "Line@11", "with@11", "Registry.add@12", "show@13",
            "helper@13", "Order.first@13,14",
        ]  # fmt: skip
        assert callers(engine, "show") == ["main@13"]
        assert callers(engine, "Order > price") == []
        assert callers(engine, "Priced > price") == ["show@6"]


def test_references_are_counted_exactly(tmp_path: Path) -> None:
    with Engine.open(write(tmp_path, FILES)) as engine:
        assert uses(engine, "Line > name") == [
            "src/app/Main.kt:14 read", "src/shop/text/Show.kt:7 read",
        ]  # fmt: skip
        assert uses(engine, "helper") == ["src/app/Main.kt:6 import", "src/app/Main.kt:13 call"]
        assert uses(engine, "title") == ["src/shop/text/Show.kt:9 read"]
        assert uses(engine, "Line > cost") == ["src/shop/Order.kt:8 read"]
        assert family(engine, "Priced", "subtype") == ["Order"]


def test_calls_with_type_arguments_and_steps(tmp_path: Path) -> None:
    source = """
        package p
        class Box<T>(val v: T) {
          var n = 0
          fun up() { n++; --n; if (n < 3 && n > (2)) {} }
        }
        fun <T> one(x: T): Box<T> = Box(x)
        fun <T> two(f: () -> T): Box<T> = Box(f())
        fun use(b: Box<Int>) {
          one<Int>(1)
          two<Box> { b }
          val made = one<Int>(1)
          made.up()
        }
    """
    with Engine.open(write(tmp_path, {"a.kt": source})) as engine:
        assert uses(engine, "one") == ["a.kt:9 call", "a.kt:11 call"]
        assert uses(engine, "two") == ["a.kt:10 call"]
        assert uses(engine, "up") == ["a.kt:12 call"]
        assert uses(engine, "n", "write") == ["a.kt:4 write", "a.kt:4 write"]
        assert uses(engine, "n", "read") == ["a.kt:4 read", "a.kt:4 read"]
