"""A question and what was found in, what to ask next out."""

from codecompass.engine.candidates import Candidate, candidates
from codecompass.engine.searching import suggest_names
from codecompass.engine.views import View
from codecompass.model.answer import FollowupAnswer, FollowupCall
from codecompass.navigate.calls import Direction, call_graph
from codecompass.navigate.uses import Graph
from codecompass.present.meta import about_search, make_meta
from codecompass.search.search import Found

_SURE = 0.7  # a score from which the first hit is taken to be what was meant
_CLEAR = 1.25  # times the second's score
_UNSURE = 0.5
_LOOKED_AT = 10
_MOST = 6


def followups(view: View, query: str, found: Found, max_names: int) -> FollowupAnswer:
    """Calls that lead on from a question, the most promising first."""
    best = candidates(view, found, found.hits[:_LOOKED_AT])
    confidence = round(best[0].hit.score, 3) if best else 0.0
    calls = _if_nothing(view, query, found, max_names) if not best else _if_found(view, best)
    if best and confidence < _UNSURE:
        calls += _if_unsure(query, found)
    meta = make_meta(
        view.seen(is_overlay=bool(view.overlay({item.hit.path for item in best}))),
        shown=len(calls),
        total=len(calls),
        elapsed_ms=view.elapsed_ms(),
        content=calls,
        searched=None if best else view.reader.counts(),
    )
    meta = about_search(meta, found.plan.guess, semantic=found.semantic)
    return FollowupAnswer(query, confidence, tuple(calls[:_MOST]), meta)


def _if_nothing(view: View, query: str, found: Found, max_names: int) -> list[FollowupCall]:
    question = found.plan.question
    calls = [
        FollowupCall("locate_symbol", {"name": name}, "a name that exists and looks alike")
        for name in suggest_names(view.reader, question, max_names)
    ]
    if question.filters.restricts_files or question.filters.restricts_symbols:
        calls.append(
            FollowupCall("search_code", {"query": question.text}, "the same without filters")
        )
    if question.words and not question.expression:
        longest = max(question.words, key=len)
        calls.append(
            FollowupCall(
                "search_code", {"query": longest, "mode": "exact"}, "this very text, wherever"
            )
        )
    if not calls:
        calls.append(
            FollowupCall("get_file_outline", {"path": ".", "depth": "top"}, "what there is")
        )
    return [call for call in calls if call.args.get("query") != query]


def _if_found(view: View, best: list[Candidate]) -> list[FollowupCall]:
    first = best[0]
    scores = [item.hit.score for item in best]
    is_clear = scores[0] >= _SURE and (len(scores) == 1 or scores[0] >= _CLEAR * scores[1])
    calls: list[FollowupCall] = []
    placed = first.placed
    if placed is None:
        calls.append(
            FollowupCall(
                "get_file_outline", {"path": first.hit.path}, "what the best file defines"
            )
        )
        return calls
    name = placed.symbol.qualified_name
    calls.append(
        FollowupCall(
            "get_code_context", {"query": f"symbol = {placed.handle}"}, f"the code of {name}"
        )
    )
    graph = Graph(view.reader)
    for direction in (Direction.CALLERS, Direction.CALLEES):
        total = call_graph(graph, placed, direction=direction, depth=1, limit=1).total
        if total:
            calls.append(
                FollowupCall(
                    "get_call_graph",
                    {"symbol": placed.handle, "direction": str(direction)},
                    f"{total} {direction} of {name}",
                )
            )
    folders = {item.hit.path.rpartition("/")[0] for item in best}
    if not is_clear and len(folders) == 1 and len(best) > 1 and (folder := folders.pop()):
        calls.append(
            FollowupCall("get_file_outline", {"path": folder}, "all good hits are in this folder")
        )
    return calls


def _if_unsure(query: str, found: Found) -> list[FollowupCall]:
    """What is left to try where even the best hit is not good."""
    calls = []
    names = found.plan.question.names
    if names:
        calls.append(
            FollowupCall("find_references", {"symbol": names[0]}, "where this name is used")
        )
    rare = sorted(found.terms, key=lambda term: -term.share)
    if len(rare) > 1:
        calls.append(
            FollowupCall(
                "search_code",
                {"query": " ".join(term.text for term in rare[:2]), "stage": "refine"},
                "only files with the words that say the most",
            )
        )
    calls.append(
        FollowupCall("search_with_context", {"query": query}, "what belongs to the best hits")
    )
    return calls
