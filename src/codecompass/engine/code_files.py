"""A path of a view in, the file with all that is known of it out; ready to be shown in part."""

import re
from collections.abc import Sequence

from codecompass.engine.views import View
from codecompass.model.context import CodeFile, CodeSyntax, OtherUse, OwnUse
from codecompass.model.module import DeclKind
from codecompass.model.symbol import Symbol, SymbolKind
from codecompass.parse.languages import BY_NAME

_SHORT = 15  # lines of a constructor
_TAGGED = frozenset({SymbolKind.STRUCT, SymbolKind.ENUM})
_WORD = re.compile(rb"[A-Za-z_]\w*")


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
        own_uses=_own_uses(view, path, records, text, has_tags=language.has_tags),
        other_uses=_other_uses(view, path) if has_nameless else (),
    )


def _own_uses(
    view: View, path: str, records: Sequence[Symbol], text: str, *, has_tags: bool
) -> list[OwnUse] | None:
    """The uses of what the file defines; of several declarations of one the one with a body."""
    graph = view.reader.graph
    if not graph.is_linked(path):
        return None
    with_body = {one.ordinal for one in records if one.has_body}
    makers = [one for one in records if _is_short_maker(one)]
    ordinals: dict[str, int] = {}
    for key, ordinal, _line, start, kind in graph.names(path):
        if ordinal < 0 and kind == DeclKind.FIELD:  # `constructor(private db: Db) {}`
            around = [one.ordinal for one in makers if _holds(one, start)]
            ordinal = around[-1] if around else ordinal
        if ordinal >= 0 and (key not in ordinals or ordinals[key] not in with_body):
            ordinals[key] = ordinal
    own = {
        number: ordinals[key] for number, key in graph.own_nodes(path).items() if key in ordinals
    }
    uses = graph.targets(path)
    found = [OwnUse(start, own[target]) for start, target in uses if target in own]
    others = [start for start, target in uses if target not in own]
    found += _uses_by_name(text, records, others if has_tags else ())
    return sorted(found)


def _uses_by_name(text: str, records: Sequence[Symbol], elsewhere: Sequence[int]) -> list[OwnUse]:
    """Uses that mean nothing by themselves: in a macro, and of a C type whose tag is here.

    A header has `typedef struct node node;`, and the file says what a `struct node` is.
    """
    macros = [one for one in records if one.kind is SymbolKind.MACRO]
    tags = {one.name: one.ordinal for one in records if one.kind in _TAGGED and one.has_body}
    if not macros and not (tags and elsewhere):
        return []
    raw = text.encode()
    named = ((start, _WORD.match(raw, start)) for start in elsewhere if tags)
    found = [
        OwnUse(start, tags[word[0].decode()])
        for start, word in named
        if word and word[0].decode() in tags
    ]
    top = {one.name: one.ordinal for one in reversed(records) if _is_at_top(one)}
    for macro in macros:
        start, end = macro.span.start_byte, macro.span.end_byte
        names = ((word.start(), word[0].decode()) for word in _WORD.finditer(raw, start, end))
        found += [OwnUse(at, top[name]) for at, name in names if name in top]
    return [use for use in found if not _holds(records[use.target], use.start)]


def _is_at_top(record: Symbol) -> bool:
    return not (record.scope or record.is_statement or record.kind is SymbolKind.IMPL)


def _is_short_maker(record: Symbol) -> bool:
    """Whether a constructor is short enough to be shown for a field that it declares."""
    lines = record.span.end_line - record.span.start_line + 1
    return record.kind is SymbolKind.CONSTRUCTOR and lines <= _SHORT


def _holds(record: Symbol, start: int) -> bool:
    return record.span.start_byte <= start < record.span.end_byte


def _other_uses(view: View, path: str) -> list[OtherUse]:
    """What other files give, for imports that bind no name: `#include`."""
    graph = view.reader.graph
    uses = graph.targets(path)
    nodes = graph.nodes({target for _, target in uses})
    return [OtherUse(start, nodes[target][0]) for start, target in uses if target in nodes]
