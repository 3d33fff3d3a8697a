"""A path of a view in, the file with all that is known of it out; ready to be shown in part."""

from codecompass.engine.views import View
from codecompass.model.context import CodeFile, CodeSyntax, OtherUse, OwnUse
from codecompass.parse.languages import BY_NAME


def code_file(view: View, path: str) -> CodeFile | None:
    """A file of the view; None if its text is not the one that was indexed."""
    entry = view.reader.file(path)
    if entry is None or entry.version_id is None:
        return None
    text = view.text(path)
    language = BY_NAME.get(view.reader.version(entry.version_id).language)
    if text is None or language is None:
        return None
    own, other = _uses(view, path)
    return CodeFile(
        path=path,
        text=text,
        records=view.reader.outline(entry.version_id),
        imports=view.reader.imports(entry.version_id),
        syntax=CodeSyntax(
            language.comment, language.quotes, language.is_never_empty, language.opening
        ),
        own_uses=own,
        other_uses=other,
    )


def _uses(view: View, path: str) -> tuple[list[OwnUse] | None, list[OtherUse]]:
    graph = view.reader.graph
    if not graph.is_linked(path):
        return None, []
    edges = graph.edges(path)
    nodes = graph.nodes({edge.target for edge in edges})
    ordinals: dict[str, int] = {}
    for key, ordinal, *_ in graph.names(path):
        if ordinal >= 0:
            ordinals.setdefault(key, ordinal)
    own: list[OwnUse] = []
    other: list[OtherUse] = []
    for edge in edges:
        where, key = nodes[edge.target]
        if where != path:
            other.append(OtherUse(edge.start, where))
        elif key in ordinals:
            own.append(OwnUse(edge.start, ordinals[key]))
    return sorted(own), other
