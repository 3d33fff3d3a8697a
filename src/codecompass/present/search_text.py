"""Search answers in, compact lines grouped by file out; best first."""

from collections.abc import Mapping
from dataclasses import replace

from codecompass.model.answer import (
    ExplainAnswer,
    FollowupAnswer,
    Meta,
    SearchAnswer,
    SearchResult,
)
from codecompass.present.budget import Form, Forms, fitted
from codecompass.present.meta import state_line
from codecompass.text.tokens import estimate_tokens

_LINES_NAMED = 8
# Modes in which lines were searched, not ranked words.
_LINE_MODES = frozenset({"exact", "usages"})
# What a result may take on average; the status line and the way on come on top.
_RESULT_TOKENS = 57
_LEAST_TOKENS = 300
# How many lines of its preview a result shows.
_LINES = {Form.BODY: 2, Form.SIGNATURE: 1, Form.NAME: 0}


def render_search(answer: SearchAnswer) -> str:
    """What was found, then how to go on; the first line says how fresh and complete it is."""
    body = [*_within_budget(answer), *_if_nothing(answer)]
    body += [f"note: {note}" for note in answer.notes or ()]
    if answer.filters:
        body.append(f"filters: {_pairs(answer.filters)}")
    if answer.cursor:
        body.append(f"more: cursor={answer.cursor}")
    elif answer.meta.result_completeness == "partial" and not answer.meta.not_fetched_files:
        body.append("more matches than were counted: narrow the paths, or ask for all")
    if answer.terms:
        body.append(f"terms: {_pairs(answer.terms)}")
    text = "\n".join(body)
    return f"{_status(answer, estimate_tokens(text))}\n{text}"


def _status(answer: SearchAnswer, tokens: int) -> str:
    meta = answer.meta
    count = f"{len(answer.results)} hits"
    if answer.total_matches is not None:
        count += f" of {answer.total_matches} matches"
    intent = f" · {meta.query_intent}" if answer.mode == "hybrid" else f" · {answer.mode}"
    return f"{state_line(meta)} · {count}{intent} · {tokens} tokens"


def _within_budget(answer: SearchAnswer) -> list[str]:
    """The results; where they are long, the last ones show less than the first."""
    results = answer.results
    if any(result.body_preview or result.factors for result in results):
        return _groups(answer)  # asked for

    def lines(forms: Forms) -> list[str]:
        pairs = zip(results, forms, strict=True)
        shown = tuple(
            replace(one, preview=_shortened(one.preview or "", _LINES[form], answer.mode))
            for one, form in pairs
        )
        return _groups(replace(answer, results=shown))

    budget = max(_LEAST_TOKENS, _RESULT_TOKENS * len(results))
    forms = fitted(
        [Form.BODY] * len(results),
        lambda forms: estimate_tokens("\n".join(lines(forms))),
        budget,
        least=Form.NAME,
    )
    return lines(forms)


def _shortened(preview: str, keep: int, mode: str) -> str:
    """Fewer lines of a preview; where lines were searched, the one that matched stays."""
    lines = preview.splitlines()
    if len(lines) > keep and mode in _LINE_MODES:
        return "\n".join(lines[-1:])
    return "\n".join(lines[:keep])


def _groups(answer: SearchAnswer) -> list[str]:
    by_file: dict[str, list[SearchResult]] = {}
    for result in answer.results:
        by_file.setdefault(result.path, []).append(result)
    is_exact = answer.mode in _LINE_MODES
    lines: list[str] = []
    for path, results in by_file.items():
        if len(results) == 1:
            lines += _result(results[0], f"{path}:", is_exact=is_exact)
            continue
        lines.append(path)
        for result in results:
            lines += _result(result, "  ", is_exact=is_exact)
    return lines


def _result(result: SearchResult, lead: str, *, is_exact: bool = False) -> list[str]:
    span = f"{result.start_line}-{result.end_line}"
    if result.start_line == result.end_line:
        span = str(result.start_line)
    name = result.qualified_name or result.name
    what = f"{result.kind} {name} [{result.handle}]" if result.kind != "file" else "file"
    shown = [f"{lead}{span} {what}"]
    shown += [f"    {line}" for line in (result.preview or "").splitlines()]
    numbers = result.match_lines or ()
    if (is_exact and len(numbers) > 1) or (numbers and not result.preview):
        rest = len(numbers) - _LINES_NAMED
        named = ",".join(map(str, numbers[:_LINES_NAMED])) + (f" +{rest}" if rest > 0 else "")
        shown.append(f"    lines {named}")
    for extra in (result.doc, result.body_preview):
        shown += [f"    | {line}" for line in (extra or "").splitlines()]
    if result.factors:
        shown.append(f"    {result.score} = {_pairs(result.factors)}")
    return shown


def _if_nothing(answer: SearchAnswer) -> list[str]:
    if answer.results:
        return []
    meta = answer.meta
    lines = [f"nothing found for {answer.query[:200]!r}; {_searched(meta)}"]
    if answer.suggestions:
        lines.append(f"not matches, but similar names: {', '.join(answer.suggestions)}")
    return lines


def _searched(meta: Meta) -> str:
    if meta.searched_files is None:
        return "no more results"
    return f"searched {meta.searched_files:,} files, {meta.searched_symbols:,} definitions"


def render_explain(answer: ExplainAnswer) -> str:
    """Where a hit ranks, and every factor with its amount."""
    if answer.rank is None or answer.result is None:
        return f"not among the {answer.total} hits for {answer.query!r}"
    result = answer.result
    lines = [
        f"rank {answer.rank} of {answer.total} · score {answer.score}"
        f" · {answer.meta.query_intent} ({answer.meta.query_intent_confidence})",
        *_result(result, f"{result.path}:"),
    ]
    width = max((len(name) for name in answer.factors), default=0)
    lines += [f"  {name:<{width}} {amount:+.3f}" for name, amount in answer.factors.items()]
    total = sum(answer.factors.values())
    lines.append(f"  {'sum':<{width}} {total:+.3f}   score = sum / (1 + sum)")
    if answer.terms:
        lines.append(f"terms: {_pairs(answer.terms)}")
    return "\n".join(lines)


def render_followups(answer: FollowupAnswer) -> str:
    """One call per line, as it can be made, and why."""
    lines = [f"{state_line(answer.meta)} · best score {answer.confidence}"]
    for call in answer.calls:
        given = " ".join(f"{name}={value!r}" for name, value in call.args.items())
        lines.append(f"{call.op} {given}  # {call.reason}")
    return "\n".join(lines)


def _pairs(values: Mapping[str, object]) -> str:
    return ", ".join(f"{name} {_plain(value)}" for name, value in values.items())


def _plain(value: object) -> str:
    return " ".join(map(str, value)) if isinstance(value, tuple) else str(value)
