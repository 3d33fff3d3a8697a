r"""Score the search on the retrieval benchmark: NDCG@10 by language and category.

    python bench/retrieval.py --bench FOLDER --corpus CORPUS [--set ranking.file_name=0 ...]

FOLDER holds the benchmark (score.py, repos.json, annotations/), CORPUS its repositories
as `score.py prepare` checks them out. Without options it does what
`score.py run --command 'codecompass batch --workspace {root}'` does, in one process, and
prints the same means. `--set` changes settings and may be given several times; each
setting that is given is first measured apart and then all together, so that one run shows
what every idea is worth. Also printed: the size of results and the CPU time of questions.
"""

import argparse
import json
import statistics
import time
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from types import ModuleType

from scoring import load_scorer

from codecompass import Engine
from codecompass.model.search import SearchMode, SearchOptions
from codecompass.present.meta import plain
from codecompass.present.search_text import render_search
from codecompass.text.tokens import estimate_tokens


@dataclass
class Tally:
    """What a run over all questions found."""

    scores: dict[str, list[float]] = field(default_factory=lambda: defaultdict(list))
    result_bytes: list[int] = field(default_factory=list)
    result_tokens: list[int] = field(default_factory=list)
    answer_tokens: list[int] = field(default_factory=list)
    cpu_ms: list[float] = field(default_factory=list)
    rows: list[dict[str, object]] = field(default_factory=list)
    judged: list[tuple[float, bool]] = field(default_factory=list)  # score, is it a target?

    def mean(self, group: str) -> float:
        """The mean NDCG@10 of a group of questions."""
        return statistics.mean(self.scores[group])


def main() -> None:
    """Measure, print."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("--bench", type=Path, required=True, help="folder with score.py")
    parser.add_argument("--corpus", type=Path, required=True)
    parser.add_argument("--repos", default="", help="only these, separated by commas")
    parser.add_argument("--set", action="append", default=[], metavar="KEY=VALUE")
    parser.add_argument("--mode", default="hybrid", help="hybrid (default) or semantic")
    parser.add_argument("--out", type=Path, help="write one row per question")
    given = parser.parse_args()
    scorer = load_scorer(given.bench)
    wanted = set(filter(None, given.repos.split(",")))
    changes = [dict([_setting(text)]) for text in given.set]
    base = measure(scorer, given, wanted, {})
    print_table(base)
    if given.out:
        given.out.write_text(json.dumps(base.rows, indent=0))
    together: dict[str, object] = {}
    for change in changes:
        together |= change
        print_change(change, measure(scorer, given, wanted, change), base)
    if len(changes) > 1:
        print_change(together, measure(scorer, given, wanted, together), base)


def _setting(text: str) -> tuple[str, object]:
    key, _, value = text.partition("=")
    return key, json.loads(value)


def measure(
    scorer: ModuleType, given: argparse.Namespace, wanted: set[str], flags: Mapping[str, object]
) -> Tally:
    """Ask every question of every repository that is there."""
    tally = Tally()
    for repo in scorer.load_repos(given.bench):
        root = given.corpus / repo["name"] / (repo.get("benchmark_root") or "")
        if (wanted and repo["name"] not in wanted) or not root.is_dir():
            continue
        with Engine.open(root, flags=flags) as engine:
            engine.index()
            for query in scorer.load_queries(given.bench, repo["name"]):
                _ask(scorer, engine, repo, query, tally, SearchMode(given.mode))
    return tally


def _ask(
    scorer: ModuleType,
    engine: Engine,
    repo: Mapping[str, str],
    query: Mapping[str, object],
    tally: Tally,
    mode: SearchMode,
) -> None:
    started = time.process_time()
    answer = engine.search(str(query["query"]), options=SearchOptions(mode))
    tally.cpu_ms.append((time.process_time() - started) * 1000)
    results = [plain(result) for result in answer.results]
    targets = [*query.get("relevant", []), *query.get("secondary", [])]  # type: ignore[misc]
    score = scorer.score_query(results, targets)["ndcg10"]
    for group in ("all", f"language {repo['language']}", f"category {query['category']}"):
        tally.scores[group].append(score)
    tally.judged += [
        (result.score, any(scorer.covers(row, target) for target in targets))
        for result, row in zip(answer.results, results, strict=True)
    ]
    tally.result_bytes += [len(json.dumps(result, ensure_ascii=False)) for result in results]
    text = render_search(answer)
    tally.answer_tokens.append(estimate_tokens(text))
    if results:
        tally.result_tokens.append(round(estimate_tokens(text) / len(results)))
    tops = [result.path for result in answer.results[:5]]
    tally.rows.append({"repo": repo["name"], **query, "ndcg10": score, "top": tops})


def print_table(tally: Tally) -> None:
    """Every group, then sizes and times."""
    for group in sorted(tally.scores, key=lambda name: (name != "all", name)):
        print(f"{group:24} n={len(tally.scores[group]):4} ndcg10={tally.mean(group):.4f}")
    print(
        f"a result: median {statistics.median(tally.result_bytes):.0f} bytes of JSON,"
        f" {statistics.median(tally.result_tokens):.0f} tokens of text;"
        f" an answer of 10: median {statistics.median(tally.answer_tokens):.0f} tokens,"
        f" most {max(tally.answer_tokens)}"
    )
    for least in (0.8, 0.7, 0.6, 0.5, 0.4, 0.3, 0.0):
        right = [is_right for score, is_right in tally.judged if least <= score < least + 0.1]
        if least == 0.0:
            right = [is_right for score, is_right in tally.judged if score < 0.3]
        if right:
            share = statistics.mean(right)
            print(
                f"results that score {least:.1f} and more: {len(right)}, {share:.0%} of them right"
            )
    print(f"CPU of a question: p50 {_part(tally.cpu_ms, 0.5):.1f} ms,"
          f" p95 {_part(tally.cpu_ms, 0.95):.1f} ms (freshness check included)")  # fmt: skip


def print_change(change: Mapping[str, object], tally: Tally, base: Tally) -> None:
    """One line: what a change of settings does to the means."""
    groups = [group for group in base.scores if not group.startswith("language")]
    moved = " ".join(
        f"{group.removeprefix('category ')} {tally.mean(group):.4f}"
        f" ({tally.mean(group) - base.mean(group):+.4f})"
        for group in groups
    )
    print(f"{moved}  {dict(change)}")


def _part(values: Sequence[float], share: float) -> float:
    return sorted(values)[min(len(values) - 1, int(len(values) * share))]


if __name__ == "__main__":
    main()
