"""Any answer and a budget in, the text that a caller reads out."""

import json
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from codecompass.model.answer import (
    CompareAnswer,
    DiffAnswer,
    DoctorAnswer,
    ExplainAnswer,
    FolderAnswer,
    FollowupAnswer,
    GarbageAnswer,
    LocateAnswer,
    OutlineAnswer,
    RefsAnswer,
    SearchAnswer,
    StatusAnswer,
    SwitchAnswer,
    SyncAnswer,
)
from codecompass.model.cluster import ClustersAnswer, ExpansionAnswer
from codecompass.model.context_answer import ContextAnswer
from codecompass.model.graph_answer import CallsAnswer, FamilyAnswer, ReferencesAnswer
from codecompass.model.health import HealthAnswer
from codecompass.present.branch_text import (
    render_compare,
    render_diff,
    render_garbage,
    render_refs,
    render_switch,
)
from codecompass.present.budget import Form, Forms, fitted
from codecompass.present.cluster_text import render_clusters, render_expansion
from codecompass.present.context_text import render_context
from codecompass.present.graph_text import render_calls, render_family, render_references
from codecompass.present.meta import plain
from codecompass.present.reduce import first_forms, reduced
from codecompass.present.search_text import render_explain, render_followups, render_search
from codecompass.present.text import (
    render_doctor,
    render_folder,
    render_health,
    render_locate,
    render_outline,
    render_status,
    render_sync,
)
from codecompass.text.tokens import estimate_tokens
from codecompass.text.visible import visible_json

_RENDERERS: dict[type, Callable[[Any], str]] = {
    CallsAnswer: render_calls,
    ClustersAnswer: render_clusters,
    CompareAnswer: render_compare,
    ContextAnswer: render_context,
    DiffAnswer: render_diff,
    DoctorAnswer: render_doctor,
    ExpansionAnswer: render_expansion,
    ExplainAnswer: render_explain,
    FamilyAnswer: render_family,
    FolderAnswer: render_folder,
    FollowupAnswer: render_followups,
    HealthAnswer: render_health,
    GarbageAnswer: render_garbage,
    LocateAnswer: render_locate,
    OutlineAnswer: render_outline,
    ReferencesAnswer: render_references,
    RefsAnswer: render_refs,
    SearchAnswer: render_search,
    StatusAnswer: render_status,
    SwitchAnswer: render_switch,
    SyncAnswer: render_sync,
}


@dataclass(frozen=True, slots=True)
class Budget:
    """What a text may take."""

    tokens: int
    characters: int | None = None

    def cost(self, text: str) -> int:
        """Tokens; more of them where a text would sooner have too many characters."""
        tokens = estimate_tokens(text)
        if self.characters is None:
            return tokens
        return max(tokens, -(-len(text) * self.tokens // self.characters))


def rendered(answer: object, budget: Budget) -> str:
    """An answer as text within a budget: whole results, less of the last ones first.

    What is left out is counted, and a cursor or a narrower question leads to it.
    """
    return _fitted_text(answer, _RENDERERS[type(answer)], budget)


def rendered_json(answer: object, budget: Budget) -> str:
    """An answer as one JSON object within a budget."""
    return _fitted_text(answer, as_json, budget)


def as_json(answer: object) -> str:
    """An answer as one JSON object on one line."""
    return visible_json(json.dumps(plain(answer), ensure_ascii=False))


def _fitted_text(answer: object, render: Callable[[Any], str], budget: Budget) -> str:
    whole = render(answer)
    # No token is shorter than a character: most answers need no second count.
    is_short = len(whole) <= min(budget.tokens, budget.characters or budget.tokens)
    first = [] if is_short else first_forms(answer)
    if not first or budget.cost(whole) <= budget.tokens:
        return whole

    def text(forms: Forms) -> str:
        return render(reduced(answer, forms))

    forms = fitted(first, lambda forms: budget.cost(text(forms)), budget.tokens)
    if all(form is Form.DROPPED for form in forms):
        # The best one is always named: nothing at all would read as if nothing was found.
        forms = (Form.NAME, *forms[1:])
    return text(forms)
