"""Modules opened again, mixins, attributes for Ruby, counts exact."""

from pathlib import Path

from codecompass.engine.engine import Engine
from tests.graph.world import callees, callers, family, uses, write

FILES = {
    "lib/shop/order.rb": """
        require_relative "shows"

        module Shop
          class Order
            include Shows
            attr_reader :name
            LIMIT = 3

            def initialize(name)
              @name = name
              @log = Log.new
            end

            def price
              @log.note(name)
              total(LIMIT)
            end

            def self.of(name)
              new(name)
            end

            private

            def total(count)
              count
            end
          end

          class Log
            def note(text)
              text
            end
          end
        end
    """,
    "lib/shop/shows.rb": """
        module Shop
          module Shows
            def show
              price.to_s
            end
          end
        end
    """,
    "lib/shop/more.rb": """
        module Shop
          class Order
            def twice
              price + price
            end
          end

          class Special < Order
            def price
              super + twice
            end
          end
        end
    """,
    "app.rb": """
        require "shop/order"

        def run(list)
          order = Shop::Special.new("a")
          puts order.show
          order.name
          list.each { |item| item.price }
        end

        run([Shop::Order.new("b")])
        [Shop::Order.new("c")].each { |order| order.price }
    """,
}


def test_call_chain(tmp_path: Path) -> None:
    with Engine.open(write(tmp_path, FILES)) as engine:
        assert callees(engine, "run") == [
            "Shop::Special@4", "Shop::Shows::show@5", "Shop::Order::name@6",
        ]  # fmt: skip
        assert callers(engine, "Log > note") == ["Shop::Order::price@15"]
        assert callers(engine, "Order > total") == ["Shop::Order::price@16"]
        assert callers(engine, "twice") == ["Shop::Special::price@10"]
        assert callers(engine, "lib/shop/order.rb > Order > price") == [
            "app.rb@11", "Shop::Order::twice@4", "Shop::Special::price@10",
        ]  # fmt: skip


def test_references_are_counted_exactly(tmp_path: Path) -> None:
    with Engine.open(write(tmp_path, FILES)) as engine:
        assert uses(engine, "LIMIT") == ["lib/shop/order.rb:16 read"]
        assert uses(engine, "Shows") == ["lib/shop/order.rb:5 inherit"]
        assert uses(engine, "lib/shop/order.rb > Order > name") == [
            "app.rb:6 call", "lib/shop/order.rb:15 call",
        ]  # fmt: skip
        assert family(engine, "Shop::Special", "supertype") == [
            "Shop::Order", "Shop::Order", "Shop::Shows",  # the class is opened twice
        ]  # fmt: skip
        found = engine.find_references("Order > price")
        assert not found.certainty.complete  # `item` may be anything


def test_a_call_in_a_block_may_be_for_any_object(tmp_path: Path) -> None:
    files = {
        "lib/helpers.rb": "module Helpers\n  def redirect(to)\n    to\n  end\nend\n",
        "test/app_test.rb": "class AppTest < Lib::Test\n  app { redirect '/x' }\nend\n",
    }
    with Engine.open(write(tmp_path, files)) as engine:
        found = engine.find_references("redirect")
        assert not found.results
        assert (found.certainty.complete, found.certainty.possible) == (False, 1)


def test_a_class_is_found_by_its_full_name_however_it_is_opened(tmp_path: Path) -> None:
    files = {
        "a.rb": "module Shop\n  class Order\n  end\nend\n",
        "b.rb": "class Shop::Order\nend\n",
    }
    with Engine.open(write(tmp_path, files)) as engine:
        found = engine.locate("Shop::Order").results
        assert [item.path for item in found] == ["a.rb", "b.rb"]


BY_NAME = {
    "post.rb": """
        class Post
          before_action :authenticate
          attr_reader :title
          def authenticate; end
          def publish
            send(:notify, 1)
          end
          def titles(list)
            list.map(&:title)
          end
          def notify(x); end
          def unused; end
          private :unused
        end
        Post.new.public_send(:publish)
        { title: 1 }[:title]
    """,
}


def test_methods_named_by_symbols(tmp_path: Path) -> None:
    with Engine.open(write(tmp_path, BY_NAME)) as engine:
        assert uses(engine, "notify") == ["post.rb:6 call"]
        assert uses(engine, "publish") == ["post.rb:15 call"]
        assert uses(engine, "unused") == ["post.rb:13 read"]
        for name in ("authenticate", "title"):  # who takes the symbol may call it
            found = engine.find_references(name)
            assert (found.total, found.certainty.possible) == (0, 1)


def test_symbols_that_are_only_given_may_name_a_method(tmp_path: Path) -> None:
    source = """
        class Acct
          before_save :stamp, if: :dirty?
          NAMES = %i[label status]
          def title; end
          def write(k, v); end
          def go; send(:write, :title, 3); public_send :"deny"; end
          def dirty?; end
          def label; end
          def deny; end
        end
    """
    with Engine.open(write(tmp_path, {"a.rb": source})) as engine:
        assert uses(engine, "write") == ["a.rb:6 call"]
        assert uses(engine, "deny") == ["a.rb:6 call"]
        for name in ("title", "dirty?", "label"):
            found = engine.find_references(name)
            assert (found.total, found.certainty.possible) == (0, 1)


def test_a_class_mixes_in_a_module_of_its_own(tmp_path: Path) -> None:
    source = """
        class Resp
          module Help
            def append(x); end
          end
          include Help
          def initialize
            @w = self.method(:append)
            append(1)
          end
        end
    """
    with Engine.open(write(tmp_path, {"a.rb": source})) as engine:
        assert uses(engine, "append") == ["a.rb:7 read", "a.rb:8 call"]
        assert family(engine, "Resp", "supertype") == ["Resp::Help"]
