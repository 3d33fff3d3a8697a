"""Facts as the lines of a case file's expectation."""

from codecompass.model.facts import FileFacts
from codecompass.model.reference import Import
from codecompass.model.symbol import Symbol

MARK = "=== symbols\n"


def render_facts(facts: FileFacts) -> str:
    lines = [f"errors: {'yes' if facts.has_errors else 'no'}"]
    lines += [_symbol_line(symbol) for symbol in facts.symbols]
    lines += ["=== imports", *(_import_line(item) for item in facts.imports)]
    lines.append("=== references")
    names = {symbol.ordinal: symbol.qualified_name for symbol in facts.symbols}
    for use in facts.references:
        where = f" in {names[use.enclosing]}" if use.enclosing is not None else ""
        receiver = f"{use.receiver} . " if use.receiver else ""
        lines.append(f"{use.line}: {use.role} {receiver}{use.name}{where}")
    return "\n".join(lines) + "\n"


def _symbol_line(symbol: Symbol) -> str:
    span = symbol.span
    parts = [f"{'  ' * symbol.depth}{span.start_line}-{span.end_line} {symbol.kind}"]
    parts.append(symbol.name if symbol.is_statement else symbol.qualified_name)
    if symbol.is_exported is not None:
        parts.append("+" if symbol.is_exported else "-")
    parts += [f"<{word}>" for word in symbol.modifiers]
    parts += [f"[{text}]" for text in symbol.decorators]
    if symbol.signature:
        parts.append(f"| {symbol.signature}")
    if symbol.doc:
        parts.append(f"| doc: {' '.join(symbol.doc.split())}")
    return " ".join(parts)


def _import_line(item: Import) -> str:
    flags = ("type_only", "namespace", "default", "re_export", "dynamic", "side_effect")
    marks = " ".join(flag for flag in flags if getattr(item, flag))
    bound = f" as {item.bound_name}" if item.bound_name else ""
    return f"{item.line}: {item.module!r} {item.name or '-'}{bound} {marks}".rstrip()
