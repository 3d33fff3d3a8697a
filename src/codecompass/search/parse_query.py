"""What the caller wrote in, a question taken apart out."""

import re
from dataclasses import dataclass, field, replace
from functools import cache

from codecompass.errors import BadInput
from codecompass.model.query import SymbolFilters
from codecompass.model.search import Question
from codecompass.model.symbol import STATEMENT_KINDS, SymbolKind, as_handle
from codecompass.parse.languages import BY_NAME, LANGUAGES
from codecompass.search.file_lines import FileLine, named_lines, only_line
from codecompass.text.similarity import most_alike

MAX_QUERY_CHARS = 10_000

_SYMBOL = re.compile(r"^symbol\s*=\s*(.*)$", re.DOTALL)
_EXPRESSION = re.compile(r"/(?![\s/])((?:[^/\\\n]|\\.)+)(?<!\s)/(i?)(?=\s|$)")
# Slashes that are not escaped make an expression only if all of the query is one, and
# has something that paths have not, and no slash before a blank.
_WHOLE_EXPRESSION = re.compile(r"/(?!.*[^\\]/\s)(?=.*[\\^$|?*+()\[\]{}\s])(.+)/(i?)")
_PHRASE = re.compile(r'"([^"\n]+)"')
# A colon before a blank is prose, `return type: string`; at the end it lacks a value.
_FILTER = re.compile(r'([a-z_]+):(?![:/\s])("[^"]+"|\S+|$)')
_TOKEN = re.compile(r"\S+")
# A name as code writes it, with what it belongs to: `A.b`, `A::b`, `A#b?`.
_NAME = re.compile(r"[^\W\d][\w$]*(?:(?:\.|::|#)[^\W\d]\w*)*[!?]?")
_CODE_MARK = re.compile(r"[a-z\d][A-Z]|_|[a-z]\d|::|\.\w|#\w|^[A-Z]{2,}")
_SCOPE = re.compile(r"\.|::|#")
_ASKS = re.compile(
    r"\s*(?:how|what|where|when|which|why|who|does|is|are|find|show)\b", re.IGNORECASE
)
_RUN_ENDS = re.compile(r"""["'`]|:\s|\n""")
_RUN_WORDS = 3

# `langage` is meant to be language:, but `text` not ext: and `find` not kind:.
_MISSPELT = 0.88

_CALLABLES = ("function", "method", "constructor", "macro", "component")
_TYPES = ("class", "struct", "interface", "trait", "protocol", "enum", "type", "module", "impl")
_KIND_FILTERS = {
    "function": _CALLABLES,
    "func": _CALLABLES,
    "def": _CALLABLES,
    "method": ("method", "constructor"),
    "class": _TYPES,
    "type": _TYPES,
    "struct": ("struct",),
    "interface": ("interface", "trait", "protocol"),
    "enum": ("enum",),
    "variable": ("variable", "constant", "field", "property"),
}
_PATH_FILTERS = ("in", "path", "file")
_OTHER_FILTERS = ("lang", "language", "kind", "ext", "usages")
FILTER_WORDS = (*_KIND_FILTERS, *_PATH_FILTERS, *_OTHER_FILTERS)


@dataclass(slots=True)
class _Parts:
    """What was found so far."""

    words: list[str] = field(default_factory=list)
    phrases: list[str] = field(default_factory=list)
    named: list[str] = field(default_factory=list)
    expression: str = ""
    flags: str = ""
    usages_of: str = ""
    given: SymbolFilters = field(default_factory=SymbolFilters)
    filters: SymbolFilters = field(default_factory=SymbolFilters)  # from inside the query
    notes: list[str] = field(default_factory=list)


def parse_query(text: str, filters: SymbolFilters, *, is_literal: bool = False) -> Question:
    """Words, names, phrases, an expression, and filters, which narrow those given apart.

    A literal query is taken as it stands, unless all of it is a phrase or an expression.
    """
    text = text.strip()
    _check_size(text)
    if not is_literal:
        certain = _certain_question(text, filters)
        if certain is not None:
            return certain
        return _with_places(text, _in_words(text, filters, is_literal=False))
    return _in_words(text, filters, is_literal=True)


def _with_places(text: str, question: Question) -> Question:
    """The question, asked only if no file has a line that the text names; filters hold."""
    for place in reversed(named_lines(text)):
        if _is_file(place.path):
            question = _place(place, text, question.filters, question)
    return question


def _in_words(text: str, filters: SymbolFilters, *, is_literal: bool) -> Question:
    """Words, names, phrases, an expression and filters."""
    whole = _WHOLE_EXPRESSION.fullmatch(text)
    if is_literal:
        whole = whole or _EXPRESSION.fullmatch(text)
        phrase = _PHRASE.fullmatch(text)
        if not whole:
            said = phrase.group(1) if phrase else text
            return Question(text, words=(said,), phrases=(said,), filters=filters)
    if whole:
        expression, flags = whole.groups()
        return Question(text, expression=expression, flags=flags, filters=filters)
    parts = _Parts(given=filters)
    position = 0
    while position < len(text):
        if text[position].isspace():
            position += 1
            continue
        position = _take(text, position, parts)
    if not (parts.words or parts.named or parts.phrases or parts.expression or parts.usages_of):
        raise BadInput(f"query: given {text[:200]!r}, only filters; allowed: filters and words")
    names = [*parts.named, *_names(parts.words)]
    if parts.words and (parts.expression or parts.usages_of):
        parts.notes.append("the words beside an expression or usages: are not searched")
    return Question(
        text=" ".join([*parts.named, *parts.words, *parts.phrases]),
        raw=text,
        words=(*parts.named, *parts.words),
        names=tuple(dict.fromkeys(names)),
        phrases=tuple(parts.phrases),
        expression=parts.expression,
        flags=parts.flags,
        usages_of=parts.usages_of,
        filters=_narrowed(filters, parts.filters),
        notes=tuple(parts.notes),
    )


def _certain_question(text: str, filters: SymbolFilters) -> Question | None:
    """The question, if all of the text is `symbol = …`, a handle or a line of a file."""
    symbol = _SYMBOL.match(text)
    name = symbol.group(1).strip() if symbol else as_handle(text)
    if symbol or name:
        return _symbol_question(text, name or "", filters)
    return _place_question(text, filters)


def _place_question(text: str, filters: SymbolFilters) -> Question | None:
    """The question for a line of a file, if the text names one."""
    place = only_line(text)
    return _place(place, text, filters) if place is not None and _is_file(place.path) else None


def _is_file(path: str) -> bool:
    return "/" in path or has_known_suffix(path)


def _place(
    place: FileLine, text: str, filters: SymbolFilters, otherwise: Question | None = None
) -> Question:
    return Question(
        place.path,
        raw=text,
        words=(place.path,),
        line=place.line,
        filters=filters,
        otherwise=otherwise,
    )


def _symbol_question(text: str, symbol: str, filters: SymbolFilters) -> Question:
    if not all(step.strip() for step in symbol.split(">")):
        raise BadInput(
            f"query: given {text[:200]!r}; allowed: symbol = name, symbol = A > name"
            " or symbol = path > A > name"
        )
    return Question(text, symbol=symbol, filters=filters)


def _narrowed(given: SymbolFilters, inside: SymbolFilters) -> SymbolFilters:
    """Both kinds of filters together; what one admits and the other does not is refused."""
    both: dict[str, tuple[str, ...]] = {}
    for name in ("kind", "language", "extension"):
        first: tuple[str, ...] = getattr(given, name)
        second: tuple[str, ...] = getattr(inside, name)
        common = tuple(value for value in second if value in first)
        if first and second and not common:
            raise BadInput(
                f"query: its filter for {name} ({', '.join(second)}) and the one given apart"
                f" ({', '.join(first)}) have nothing in common"
            )
        both[name] = common if first and second else first or second
    return replace(
        given,
        kind=both["kind"],
        language=both["language"],
        extension=both["extension"],
        path_contains=(*given.path_contains, *inside.path_contains),
    )


def _check_size(text: str) -> None:
    kinds = 'words, names, a path, "a phrase" or /an expression/'
    allowed = f"{kinds}, up to {MAX_QUERY_CHARS:,} characters"
    if not text:
        raise BadInput(f"query: given an empty text; allowed: {allowed}")
    if len(text) > MAX_QUERY_CHARS:
        raise BadInput(f"query: given {len(text):,} characters; allowed: {allowed}")
    if "\0" in text or not _is_unicode(text):
        raise BadInput(f"query: given text that is not Unicode; allowed: {allowed}")


def _is_unicode(text: str) -> bool:
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        return False
    return True


def _take(text: str, position: int, parts: _Parts) -> int:
    """Read one piece of the query; returns where the next begins."""
    found = _EXPRESSION.match(text, position)
    if found and not parts.expression:
        parts.expression, parts.flags = found.groups()
        return found.end()
    found = _PHRASE.match(text, position)
    if found:
        parts.phrases.append(found.group(1))
        return found.end()
    found = _FILTER.match(text, position)
    if found and _take_filter(found.group(1), found.group(2).strip('"'), parts):
        return found.end()
    found = _TOKEN.match(text, position)
    if found is None:
        return len(text)
    parts.words.append(found.group().strip("`"))
    return found.end()


def _take_filter(word: str, value: str, parts: _Parts) -> bool:
    """Apply a filter; False if the word is none and is to be searched as text."""
    if not value:
        if word in FILTER_WORDS:
            raise BadInput(f"query: given {word}: without a value; allowed: {word}:something")
        return False
    if word in _KIND_FILTERS:
        parts.named.append(value)
        parts.filters = replace(parts.filters, kind=parts.filters.kind + _KIND_FILTERS[word])
    elif word in _PATH_FILTERS:
        contains = (*parts.filters.path_contains, value)
        parts.filters = replace(parts.filters, path_contains=contains)
    elif word in {"lang", "language"}:
        known = (*parts.filters.language, language_named(value))
        parts.filters = replace(parts.filters, language=known)
    elif word == "kind":
        parts.filters = replace(parts.filters, kind=(*parts.filters.kind, _kind_named(value)))
    elif word == "ext":
        parts.filters = replace(parts.filters, extension=(*parts.filters.extension, value))
    elif word == "usages":
        parts.usages_of = last_part(value)
        if parts.usages_of != value:
            parts.notes.append(f"usages: of every {parts.usages_of}, whatever it belongs to")
    else:
        _note_unknown(word, value, parts)
        return False
    return True


def _note_unknown(word: str, value: str, parts: _Parts) -> None:
    """Say that a word is no filter; one that is only misspelt is refused."""
    meant = most_alike(word, FILTER_WORDS, limit=1, minimum=_MISSPELT)
    if meant:
        raise BadInput(
            f"query: given the unknown filter {word}:; did you mean {meant[0]}:?"
            f" allowed: {', '.join(f'{name}:' for name in FILTER_WORDS)}",
            remediation=f'to search for the text itself, quote it: "{word}:{value}"',
        )
    parts.notes.append(f"{word}: is no filter, searched as text")


def language_named(value: str) -> str:
    """The language for its name or a suffix of its files: `python` or `py`."""
    lower = value.lower().removeprefix(".")
    found = lower if lower in BY_NAME else _by_suffix().get(lower)
    if found is None:
        raise BadInput(f"language: given {value!r}; allowed: {', '.join(BY_NAME)}")
    return found


def has_known_suffix(word: str) -> bool:
    """Whether a word ends like the name of a source file."""
    stem, _, suffix = word.rpartition(".")
    return bool(stem) and suffix.lower() in _by_suffix()


@cache
def _by_suffix() -> dict[str, str]:
    return {s.removeprefix("."): row.name for row in LANGUAGES for s in row.suffixes}


def _kind_named(value: str) -> str:
    allowed = [str(kind) for kind in SymbolKind if kind not in STATEMENT_KINDS]
    if value not in allowed:
        raise BadInput(f"kind: given {value!r}; allowed: {', '.join(allowed)}")
    return value


def _names(words: list[str]) -> list[str]:
    """The words that look like names in code rather than like prose.

    One word alone is always taken for a name; among others it needs a mark that
    prose does not have, or a capital letter that does not begin a sentence.
    """
    found: list[str] = []
    for position, word in enumerate(words):
        for name in _NAME.findall(word):
            is_alone = len(words) == 1
            is_capital = position > 0 and name[0].isupper()
            if is_alone or is_capital or _CODE_MARK.search(name):
                found.append(name)
    return found


def message_runs(text: str) -> list[str]:
    """Stretches of a question that may stand somewhere word for word.

    Those of at least three words, cut where a message is filled in at run time (quotes)
    and behind what comes before it (`TypeError: `); none of a question that asks.
    """
    if _ASKS.match(text):
        return []
    runs = [run.strip(" .,;") for run in _RUN_ENDS.split(text)]
    return [run for run in runs if len(run.split()) >= _RUN_WORDS]


def last_part(name: str) -> str:
    """The name itself without what it belongs to: `b` of `A.b`."""
    return _SCOPE.split(name)[-1]


def scope_parts(name: str) -> list[str]:
    """What a dotted name belongs to: `A` of `A.b`."""
    return _SCOPE.split(name)[:-1]
