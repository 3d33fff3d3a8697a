"""Call chain, references and modules for Rust, counts exact."""

from pathlib import Path

from codecompass.engine.engine import Engine
from tests.graph.world import callees, callers, family, uses, write

FILES = {
    "Cargo.toml": '[package]\nname = "shop"\n\n[workspace]\nmembers = ["kit"]\n',
    "kit/Cargo.toml": '[package]\nname = "shop-kit"\n',
    "kit/src/lib.rs": """
        pub mod price;
        pub use price::of as price_of;
    """,
    "kit/src/price.rs": "pub fn of(n: u32) -> u32 { n }\n",
    "src/lib.rs": """
        mod store;
        pub use self::store::{Item, Store};

        pub trait Close {
            fn close(&self);
            fn twice(&self) { self.close(); self.close(); }
        }

        #[cfg(test)]
        mod tests {
            use super::*;

            fn run() {
                let store = Store::new();
                assert_eq!(store.total(), 0);
                store.twice();
            }
        }
    """,
    "src/store/mod.rs": """
        mod item;
        pub use item::Item;
        use crate::Close;
        use std::collections::HashMap;

        pub struct Store { items: Vec<Item>, by_name: HashMap<String, Item> }

        pub enum Found { One(Item), Many { items: Vec<Item> }, None }

        impl Store {
            pub fn new() -> Self { Self { items: Vec::new(), by_name: HashMap::new() } }

            pub fn total(&self) -> u32 {
                let sum = self.items.iter().map(|item| item.price()).sum();
                for item in &self.items { item.log(); }
                if let Some(item) = self.by_name.get("x") { item.log(); }
                match self.find() {
                    Found::One(item) => item.price(),
                    Found::Many { items } => items[0].price(),
                    _ => shop_kit::price_of(sum),
                }
            }

            fn find(&self) -> Found { Found::None }
        }

        impl Close for Store {
            fn close(&self) { self.items.first().unwrap().log(); }
        }
    """,
    "src/store/item.rs": """
        pub struct Item { pub name: String, cents: u32 }

        impl Item {
            pub fn price(&self) -> u32 { self.cents }
            pub fn log(&self) { println!("{} {}", self.name, self.price()); }
        }
    """,
}


def test_call_chain(tmp_path: Path) -> None:
    with Engine.open(write(tmp_path, FILES)) as engine:
        assert callers(engine, "item.rs > price") == [
            "Item::log@5", "Store::total@14,18,19",
        ]  # fmt: skip
        assert callers(engine, "Store > total") == ["tests::run@15"]
        assert callees(engine, "Store > total") == [
            "Item::price@14,18,19", "Item::log@15,16", "Store::find@17", "of@20",
        ]  # fmt: skip


def test_references_are_counted_exactly(tmp_path: Path) -> None:
    with Engine.open(write(tmp_path, FILES)) as engine:
        assert uses(engine, "Item > log") == [
            "src/store/mod.rs:15 call", "src/store/mod.rs:16 call", "src/store/mod.rs:28 call",
        ]  # fmt: skip
        assert uses(engine, "Item > name") == ["src/store/item.rs:5 read"]
        assert uses(engine, "Close > twice") == ["src/lib.rs:16 call"]


def test_cross_module(tmp_path: Path) -> None:
    with Engine.open(write(tmp_path, FILES)) as engine:
        assert uses(engine, "of") == ["kit/src/lib.rs:2 import", "kit/src/lib.rs:2 import",
                                      "src/store/mod.rs:20 call"]  # fmt: skip
        assert "src/lib.rs:2 import" in uses(engine, "Item")
        assert family(engine, "Store", "member")
