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
    imports = view.reader.imports(entry.version_id)
    records = view.reader.outline(entry.version_id)
    has_nameless = any(not item.bound_name for item in imports)
    return CodeFile(
        path=path,
        text=text,
        records=records,
        imports=imports,
        syntax=CodeSyntax(
            language.comment, language.quotes, language.is_never_empty, language.opening
        ),
        own_uses=_own_uses(view, path, {one.ordinal for one in records if one.has_body}),
        other_uses=_other_uses(view, path) if has_nameless else (),
    )


def _own_uses(view: View, path: str, with_body: set[int]) -> list[OwnUse] | None:
    """The uses of what the file defines; of several declarations of one the one with a body."""
    graph = view.reader.graph
    if not graph.is_linked(path):
        return None
    ordinals: dict[str, int] = {}
    for key, ordinal, *_ in graph.names(path):
        if ordinal >= 0 and (key not in ordinals or ordinals[key] not in with_body):
            ordinals[key] = ordinal
    own = {
        number: ordinals[key] for number, key in graph.own_nodes(path).items() if key in ordinals
    }
    return [OwnUse(start, own[target]) for start, target in graph.targets(path) if target in own]


def _other_uses(view: View, path: str) -> list[OtherUse]:
    """What other files give, for imports that bind no name: `#include`."""
    graph = view.reader.graph
    uses = graph.targets(path)
    nodes = graph.nodes({target for _, target in uses})
    return [OtherUse(start, nodes[target][0]) for start, target in uses if target in nodes]
