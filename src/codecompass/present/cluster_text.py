"""Answers with clusters in, compact lines out."""

from codecompass.model.cluster import (
    ClustersAnswer,
    ExpansionAnswer,
    ExpansionState,
)
from codecompass.present.clusters import cluster_lines, related_text
from codecompass.present.meta import state_line
from codecompass.text.tokens import estimate_tokens


def render_clusters(answer: ClustersAnswer) -> str:
    """What matches and what belongs to it, then what can be asked for."""
    body: list[str] = []
    files: set[str] = set()
    for number, cluster in enumerate(answer.clusters, 1):
        body += cluster_lines(cluster, number, files)
        files.add(cluster.seeds[0].path)
    if not answer.clusters:
        meta = answer.meta
        body.append(
            f"nothing found for {answer.query[:200]!r}; searched {meta.searched_files or 0:,}"
            f" files, {meta.searched_symbols or 0:,} definitions"
        )
    if answer.suggestions:
        body.append(f"not matches, but similar names: {', '.join(answer.suggestions)}")
    body += [f"note: {note}" for note in answer.notes or ()]
    body += [f"next: {hint}" for hint in answer.expansion_hints.recommended_expansions]
    text = "\n".join(body)
    count = f"{len(answer.clusters)} clusters of {answer.total_matches} matches"
    return f"{state_line(answer.meta)} · {count} · {estimate_tokens(text)} tokens\n{text}"


def render_expansion(answer: ExpansionAnswer) -> str:
    """The symbols of one relationship."""
    label = str(answer.relationship_type).replace("_", " ")
    shown = f"{len(answer.results)} of {answer.total_count} {label} of {answer.of}"
    body = [related_text(answer.relationship_type, item).strip() for item in answer.results]
    if answer.state is ExpansionState.TRUNCATED:
        body.append(f"{answer.total_count - len(answer.results)} more: raise limit")
    text = "\n".join(body)
    return f"{state_line(answer.meta)} · {shown} · {estimate_tokens(text)} tokens\n{text}"
