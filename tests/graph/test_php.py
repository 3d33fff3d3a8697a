"""Namespaces, traits, types in comments for PHP, counts exact."""

from pathlib import Path

from codecompass.engine.engine import Engine
from tests.graph.world import callees, callers, family, uses, write

FILES = {
    "src/Order.php": """
        <?php
        namespace Shop\\Orders;

        use Shop\\Common\\Shows;

        interface Priced { public function price(): int; }

        class Order implements Priced
        {
            use Shows;
            const FREE = 0;
            /** @var Line[] */
            private $lines = [];
            private $log;
            public function __construct(private string $name) { $this->log = new Log(); }
            public function price(): int
            {
                $sum = self::FREE;
                foreach ($this->lines as $line) { $sum += $line->cost; }
                $this->log->note('x');
                return $sum;
            }
            public static function of(string $name): self { return new self($name); }
            /** @return Line */
            public function first() { return $this->lines[0]; }
        }

        class Line { public int $cost = 0; public function show() { return $this->cost; } }
        class Log { public function note($text) { } }
    """,
    "src/Shows.php": """
        <?php
        namespace Shop\\Common;

        trait Shows
        {
            public function show(): string { return help((string) $this->price()); }
        }

        function help(string $text): string { return $text; }
    """,
    "app/main.php": """
        <?php
        use Shop\\Orders\\Order;
        use function Shop\\Common\\help;

        function run(Order $order): void
        {
            echo $order->show(), help('a');
            $order->first()->show();
            Order::of('b')->price();
        }

        run(new Order('c'));
    """,
}


def test_call_chain(tmp_path: Path) -> None:
    with Engine.open(write(tmp_path, FILES)) as engine:
        assert callees(engine, "run") == [
            "Shop\\Common\\Shows\\show@7", "Shop\\Common\\help@7", "Shop\\Orders\\Order\\first@8",
            "Shop\\Orders\\Line\\show@8", "Shop\\Orders\\Order\\of@9",
            "Shop\\Orders\\Order\\price@9",
        ]  # fmt: skip
        assert callers(engine, "Shows > show") == ["run@7"]
        assert callers(engine, "Line > show") == ["run@8"]
        assert callers(engine, "Log > note") == ["Shop\\Orders\\Order\\price@20"]


def test_references_are_counted_exactly(tmp_path: Path) -> None:
    with Engine.open(write(tmp_path, FILES)) as engine:
        assert uses(engine, "Line > cost") == ["src/Order.php:19 read", "src/Order.php:28 read"]
        assert uses(engine, "help") == [
            "app/main.php:3 import", "app/main.php:7 call", "src/Shows.php:6 call",
        ]  # fmt: skip
        assert uses(engine, "Order > FREE") == ["src/Order.php:18 read"]
        assert uses(engine, "src/Order.php > Order") == [
            "app/main.php:2 import", "app/main.php:5 type", "app/main.php:9 read",
            "app/main.php:12 call",
        ]  # fmt: skip
        assert family(engine, "Priced", "subtype") == ["Shop\\Orders\\Order"]


BY_NAME = {
    "post.php": r"""
        <?php
        namespace App;
        function cmp($a, $b) { return 1; }
        class Post {
          public $count = 0;
          public function handle($x) { $this->count++; $this->count += 2; }
          public static function make() { return new self(); }
          public function go($list, $name) {
            array_map([$this, 'handle'], $list);
            usort($list, 'App\cmp');
            usort($list, 'cmp');
            call_user_func('App\Post::make');
            $pair = ['handle', 'make'];
          }
        }
        Route::get('/x', [Post::class, 'handle']);
    """,
    "service.php": """
        <?php
        class Service {
          public function __construct(private \\App\\Post $post, $plain = 1) {}
          public function go() { return $this->post->handle(1); }
        }
    """,
}


def test_functions_named_by_strings(tmp_path: Path) -> None:
    with Engine.open(write(tmp_path, BY_NAME)) as engine:
        assert uses(engine, "handle") == [
            "post.php:9 read", "post.php:16 read", "service.php:4 call",
        ]  # fmt: skip
        assert uses(engine, "cmp") == ["post.php:10 read"]  # the other one is not of `App`
        assert uses(engine, "make") == ["post.php:12 read"]
        assert uses(engine, "count") == ["post.php:6 write", "post.php:6 write"]


def test_a_promoted_parameter_is_a_member(tmp_path: Path) -> None:
    with Engine.open(write(tmp_path, BY_NAME)) as engine:
        assert uses(engine, "Service > post") == ["service.php:4 read"]
        members = [r"Service\__construct", r"Service\post", r"Service\go"]
        assert family(engine, "Service", "member") == members


ARRAYS = {
    "job.php": """
        <?php
        namespace App;
        class Job {
          private $name;
          function compute() {}
          function a() { return ['name' => $this->name, 'value' => $this->compute()]; }
          function b() { return ['k' => $this->compute(), 'other']; }
          function c() { return [$this, "compute"]; }
          function d() { return ['App\\Job', 'compute']; }
          function e() { return ['name', 'compute']; }
        }
        class Svc {
          function __construct(private Job $dep) { $dep->compute(); }
        }
        new Svc(dep: $d);
        usort($x, "App\\\\helper");
        function helper() {}
    """,
}


def test_arrays_with_keys_are_no_functions(tmp_path: Path) -> None:
    with Engine.open(write(tmp_path, ARRAYS)) as engine:
        assert uses(engine, "Job > name") == ["job.php:6 read"]
        assert uses(engine, "compute") == [
            "job.php:6 call", "job.php:7 call", "job.php:8 read", "job.php:9 read",
            "job.php:13 call",
        ]  # fmt: skip
        assert uses(engine, "helper") == ["job.php:16 read"]
        found = engine.find_references("dep")
        assert (found.total, found.certainty.possible) == (1, 1)  # `dep:` may be another's
