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


def test_a_file_and_a_build_are_what_attributes_say(tmp_path: Path) -> None:
    files = {
        "Cargo.toml": '[package]\nname = "shop"\n',
        "src/lib.rs": """
            #[cfg(not(all(test, loom)))]
            mod real;
            #[cfg(not(all(test, loom)))]
            pub use self::real::*;
            #[cfg(all(test, loom))]
            mod mocked;
            #[cfg(all(test, loom))]
            pub use self::mocked::*;
            #[cfg(elsewhere)]
            use self::mocked::free;
            use self::real::*;
            mod inline { pub mod deep; }
            pub fn go() { inline::deep::dig(); lock(); free(); }
        """,
        "src/real.rs": "pub fn lock() { free(); }\npub fn free() {}\n",
        "src/mocked.rs": "pub fn lock() {}\npub fn free() {}\n",
        "src/inline/deep.rs": "pub fn dig() {}\n",
        "tests/all.rs": """
            #[path = "../src/real.rs"]
            mod other;
            use ::shop::{self as kit, go};
            use shop as none;
            fn run() { other::lock(); kit::go(); go(); }
            mod shop {}
        """,
    }
    with Engine.open(write(tmp_path, files)) as engine:
        assert uses(engine, "real.rs > lock", "call") == [
            "src/lib.rs:13 call",
            "tests/all.rs:5 call",
        ]
        assert uses(engine, "mocked.rs > lock", "call") == []
        assert uses(engine, "mocked.rs > free", "call") == []
        assert uses(engine, "dig") == ["src/lib.rs:13 call"]
        assert uses(engine, "go", "call") == ["tests/all.rs:5 call", "tests/all.rs:5 call"]


def test_types_and_traits_of_several_crates(tmp_path: Path) -> None:
    files = {
        "Cargo.toml": '[workspace]\nmembers = ["kit", "app"]\n',
        "kit/Cargo.toml": '[package]\nname = "kit"\n',
        "kit/src/lib.rs": """
            pub struct Item { pub wide: u32 }
            pub trait Shape { type Out; fn make() -> Self; fn size(&self) -> u32; }
            pub trait Ext { fn shout(&self); }
            impl Ext for str { fn shout(&self) {} }
        """,
        "app/Cargo.toml": '[package]\nname = "app"\n',
        "app/src/lib.rs": """
            use kit::{Ext, Item, Shape};
            impl Shape for Item {
                type Out = Item;
                fn make() -> Self { Item { wide: 1 } }
                fn size(&self) -> u32 { let _: Option<Self::Out> = None; self.wide }
            }
            fn run(other: lib::Thing) {
                Item::make().size();
                "x".shout();
                other.size();
                lib::Shape::size(&other);
            }
        """,
    }
    with Engine.open(write(tmp_path, files)) as engine:
        assert uses(engine, "Item > wide") == ["app/src/lib.rs:4 write", "app/src/lib.rs:5 read"]
        assert uses(engine, "Shape > Out", "type") == ["app/src/lib.rs:5 type"]
        assert uses(engine, "app/src/lib.rs > size", "call") == ["app/src/lib.rs:8 call"]
        assert uses(engine, "app/src/lib.rs > shout") == []
        assert uses(engine, "kit/src/lib.rs > shout", "call") == ["app/src/lib.rs:9 call"]
        assert engine.find_references("app/src/lib.rs > size").certainty.possible == 2


def test_what_macros_make_keeps_answers_open(tmp_path: Path) -> None:
    files = {
        "Cargo.toml": '[package]\nname = "shop"\n',
        "src/lib.rs": """
            pub struct Wide(u64);
            impl From<u64> for Wide { fn from(n: u64) -> Self { Wide(n) } }
            macro_rules! impl_from { ($t:ty) => { impl From<$t> for Wide { } } }
            impl_from!(u8);
            macro_rules! check { ($name:ident) => { fn $name() {} } }
            pub fn one() {}
            check!(one);
            fn run() { Wide::from(1u8); hidden(); }
        """,
        "src/hidden.rs": "pub fn hidden() {}\n",
    }
    with Engine.open(write(tmp_path, files)) as engine:
        for name in ("from", "one", "hidden"):
            found = engine.find_references(name)
            assert (found.results, found.certainty.possible) == ((), 1), name


def test_a_condition_binds_after_its_value(tmp_path: Path) -> None:
    files = {
        "src/lib.rs": """
            fn host() -> Option<u32> { None }
            fn run() { if let Some(host) = host() { let _ = host + 1; } task::spawn(task()); }
            mod task { pub fn spawn(n: u32) {} }
            fn task() -> u32 { 1 }
        """,
    }
    with Engine.open(write(tmp_path, files)) as engine:
        assert uses(engine, "host") == ["src/lib.rs:2 call"]
        assert uses(engine, "spawn") == ["src/lib.rs:2 call"]


def test_a_type_lets_through_to_what_it_holds(tmp_path: Path) -> None:
    files = {
        "src/lib.rs": """
            use std::ops::Deref;
            pub struct Table { pub rows: u32 }
            impl Table { pub fn grow(&self) {} }
            pub struct Guard<T> { inner: T }
            impl<T> Deref for Guard<T> { type Target = T; fn deref(&self) -> &T { &self.inner } }
            pub trait Parse { type Value; fn parse(&self) {} }
            impl Parse for Table { type Value = u32; fn parse(&self) { Parse::parse(self); } }
            pub fn run(guard: Guard<Table>, p: impl Parse<Value = u32>) {
                guard.grow();
                let _ = guard.rows;
                let _ = guard.none;
            }
            pub fn inner() { use self::other::*; Shape::new(); }
            pub mod other { pub struct Shape; impl Shape { pub fn new() {} } }
            pub struct Shape;
            impl Shape { pub fn old() {} }
        """,
    }
    with Engine.open(write(tmp_path, files)) as engine:
        assert uses(engine, "grow") == ["src/lib.rs:9 call"]
        assert uses(engine, "rows") == ["src/lib.rs:10 read"]
        assert uses(engine, "Parse > Value") == ["src/lib.rs:8 type"]
        assert uses(engine, "new") == ["src/lib.rs:13 call"]
        assert engine.find_references("Parse > parse").certainty.possible == 1


def test_only_a_function_with_self_is_a_method(tmp_path: Path) -> None:
    files = {
        "src/lib.rs": """
            pub trait Gather { fn extend(all: &mut Self, one: u32); fn gather(&mut self) {} }
            impl Gather for Vec<u32> { fn extend(all: &mut Self, one: u32) { all.push(one) } }
            pub fn run(mut all: Vec<u32>) {
                all.extend(1);
                all.gather();
                <Vec<u32> as Gather>::extend(&mut all, 2);
            }
        """,
    }
    with Engine.open(write(tmp_path, files)) as engine:
        assert uses(engine, "Gather > gather") == ["src/lib.rs:5 call"]
        assert "src/lib.rs:4 call" not in uses(engine, "extend")


def test_self_is_the_type_of_its_own_impl(tmp_path: Path) -> None:
    files = {
        "src/lib.rs": """
            pub struct One;
            pub struct Two;
            impl One { fn new() -> Self { One } }
            impl Two { fn make() -> Self { Self::other() } fn other() -> Two { Two } }
        """,
    }
    with Engine.open(write(tmp_path, files)) as engine:
        assert uses(engine, "One") == [f"src/lib.rs:3 {role}" for role in ("type", "type", "read")]


def test_what_a_macro_names_is_used_there(tmp_path: Path) -> None:
    files = {
        "src/lib.rs": """
            fn helper(n: u32) -> u32 { n }
            struct Thing;
            impl Thing { fn method(&self) {} }
            macro_rules! m {
                ($x:expr) => { helper($x) };
                (@two $y:expr) => { $y.method() };
            }
            fn go() { m!(3); }
        """,
    }
    with Engine.open(write(tmp_path, files)) as engine:
        assert uses(engine, "helper") == ["src/lib.rs:5 call"]
        assert engine.find_references("method").certainty.possible == 1
