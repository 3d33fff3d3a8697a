"""One file's text and language in, its facts out: a pure function of both.

Order: parse → drafts → root statements → numbering → records → imports → uses.
"""

import hashlib
from collections.abc import Sequence
from dataclasses import replace

from codecompass.model.facts import FileFacts
from codecompass.model.module import ModuleFacts, Use
from codecompass.model.symbol import Symbol, SymbolKind
from codecompass.parse.drafts import Draft, collect_drafts
from codecompass.parse.imports import ImportRules, collect_imports
from codecompass.parse.language import Language
from codecompass.parse.parser import (
    Grammar,
    Syntax,
    TooDeepError,
    load_grammar,
    parse,
    query_text,
)
from codecompass.parse.ranges import innermost
from codecompass.parse.references import collect_references
from codecompass.parse.scanners import SCANNERS
from codecompass.parse.statements import Statement, root_statements
from codecompass.parse.symbols import RecordBuilder, number_records
from codecompass.parse.walkers.plain import plain_tables
from codecompass.parse.walkers.table import load_walker
from codecompass.parse.windows import line_windows
from codecompass.text.lines import LineTable

# Raised when the meaning of a stored record changes without a change of a query file.
_RULES_VERSION = 18
INDEXED_QUERIES = ("symbols", "references")
"""The query files that every extraction runs."""


def extract(language: Language, text: bytes, *, with_reads: bool = False) -> FileFacts:
    """Everything the source states: definitions, root statements, imports, uses.

    Plain reads and writes of names cost as much as all the rest and are mostly local,
    so they come only `with_reads`. Broken syntax is no error: what parses is extracted
    and `has_errors` is set. Text without a grammar, or whose grammar is not installed,
    becomes line windows.
    """
    lines = LineTable(text)
    if language.grammar is None:
        return _windowed(language, text, lines)
    names = (*INDEXED_QUERIES, "reads") if with_reads else INDEXED_QUERIES
    grammar = Grammar(*language.grammar, language.queries, names)
    if language.scanner and SCANNERS[language.scanner](text):
        return extract_as_text(language, text)
    try:
        walk = load_walker(language.walker)
        syntax = parse(
            text,
            grammar,
            transparent=language.transparent,
            walk=walk,
            repairs=language.repairs,
            needs_line_end=language.needs_line_end,
        )
    except ModuleNotFoundError:  # no wheel of this grammar for this platform
        return _windowed(language, text, lines)
    except TooDeepError:
        return extract_as_text(language, text)
    return _facts(language, text, lines=lines, syntax=syntax)


def extract_as_text(language: Language, text: bytes) -> FileFacts:
    """The facts of a file that cannot be parsed: line windows, so that every line is found."""
    return replace(_windowed(language, text, LineTable(text)), has_errors=True)


def load_language(language: Language) -> bool:
    """Load a language's grammar and queries; whether they are there, if it has any."""
    if language.grammar is None:
        return True
    try:
        load_grammar(Grammar(*language.grammar, language.queries, INDEXED_QUERIES))
    except ModuleNotFoundError:  # no wheel of this grammar for this platform
        return False
    return True


def extractor_version(language: Language) -> str:
    """Changes whenever the same bytes could give other facts.

    That is: our rules, the queries, the language's row, the grammar's wheel.
    """
    digest = hashlib.blake2b(digest_size=6)
    row = sorted((name, _stable_text(getattr(language, name))) for name in language.__slots__)
    digest.update(f"{_RULES_VERSION}|{row}".encode())
    digest.update(_wheel_version(language).encode())
    digest.update(query_text(language.queries, INDEXED_QUERIES).encode())
    return digest.hexdigest()


def _wheel_version(language: Language) -> str:
    if language.grammar is None:
        return ""
    from importlib.metadata import PackageNotFoundError, version  # slow to load, and large

    try:
        return version(language.grammar[0].replace("_", "-"))
    except PackageNotFoundError:
        return "unknown"


def _stable_text(value: object) -> str:
    """A text of a field that does not depend on the order of a set."""
    return repr(sorted(value)) if isinstance(value, frozenset) else repr(value)


def _windowed(language: Language, text: bytes, lines: LineTable) -> FileFacts:
    windows = [Statement(*span, SymbolKind.EXPRESSION) for span in line_windows(text, lines)]
    builder = RecordBuilder(language, text, lines, captures={})
    records = builder.statements(windows, number_records((), windows), ())
    return FileFacts(language.name, lines.line_count, False, tuple(records), is_windowed=True)


def _facts(language: Language, text: bytes, *, lines: LineTable, syntax: Syntax) -> FileFacts:
    captures = syntax.captures
    drafts = collect_drafts(captures, text)
    statements = root_statements(text, lines, roots=syntax.roots, drafts=drafts, captures=captures)
    numbering = number_records(drafts, statements)
    imports = collect_imports(
        text,
        lines,
        captures=captures,
        rules=ImportRules(language.separator, language.import_splits_path, language.module_binds),
    )
    builder = RecordBuilder(language, text, lines, captures=captures)
    records = builder.symbols(drafts, numbering)
    records += builder.statements(statements, numbering, imports)
    records.sort(key=lambda record: record.ordinal)
    uses = collect_references(
        text,
        lines,
        captures=captures,
        drafts=drafts,
        ordinals=numbering.drafts,
        silent_names=language.silent_names,
    )
    module = syntax.module
    if module is None and language.plain is not None:
        module = plain_tables(
            text, language.plain, symbols=records, references=uses, imports=imports
        )
    return FileFacts(
        language=language.name,
        line_count=lines.line_count,
        has_errors=syntax.has_errors,
        symbols=tuple(records),
        references=tuple(uses),
        imports=tuple(imports),
        module=_placed(module, records, drafts, numbering.drafts),
    )


def _placed(
    module: ModuleFacts | None,
    records: Sequence[Symbol],
    drafts: Sequence[Draft],
    ordinals: Sequence[int],
) -> ModuleFacts | None:
    """The tables with the symbols that declarations are and that uses stand in."""
    if module is None:
        return None
    by_name = {item.name_start: item.ordinal for item in records if item.name_start >= 0}
    spans = [(use.start, use.start) for use in module.uses]
    around = innermost([(draft.start, draft.end) for draft in drafts], spans)
    uses = [
        Use(*use[:4], ordinals[index]) if index >= 0 else use
        for use, index in zip(module.uses, around, strict=True)
    ]
    found = {
        number: by_name[module.decls[number].start]
        for number in module.keys
        if module.decls[number].start in by_name
    }
    return module._replace(uses=uses, ordinals=found)
