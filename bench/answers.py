r"""What answers are worth: recall inside token budgets, snapshots that parse, time.

    python bench/answers.py --bench FOLDER --corpus CORPUS [--repos a,b] [--symbols 40]
        [--tokenizer cl100k_base] [--tokenizer claude=tokenizer.json]
    python bench/answers.py --large REPOSITORY [--symbols 200]

FOLDER holds the retrieval benchmark (score.py, repos.json, annotations/), CORPUS its
repositories. Of every question: which share of the relevant files and places the first
500, 1,000 and 2,000 tokens of an answer show (the mean over all questions, as the peers
count it), for `search_code` with as many results as fit and `get_code_context` with that
budget; the tokens read until the first relevant one; whether every answer keeps to its
budget; and of clusters their size. Of random definitions: how many snapshots parse without
new errors. With tokenizers, also what they count in the answers, against the estimate.
`--large` asks one repository for random definitions by name and by the words of their names,
and prints times only: first of a question, then of the same one again.
"""

import argparse
import random
import statistics
import sys
import time
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from types import ModuleType
from typing import Any

from scoring import Count, load_scorer, tokenizer_named

from codecompass import Engine
from codecompass.engine.code_files import code_file
from codecompass.model.answer import SearchAnswer
from codecompass.model.cluster import ClusterOptions
from codecompass.model.query import ContextOptions
from codecompass.model.search import SearchOptions
from codecompass.model.symbol import symbol_handle
from codecompass.parse.extract import extract
from codecompass.parse.languages import BY_NAME
from codecompass.present.cluster_text import render_clusters
from codecompass.present.context_text import render_context
from codecompass.present.search_text import render_search
from codecompass.present.snapshot import make_snapshot
from codecompass.text.identifiers import split_identifier
from codecompass.text.tokens import estimate_tokens

BUDGETS = (500, 1_000, 2_000)
_MOST_RESULTS = 60
_ASKED_BUDGETS = (150, 500, 1_500, 4_000)


@dataclass
class Tally:
    """What a run over all questions found."""

    recall: dict[tuple[str, int], list[float]] = field(default_factory=lambda: defaultdict(list))
    first: dict[str, list[int]] = field(default_factory=lambda: defaultdict(list))
    never: dict[str, int] = field(default_factory=lambda: defaultdict(int))
    ms: dict[str, list[float]] = field(default_factory=lambda: defaultdict(list))
    clusters: dict[str, list[int]] = field(default_factory=lambda: defaultdict(list))
    over_budget: int = 0
    asked: int = 0
    parsed: dict[str, list[bool]] = field(default_factory=lambda: defaultdict(list))
    shares: list[float] = field(default_factory=list)
    texts: list[str] = field(default_factory=list)


def main() -> None:
    """Measure, print."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("--bench", type=Path, help="folder with score.py")
    parser.add_argument("--corpus", type=Path)
    parser.add_argument("--large", type=Path, help="measure times on this repository")
    parser.add_argument("--repos", default="", help="only these, separated by commas")
    parser.add_argument("--symbols", type=int, default=40, help="random definitions of each")
    parser.add_argument("--tokenizer", action="append", default=[], metavar="NAME[=FILE]")
    given = parser.parse_args()
    if given.large:
        _print_times(_time(given.large, given.symbols))
        return
    scorer = load_scorer(given.bench)
    wanted = set(filter(None, given.repos.split(",")))
    tally = Tally()
    for repo in scorer.load_repos(given.bench):
        root = given.corpus / repo["name"] / (repo.get("benchmark_root") or "")
        if (wanted and repo["name"] not in wanted) or not root.is_dir():
            continue
        with Engine.open(root, flags={"freshness.recheck_after_s": 600.0}) as engine:
            engine.index()
            for query in scorer.load_queries(given.bench, repo["name"]):
                _ask(scorer, engine, query, tally)
            _show(engine, given.symbols, tally)
        print(f"{repo['name']} done", file=sys.stderr)
    _print(tally, dict(tokenizer_named(text) for text in given.tokenizer))


def _ask(scorer: ModuleType, engine: Engine, query: Mapping[str, Any], tally: Tally) -> None:
    text = str(query["query"])
    targets = [*query.get("relevant", []), *query.get("secondary", [])]

    def covered(results: Sequence[Any]) -> float:
        places = [
            {"path": item.path, "start_line": item.start_line, "end_line": item.end_line}
            for item in results
        ]
        found = sum(any(scorer.covers(place, target) for place in places) for target in targets)
        return found / len(targets)

    started = time.perf_counter()
    answer = engine.search(text, options=SearchOptions(top_k=_MOST_RESULTS))
    tally.ms["search_code, 60 results"].append((time.perf_counter() - started) * 1000)
    for budget in BUDGETS:
        kept = _fitting(answer, budget)
        tally.recall["search_code", budget].append(covered(answer.results[:kept]))
    hits = (k for k in range(1, len(answer.results) + 1) if covered(answer.results[:k]))
    first = next(hits, None)
    if first is None:
        tally.never["search_code"] += 1
    else:
        tally.first["search_code"].append(estimate_tokens(_rendered(answer, first)))
    for budget in BUDGETS:
        found = engine.context(text, options=ContextOptions(max_tokens=budget))
        shown = [item for item in found.results if item.shown != "dropped"]
        tally.recall["get_code_context", budget].append(covered(shown))
    started = time.perf_counter()
    whole = engine.context(text)
    tally.ms["get_code_context"].append((time.perf_counter() - started) * 1000)
    rendered = render_context(whole)
    tally.texts.append(rendered)
    tally.asked += 1
    tally.over_budget += estimate_tokens(rendered) > whole.budget
    for name, options in (("as asked", ()), ("all expanded", ("all",))):
        started = time.perf_counter()
        clusters = engine.clusters(text, options=ClusterOptions(expand=options))
        tally.ms[f"search_with_context, {name}"].append((time.perf_counter() - started) * 1000)
        tally.clusters[name] += clusters.token_usage.per_cluster
        tally.clusters[f"answers, {name}"].append(estimate_tokens(render_clusters(clusters)))
    place = next((item for item in whole.results if covered([item])), None)
    if place is None:
        tally.never["get_code_context"] += 1
    else:
        lines = whole.graph.split("\n")
        mark = f"{place.path}:{place.start_line}"
        read = next((n for n, line in enumerate(lines) if mark in line), len(lines))
        tally.first["get_code_context"].append(estimate_tokens("\n".join(lines[: read + 1])))


def _rendered(answer: SearchAnswer, count: int) -> str:
    return render_search(replace(answer, results=answer.results[:count], cursor=None))


def _fitting(answer: SearchAnswer, budget: int) -> int:
    """How many results fit into a budget."""
    low, high = 0, len(answer.results)
    while low < high:
        middle = (low + high + 1) // 2
        fits = estimate_tokens(_rendered(answer, middle)) <= budget
        low, high = (middle, high) if fits else (low, middle - 1)
    return low


def _show(engine: Engine, count: int, tally: Tally) -> None:
    """Snapshots of random definitions, and whole answers about them in random budgets."""
    chance = random.Random(7)  # noqa: S311  # not a secret
    with engine._views.open(None, lambda *_: None) as view:  # no question for it
        files = [item for item in view.reader.catalog.files if BY_NAME[item.language].walker]
        chance.shuffle(files)
        names: list[str] = []
        for item in files[:count]:
            file = code_file(view, item.path)
            symbols = [one for one in file.records if not one.is_statement] if file else []
            if file is None or not symbols:
                continue
            symbol = chance.choice(symbols)
            language = BY_NAME[item.language]
            made = make_snapshot(file, {symbol.ordinal})
            is_broken = extract(language, made.text.encode()).has_errors
            was_broken = extract(language, file.text.encode()).has_errors
            tally.parsed[item.language].append(was_broken or not is_broken)
            tally.shares.append(len(made.text) / len(file.text))
            names.append(symbol_handle(item.path, symbol.stable_id))
    for name in names:
        budget = chance.choice(_ASKED_BUDGETS)
        answer = engine.context(f"symbol = {name}", options=ContextOptions(max_tokens=budget))
        tally.asked += 1
        tally.over_budget += estimate_tokens(render_context(answer)) > budget


def _time(root: Path, count: int) -> dict[str, list[float]]:
    """How long questions about random definitions take, first and again."""
    chance = random.Random(7)  # noqa: S311  # not a secret
    found: dict[str, list[float]] = defaultdict(list)
    with Engine.open(root, flags={"freshness.recheck_after_s": 3600.0}) as engine:
        engine.index()
        with engine._views.open(None, lambda *_: None) as view:  # no question for it
            files = list(view.reader.catalog.files)
            chance.shuffle(files)
            outlines = (view.reader.outline(file.version_id) for file in files[: 3 * count])
            kept = ([one for one in outline if not one.is_statement] for outline in outlines)
            symbols = [chance.choice(outline) for outline in kept if outline]
        for symbol in symbols[:count]:
            words = " ".join(split_identifier(symbol.name)) or symbol.name
            for query in (symbol.name, f"how does {words} work"):
                for name, ask in (
                    ("search_code", engine.search),
                    ("get_code_context", engine.context),
                    ("search_with_context", engine.clusters),
                    ("search_with_context, again", engine.clusters),
                ):
                    started = time.perf_counter()
                    ask(query)
                    found[name].append((time.perf_counter() - started) * 1000)
    return found


def _print_times(found: Mapping[str, Sequence[float]]) -> None:
    for name, times in found.items():
        parts = ", ".join(f"p{share:.0%} {_part(times, share):.1f}" for share in (0.5, 0.95))
        print(f"{name}: {parts} ms of {len(times)}".replace("%", ""))


def _print(tally: Tally, tokenizers: Mapping[str, Count]) -> None:
    print("| recall at tokens | " + " | ".join(f"{budget:,}" for budget in BUDGETS) + " |")
    print("|---|" + "---|" * len(BUDGETS))
    for name in ("search_code", "get_code_context"):
        means = [statistics.mean(tally.recall[name, budget]) for budget in BUDGETS]
        print(f"| {name} | " + " | ".join(f"{mean:.3f}" for mean in means) + " |")
    for name, tokens in tally.first.items():
        print(
            f"{name}: tokens to the first relevant place: median {statistics.median(tokens):.0f},"
            f" mean {statistics.mean(tokens):.0f}; never {tally.never[name]}"
        )
    _print_times(tally.ms)
    for name, sizes in tally.clusters.items():
        print(f"clusters {name}: median {statistics.median(sizes):.0f} tokens, most {max(sizes)}")
    print(f"{tally.asked} contexts, {tally.over_budget} over their budget")
    every = [item for items in tally.parsed.values() for item in items]
    by_language = ", ".join(
        f"{name} {sum(items)}/{len(items)}" for name, items in sorted(tally.parsed.items())
    )
    print(f"snapshots without new errors: {sum(every)}/{len(every)} ({by_language});"
          f" median share of the file {statistics.median(tally.shares):.2f}")  # fmt: skip
    for name, count in tokenizers.items():
        ratios = [estimate_tokens(text) / count(text) for text in tally.texts]
        parts = ", ".join(f"{share:.0%} {_part(ratios, share):.2f}" for share in (0.01, 0.5, 0.99))
        print(f"estimate / {name} on contexts: {parts}")


def _part(values: Sequence[float], share: float) -> float:
    return sorted(values)[min(len(values) - 1, int(len(values) * share))]


if __name__ == "__main__":
    main()
