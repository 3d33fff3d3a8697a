"""Drafts and root statements in, the file's records out, numbered in source order."""

import hashlib
from bisect import bisect_left
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from codecompass.model.reference import Import
from codecompass.model.source import Span
from codecompass.model.symbol import Symbol, SymbolKind
from codecompass.parse.drafts import FUNCTION_LIKE, TYPE_LIKE, Draft
from codecompass.parse.language import CLASS_NAME, ExportRule, Language
from codecompass.parse.ranges import ByteRange, innermost
from codecompass.parse.signature import (
    comments_by_last_line,
    doc_comment,
    modifiers_of,
    signature_text,
)
from codecompass.parse.statements import Statement
from codecompass.parse.visibility import is_exported
from codecompass.text.lines import LineTable

STABLE_ID_VERSION = 1
_NAMED_IMPORTS = 3  # enough to tell statements apart
_LABEL_CHARS = 60
_QUOTES = "\"'`"


@dataclass(frozen=True, slots=True)
class Numbering:
    """The place of each draft and statement among all records of the file."""

    drafts: list[int]
    statements: list[int]
    statement_of_draft: list[int]  # ordinal of the root statement around a draft, or -1
    draft_of_statement: list[int]  # index of the namespace a root statement stands in, or -1


def number_records(drafts: Sequence[Draft], statements: Sequence[Statement]) -> Numbering:
    """Number drafts and statements together by position, what holds others first."""
    places = [(draft.start, -draft.end, 1, i) for i, draft in enumerate(drafts)]
    places += [(item.start, -item.end, 0, i) for i, item in enumerate(statements)]
    draft_ordinals, statement_ordinals = [0] * len(drafts), [0] * len(statements)
    for ordinal, (_, _, is_draft, index) in enumerate(sorted(places)):
        (draft_ordinals if is_draft else statement_ordinals)[index] = ordinal
    around = innermost(
        [(item.start, item.end) for item in statements],
        [(draft.start, draft.end) for draft in drafts],
    )
    holders = [statement_ordinals[index] if index >= 0 else -1 for index in around]
    spaces = [index for index, draft in enumerate(drafts) if draft.is_stretched]
    within = innermost(
        [(drafts[index].start, drafts[index].end) for index in spaces],
        [(item.start, item.end) for item in statements],
    )
    return Numbering(
        draft_ordinals,
        statement_ordinals,
        holders,
        [spaces[index] if index >= 0 else -1 for index in within],
    )


class RecordBuilder:
    """Builds the records of one file; holds what they share."""

    def __init__(
        self,
        language: Language,
        text: bytes,
        lines: LineTable,
        *,
        captures: Mapping[str, list[ByteRange]],
    ) -> None:
        self._language = language
        self._text = text
        self._lines = lines
        self._captures = captures
        self._seen_ids: dict[str, int] = {}
        self._comments = (
            comments_by_last_line(text, lines, captures.get("comment", ()))
            if language.comments_document
            else {}
        )
        self._exported = self._exported_names()

    def symbols(self, drafts: Sequence[Draft], numbering: Numbering) -> list[Symbol]:
        """One record per draft, in the drafts' order."""
        self._name_components(drafts)
        built: list[Symbol] = []
        for index, draft in enumerate(drafts):
            around = built[draft.parent] if draft.parent >= 0 else None
            holder = numbering.statement_of_draft[index]
            if around and (holder < 0 or not drafts[draft.parent].is_stretched):
                holder = around.ordinal
            parent = around
            if draft.is_promoted and around is not None:  # a parameter is its class's field
                outer = drafts[draft.parent].parent
                parent = built[outer] if outer >= 0 else None
            built.append(
                self._symbol(draft, numbering.drafts[index], parent=parent, holder=holder)
            )
        return built

    def statements(
        self,
        statements: Sequence[Statement],
        numbering: Numbering,
        imports: Sequence[Import],
    ) -> list[Symbol]:
        """One record per root statement, named after what it imports or how it begins."""
        upcoming = 0
        built = []
        for index, statement in enumerate(statements):
            modules: list[str] = []
            while upcoming < len(imports) and imports[upcoming].start_byte < statement.end:
                if imports[upcoming].start_byte >= statement.start:
                    modules.append(imports[upcoming].module or imports[upcoming].name)
                upcoming += 1
            space = numbering.draft_of_statement[index]
            built.append(
                self._statement(
                    statement,
                    numbering.statements[index],
                    modules=modules,
                    holder=numbering.drafts[space] if space >= 0 else None,
                )
            )
        return built

    def _exported_names(self) -> set[str] | None:
        spans = self._captures.get("export.name", ())
        if not spans and "export.list" not in self._captures:
            return None
        return {self._slice(span).strip(_QUOTES) for span in spans}

    def _slice(self, span: ByteRange) -> str:
        return self._text[span[0] : span[1]].decode("utf-8", "replace")

    def _name_components(self, drafts: Sequence[Draft]) -> None:
        """Call a capitalised function that holds markup a component."""
        spans = self._captures.get("markup")
        if not spans:
            return
        outer = [(draft.start, draft.end) for draft in drafts]
        for index in set(innermost(outer, spans)):
            while index >= 0:
                draft = drafts[index]
                named = draft.name and self._slice(draft.name)[:1].isupper()
                if named and draft.body and draft.kind in _COMPONENT_FORMS:
                    draft.kind = SymbolKind.COMPONENT
                index = draft.parent

    def _symbol(self, draft: Draft, ordinal: int, *, parent: Symbol | None, holder: int) -> Symbol:
        language = self._language
        name = _plain_name(self._slice(draft.name)) if draft.name else "default"
        if not name.startswith(language.separator):
            name = name.removeprefix(language.name_prefix)
        scope = (*parent.scope, parent.name) if parent else ()
        depth = len(scope)
        name_start = draft.name[0] if draft.name else -1
        if draft.owner:
            scope = (*scope, *self._slice(draft.owner).split(language.separator))
        elif draft.name and self._may_be_joined(draft, name):
            *owners, last = _parts(self._slice(draft.name), language.separator)
            if owners or last != name:
                scope = (*scope, *(_plain_name(owner) for owner in owners))
                name = _plain_name(last)
                name_start = draft.name[1] - len(last.lstrip().encode())
        signature = self._signature(draft)
        modifiers = modifiers_of(signature, language.modifiers, name)
        is_constructor = name in language.constructors or (
            CLASS_NAME in language.constructors and name in scope[-1:]
        )
        kind = _settled_kind(
            draft, parent, has_owner=len(scope) > depth, is_constructor=is_constructor
        )
        qualified = language.separator.join((*scope, name))
        body = draft.body
        return Symbol(
            ordinal=ordinal,
            name=name,
            qualified_name=qualified,
            kind=kind,
            scope=scope,
            parent=parent.ordinal if parent else None,
            chunk_parent=holder if holder >= 0 else None,
            depth=parent.depth + 1 if parent else 0,
            span=self._span(draft.start, draft.end),
            name_start=name_start,
            body_start=body[0] if body else -1,
            body_end=body[1] if body else -1,
            signature=signature,
            doc=self._doc(draft, parent),
            modifiers=modifiers,
            decorators=tuple(" ".join(self._slice(d).split()) for d in draft.decorators),
            is_exported=self._is_exported(draft, (name, kind, modifiers), parent),
            body_hash=_digest(self._text[body[0] : body[1]]) if body else "",
            stable_id=self._stable_id(kind, qualified, signature),
        )

    def _is_exported(
        self,
        draft: Draft,
        known: tuple[str, SymbolKind, tuple[str, ...]],
        parent: Symbol | None,
    ) -> bool | None:
        name, kind, modifiers = known
        is_by_word = self._language.exports is ExportRule.MODIFIER
        if parent and is_by_word and not modifiers and _is_in_head(draft, parent):
            return parent.is_exported  # what a record is made of is as visible as it is
        return is_exported(
            self._language,
            name=name,
            kind=kind,
            modifiers=modifiers,
            parent=parent,
            exported_names=self._exported if draft.name else {name},
        )

    def _may_be_joined(self, draft: Draft, name: str) -> bool:
        """Whether a name may say what it belongs to: `function M.run`, `class A::B`."""
        separator = self._language.separator
        if draft.name and self._text[draft.name[0] : draft.name[0] + 1] in (b'"', b"'", b"`"):
            return False
        if draft.kind in FUNCTION_LIKE:
            return separator in name.strip(separator)
        return self._language.has_joined_names and draft.kind in _JOINED and separator in name

    def _signature(self, draft: Draft) -> str:
        if draft.shared is None or draft.statement is None:
            end = draft.body[0] if draft.body and draft.body[0] > draft.start else draft.end
            return signature_text(self._text, (draft.start, end), self._holes(draft, end))
        own, head_end = draft.inner, draft.shared.first_inner
        if draft.inner == draft.name and b"\n" not in self._text[slice(*draft.statement)]:
            # In `const [a, b] = f()` the name alone says nothing: show the whole statement.
            own, head_end = draft.statement, draft.shared.first_statement
        end = draft.body[0] if draft.body else own[1]
        holes = self._comments_between(draft.shared.start, head_end)
        head = signature_text(self._text, (draft.shared.start, head_end), holes)
        tail = signature_text(self._text, (own[0], end), draft.decorators)
        return f"{head.rstrip(' ([{')} {tail}".lstrip()

    def _holes(self, draft: Draft, end: int) -> Sequence[ByteRange]:
        """What is no part of the signature: decorators, and comments before the body."""
        inside = self._comments_between(draft.start, end)
        return sorted([*draft.decorators, *inside]) if inside else draft.decorators

    def _comments_between(self, start: int, end: int) -> list[ByteRange]:
        comments = self._captures.get("comment", [])
        return comments[bisect_left(comments, (start, 0)) : bisect_left(comments, (end, 0))]

    def _doc(self, draft: Draft, parent: Symbol | None) -> str:
        if draft.doc:
            return self._slice(draft.doc).strip()
        if not self._comments or (
            parent and parent.span.start_line == self._lines.line_of(draft.start)
        ):
            return ""
        return doc_comment(self._text, self._lines, start=draft.start, comments=self._comments)

    def _statement(
        self,
        statement: Statement,
        ordinal: int,
        *,
        modules: Sequence[str],
        holder: int | None,
    ) -> Symbol:
        text = self._text[statement.start : min(statement.end, statement.start + 400)]
        folded = " ".join(text.decode("utf-8", "replace").split())
        name = folded[:_LABEL_CHARS]
        if modules and statement.kind in {SymbolKind.IMPORT, SymbolKind.EXPORT}:
            unique = list(dict.fromkeys(modules))[:_NAMED_IMPORTS]
            name = f"{statement.kind}:{', '.join(unique)}"
        return Symbol(
            ordinal=ordinal,
            name=name,
            qualified_name=name,
            kind=statement.kind,
            scope=(),
            parent=None,
            chunk_parent=holder,
            depth=0,
            span=self._span(statement.start, statement.end),
            name_start=-1,
            body_start=-1,
            body_end=-1,
            signature="",
            doc="",
            modifiers=(),
            decorators=(),
            is_exported=None,
            body_hash="",
            stable_id=self._stable_id(statement.kind, name, folded),
        )

    def _span(self, start: int, end: int) -> Span:
        lines = self._lines
        return Span(lines.line_of(start), lines.last_line_of(start, end), start, end)

    def _stable_id(self, kind: SymbolKind, qualified: str, signature: str) -> str:
        plain = (
            f"stable_id:v{STABLE_ID_VERSION}|{self._language.name}|{kind}|{qualified}|{signature}"
        )
        count = self._seen_ids.get(plain, 0)
        self._seen_ids[plain] = count + 1
        return _digest((plain if count == 0 else f"{plain}|{count}").encode())


_MEMBER_HOLDERS = TYPE_LIKE - {SymbolKind.COMPONENT} | {
    SymbolKind.CONSTANT,
    SymbolKind.VARIABLE,
    SymbolKind.ENUM_MEMBER,
}
_JOINED = TYPE_LIKE | {SymbolKind.MODULE}
_COMPONENT_FORMS = frozenset({SymbolKind.FUNCTION, SymbolKind.CONSTANT, SymbolKind.VARIABLE})


def _settled_kind(
    draft: Draft, parent: Symbol | None, *, has_owner: bool, is_constructor: bool
) -> SymbolKind:
    kind = draft.kind
    holder = parent.kind if parent else None
    if kind is SymbolKind.FUNCTION and (has_owner or holder in _MEMBER_HOLDERS):
        kind = SymbolKind.METHOD
    if kind is SymbolKind.METHOD and is_constructor:
        return SymbolKind.CONSTRUCTOR
    if kind is SymbolKind.VARIABLE and holder in TYPE_LIKE:
        return SymbolKind.FIELD
    if kind is SymbolKind.PROPERTY and parent is None:
        return SymbolKind.VARIABLE
    return kind


def _is_in_head(draft: Draft, parent: Symbol) -> bool:
    has_body = parent.body_start > parent.span.start_byte
    return parent.kind in TYPE_LIKE and (not has_body or draft.start < parent.body_start)


def _plain_name(text: str) -> str:
    """A name without the quotes some languages allow around it, on one line."""
    if len(text) > 1 and text[0] in _QUOTES and text[0] == text[-1]:
        text = text[1:-1]
    return " ".join(text.split())


def _parts(name: str, separator: str) -> list[str]:
    """The parts of a joined name; what stands in angle brackets belongs to its part."""
    parts = [""]
    for piece in name.split(separator):
        if parts[-1].count("<") > parts[-1].count(">"):
            parts[-1] += separator + piece
        else:
            parts.append(piece)
    return [part for part in parts if part] or [name]


def _digest(data: bytes) -> str:
    return hashlib.blake2b(data, digest_size=8).hexdigest()
