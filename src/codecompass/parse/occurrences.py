"""A text and places in it where a name stands as a word in, what each of them is out.

Only what one file says: which definition a use means is `link`'s business.
"""

import re
from collections import OrderedDict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from codecompass.model.module import ROLES, Decl, DeclFlag, DeclKind, ModuleFacts
from codecompass.model.occurrence import Occurrence, TokenKind
from codecompass.model.reference import Role
from codecompass.parse.extract import INDEXED_QUERIES, extract
from codecompass.parse.language import Language
from codecompass.parse.parser import Grammar, Token, TooDeepError, Words, parse_words
from codecompass.parse.ranges import ByteRange
from codecompass.parse.scanners import SCANNERS
from codecompass.parse.walkers.table import load_walker
from codecompass.text.words import name_starts

_STRINGS = ("string", "heredoc", "quoted_content", "char", "regex", "jsx_text", "symbol")
_CODE = frozenset({"identifier", "string_name", "symbol_name"})
# What the language itself runs nothing of: a text of a Python function that stands alone.
_ALONE = ("expression_statement",)
# Nodes in which a name is that of a package, a label or the like, and never of a definition.
_NO_SYMBOL = frozenset(
    {"package_clause", "package_declaration", "package_header", "namespace_definition",
     "file_scoped_namespace_declaration", "future_import_statement", "lifetime", "goto_statement",
     "labeled_statement", "preproc_params", "nonlocal_statement", "index_signature",
     "function_expression", "generator_function"}
)  # fmt: skip
# In an object literal of JavaScript: whoever expects an interface may be given it.
_SHORTHAND = "shorthand_property_identifier"
_PAIRS, _OBJECTS = frozenset({"pair", "object"}), frozenset({"object"})
_KEYWORD = ("keyword_argument",)
_METHODS = frozenset({"method_definition", "method_declaration", "function_definition"})
# What holds the members of a class without a name.
_NAMELESS = frozenset(
    {"object_creation_expression", "anonymous_class", "enum_constant", "enum_body_declarations",
     "instance_expression", "object_literal"}
)  # fmt: skip
# Types that are written where they are needed, and nodes that give one a name.
_INLINE = frozenset({"interface_type", "object_type"})
_NAMED = frozenset({"type_spec", "type_alias_declaration", "type_alias"})
_PACKAGES = frozenset({"package_identifier"})
# Where a name in lower case is one of a package or an element of a page, others may be types.
_LOWER = frozenset(
    {"scoped_identifier", "qualified_identifier", "jsx_opening_element", "jsx_closing_element",
     "jsx_self_closing_element"}
)  # fmt: skip
# What stands around a word of a sentence: other words, quotes, the end. Anything else may be code.
_BEFORE_WORD = re.compile(rb"(?:^|[A-Za-z]-|[A-Za-z0-9,;:'\"`)]\s+|\s[\"'`(])[\"'`(]?$")
_AFTER_WORD = re.compile(rb"(?:-[A-Za-z]|[\"'`)]?(?:$|[.,;:!?]+(?:\s|$)|\s+[A-Za-z0-9'\"`(]))")
# What stands before the name of a module, and before the title of a test.
_MODULE_NAME = re.compile(rb"(?<![\w.])(?:require|import|from|include)\s*[( ]\s*[\"'`]?$")
_TITLE = re.compile(
    rb"\b(?:describe|context|suite|it|test|specify|bench|(?:t|b)\.Run)(?:\.\w+)*\s*[( ]\s*[\"'`]?$"
)
# What stands before a message to people; nothing in it is looked up by its name.
_SAID = re.compile(
    rb"\b(?:throw|raise|panic\w*|fatal\w*|fail\w*|warn\w*|print\w*|echo|puts|log\w*|debug\w*|info"
    rb"|error\w*|assert\w*|require\w*|\w*Error|\w*Exception|bail|anyhow|Errorf|Fatalf|Logf)!?"
    rb"\s*\(\s*(?:[^;\n\"'`]{0,60},\s*)?[a-z]?[\"'`]*$"
)
_MIN_WORDS = 3
_NO_WORD = re.compile(rb"[_$0-9]|[a-z][A-Z]")
_NO_SENTENCE = re.compile(
    rb"[{}<>=;|\\\n]|(?i:\b(?:select|insert|update|delete|where|order\s+by|import|def|lambda)\b)"
)
_LOCAL_KINDS = frozenset(
    {DeclKind.FUNCTION, DeclKind.VARIABLE, DeclKind.CLASS, DeclKind.INTERFACE, DeclKind.ENUM,
     DeclKind.TYPE}
)  # fmt: skip
# Trees of so much text are kept for the next name that is asked for.
_KEPT_BYTES = 1_500_000


@dataclass(frozen=True, slots=True)
class _Parsed:
    """A text as its grammar and its walker read it."""

    words: Words
    declared: frozenset[int]
    used: Mapping[int, int]  # by their places, the number of the role
    local: frozenset[int]


class Occurrences:
    """Tells what names are in texts; the last few texts stay parsed."""

    def __init__(self) -> None:
        self._kept: OrderedDict[tuple[str, bytes], _Parsed | None] = OrderedDict()
        self._bytes = 0

    def find(
        self, language: Language, text: bytes, places: Sequence[ByteRange]
    ) -> list[Occurrence]:
        """What stands at each of these places."""
        parsed = self._parsed(language, text)
        if parsed is None:
            return [Occurrence(start, TokenKind.TEXT) for start, _ in places]
        is_code = bool(language.walker or language.plain)
        return [
            Occurrence(place[0], _kind(parsed, text, place, is_code=is_code)) for place in places
        ]

    def _parsed(self, language: Language, text: bytes) -> _Parsed | None:
        key = language.name, text
        if key in self._kept:
            self._kept.move_to_end(key)
            return self._kept[key]
        found = self._kept[key] = _parse(language, text)
        self._bytes += len(text)
        while self._bytes > _KEPT_BYTES and len(self._kept) > 1:
            (_, oldest), _ = self._kept.popitem(last=False)
            self._bytes -= len(oldest)
        return found


def _parse(language: Language, text: bytes) -> _Parsed | None:
    """A text with what its declarations and uses are; None if it cannot be parsed."""
    if language.grammar is None or (language.scanner and SCANNERS[language.scanner](text)):
        return None
    grammar = Grammar(*language.grammar, language.queries, INDEXED_QUERIES)
    padded = text + b"\n" if language.needs_line_end and not text.endswith(b"\n") else text
    try:
        walk = load_walker(language.walker)
        words = parse_words(padded, grammar, walk, language.repairs)
    except (ModuleNotFoundError, TooDeepError):
        return None
    module = words.module
    names: frozenset[int] = frozenset()
    if module is None:
        facts = extract(language, text)
        module, names = facts.module, frozenset(item.name_start for item in facts.symbols)
    return _Parsed(words, _declared(module) | names, _used(module), _local(module))


def _declared(module: ModuleFacts | None) -> frozenset[int]:
    """Where declarations stand that may be known outside of a function."""
    if module is None:
        return frozenset()
    return frozenset(decl.start for decl in module.decls if not _is_local(decl))


def _is_local(decl: Decl) -> bool:
    return decl.kind in _LOCAL_KINDS and bool(decl.flags & DeclFlag.LOCAL)


def _used(module: ModuleFacts | None) -> dict[int, int]:
    return {use.start: use.role for use in module.uses} if module else {}


def _local(module: ModuleFacts | None) -> frozenset[int]:
    """Where names stand that mean what is local to a function, declarations included."""
    if module is None:
        return frozenset()
    declared = (decl.start for decl in module.decls if _is_local(decl))
    return frozenset((*module.locals, *declared))


def _kind(parsed: _Parsed, text: bytes, place: ByteRange, *, is_code: bool) -> TokenKind:
    for start in name_starts(text, place[0]):
        if start in parsed.local:
            return TokenKind.LOCAL
        if start not in parsed.declared and start not in parsed.used:
            continue
        if _is_keyword(parsed.words.at(place), text, place[1]):
            return TokenKind.KEY
        if start in parsed.declared:
            is_key = _is_key(parsed.words.at(place))
            return TokenKind.KEY if is_key else TokenKind.DECLARED
        if start in parsed.used:
            if parsed.words.at(place).types[0] == _SHORTHAND:
                return TokenKind.KEY  # as well as a use
            is_type = ROLES[parsed.used[start]] is Role.TYPE
            return TokenKind.USED_AS_TYPE if is_type else TokenKind.USED
    return _unknown_kind(parsed.words.at(place), text, place, is_code=is_code)


def _is_keyword(token: Token, text: bytes, end: int) -> bool:
    """Whether a name is that of an argument, which may set a member: `Order(total=1)`."""
    return token.types[1:2] == _KEYWORD and text[end:].lstrip()[:1] == b"="


def _is_key(token: Token) -> bool:
    """Whether a name is a member of what has no name: an object or a type written in its place."""
    one, two, *rest = (*token.types[1:], "", "")
    if one in _PAIRS or (one in _METHODS and two in _OBJECTS):
        return True
    if one in _METHODS and not _NAMELESS.isdisjoint(rest[:2]):
        return True
    return two in _INLINE and not (rest and rest[0] in _NAMED)


def _unknown_kind(token: Token, text: bytes, place: ByteRange, *, is_code: bool) -> TokenKind:
    """What a word is that is neither declared nor used, by what stands around it."""
    if token.is_blanked:
        return TokenKind.CODE
    if _is_keyword(token, text, place[1]):
        return TokenKind.KEY
    if any("comment" in kind for kind in token.types):
        return TokenKind.COMMENT
    if not is_code:
        return TokenKind.TEXT
    if token.types[0] not in _CODE and any(part in token.types[0] for part in _STRINGS):
        if _MODULE_NAME.search(text, max(0, token.span[0] - 60), token.span[0]):
            return TokenKind.NO_SYMBOL
        if (
            _stands_alone(token)
            or _TITLE.search(text, max(0, token.span[0] - 60), token.span[0])
            or _is_prose(text, token.span, place)
        ):
            return TokenKind.PROSE
        return TokenKind.STRING
    if "ERROR" in token.types:
        return TokenKind.BROKEN
    return TokenKind.NO_SYMBOL if _is_no_symbol(token, text, place) else TokenKind.CODE


def _is_no_symbol(token: Token, text: bytes, place: ByteRange) -> bool:
    """Whether the grammar knows that a name is of what is no definition."""
    leaf, around = token.types[0], token.types[1:2]
    if leaf in _PACKAGES or not _NO_SYMBOL.isdisjoint(around):
        return True
    if "package_declaration" in token.types or "package_header" in token.types:
        return True
    return not _LOWER.isdisjoint(around) and text[place[0] : place[1]].islower()


def _stands_alone(token: Token) -> bool:
    """Whether a string is a statement of its own: what it says documents something."""
    outer = [kind for kind in token.types[:4] if "string" not in kind]
    return bool(outer) and outer[0] in _ALONE


def _is_prose(text: bytes, span: ByteRange, place: ByteRange) -> bool:
    """Whether a name in a string is a word of a sentence, and could not be one of code.

    A name that no sentence would spell so, and a string that could be a query, a page or
    a piece of a program, are not prose.
    """
    whole, name = text[span[0] : span[1]], text[place[0] : place[1]]
    if len(whole.split()) < _MIN_WORDS:
        return False
    is_said = _SAID.search(text, max(0, span[0] - 120), span[0])
    if not is_said and (_NO_WORD.search(name) or _NO_SENTENCE.search(whole)):
        return False
    before, after = text[span[0] : place[0]], text[place[1] : span[1]]
    return bool(_BEFORE_WORD.search(before) and _AFTER_WORD.match(after))
