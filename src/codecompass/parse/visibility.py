"""Whether a definition may be used from outside its file, as its language says it."""

from collections.abc import Set as AbstractSet

from codecompass.model.symbol import Symbol, SymbolKind
from codecompass.parse.drafts import FUNCTION_LIKE
from codecompass.parse.language import ExportRule, Language


def is_exported(
    language: Language,
    *,
    name: str,
    kind: SymbolKind,
    modifiers: tuple[str, ...],
    parent: Symbol | None,
    exported_names: AbstractSet[str] | None,
) -> bool | None:
    """A fact of the source, None where the language has no such notion.

    What stands inside a function is never visible outside. `exported_names` are the
    names the file lists itself, None where it has no list.
    """
    if language.exports is ExportRule.UNKNOWN:
        return None
    if parent and _is_local(kind, parent.kind):
        return False
    match language.exports:
        case ExportRule.STATEMENT:
            if parent is not None:
                is_hidden = name[:1] == "#" or "private" in modifiers or "protected" in modifiers
                return bool(parent.is_exported) and not is_hidden
            return "export" in modifiers or name in (exported_names or ())
        case ExportRule.PYTHON:
            if parent is None and exported_names is not None:
                return name in exported_names
            is_dunder = name.startswith("__") and name.endswith("__")
            return is_dunder or not name.startswith("_")
        case ExportRule.CAPITAL:
            return name[:1].isupper()
        case ExportRule.MODIFIER:
            return _by_modifier(language, modifiers, parent)
        case _:
            return not any(word in language.private_modifiers for word in modifiers)


def _is_local(kind: SymbolKind, parent: SymbolKind) -> bool:
    if parent is SymbolKind.COMPONENT:  # a class with members, or a function with locals
        return kind is SymbolKind.FUNCTION
    return parent in FUNCTION_LIKE


def _by_modifier(
    language: Language, modifiers: tuple[str, ...], parent: Symbol | None
) -> bool | None:
    """A modifier says it; members of interfaces and enums go with their type."""
    if parent and not modifiers and parent.kind is SymbolKind.ENUM:
        return parent.is_exported
    if parent and parent.kind in {SymbolKind.INTERFACE, SymbolKind.TRAIT}:
        return parent.is_exported
    return any(word.split("(", 1)[0] in language.export_modifiers for word in modifiers)
