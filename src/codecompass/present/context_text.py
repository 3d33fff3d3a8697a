"""Code in its context in, one text out: the graph, the code, what did not fit."""

from collections.abc import Sequence

from codecompass.model.answer import Meta
from codecompass.model.context_answer import ContextAnswer
from codecompass.present.meta import state_line

_MAX_NAMED = 8


def assemble(
    graph: str, code: Sequence[str], *, dropped: Sequence[tuple[str, str]], tail: Sequence[str]
) -> str:
    """The text of an answer; `dropped` are names and handles, `tail` are the last lines."""
    parts = [graph, *(text.rstrip("\n") for text in code)]
    if dropped:
        shown = ", ".join(f"{name} [{handle}]" for name, handle in dropped[:_MAX_NAMED])
        rest = len(dropped) - _MAX_NAMED
        more = f" and {rest} more" if rest > 0 else ""
        parts.append(f"not shown for want of budget: {shown}{more}")
    return "\n\n".join([*parts, "\n".join(tail)])


def last_lines(notes: Sequence[str], meta: Meta) -> list[str]:
    """How the question was read, and which state of the code the answer is about."""
    return [*(f"note: {note}" for note in notes), state_line(meta)]


def render_context(answer: ContextAnswer) -> str:
    """The answer as it is read; its last line says which state of the code it is about."""
    if not answer.results:
        meta = answer.meta
        lines = [
            f"nothing found for {answer.query[:200]!r}; searched {meta.searched_files or 0:,}"
            f" files, {meta.searched_symbols or 0:,} definitions"
        ]
        if answer.suggestions:
            lines.append(f"not matches, but similar names: {', '.join(answer.suggestions)}")
        return "\n".join([*lines, state_line(meta)])
    dropped = [
        (item.qualified_name or item.name, item.handle)
        for item in answer.results
        if item.shown == "dropped"
    ]
    code = [item.text for item in answer.snapshots]
    tail = last_lines(answer.notes or (), answer.meta)
    return assemble(answer.graph, code, dropped=dropped, tail=tail)
