"""A question in, code in its context out: search, connect, show, and keep to a budget."""

from collections.abc import Sequence
from dataclasses import replace
from functools import cached_property

from codecompass.config.settings import AnswerSettings
from codecompass.engine.candidates import Candidate, candidates
from codecompass.engine.code_files import code_file
from codecompass.engine.searching import said_filters, suggest_names
from codecompass.engine.views import View
from codecompass.errors import BadInput
from codecompass.model.answer import OVERLAY, Completeness, Meta
from codecompass.model.context import Connected, Snapshot
from codecompass.model.context_answer import ContextAnswer, ContextResult, SnapshotResult
from codecompass.model.query import ContextOptions, DetailLevel, Strategy
from codecompass.model.symbol import symbol_handle
from codecompass.navigate.connections import connected
from codecompass.navigate.uses import Graph
from codecompass.present.budget import Form, Forms, fitted, with_token_count
from codecompass.present.connections import TOKENS, connection_graph
from codecompass.present.context_text import assemble, count_named, last_lines
from codecompass.present.meta import about_search, make_meta
from codecompass.present.snapshot import Shown
from codecompass.search.search import Found
from codecompass.text.tokens import estimate_tokens

SMALLEST_BUDGET = 100
_SHOWN = {Strategy.BREADTH: 6, Strategy.DEPTH: 5}  # of which the code may be shown
_NAMED = {Strategy.BREADTH: 40, Strategy.DEPTH: 10}  # of which at least the name
_NAME_TOKENS = 25  # what a result takes that is only named
_NAMES_SHARE = 0.4  # of a budget for results that are only named
_LESS_RELEVANT = 10  # results below the gate that are named, where the budget allows
_LOW_CONFIDENCE = 3  # results shown where none is relevant enough
# A single result may take so much of a budget; a larger one is shown by its signature.
_LARGEST_SHARE = 0.6
_LEAST_BYTES, _MOST_BYTES = 3, 5  # of a token
_SEAM = 2  # tokens between two parts of an answer


class ContextQuestion:
    """Answers one question about one view."""

    def __init__(
        self, view: View, found: Found, options: ContextOptions, settings: AnswerSettings
    ) -> None:
        self._view = view
        self._found = found
        self._options = options
        self._settings = settings
        self._graph = Graph(view.reader)
        self._files: dict[str, Shown | None] = {}
        self._made: dict[tuple[str, frozenset[int], frozenset[int]], Snapshot] = {}
        self._worth: dict[str, int] = {}
        self._relevant = 0  # candidates that score high enough
        self.budget = _checked_budget(options.max_tokens, settings)

    def answer(self, query: str) -> ContextAnswer:
        """The graph and the code that fit."""
        told = self._candidates
        entries = [
            self._connected(item, is_told=number < self._told) for number, item in enumerate(told)
        ]
        meta = self._meta()
        draft = _Draft(self, query, entries, last_lines(self._notes, meta))
        first = [self._first_form(*pair) for pair in enumerate(told)]
        deep = self._options.strategy is Strategy.DEPTH
        forms = fitted(first, draft.cost, self.budget, deep=deep)
        _, tokens = with_token_count(draft.text(forms), TOKENS)
        shown = sum(form < Form.DROPPED for form in forms)
        is_cut = shown < len(told) or self._unnamed > 0
        graph = connection_graph(query, entries, forms, self.budget)
        return ContextAnswer(
            query=query,
            strategy=str(self._options.strategy),
            budget=self.budget,
            results=self._results(entries, forms),
            graph=graph.replace(TOKENS, f"{tokens:,}"),
            snapshots=tuple(self.snapshots(entries, forms)),
            suggestions=() if told else self._suggestions(),
            meta=replace(
                meta,
                estimated_tokens=tokens,
                result_completeness=Completeness.TRUNCATED if is_cut else meta.result_completeness,
                safety_limit_applied=is_cut,
                elapsed_ms=self._view.elapsed_ms(),
            ),
            total_candidates=len(self._found.hits),
            filters=said_filters(self._found.plan.question.filters),
            notes=self._notes or None,
        )

    @cached_property
    def _notes(self) -> tuple[str, ...]:
        notes = (*self._found.plan.question.notes, *self._found.notes)
        if self._unnamed:
            notes = (*notes, f"{self._unnamed} more definitions: give a path or a parent")
        best = self._candidates[0] if self._candidates else None
        if best is None or best.symbol is None or self._first_form(0, best) > Form.SIGNATURE:
            return notes
        tokens = self._tokens_of(best)
        if self._options.detail_level is DetailLevel.CONTEXT and tokens > self.budget:
            name = best.symbol.qualified_name
            notes = (*notes, f"the code of {name} takes about {tokens:,} tokens: more max_tokens")
        return notes

    def _meta(self) -> Meta:
        overlay = self._view.overlay({item.hit.path for item in self._candidates})
        meta = make_meta(
            self._view.seen(is_overlay=bool(overlay)),
            shown=1,
            total=1,
            elapsed_ms=0,
            content=(),
            searched=None if self._candidates else self._view.reader.counts(),
        )
        found = self._found
        return about_search(
            meta, found.plan.guess, semantic=found.semantic, suppressed=found.suppressed
        )

    @cached_property
    def _candidates(self) -> list[Candidate]:
        """The hits that are relevant enough, or, where none is, the best few."""
        room = round(self.budget * _NAMES_SHARE) // _NAME_TOKENS
        most = min(_NAMED[self._options.strategy], max(_SHOWN[self._options.strategy], room))
        found = self._found
        is_asked_for = bool(found.plan.question.symbol)
        gate = 0.0 if is_asked_for else self._settings.context_min_score
        hits = [hit for hit in found.hits if hit.score >= gate] or [*found.hits[:_LOW_CONFIDENCE]]
        self._relevant = len(hits)
        if self._options.strategy is Strategy.BREADTH:
            hits += found.hits[len(hits) : len(hits) + _LESS_RELEVANT]  # by name only
        return candidates(self._view, found, hits[:most])

    @property
    def _unnamed(self) -> int:
        """How many of the definitions that were asked for are no candidates."""
        is_asked_for = bool(self._found.plan.question.symbol)
        return len(self._found.hits) - len(self._candidates) if is_asked_for else 0

    @property
    def _told(self) -> int:
        """Of how many candidates the code may be shown."""
        return min(self._relevant, _SHOWN[self._options.strategy])

    def _connected(self, item: Candidate, *, is_told: bool) -> Connected:
        hit, symbol = item.hit, item.symbol
        if symbol is None:
            name = hit.path.rpartition("/")[2]
            return Connected(
                (hit.path, -1), name, hit.path, 1, item.line_count, "file", hit.path, hit.score
            )
        if is_told and item.placed is not None:
            return connected(self._view.reader, self._graph, item.placed, hit.score)
        return Connected(
            key=(hit.path, symbol.ordinal),
            name=symbol.qualified_name,
            path=hit.path,
            start_line=symbol.span.start_line,
            end_line=symbol.span.end_line,
            kind=str(symbol.kind),
            handle=symbol_handle(hit.path, symbol.stable_id),
            score=hit.score,
            signature=symbol.signature,
        )

    def _first_form(self, number: int, item: Candidate) -> Form:
        """The form to begin with: the code of the best, unless it alone is too large."""
        level, symbol = self._options.detail_level, item.symbol
        if symbol is None or number >= self._told:
            return Form.NAME
        if level is DetailLevel.LOCATION:
            return Form.NAME
        if level is DetailLevel.SIGNATURE:
            return Form.SIGNATURE
        is_only = len(self._candidates) == 1
        if not is_only and self._tokens_of(item) > self.budget * _LARGEST_SHARE:
            return Form.SIGNATURE
        return Form.WHOLE

    def _tokens_of(self, item: Candidate) -> int:
        """About what the code of a candidate takes; measured where it may decide."""
        if item.symbol is None:
            return 0
        size = item.symbol.span.end_byte - item.symbol.span.start_byte
        least, most = size // _MOST_BYTES, size // _LEAST_BYTES
        if most <= self.budget * _LARGEST_SHARE or least > self.budget:
            return (least + most) // 2
        made = self._snapshot(item.hit.path, frozenset({item.symbol.ordinal}), frozenset())
        return self.tokens(made.text) if made is not None else 0

    def snapshots(self, entries: Sequence[Connected], forms: Forms) -> list[SnapshotResult]:
        """One for each file whose code is shown, the best first."""
        targets: dict[str, list[tuple[int, Form, float]]] = {}
        for entry, form in zip(entries, forms, strict=True):
            if form <= Form.BODY:
                targets.setdefault(entry.path, []).append((entry.key[1], form, entry.score))
        found = []
        for path, items in targets.items():
            snapshot = self._snapshot(
                path,
                frozenset(ordinal for ordinal, _, _ in items),
                frozenset(ordinal for ordinal, form, _ in items if form is Form.WHOLE),
            )
            if snapshot is not None:
                language = self._graph.language(path)
                best = max(score for _, _, score in items)
                found.append(
                    SnapshotResult(path, language, snapshot.ranges, snapshot.text, round(best, 3))
                )
        return found

    def tokens(self, text: str) -> int:
        """What the text of a snapshot is worth."""
        if text not in self._worth:
            self._worth[text] = estimate_tokens(text)
        return self._worth[text]

    def _snapshot(
        self, path: str, targets: frozenset[int], with_calls: frozenset[int]
    ) -> Snapshot | None:
        if path not in self._files:
            file = code_file(self._view, path)
            self._files[path] = Shown(file) if file is not None else None
        shown = self._files[path]
        if shown is None:
            return None
        key = (path, targets, with_calls)
        if key not in self._made:
            self._made[key] = shown.snapshot(targets, with_calls=with_calls)
        return self._made[key]

    def _results(self, entries: Sequence[Connected], forms: Forms) -> tuple[ContextResult, ...]:
        overlay = self._view.overlay({entry.path for entry in entries})
        return tuple(
            ContextResult(
                path=entry.path,
                start_line=entry.start_line,
                end_line=entry.end_line,
                kind=entry.kind,
                name=_last_name(item, entry),
                handle=entry.handle,
                score=round(entry.score, 3),
                shown=form.name.lower(),
                qualified_name=entry.name if item.symbol and item.symbol.scope else None,
                source_layer=OVERLAY if entry.path in overlay else None,
            )
            for item, entry, form in zip(self._candidates, entries, forms, strict=True)
        )

    def _suggestions(self) -> tuple[str, ...]:
        question = self._found.plan.question
        return suggest_names(self._view.reader, question, self._settings.max_suggestions)


class _Draft:
    """An answer whose forms are not settled yet."""

    def __init__(
        self,
        question: ContextQuestion,
        query: str,
        entries: Sequence[Connected],
        tail: Sequence[str],
    ) -> None:
        self._question = question
        self._query = query
        self._entries = entries
        self._tail = tail

    def text(self, forms: Forms) -> str:
        """The text with these forms, its token count left open."""
        graph = connection_graph(self._query, self._entries, forms, self._question.budget)
        code = [item.text for item in self._question.snapshots(self._entries, forms)]
        dropped = _dropped(self._entries, forms)
        named = count_named(self._question.budget)
        return assemble(graph, code, dropped=dropped, tail=self._tail, named=named)

    def cost(self, forms: Forms) -> int:
        """What the text is worth at most; the code of each file is counted only once."""
        question, entries = self._question, self._entries
        graph = connection_graph(self._query, entries, forms, question.budget)
        dropped, named = _dropped(entries, forms), count_named(question.budget)
        rest = assemble(graph, (), dropped=dropped, tail=self._tail, named=named)
        code = sum(
            question.tokens(item.text) + _SEAM for item in question.snapshots(entries, forms)
        )
        return code + estimate_tokens(rest.replace(TOKENS, f"{question.budget:,}"))


def _dropped(entries: Sequence[Connected], forms: Forms) -> list[tuple[str, str]]:
    pairs = zip(entries, forms, strict=True)
    return [(entry.name, entry.handle) for entry, form in pairs if form is Form.DROPPED]


def _last_name(item: Candidate, entry: Connected) -> str:
    return item.symbol.name if item.symbol else entry.name


def _checked_budget(given: int | None, settings: AnswerSettings) -> int:
    budget = settings.max_tokens if given is None else given
    if not SMALLEST_BUDGET <= budget <= settings.largest_budget:
        allowed = f"{SMALLEST_BUDGET} to {settings.largest_budget}"
        raise BadInput(f"max_tokens: given {budget}; allowed: {allowed}")
    return budget
