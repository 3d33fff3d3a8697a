"""Definitions whose names say what they belong to: found by the last part, counts exact."""

from pathlib import Path

import pytest

from codecompass.engine.engine import Engine
from tests.graph.world import family, uses, write

FILES = {
    "a.rb": """
        module A
          class Base
            def go; end
          end
        end
        class A::B < A::Base
          def run
            go
          end
        end
        class ::Top
        end
        A::B.new.run
        Top.new
    """,
    "a.cpp": """
        namespace n { struct Foo { struct In; class Other; }; }
        struct n::Foo::In { int get() { return 1; } };
        class n::Foo::Other : public n::Foo::In { int held(); };
        int n::Foo::Other::held() { return get(); }
        int main() { n::Foo::In x; return x.get(); }
    """,
    "a.ex": """
        defmodule Shop.Query.Builder do
          def build(x), do: x
        end
        defmodule User do
          alias Shop.Query.Builder
          def one, do: Builder.build(1)
          def two, do: Shop.Query.Builder.build(2)
        end
    """,
    "a.swift": """
        class Outer { class Inner { func first() {} } }
        extension Outer.Inner { func second() { first() } }
    """,
}


@pytest.fixture(scope="module")
def engine(tmp_path_factory: pytest.TempPathFactory) -> Engine:
    opened = Engine.open(write(tmp_path_factory.mktemp("joined"), FILES))
    opened.index()
    return opened


@pytest.mark.parametrize(
    ("symbol", "expected"),
    [
        ("B", ["a.rb:13 call"]),
        ("A::B", ["a.rb:13 call"]),
        ("A > B", ["a.rb:13 call"]),
        ("Top", ["a.rb:14 call"]),
        ("::Top", ["a.rb:14 call"]),
        ("In", ["a.cpp:1 type", "a.cpp:3 inherit", "a.cpp:5 type"]),
        ("get", ["a.cpp:4 call", "a.cpp:5 call"]),
        ("Builder", ["a.ex:5 import"]),
        ("Shop.Query.Builder", ["a.ex:5 import"]),
        ("build", ["a.ex:6 call", "a.ex:7 call"]),
        ("first", ["a.swift:2 call"]),
    ],
)
def test_uses_are_those_of_the_last_part(engine: Engine, symbol: str, expected: list[str]) -> None:
    assert uses(engine, symbol) == expected


def test_the_family_of_a_joined_name(engine: Engine) -> None:
    assert family(engine, "B", "supertype") == ["A::Base"]
    assert family(engine, "B", "member") == ["A::B::run"]
    assert family(engine, "Other", "supertype") == ["n::Foo::In"]
    assert family(engine, "Outer.Inner", "member") == ["Outer.Inner.first", "Outer.Inner.second"]


def test_a_method_defined_outside_of_its_class_is_followed(tmp_path: Path) -> None:
    source = """
        struct A { int h(); };
        int A::h() { return 1; }
        int main() { A a; return a.h(); }
    """
    with Engine.open(write(tmp_path, {"a.cpp": source})) as engine:
        engine.index()
        found = engine.find_references("h")
    assert [(item.line, item.relation) for item in found.results] == [(3, "call")]
    assert found.certainty.complete


def test_names_over_several_lines(tmp_path: Path) -> None:
    source = """
        namespace detail { template<class T> int view(T t) { return 1; } }
        template <typename T, typename E = void> struct Has {};
        template <typename T> struct Has<
            T, decltype(detail::view(
                T()))> { int held; };
        struct Out { struct Zap; };
        struct Out::
          Zap { int w; };
        int f(Out::Zap z, Has<int> h) { return h.held; }
    """
    with Engine.open(write(tmp_path, {"a.cpp": source})) as engine:
        assert uses(engine, "Zap") == ["a.cpp:6 type", "a.cpp:9 type"]
        assert uses(engine, "held") == ["a.cpp:9 read"]
        found = engine.locate("Out > Zap").results
        assert [(item.start_line, item.end_line) for item in found] == [(7, 8)]
