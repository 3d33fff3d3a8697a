"""Namespaces, partial classes, extension methods, overloads for C#, counts exact."""

from pathlib import Path

from codecompass.engine.engine import Engine
from tests.graph.world import callees, callers, family, uses, write

FILES = {
    "Shop/Order.cs": """
        using System.Collections.Generic;

        namespace Shop.Orders
        {
            public interface IPriced { decimal Price(); }

            public partial class Order : IPriced
            {
                private readonly List<Line> _lines = new List<Line>();
                public string Name { get; set; }
                public decimal Price()
                {
                    decimal sum = 0;
                    foreach (var line in _lines) sum += line.Cost;
                    return sum;
                }
                public void Add(Line line) => _lines.Add(line);
                public void Add(string name) => Add(new Line { Name = name });
            }

            public record Line { public string Name; public decimal Cost; }
        }
    """,
    "Shop/Order.Text.cs": """
        namespace Shop.Orders;

        using Shop.Common;

        public partial class Order
        {
            public string Text() => Name + Price().Show();
        }
    """,
    "Shop/Extensions.cs": """
        namespace Shop.Common;

        public static class Extensions
        {
            public static string Show(this decimal amount) => amount.ToString();
            public static bool IsFree(this Shop.Orders.Order order) => order.Price() == 0;
        }
    """,
    "App/Program.cs": """
        using Shop.Orders;
        using Shop.Common;

        namespace App;

        class Program
        {
            static void Main()
            {
                var order = new Order { Name = "a" };
                order.Add("b");
                order.Add(new Line());
                if (order.IsFree()) Log(order.Text());
                IPriced priced = order;
                priced.Price();
            }

            static void Log(string text) { }
        }
    """,
}


def test_call_chain(tmp_path: Path) -> None:
    with Engine.open(write(tmp_path, FILES)) as engine:
        assert callees(engine, "Program > Main") == [
            "Shop.Orders.Order@10", "Shop.Orders.Order.Add@11", "Shop.Orders.Order.Add@12",
            "Shop.Orders.Line@12", "Shop.Common.Extensions.IsFree@13", "App.Program.Log@13",
            "Shop.Orders.Order.Text@13", "Shop.Orders.IPriced.Price@15",
        ]  # fmt: skip
        assert callers(engine, "IsFree") == ["App.Program.Main@13"]
        assert callers(engine, "Show") == ["Shop.Orders.Order.Text@7"]
        assert callers(engine, "Order > Price") == [
            "Shop.Common.Extensions.IsFree@6", "Shop.Orders.Order.Text@7",
        ]  # fmt: skip
        assert callers(engine, "Log") == ["App.Program.Main@13"]


def test_references_are_counted_exactly(tmp_path: Path) -> None:
    with Engine.open(write(tmp_path, FILES)) as engine:
        assert uses(engine, "Order > Name") == [
            "App/Program.cs:10 write", "Shop/Order.Text.cs:7 read",
        ]  # fmt: skip
        assert uses(engine, "Line > Cost") == ["Shop/Order.cs:14 read"]
        assert uses(engine, "IPriced") == ["App/Program.cs:14 type", "Shop/Order.cs:7 inherit"]
        assert family(engine, "IPriced", "subtype") == ["Shop.Orders.Order"]


def test_records_and_steps(tmp_path: Path) -> None:
    source = """
        record P(int X, string Y) { public int Twice() => X * 2; }
        class U {
          int n;
          int G(P p) { n++; --n; return p.X + new P(1, "a").X; }
        }
    """
    with Engine.open(write(tmp_path, {"a.cs": source})) as engine:
        assert uses(engine, "X") == ["a.cs:1 read", "a.cs:4 read", "a.cs:4 read"]
        assert family(engine, "P", "member") == ["P.X", "P.Y", "P.Twice"]
        assert uses(engine, "n") == ["a.cs:4 write", "a.cs:4 write"]


def test_members_of_a_record_in_patterns_and_copies(tmp_path: Path) -> None:
    source = """
        public record Pos(int Lat, int Lng);
        class U {
          int x;
          void M(Pos p, object o) {
            var q = p with { Lat = 3 };
            if (p is { Lng: 4 }) {}
            var r = o switch { Pos { Lat: 1 } => 1, _ => 2 };
            new Pos(Lat: 3, Lng: 4);
            f(x: 1);
          }
        }
    """
    with Engine.open(write(tmp_path, {"a.cs": source})) as engine:
        assert uses(engine, "Lat") == ["a.cs:5 write", "a.cs:7 read"]
        assert uses(engine, "Lng") == ["a.cs:6 read"]
        assert engine.find_references("Lat").certainty.possible == 1
        assert uses(engine, "x") == []
