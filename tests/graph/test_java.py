"""Call chain, references and packages for Java, counts exact."""

from pathlib import Path

from codecompass.engine.engine import Engine
from codecompass.present.graph_text import render_calls
from tests.graph.world import callees, callers, family, uses, write

MAIN = "src/main/java/org/acme"
FILES = {
    f"{MAIN}/Shop.java": """
        package org.acme;

        import java.util.List;
        import java.util.Map;
        import org.acme.store.Item;
        import org.acme.store.*;
        import static org.acme.Prices.of;

        public class Shop extends Base<Item> implements Closer {
            private final Map<String, Item> items;

            public Shop(Map<String, Item> items) { this.items = items; }

            public int total(List<Item> wanted) {
                int sum = of(1);
                for (Item item : wanted) {
                    sum += item.price() + of(item.price(), 2);
                }
                wanted.stream().filter(one -> one.isFree()).forEach(Item::log);
                items.get("x").log();
                close();
                return keep(first()).price();
            }

            @Override public void close() { helper(); new Store().put(first()); }

            static <T> T keep(T value) { return value; }
        }
    """,
    f"{MAIN}/Base.java": """
        package org.acme;

        abstract class Base<T> {
            T value;
            T first() { return value; }
            void helper() {}
        }

        interface Closer { void close(); }
    """,
    f"{MAIN}/Prices.java": """
        package org.acme;

        final class Prices {
            static int of(int price) { return price; }
            static int of(int price, int count) { return of(price) * count; }
        }
    """,
    f"{MAIN}/store/Item.java": """
        package org.acme.store;

        public record Item(String name, int price) {
            public boolean isFree() { return price == 0; }
            public void log() {}
        }
    """,
    f"{MAIN}/store/Store.java": """
        package org.acme.store;

        public class Store {
            enum State { OPEN, SHUT }
            State state = State.OPEN;
            public void put(Item item) {
                switch (state) {
                    case OPEN: item.log(); break;
                    default:
                }
            }
        }
    """,
    "src/test/java/org/acme/ShopTest.java": """
        package org.acme;

        class ShopTest {
            void test() { new Shop(null).helper(); org.acme.Prices.of(3); }
        }
    """,
}


def test_call_chain(tmp_path: Path) -> None:
    with Engine.open(write(tmp_path, FILES)) as engine:
        assert callees(engine, "Shop > close") == [
            "Base.helper@25", "Store@25", "Store.put@25", "Base.first@25",
        ]  # fmt: skip
        assert callers(engine, "Base > helper") == ["Shop.close@25", "ShopTest.test@4"]
        assert callers(engine, "Item > log", depth=2) == [
            "Shop.total@20", "Store.put@8", "Shop.close@25",
        ]  # fmt: skip


def test_references_are_counted_exactly(tmp_path: Path) -> None:
    with Engine.open(write(tmp_path, FILES)) as engine:
        assert uses(engine, "Item > isFree") == [f"{MAIN}/Shop.java:19 call"]
        assert uses(engine, "OPEN") == [
            f"{MAIN}/store/Store.java:5 read", f"{MAIN}/store/Store.java:8 read",
        ]  # fmt: skip
        assert uses(engine, "Item", "type") == [
            f"{MAIN}/Shop.java:9 type", f"{MAIN}/Shop.java:10 type",
            f"{MAIN}/Shop.java:12 type", f"{MAIN}/Shop.java:14 type",
            f"{MAIN}/Shop.java:16 type", f"{MAIN}/store/Store.java:6 type",
        ]  # fmt: skip
        assert family(engine, "Shop", "supertype") == ["Base", "Closer"]
        assert family(engine, "Shop > close", "overrides") == ["Closer.close"]


def test_cross_module(tmp_path: Path) -> None:
    with Engine.open(write(tmp_path, FILES)) as engine:
        found = engine.locate("of").results
        one, two = (item.handle for item in found)
        assert uses(engine, one, "call") == [
            f"{MAIN}/Prices.java:5 call", f"{MAIN}/Shop.java:15 call",
            "src/test/java/org/acme/ShopTest.java:4 call",
        ]  # fmt: skip
        assert uses(engine, two, "call") == [f"{MAIN}/Shop.java:17 call"]


def test_all_overloads_are_listed_that_an_unknown_argument_leaves(tmp_path: Path) -> None:
    files = {
        "shop/Box.java": """
            package shop;

            public class Box {
                void put(Item item, Object label) { }
                void put(Other other, String label) { }
                void put(Other other, int label) { }
                void fill(lib.Source source) { put(source.next(), "x"); }
                void many(lib.Source source) { add(source.next()); }
                void add(Item item) { }
                void add(Other item) { }
                void add(String item) { }
                void add(int item) { }
                void add(char item) { }
            }
            class Item { }
            class Other { }
        """,
    }
    with Engine.open(write(tmp_path, files)) as engine:
        first, second, third = engine.locate("put").results
        for symbol in (first, second):
            found = engine.find_references(symbol.handle)
            assert [item.line for item in found.results] == [7]
            assert found.certainty.complete
        assert not engine.find_references(third.handle).results
        for symbol in engine.locate("add").results:
            found = engine.find_references(symbol.handle)
            assert (len(found.results), found.certainty.possible) == (0, 1)


def test_arguments_tell_overloads_apart(tmp_path: Path) -> None:
    files = {
        "shop/Box.java": """
            package shop;

            import lib.Field;

            public class Box {
                private static void in(Base one, Integer two) { }
                public static void in(Base one, Object two) { }
                static void of(Object[] items) { }
                static void of(int[] items) { }
                static void of(Integer items) { }
                static void of(long items) { }
                static void set(String field, Object value, boolean force) { }
                static void set(String type, String name, Object value) { }
                static void log(Field where, String... items) { }
                static void log(String... items) { }
            }
        """,
        "shop/Use.java": """
            package shop;

            class Base<T extends Box> {
                T box;
                T box() { return box; }
                void one() { }
            }
            class Better extends Box { void only() { } }
            class Use extends Base<Better> {
                void use(int[][] deep, Integer boxed, int plain) {
                    Box.in(this, boxed);
                    Box.of(deep);
                    Box.of(boxed);
                    Box.of(plain);
                    Box.of(boxed + 1L);
                    Box.set("x", "name", true);
                    Box.log("a", "b");
                    box().only();
                    box.only();
                    Box.log();
                    one(1);
                }
            }
        """,
    }
    with Engine.open(write(tmp_path, files)) as engine:

        def lines(name: str) -> list[list[int]]:
            found = [engine.find_references(item.handle) for item in engine.locate(name).results]
            return [[item.line for item in each.results] for each in found]

        assert lines("in") == [[], [11]]
        assert lines("of") == [[12], [], [13], [14, 15]]
        assert lines("set") == [[16], []]
        assert lines("log") == [[], [17, 20]]
        assert lines("only") == [[18, 19]]
        assert lines("one") == [[]]


def test_classes_are_found_wherever_they_are_named(tmp_path: Path) -> None:
    files = {
        "src/a/Outer.java": """
            package a;

            public class Outer {
                public class Child { }
                public enum Mode { ON }
                public @interface Named { Class<?> by(); }
                record Pair(@Named(by = Outer.class) int left) { }
                void make(Outer outer) { outer.new Child(); }
            }
        """,
        "src/b/Use.java": """
            package b;

            import static a.Outer.Mode.ON;
            import a.Outer.*;
            class Use { Object mode = ON; Object all = x.Same.class; Object own = b.x.Same.class; }
        """,
        "src/x/Same.java": "package x;\npublic class Same { }\n",
        "src/b/x/Same.java": "package b.x;\npublic class Same { }\n",
    }
    with Engine.open(write(tmp_path, files)) as engine:
        assert uses(engine, "Outer", "import") == [
            "src/b/Use.java:3 import",
            "src/b/Use.java:4 import",
        ]
        assert uses(engine, "Mode", "import") == ["src/b/Use.java:3 import"]
        assert uses(engine, "Outer > Child") == ["src/a/Outer.java:8 call"]
        assert uses(engine, "Named > by") == ["src/a/Outer.java:7 read"]
        assert uses(engine, "src/x/Same.java > Same") == ["src/b/Use.java:5 type"]
        assert uses(engine, "src/b/x/Same.java > Same") == ["src/b/Use.java:5 type"]


def test_who_calls_several_overloads_is_told_once(tmp_path: Path) -> None:
    files = {
        "shop/Box.java": """
            package shop;

            class Box {
                void put(int item) { }
                void put(String item) { }
                void last() { put("b"); }
                void fill() {
                    put(2);
                    put("a");
                    put(1);
                }
            }
        """,
    }
    with Engine.open(write(tmp_path, files)) as engine:
        found = engine.call_graph("put")
        assert [(item.name, item.lines or (item.line,)) for item in found.results] == [
            ("Box.last", (6,)), ("Box.fill", (8, 9, 10)),
        ]  # fmt: skip
        assert found.total == 2
        text = render_calls(found)
        assert "2 callers" in text
        assert "  8-10 Box.fill [" in text


def test_what_a_record_is_made_of(tmp_path: Path) -> None:
    source = """
        record P(int x, String y) { int twice() { return x * 2; } }
        class U { int g(P p) { return p.x() + new P(1, "a").x(); } }
    """
    with Engine.open(write(tmp_path, {"P.java": source})) as engine:
        assert uses(engine, "P > x") == ["P.java:1 read", "P.java:2 call", "P.java:2 call"]
        assert family(engine, "P", "member") == ["P.x", "P.y", "P.twice"]


def test_a_component_that_takes_any_number(tmp_path: Path) -> None:
    source = "record P(int... rest) { int n() { return rest.length; } }\n"
    with Engine.open(write(tmp_path, {"P.java": source})) as engine:
        assert uses(engine, "rest") == ["P.java:1 read"]
