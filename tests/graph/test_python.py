"""The six multi-file fixtures for Python, counts exact."""

from pathlib import Path

from codecompass.engine.engine import Engine
from tests.graph.world import callees, callers, family, related, uses, write

CALL_CHAIN = {
    "app/__init__.py": "",
    "app/a.py": "from .b import b\n\ndef a():\n    return b(1) + b(2)\n",
    "app/b.py": """
        from app import c

        def b(n):
            counter = c.Counter()
            counter.add(n)
            return counter.total()
    """,
    "app/c.py": """
        from .log import log

        class Counter:
            def __init__(self):
                self.sum = 0

            def add(self, n):
                self.sum += n
                log(self.total())

            def total(self):
                return self.sum
    """,
    "app/log.py": "def log(value):\n    print(value)\n",
}


def test_call_chain(tmp_path: Path) -> None:
    with Engine.open(write(tmp_path, CALL_CHAIN)) as engine:
        assert callees(engine, "a") == ["b@4"]
        assert callers(engine, "b") == ["a@4"]
        assert callees(engine, "b") == ["Counter@4", "Counter.add@5", "Counter.total@6"]
        assert callers(engine, "Counter > total") == ["b@6", "Counter.add@9"]
        assert callers(engine, "Counter > __init__") == ["b@4"]
        assert callers(engine, "log", depth=3) == ["Counter.add@9", "b@5", "a@4"]
        assert "log@9" in callees(engine, "a", depth=4)


HIERARCHY = {
    "shape.py": """
        from typing import Protocol

        class Shape(Protocol):
            def area(self) -> float: ...
    """,
    "base.py": """
        from abc import ABC
        from shape import Shape

        class Base(Shape, ABC):
            def area(self) -> float:
                raise NotImplementedError

            def describe(self) -> str:
                return f"{self.area()}"
    """,
    "square.py": """
        import base

        class Square(base.Base):
            def area(self):
                return 4

        class Unit(Square):
            def area(self):
                return super().area() / 4
    """,
}


def test_type_hierarchy(tmp_path: Path) -> None:
    with Engine.open(write(tmp_path, HIERARCHY)) as engine:
        assert family(engine, "Unit", "supertype") == ["Square", "Base", "Shape"]
        assert family(engine, "Shape", "subtype") == ["Base", "Square", "Unit"]
        assert family(engine, "Square > area", "overrides") == ["Base.area", "Shape.area"]
        assert family(engine, "Square > area", "overridden_by") == ["Unit.area"]
        assert callers(engine, "Square > area") == ["Unit.area@9"]
        assert callers(engine, "Base > area") == ["Base.describe@9"]


REFERENCES = {
    "src/token.py": "class Token:\n    def valid(self):\n        return True\n",
    "src/one.py": "from token_ import Token\nfrom token import Token as Real\none = Real()\n",
    "src/two.py": "import token as t\n\ndef two(x: t.Token) -> 't.Token':\n    return x.valid()\n",
    "src/three.py": "from one import one\nthree = one.valid()\n",
    "src/four.py": "from token import *\n\nclass Sub(Token):\n    pass\n\nSub().valid()\n",
    "src/five.py": "class Token:\n    def valid(self):\n        return Token\n",
}


def test_types_in_quotes_are_uses(tmp_path: Path) -> None:
    source = (
        "from typing import Annotated, Literal, Optional\n\n\nclass Box:\n    pass\n\n\n"
        "def one(a: Optional['Box'], b: 'dict[str, Box] | None') -> 'list[Box]':\n    ...\n\n"
        "def two(a: Annotated[int, 'Box'], b: Literal['Box'], c: 'a Box of it'):\n    ...\n"
    )
    with Engine.open(write(tmp_path, {"box.py": source})) as engine:
        assert uses(engine, "Box") == ["box.py:8 type"] * 3


def test_references_are_counted_exactly(tmp_path: Path) -> None:
    # Not `token.py`: the standard library has one, and it comes first.
    files = {name.replace("token", "tokens"): text for name, text in REFERENCES.items()}
    files = {name: text.replace("token ", "tokens ") for name, text in files.items()}
    with Engine.open(write(tmp_path, files)) as engine:
        assert uses(engine, "src/tokens.py > Token") == [
            "src/four.py:3 inherit", "src/one.py:2 import", "src/one.py:3 call",
            "src/two.py:3 type", "src/two.py:3 type",
        ]  # fmt: skip
        assert uses(engine, "src/tokens.py > Token > valid") == [
            "src/four.py:6 call", "src/three.py:2 call", "src/two.py:4 call",
        ]  # fmt: skip
        assert uses(engine, "src/five.py > Token") == ["src/five.py:3 read"]
        assert engine.find_references("src/five.py > Token").certainty.complete


TYPE_FLOWS = {
    "model.py": """
        from dataclasses import dataclass

        @dataclass
        class Order:
            id: str

        @dataclass
        class Receipt:
            order: Order
    """,
    "pay.py": """
        from model import Order, Receipt

        def pay(order: Order) -> Receipt:
            return Receipt(order)
    """,
    "shop.py": """
        from pay import pay

        def shop(order):
            receipt = pay(order)
            return receipt.order.id
    """,
}


def test_type_flows(tmp_path: Path) -> None:
    with Engine.open(write(tmp_path, TYPE_FLOWS)) as engine:
        assert related(engine, "pay", "takes") == ["Order"]
        assert related(engine, "pay", "callee") == ["Receipt"]
        assert related(engine, "pay", "caller") == ["shop"]
        assert related(engine, "Order", "taken_by") == ["pay"]
        assert uses(engine, "Order > id") == ["shop.py:5 read"]


MEMBERS = {
    "store.py": """
        from typing import Self

        class Store:
            shared: "Store"
            limit = 3

            def __init__(self, name="x"):
                self.name = name

            @property
            def size(self):
                return len(self.name)

            def put(self, item) -> Self:
                return self

            @classmethod
            def of(cls, name):
                return cls(name)

            @staticmethod
            def helper():
                return 1

        Store.of("a").put("b").put("c")
        size = Store.shared.size + Store.helper()
    """,
}


def test_members_are_complete_and_in_order(tmp_path: Path) -> None:
    with Engine.open(write(tmp_path, MEMBERS)) as engine:
        assert family(engine, "Store", "member") == [
            "Store.shared", "Store.limit", "Store.__init__", "Store.size", "Store.put",
            "Store.of", "Store.helper",
        ]  # fmt: skip
        assert uses(engine, "Store > put") == ["store.py:25 call", "store.py:25 call"]
        assert uses(engine, "Store > size") == ["store.py:26 read"]
        assert uses(engine, "Store > helper") == ["store.py:26 call"]


CROSS_MODULE = {
    "pkg/__init__.py": "from .widget import Widget as Gadget\nfrom .extra import *\n",
    "pkg/widget.py": "class Widget:\n    def run(self):\n        return self\n",
    "pkg/extra.py": "from . import widget\n\ndef extra():\n    return widget\n",
    "space/part.py": "def part():\n    pass\n",
    "tests/conftest.py": """
        import pytest
        from pkg import Gadget

        @pytest.fixture
        def gadget():
            return Gadget()
    """,
    "tests/deep/test_run.py": """
        def test_run(gadget):
            assert gadget.run()
    """,
    "app.py": """
        import pkg
        import pkg.widget
        from pkg import Gadget, extra
        from space.part import part

        Gadget().run()
        pkg.extra()
        pkg.widget.Widget().run().run()
        part()
        extra()
    """,
}


def test_cross_module(tmp_path: Path) -> None:
    with Engine.open(write(tmp_path, CROSS_MODULE)) as engine:
        assert uses(engine, "Widget", "call", "import") == [
            "app.py:3 import", "app.py:6 call", "app.py:8 call", "pkg/__init__.py:1 import",
            "tests/conftest.py:2 import", "tests/conftest.py:6 call",
        ]  # fmt: skip
        assert uses(engine, "Widget > run") == [
            "app.py:6 call", "app.py:8 call", "app.py:8 call", "tests/deep/test_run.py:2 call",
        ]  # fmt: skip
        assert uses(engine, "extra", "call") == ["app.py:7 call", "app.py:10 call"]
        assert uses(engine, "part", "call") == ["app.py:9 call"]
        assert uses(engine, "gadget") == ["tests/deep/test_run.py:1 read"]


KEYWORDS = {
    "w.py": """
        from dataclasses import dataclass, replace
        import typing as t

        __all__ = ["Widget", "make", "missing"]
        __all__ += ["other"]

        @dataclass
        class Widget:
            size: int
            color: str = "red"

        class Special(Widget):
            extra: int = 0

        class Own:
            size: int = 0
            def __init__(self, size):
                self.size = size

        class Pair(t.NamedTuple):
            left: int

        def make(w: Widget):
            Widget(size=3, color="x")
            Special(size=1, extra=2)
            Own(size=1)
            Pair(left=1)
            replace(w, size=4)
            match w:
                case Widget(size=3, color=c):
                    return c

        def other(size): ...
        other(size=3)
    """,
}


def test_keywords_name_the_fields_that_a_class_is_made_with(tmp_path: Path) -> None:
    with Engine.open(write(tmp_path, KEYWORDS)) as engine:
        assert uses(engine, "Widget > size") == [
            "w.py:24 write", "w.py:25 write", "w.py:28 write", "w.py:30 read",
        ]  # fmt: skip
        assert uses(engine, "color") == ["w.py:24 write", "w.py:30 read"]
        assert uses(engine, "extra") == ["w.py:25 write"]
        assert uses(engine, "left") == ["w.py:27 write"]
        assert uses(engine, "Own > size") == ["w.py:18 write"]


def test_what_a_file_says_it_exports_is_used_there(tmp_path: Path) -> None:
    with Engine.open(write(tmp_path, KEYWORDS)) as engine:
        assert uses(engine, "make") == ["w.py:4 export"]
        assert uses(engine, "other") == ["w.py:5 export", "w.py:34 call"]


MADE = {
    "b.py": """
        from dataclasses import dataclass, replace
        import attr, dataclasses, functools, threading

        __all__ = ["Box"] + ["joined"]
        __all__.extend(["helper"])

        def joined(): ...
        def helper(): ...

        @dataclass
        class Box:
            edge: int
            @classmethod
            def make(cls):
                return cls(edge=1)
            def copy(self):
                type(self)(edge=3)
                return dataclasses.replace(self, edge=4)

        class Sub(Box):
            def __init__(self):
                super().__init__(edge=5)

        alias = Box
        alias(edge=10)
        functools.partial(Box, edge=8)
        attr.evolve(Box(1), edge=4)._replace(edge=2)

        class Text:
            size = 1
            def replace(self, other, size=1): ...
        def f(s: Text, w: Box): s.replace(w, edge=4)

        class Worker(threading.Thread):
            area: int = 1
            def target(self): ...
            def __new__(cls, area): ...
        Worker(target=3, area=1)

        def g(c):
            match c:
                case Sub(edge=1): ...
                case Called(level=1): ...

        class Called:
            level = 1
            def __init__(self, level): ...
            def __call__(self, level): ...
        Called()(level=4)
    """,
}


def test_keywords_are_followed_however_a_class_is_called(tmp_path: Path) -> None:
    with Engine.open(write(tmp_path, MADE)) as engine:
        lines = [15, 17, 18, 22, 25, 26, 27]
        written = [f"b.py:{line} write" for line in lines]
        assert uses(engine, "edge") == [*written, "b.py:42 read"]
        for name in ("Text > size", "target", "area"):
            assert uses(engine, name) == []
        assert uses(engine, "level") == ["b.py:43 read"]
        assert uses(engine, "joined") == ["b.py:4 export"]
        assert uses(engine, "helper") == ["b.py:5 export"]
