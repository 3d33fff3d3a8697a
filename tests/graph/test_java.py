"""Call chain, references and packages for Java, counts exact."""

from pathlib import Path

from codecompass.engine.engine import Engine
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


def test_an_overload_that_is_only_likely_is_possible_for_the_others(tmp_path: Path) -> None:
    files = {
        "shop/Box.java": """
            package shop;

            public class Box {
                void put(Item item, Object label) { }
                void put(Other other, String label) { }
                void fill(lib.Source source) { put(source.next(), "x"); }
            }
            class Item { }
            class Other { }
        """,
    }
    with Engine.open(write(tmp_path, files)) as engine:
        first, second = engine.locate("put").results
        likely = engine.find_references(second.handle)
        assert [item.line for item in likely.results] == [6]
        assert likely.certainty.complete
        unlikely = engine.find_references(first.handle)
        assert not unlikely.results
        assert (unlikely.certainty.complete, unlikely.certainty.possible) == (False, 1)
