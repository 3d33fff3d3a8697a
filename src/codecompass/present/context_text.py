"""Code in its context in, one text out: the graph, the code, what did not fit."""

from collections.abc import Sequence

from codecompass.model.answer import Meta
from codecompass.model.context_answer import ContextAnswer
from codecompass.present.meta import state_line
from codecompass.text.tokens import cut_to_tokens

_MAX_NAMED = 8
_NAME_CHARS = 60
_TOKENS_PER_NAME = 200  # of a budget, for each dropped result that is named


def count_named(budget: int) -> int:
    """How many of the dropped results are told by name: of small budgets none."""
    return min(_MAX_NAMED, budget // _TOKENS_PER_NAME)


def assemble(
    graph: str,
    code: Sequence[str],
    *,
    dropped: Sequence[tuple[str, str]],
    tail: Sequence[str],
    named: int,
) -> str:
    """The text of an answer; of what is dropped the first are `named`, with their handles."""
    end = _end(dropped, tail, named)
    return "\n\n".join([graph, *(text.rstrip("\n") for text in code), end])


def _end(dropped: Sequence[tuple[str, str]], tail: Sequence[str], named: int) -> str:
    lines = "\n".join(tail)
    if not dropped:
        return lines
    told = [f"{name[:_NAME_CHARS]} [{handle}]" for name, handle in dropped[:named]]
    rest = len(dropped) - len(told)
    more = [f"{rest} more"] if rest > 0 else []
    return f"not shown for want of budget: {', '.join([*told, *more])}\n\n{lines}"


def last_lines(notes: Sequence[str], meta: Meta) -> list[str]:
    """How the question was read, and which state of the code the answer is about."""
    return [*(f"note: {note}" for note in notes), state_line(meta)]


def render_context(answer: ContextAnswer) -> str:
    """The answer as it is read; its last line says which state of the code it is about."""
    return "\n\n".join(context_parts(answer))


def context_parts(answer: ContextAnswer) -> list[str]:
    """How results hang together, the code of each file, and what else is to be said."""
    if not answer.results:
        return ["\n".join(_nothing(answer))]
    dropped = [
        (item.qualified_name or item.name, item.handle)
        for item in answer.results
        if item.shown == "dropped"
    ]
    code = [item.text.rstrip("\n") for item in answer.snapshots]
    tail = last_lines(answer.notes or (), answer.meta)
    return [answer.graph, *code, _end(dropped, tail, count_named(answer.budget))]


def _nothing(answer: ContextAnswer) -> list[str]:
    meta = answer.meta
    asked = cut_to_tokens(answer.query, answer.budget // 3)
    lines = [
        f"nothing found for {asked!r}; searched {meta.searched_files or 0:,}"
        f" files, {meta.searched_symbols or 0:,} definitions"
    ]
    if answer.suggestions:
        lines.append(f"not matches, but similar names: {', '.join(answer.suggestions)}")
    return [*lines, state_line(meta)]
