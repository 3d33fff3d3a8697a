"""Names that a question gives and definitions in, how well each answers to its name out."""

import math
from collections import defaultdict
from collections.abc import Iterable, Mapping

from codecompass.model.search import Place, Question
from codecompass.model.symbol import TYPE_KINDS, Symbol, SymbolKind
from codecompass.search.parse_query import last_part, scope_parts
from codecompass.text.identifiers import split_name

_TYPES = TYPE_KINDS | {SymbolKind.MODULE, SymbolKind.NAMESPACE}
_OTHER_CASE = 0.7  # `user_id` for userId
_TYPE = 1.3  # more often what is meant than a method of the same name
_NESTED = 0.8
_SCOPE = 1.5  # `A.b` where b belongs to A
_CROWD = 0.3  # one of many definitions of a name is less likely the one
_FEW = 3  # definitions of a name: if that is the whole question, one of them is the answer
_ANSWER = 3.0


def named_definitions(
    question: Question, records: Mapping[Place, Symbol], places: Iterable[Place]
) -> dict[Place, float]:
    """How strongly each definition is meant by a name in the question; about 1 is sure."""
    by_name: dict[str, list[Place]] = defaultdict(list)
    for place in dict.fromkeys(places):
        if place in records:
            by_name[_whole(records[place].name)].append(place)
    found: dict[Place, float] = {}
    for name in question.names:
        crowd = by_name.get(_whole(last_part(name)), ())
        same = {place for place in crowd if records[place].name == last_part(name)}
        is_answer = len(question.words) == 1 and len(same) <= _FEW
        for place in crowd:
            worth = _worth(name, records[place]) / (1 + _CROWD * math.log(len(crowd)))
            if is_answer and place in same:
                worth *= _ANSWER
            found[place] = max(worth, found.get(place, 0.0))
    return found


def _worth(name: str, symbol: Symbol) -> float:
    worth = 1.0 if symbol.name == last_part(name) else _OTHER_CASE
    worth *= _TYPE if symbol.kind in _TYPES else 1.0
    scope = scope_parts(name)
    if scope and list(symbol.scope[-len(scope) :]) == scope:
        return worth * _SCOPE
    return worth * (_NESTED if symbol.scope else 1.0)


def _whole(name: str) -> str:
    return "".join(split_name(name))
