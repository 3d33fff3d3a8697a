"""Includes, headers apart from definitions, structs and classes for C and C++, counts exact."""

from pathlib import Path

from codecompass.engine.engine import Engine
from codecompass.model.query import GraphOptions
from codecompass.present.graph_text import render_calls
from tests.graph.world import callees, callers, family, uses, write

C = {
    "src/list.h": """
        #ifndef LIST_H
        #define LIST_H
        #define MAX_ITEMS 10
        typedef struct node {
            struct node *next;
            int count;
        } node;
        typedef struct list list;
        typedef enum { FRESH, USED } state;
        API list *list_new(int size);
        void list_add(list *list, node *item);
        extern int list_total;
        #endif
    """,
    "src/list.c": """
        #include "list.h"
        struct list { node *head; union { int size; long full; }; state now; };
        int list_total = 0;
        static int check(list *list) { return list->size < MAX_ITEMS; }
        list *list_new(int size) {
            list *made = alloc(sizeof(list));
            made->size = size;
            made->now = FRESH;
            return made;
        }
        void list_add(list *list, node *item) {
            if (!check(list)) return;
            item->next = list->head;
            list->head = item;
            list_total++;
        }
    """,
    "src/main.c": """
        #include <stdio.h>
        #include "list.h"
        static int check(void) { return list_total > 0; }
        int main(void) {
            list *all = list_new(MAX_ITEMS);
            node one = { .count = 1 };
            list_add(all, &one);
            node *first = one.next;
            printf("%d", first->count);
            return check();
        }
    """,
    "other/list.h": "void list_add(int unlike);\n",
    "other/list.c": '#include "list.h"\nvoid list_add(int unlike) { }\n',
    "other/use.c": '#include "list.h"\nvoid f(void) { list_add(1); check(); }\n',
}
NAMES = frozenset({"one", "above_one", "two", "above_two"})
CPP = {
    "shape.hpp": """
        #pragma once
        #include <memory>
        #include <vector>
        namespace geo {
        class Shape {
        public:
            virtual double area() const = 0;
            double scaled(double by) const;
        };
        class Square : public Shape {
            double side_;
        public:
            explicit Square(double side);
            double area() const override;
            Square grown() const { return Square(side_ + 1); }
        };
        template <typename T> class Bag {
            std::vector<T> items_;
        public:
            void put(T item) { items_.push_back(item); }
            T &at(int i) { return items_[i]; }
        };
        double total(const std::vector<std::unique_ptr<Shape>> &shapes);
        }
    """,
    "shape.cpp": """
        #include "shape.hpp"
        namespace geo {
        double Shape::scaled(double by) const { return area() * by; }
        Square::Square(double side) : side_(side) {}
        double Square::area() const { return side_ * side_; }
        double total(const std::vector<std::unique_ptr<Shape>> &shapes) {
            double sum = 0;
            for (const auto &shape : shapes) sum += shape->area();
            return sum;
        }
        }
    """,
    "main.cpp": """
        #include "shape.hpp"
        using geo::Square;
        int area() { return 1; }
        int main() {
            Square square(2);
            geo::Bag<Square> bag;
            bag.put(square);
            auto big = bag.at(0).grown();
            auto *made = new geo::Square(3);
            return big.area() + made->scaled(2) + area();
        }
    """,
}


def test_c_call_chain(tmp_path: Path) -> None:
    with Engine.open(write(tmp_path, C)) as engine:
        assert callees(engine, "src/main.c > main") == [
            "list_new@5", "list_add@7", "check@10",
        ]  # fmt: skip
        assert callers(engine, "src/list.c > list_add") == ["main@7"]
        assert callers(engine, "src/list.c > check") == ["list_add@12"]
        assert callers(engine, "src/main.c > check") == ["main@10"]
        assert callers(engine, "other/list.h > list_add") == ["f@2"]
        assert callers(engine, "other/list.c > list_add") == ["f@2"]


def test_c_members_and_macros(tmp_path: Path) -> None:
    with Engine.open(write(tmp_path, C)) as engine:
        assert uses(engine, "node > next") == ["src/list.c:13 write", "src/main.c:8 read"]
        assert uses(engine, "node > count") == ["src/main.c:6 write", "src/main.c:9 read"]
        assert uses(engine, "list > size") == ["src/list.c:4 read", "src/list.c:7 write"]
        assert uses(engine, "MAX_ITEMS") == ["src/list.c:4 read", "src/main.c:5 read"]
        assert uses(engine, "FRESH") == ["src/list.c:8 read"]
        assert uses(engine, "src/list.c > list_total") == [
            "src/list.c:15 write", "src/main.c:3 read",
        ]  # fmt: skip


def test_cpp_classes_and_their_parts(tmp_path: Path) -> None:
    with Engine.open(write(tmp_path, CPP)) as engine:
        assert callees(engine, "main.cpp > main") == [
            "geo::Bag::put@7", "geo::Bag::at@8", "geo::Square::grown@8", "geo::Square@9",
            "geo::Square::area@10", "geo::Shape::scaled@10", "area@10",
        ]  # fmt: skip
        assert callers(engine, "Shape > scaled") == ["main@10"]
        assert callers(engine, "Shape > area") == ["geo::Shape::scaled@3", "geo::total@8"]
        assert callers(engine, "Square > area") == ["main@10"]
        assert callers(engine, "Bag > put") == ["main@7"]


def test_cpp_references_are_counted_exactly(tmp_path: Path) -> None:
    with Engine.open(write(tmp_path, CPP)) as engine:
        assert uses(engine, "Square") == [
            "main.cpp:2 import", "main.cpp:5 type", "main.cpp:6 type", "main.cpp:9 call",
            "shape.cpp:4 type", "shape.cpp:5 type", "shape.hpp:15 type", "shape.hpp:15 call",
        ]  # fmt: skip
        assert uses(engine, "side_") == [
            "shape.cpp:4 write", "shape.cpp:5 read", "shape.cpp:5 read", "shape.hpp:15 read",
        ]  # fmt: skip
        assert family(engine, "geo::Square", "supertype") == ["geo::Shape"]
        assert family(engine, "geo::Shape", "subtype") == ["geo::Square"]


def test_a_use_of_what_is_declared_and_defined_is_told_once(tmp_path: Path) -> None:
    with Engine.open(write(tmp_path, C)) as engine:
        assert uses(engine, "list_add", "call") == ["other/use.c:2 call", "src/main.c:7 call"]
        assert callers(engine, "list_add") == ["f@2", "main@7"]


def test_callers_of_callers_stand_under_what_they_call(tmp_path: Path) -> None:
    text = "void leaf(void) { }\nvoid one(void) { leaf(); }\nvoid two(void) { leaf(); }\n"
    text += "void above_one(void) { one(); }\nvoid above_two(void) { two(); }\n"
    with Engine.open(write(tmp_path, {"a.c": text})) as engine:
        answer = engine.call_graph("leaf", options=GraphOptions(direction="callers", depth=2))
        lines = render_calls(answer).splitlines()
        order = [name for line in lines for name in line.split() if name in NAMES]
        assert order == ["one", "above_one", "two", "above_two"]


def test_a_file_too_deep_to_be_read_keeps_answers_from_being_complete(tmp_path: Path) -> None:
    deep = "int f(void) { return ok(" + "(" * 30_000 + "1" + ")" * 30_000 + "); }\n"
    with Engine.open(
        write(tmp_path, {"a.c": "int ok(int n) { return n; }\n", "b.c": deep})
    ) as engine:
        assert not engine.find_references("ok").certainty.complete


MACROS = {
    "a.h": """
        #define CALL(x) work(x, "other")
        #define LENGTH(list) ((list)->length + extra)
        #define BOTH \\
          do { struct node n; work(LIMIT); \\
               other(); } while (0)
        #define JOIN(a, b) a##other(b)
        #define LIMIT 10
        struct node { int length; };
        int work(int x);
        int other(void);
        extern int extra;
    """,
    "b.hpp": """
        namespace ns { inline int free(int x) { return x; } struct K { static int make(); }; }
        #define FREE(x) ns::free(x)
        #define MAKE() ::ns::K::make()
    """,
}


def test_what_macros_name_is_used_by_them(tmp_path: Path) -> None:
    with Engine.open(write(tmp_path, MACROS)) as engine:
        assert uses(engine, "work") == ["a.h:1 call", "a.h:4 call"]
        assert uses(engine, "other") == ["a.h:5 call"]
        assert uses(engine, "extra") == ["a.h:2 read"]
        assert uses(engine, "LIMIT") == ["a.h:4 read"]
        assert uses(engine, "node") == ["a.h:4 type"]
        assert callees(engine, "CALL") == ["work@1"]
        assert engine.find_references("length").certainty.possible == 1
        assert uses(engine, "free") == ["b.hpp:2 call"]
        assert uses(engine, "make") == ["b.hpp:3 call"]


def test_a_static_member_is_written_where_it_is_defined(tmp_path: Path) -> None:
    source = """
        namespace n { struct Foo { static int value; }; }
        int n::Foo::value = 7;
        int main() { return n::Foo::value; }
    """
    with Engine.open(write(tmp_path, {"a.cpp": source})) as engine:
        assert uses(engine, "value") == ["a.cpp:2 write", "a.cpp:3 read"]
        assert uses(engine, "Foo") == ["a.cpp:2 type", "a.cpp:3 type"]


def test_fields_of_every_form_of_declarator(tmp_path: Path) -> None:
    source = """
        struct Foo {
          static const char *names[2];
          char **argv;
          void (*callback)(int);
          int *(*maker)(void);
          int **grid() const;
        };
        inline int use(Foo f) {
          f.callback(3);
          return *f.maker() + **f.grid() + f.names[0][0] + f.argv[0][0];
        }
    """
    with Engine.open(write(tmp_path, {"b.hpp": source})) as engine:
        members = ["names", "argv", "callback", "maker", "grid"]
        assert family(engine, "Foo", "member") == [f"Foo::{name}" for name in members]
        assert uses(engine, "callback") == ["b.hpp:9 call"]
        for name in ("maker", "grid"):
            assert uses(engine, name) == ["b.hpp:10 call"]
        for name in ("names", "argv"):
            assert uses(engine, name) == ["b.hpp:10 read"]
