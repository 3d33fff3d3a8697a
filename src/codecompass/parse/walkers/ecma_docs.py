"""JavaScript: the types that comments tell (JSDoc), read like those of TypeScript."""

import re
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from tree_sitter import Node

from codecompass.model.module import NOTHING, DeclFlag, DeclKind, ScopeKind
from codecompass.model.reference import Role
from codecompass.parse.parser import parse_text
from codecompass.parse.walkers.ecma_types import Types

_TAG = re.compile(rb"@([A-Za-z]+)[ \t]*")
_NAME = re.compile(rb"\s*\[?\s*([A-Za-z_$][\w$]*(?:\.[A-Za-z_$][\w$]*)*)")
_MORE_NAMES = re.compile(rb"\s*,\s*([A-Za-z_$][\w$]*)")
_IMPORT = re.compile(rb"@(import\s[^;@]*?from\s*[\"'][^\"']+[\"'])")
_STAR = re.compile(rb"\n[ \t]*\*(?!/)")
_IMPORTED = re.compile(rb"import\(\s*[\"']([^\"']+)[\"']\s*\)")
_TYPED = frozenset(
    {
        "param", "arg", "argument", "returns", "return", "type", "typedef", "property", "prop",
        "template", "callback", "extends", "augments", "import",
    }
)  # fmt: skip
_PARAMETERS = frozenset({"param", "arg", "argument"})
_RESULTS = frozenset({"returns", "return"})
_PROPERTIES = frozenset({"property", "prop"})
_OBJECTS = frozenset({b"", b"Object", b"object", b"Object[]"})
# What may stand between a value and the statement that has the comment.
_AROUND = frozenset(
    {
        "export_statement", "variable_declarator", "lexical_declaration", "variable_declaration",
        "assignment_expression", "expression_statement", "pair", "field_definition",
    }
)  # fmt: skip
_BEFORE_TYPE = b"type _="


class Tag(NamedTuple):
    """`@kind {type} name` in a comment; places are bytes and rows of the file."""

    kind: str
    type: bytes
    start: tuple[int, int]
    name: str
    named_at: tuple[int, int]
    more: tuple[str, ...] = ()  # `@template A, B`

    @property
    def place(self) -> tuple[int, int]:
        """The byte and the line of the name."""
        return self.named_at[0], self.named_at[1] + 1


def read_tags(comment: bytes, start: int, row: int) -> list[Tag]:
    """The tags of a comment that say something of types."""
    text = _unstarred(comment)
    found: list[Tag] = []
    for match in _TAG.finditer(text):
        kind, at = match[1].decode(), match.end()
        if kind not in _TYPED:
            continue
        written, begin = b"", at
        if text[at : at + 1] == b"{":
            end = _closing(text, at)
            written, begin, at = text[at + 1 : end], at + 1, end + 1
        named = _NAME.match(text, at)
        name = named[1].decode() if named else ""
        name_start = named.start(1) if named else at
        more = [part.decode() for part in _more_names(text, named.end())] if named else []
        places = [(start + at, row + text.count(b"\n", 0, at)) for at in (begin, name_start)]
        found.append(Tag(kind, written, places[0], name, places[1], tuple(more)))
    return found


def _unstarred(comment: bytes) -> bytes:
    """A comment without what begins its lines; all else keeps its place."""
    return _STAR.sub(lambda match: b"\n" + b" " * (len(match[0]) - 1), comment)


def _more_names(text: bytes, at: int) -> list[bytes]:
    found = []
    match = _MORE_NAMES.match(text, at)
    while match:
        found.append(match[1])
        match = _MORE_NAMES.match(text, match.end())
    return found


def _closing(text: bytes, at: int) -> int:
    """Where the brace that opens at a place is closed; the end if it is not."""
    depth = 0
    for place in range(at, len(text)):
        byte = text[place]
        depth += (byte == ord("{")) - (byte == ord("}"))
        if depth == 0:
            return place
    return len(text)


class Docs(Types):
    """The part of the walker that reads comments; it does so in JavaScript only."""

    def __init__(self, text: bytes) -> None:
        super().__init__(text)
        self.reads_docs = False
        self._stand_ins: dict[str, str] = {}  # names that stand for `import("module")`

    def tags_before(self, node: Node) -> list[Tag]:
        """The tags of the comment before what a value is part of."""
        while self.reads_docs:
            before, around = node.prev_sibling, node.parent
            if before is not None and before.type == "comment":
                return self.tags_of(before)
            is_first = before is None or (not before.is_named and before.type != ",")
            if around is None or around.type not in _AROUND or not is_first:
                break
            node = around
        return []

    def tags_of(self, comment: Node) -> list[Tag]:
        """The tags of a comment."""
        text = comment.text or b""
        if not text.startswith(b"/**") or b"@" not in text:
            return []
        return read_tags(text, comment.start_byte, comment.start_point[0])

    def told_type(self, node: Node, scope: int) -> int:
        """`@type` before something."""
        for tag in self.tags_before(node):
            if tag.kind == "type":
                return self._read(tag, scope)
        return NOTHING

    def cast_type(self, node: Node, scope: int) -> int:
        """`/** @type {T} */ (value)`."""
        before = node.prev_sibling if self.reads_docs else None
        if before is None or before.type != "comment":
            return NOTHING
        tags = [tag for tag in self.tags_of(before) if tag.kind == "type"]
        return self._read(tags[0], scope) if tags else NOTHING

    # Functions and classes.

    def documented(self, node: Node, number: int, scope: int) -> None:
        """Give a function's parameters and result the types that its comment tells."""
        tags = self.tags_before(node)
        if not tags:
            return
        decl = self.builder.decls[number]
        if not decl.type_parameters:
            self.builder.update(number, type_parameters=self.told_parameters(tags, scope))
        told = [tag for tag in tags if tag.kind in _PARAMETERS]
        by_name = {tag.name: tag for tag in told}
        whole = [tag for tag in told if "." not in tag.name]
        for position, part in enumerate(decl.parts):
            parameter = self.builder.decls[part]
            tag = by_name.get(parameter.name)
            if tag is None and not parameter.name and position < len(whole):
                tag = whole[position]
            if tag is not None and parameter.type == NOTHING:
                inside = [t for t in told if t.name.startswith(f"{tag.name}.")]
                self.builder.update(part, type=self._parameter_type(tag, inside, scope))
        result = next((tag for tag in tags if tag.kind in _RESULTS), None)
        if result is not None and decl.type == NOTHING:
            self.builder.is_result = True
            self.builder.update(number, type=self._read(result, scope))
            self.builder.is_result = False

    def _parameter_type(self, tag: Tag, inside: Sequence[Tag], scope: int) -> int:
        if inside and tag.type in _OBJECTS:
            return self._object_of(inside, scope)
        return self._read(tag, scope)

    def told_parameters(self, tags: Iterable[Tag], scope: int) -> tuple[int, ...]:
        """Bind `@template T`."""
        found = []
        for tag in tags:
            if tag.kind != "template" or not tag.name:
                continue
            bound = self._read(tag, scope)
            for name in (tag.name, *tag.more):
                number = self.builder.declare_at(
                    name, tag.place, DeclKind.TYPE_PARAMETER, scope, type=bound
                )
                self.builder.update(number, flags=DeclFlag.LOCAL)
                found.append(number)
        return tuple(found)

    def told_base(self, tags: Iterable[Tag], scope: int) -> int:
        """`@extends {Base<T>}`."""
        for tag in tags:
            if tag.kind in ("extends", "augments") and tag.type:
                return self._read(tag, scope)
        return NOTHING

    # Types of their own.

    def declare_told(self, comment: Node, scope: int) -> None:
        """The types that a comment declares."""
        tags = self.tags_of(comment) if self.reads_docs else []
        if any(tag.kind == "import" for tag in tags):
            self._imports(comment, scope)
        for place, tag in enumerate(tags):
            if tag.kind in ("typedef", "callback") and tag.name:
                rest = tags[place + 1 :]
                ends = [i for i, t in enumerate(rest) if t.kind in ("typedef", "callback")]
                self._declare(tag, tags[:place], rest[: ends[0]] if ends else rest, scope)

    def _declare(self, tag: Tag, before: Sequence[Tag], after: Sequence[Tag], scope: int) -> None:
        inner = self.builder.open_scope(ScopeKind.BLOCK, scope)
        generic = self.told_parameters([t for t in before if t.kind == "template"], inner)
        fields = [t for t in after if t.kind in _PROPERTIES]
        if tag.kind == "callback":
            known = self._function_of(after, inner)
        elif fields and tag.type in _OBJECTS:
            outer, self.hint = self.hint, tag.name
            known = self._object_of(fields, inner)
            self.hint = outer
        else:
            known = self._read(tag, inner)
        self.builder.declare_at(
            tag.name, tag.place, DeclKind.TYPE, scope, type=known, type_parameters=generic,
            flags=self.builder.local_flag(scope),
        )  # fmt: skip
        if scope == 0 and self.builder.exports is not None:
            self.builder.exports.setdefault(tag.name, self.builder.expr("name", tag.name, 0))

    def _object_of(self, tags: Sequence[Tag], scope: int) -> int:
        """A type with these fields."""
        place = tags[0].place
        number = self.builder.declare_at(self.hint, place, DeclKind.OBJECT, scope, bind=False)
        inner = self.builder.open_scope(ScopeKind.CLASS, scope, number)
        self.builder.update(number, inner=inner)
        for tag in tags:
            name = tag.name.rpartition(".")[2]
            known = self._read(tag, scope)
            self.builder.declare_at(name, tag.place, DeclKind.FIELD, inner, type=known)
        return self.builder.expr("decl", number)

    def _function_of(self, tags: Sequence[Tag], scope: int) -> int:
        """A type of functions that take and give this."""
        place = tags[0].place if tags else (0, 1)
        number = self.builder.declare_at(
            "", place, DeclKind.FUNCTION, scope, bind=False, flags=DeclFlag.LOCAL
        )
        inner = self.builder.open_scope(ScopeKind.FUNCTION, scope, number)
        parts = [
            self.builder.declare_at(
                tag.name, tag.place, DeclKind.PARAMETER, inner,
                type=self._read(tag, inner), flags=DeclFlag.LOCAL,
            )
            for tag in tags
            if tag.kind in _PARAMETERS and "." not in tag.name
        ]  # fmt: skip
        given = next((self._read(tag, inner) for tag in tags if tag.kind in _RESULTS), NOTHING)
        self.builder.update(number, inner=inner, parts=tuple(parts), type=given)
        return self.builder.expr("function", number)

    def _imports(self, comment: Node, scope: int) -> None:
        """`@import {A} from "module"` says what the statement would say."""
        text = _unstarred(comment.text or b"")
        for match in _IMPORT.finditer(text):
            root = parse_text("tree_sitter_typescript", "language_typescript", match[1])
            with self.builder.inside(match[1], comment.start_byte + match.start(1)):
                for node in root.named_children[:1]:
                    self.import_(node, scope)

    def import_(self, node: Node, scope: int) -> list[int]:
        """Names taken from another file."""
        raise NotImplementedError

    # Types.

    def _read(self, tag: Tag, scope: int) -> int:
        """What the type of a tag says."""
        text, start = tag.type, tag.start[0]
        kept = text.lstrip(b" \t\n?!.")
        start += len(text) - len(kept)
        kept = kept.rstrip(b" \t\n=")
        if not kept or kept == b"*":
            return NOTHING
        kept = kept.replace(b".<", b" <").replace(b"Object<", b"Record<")
        kept = _IMPORTED.sub(self._stand_in, kept)
        text = _BEFORE_TYPE + kept
        root = parse_text("tree_sitter_typescript", "language_typescript", text)
        alias = root.named_children[0] if root.named_children else None
        value = alias.child_by_field_name("value") if alias is not None else None
        with self.builder.inside(text, start - len(_BEFORE_TYPE)):
            return self.type_(value, scope)

    def _stand_in(self, match: re.Match[bytes]) -> bytes:
        """A name as long as `import("module")`, which the grammar does not take everywhere."""
        name = f"${len(self._stand_ins)}".encode().ljust(len(match[0]), b"_")
        self._stand_ins[name.decode()] = match[1].decode("utf-8", "replace")
        return name

    def _named(self, node: Node, scope: int, role: Role) -> int:
        module = self._stand_ins.get(self.builder.text(node)) if self._stand_ins else None
        if module is not None:
            return self.builder.expr("from", module, "")
        return super()._named(node, scope, role)
