"""Call chain, references and modules for Go, counts exact."""

from pathlib import Path

from codecompass.engine.engine import Engine
from tests.graph.world import callees, callers, family, uses, write

FILES = {
    "go.mod": "module example.org/shop\n\ngo 1.22\n",
    "main.go": """
        package main

        import (
            "fmt"

            "example.org/shop/store"
            price "example.org/shop/store/pricing"
        )

        func main() {
            s := store.New("x")
            s.Add(store.Item{Name: "a"})
            for _, item := range s.Items() {
                fmt.Println(item.Name, price.Of(item.Name))
            }
            if err := s.Close(); err != nil {
                panic(err)
            }
        }
    """,
    "store/store.go": """
        package store

        type Item struct {
            Name string
        }

        type Store struct {
            base
            items []*Item
            byName map[string]*Item
        }

        func New(name string) *Store {
            return &Store{base: base{name: name}, byName: make(map[string]*Item)}
        }
    """,
    "store/methods.go": """
        package store

        func (s *Store) Add(item Item) {
            s.items = append(s.items, &item)
            s.byName[item.Name] = &item
            s.log(item.Name)
        }

        func (s *Store) Items() []*Item { return s.items }
    """,
    "store/base.go": """
        package store

        type Closer interface {
            Close() error
        }

        type base struct{ name string }

        func (b *base) Close() error { return nil }
        func (b *base) log(text string) { helper(b.name + text) }

        func helper(text string) {}

        func closeAll(all []Closer) {
            for _, one := range all {
                one.Close()
            }
        }

        func Map[T, U any](items []T, f func(T) U) []U {
            var out []U
            return out
        }

        func names(s *Store) []string {
            first := Map(s.Items(), func(i *Item) *Item { return i })[0]
            return []string{first.Name}
        }
    """,
    "store/pricing/of.go": "package pricing\n\nfunc Of(name string) int { return len(name) }\n",
    "store/store_test.go": """
        package store_test

        import "example.org/shop/store"

        func helper() { store.New("t").Add(store.Item{}) }

        func TestHelper() { helper() }
    """,
}


def test_call_chain(tmp_path: Path) -> None:
    with Engine.open(write(tmp_path, FILES)) as engine:
        assert callees(engine, "main.go > main") == [
            "New@11", "Store.Add@12", "Store.Items@13", "Of@14", "base.Close@16",
        ]  # fmt: skip
        assert callers(engine, "base.log") == ["Store.Add@6"]
        assert callers(engine, "store/base.go > helper", depth=3) == [
            "base.log@10", "Store.Add@6", "main@12", "helper@5",
        ]  # fmt: skip
        assert callers(engine, "Closer > Close") == ["closeAll@16"]


def test_references_are_counted_exactly(tmp_path: Path) -> None:
    with Engine.open(write(tmp_path, FILES)) as engine:
        assert uses(engine, "Item > Name") == [
            "main.go:12 write", "main.go:14 read", "main.go:14 read", "store/base.go:27 read",
            "store/methods.go:5 read", "store/methods.go:6 read",
        ]  # fmt: skip
        assert uses(engine, "Store", "type", "call") == [
            "store/base.go:25 type", "store/methods.go:3 type", "store/methods.go:9 type",
            "store/store.go:13 type", "store/store.go:14 type",
        ]  # fmt: skip
        assert uses(engine, "store/store_test.go > helper") == ["store/store_test.go:7 call"]
        assert family(engine, "Store", "supertype") == ["base"]


def test_cross_module(tmp_path: Path) -> None:
    with Engine.open(write(tmp_path, FILES)) as engine:
        assert uses(engine, "New") == ["main.go:11 call", "store/store_test.go:5 call"]
        assert uses(engine, "Of") == ["main.go:14 call"]
        assert engine.find_references("Of").certainty.complete


def test_a_variable_may_be_called_like_its_type(tmp_path: Path) -> None:
    files = {
        "go.mod": "module acme\n",
        "node.go": "package acme\n\ntype node struct{}\n",
        "use.go": """
            package acme

            func use() {
                node := &node{}
                _ = node
                other := new(node)
                _ = other
            }
        """,
    }
    with Engine.open(write(tmp_path, files)) as engine:
        assert uses(engine, "node.go > node") == ["use.go:4 type", "use.go:6 type"]


def test_methods_belong_to_their_type_wherever_they_stand(tmp_path: Path) -> None:
    files = {
        "shop/a.go": "package shop\n\ntype Box struct{ n int }\n\nfunc (b *Box) Open() {}\n",
        "shop/b.go": "package shop\n\nfunc (b Box) Close() {}\n\nfunc Free() {}\n",
        "other/c.go": "package other\n\ntype Box struct{}\n\nfunc (b Box) Other() {}\n",
    }
    with Engine.open(write(tmp_path, files)) as engine:
        found = engine.hierarchy("shop/a.go > Box").results
        assert [item.name for item in found if item.relation == "member"] == [
            "Box.n", "Box.Open", "Box.Close",
        ]  # fmt: skip
        above = engine.hierarchy("shop/b.go > Box > Close").results
        assert [(item.relation, item.path) for item in above] == [("parent", "shop/a.go")]


def test_a_method_belongs_to_no_field_class_or_test_of_the_same_name(tmp_path: Path) -> None:
    files = {
        "shop/a.go": "package shop\n\ntype Server struct{ Box Box }\n",
        "shop/abox.py": "class Box:\n    def area(self): ...\n",
        "shop/b.go": "package shop\n\ntype Box struct{}\n\nfunc (b *Box) Open() {}\n",
        "shop/b_test.go": "package shop_test\n\ntype Box int\n\nfunc (b Box) Only() {}\n",
    }
    with Engine.open(write(tmp_path, files)) as engine:
        above = engine.hierarchy("shop/b.go > Box > Open").results
        assert [(item.relation, item.path) for item in above] == [("parent", "shop/b.go")]
        for name, members in (
            ("shop/b.go > Box", ["Box.Open"]),
            ("shop/b_test.go > Box", ["Box.Only"]),
            ("shop/a.go > Server > Box", []),
        ):
            found = engine.hierarchy(name).results
            assert [item.name for item in found if item.relation == "member"] == members


def test_a_call_with_a_type_argument_is_a_call_and_a_step_a_write(tmp_path: Path) -> None:
    code = """
        package p

        type Box[T any] struct{ v T }

        func Gen[T any](x T) Box[T] { return Box[T]{x} }

        func (b Box[T]) Get() T { return b.v }

        var counter int

        func use() int {
            counter++
            counter += 2
            return Gen[int](1).Get()
        }
    """
    with Engine.open(write(tmp_path, {"a.go": code})) as engine:
        assert [item.name for item in engine.call_graph("Gen").results] == ["use"]
        assert [item.name for item in engine.call_graph("Get").results] == ["use"]
        assert engine.find_references("counter").roles == {"write": 2}
