"""A name and what is asked about in, every place where the name stands as a word out.

Each place is either a use or a definition of what is asked about, known to mean
something else, a comment, or one of which nobody can tell: so that "complete" can be
said, or not, of what is really written in the files.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from posixpath import dirname

from codecompass.model.occurrence import OPEN_GROUPS, Group, NamePlace, Occurrence, TokenKind
from codecompass.model.source import SkipReason
from codecompass.navigate.uses import Graph
from codecompass.navigate.visibility import EVERYWHERE, Reach, is_standard
from codecompass.store.reader import SnapshotReader
from codecompass.text.patterns import Needed, needed_by_literal
from codecompass.text.words import composed_name, name_starts, pasted_name, word_pattern

# Files that hold a name and are read for one question; more means a name that everybody has.
_MAX_FILES = 600
# Files that are parsed for one question: comments and strings are told from code by it.
_MAX_PARSED = 60
_MAX_PARSED_IF_OPEN = 10  # where the answer is not complete anyway
_MAX_UNREAD_BYTES = 8 * 1024 * 1024
# Of what is not indexed, lines of larger files are told without their text: all of a file
# has to be looked through for secrets first.
_MAX_SHOWN_BYTES = 200_000
_MAX_LINE = 160
# What is read for people, whatever stands in it.
_PROSE = (
    ".md", ".markdown", ".rst", ".adoc", ".asciidoc", ".org", ".tex", ".log", ".1", ".po",
)  # fmt: skip
_PROSE_NAMES = re.compile(
    r"(?i)(readme|license|licence|copying|changelog|changes|history|authors|contributors|notice"
    r"|news|todo|maintainers|contributing|security|release|upgrading|migrating|migration|roadmap|credits"
    r"|thanks|faq)[\w-]*"
)
# Release notes and the pages of a project's site, where they are marked up.
_PAGES, _SITE = ("xml", "txt"), re.compile(r"(?:^|/)(?:src/site|xdocs?|docs?)(?:/|$)")
_UNREAD = frozenset(
    {SkipReason.TOO_LARGE, SkipReason.LONG_LINE, SkipReason.GENERATED, SkipReason.CRASHED,
     SkipReason.IGNORED, SkipReason.UNREADABLE}
)  # fmt: skip
# A name that stands alone means what scopes and imports say; members are never meant by it.
_LEXICAL = frozenset({"python", "javascript", "typescript", "tsx", "go", "rust", "c", "cpp"})
# Languages whose types have no others above them: a member of an outside type is that type's.
_WITHOUT_BASES = frozenset({"c"})
# Languages in which a value may look like a type to the grammar.
_MISTAKEN = frozenset({"c", "cpp"})
# Languages whose objects have keys that stand for members of types.
_KEYED = frozenset({"javascript", "typescript", "tsx"})
_PASTED = frozenset({"c", "cpp"})
# What finds a member by a text while the program runs.
_DYNAMIC = re.compile(
    r"getattr|setattr|methodcaller|attrgetter|globals\(\)|__dict__|\bsend\b|\bmethod\(|[gG]etMethod"
    r"|getDeclared|MethodByName|FieldByName|call_user_func|\]\s*\(|->\{|\bloadstring\b"
)
_WORD = re.compile(rb"[A-Za-z0-9_$]+")
_OPENS, _CLOSES = (b"{", b","), (b"}", b",")
_FOLDER_FILES = frozenset({"__init__", "index", "mod", "lib", "init", "main"})
_SEGMENT = re.compile(r"[\w-]+")
_BEHIND_MEMBER = re.compile(rb"(?:\.|->|::|\?\.|!!\.)\s*$")

TokensOf = Callable[[str, Sequence[str]], Mapping[str, Sequence[Occurrence]]]
"""What files alone say of a name at its places, by path; none of those that cannot be read."""


@dataclass(frozen=True, slots=True)
class Meant:
    """What is asked about: the name, and where its uses and definitions stand."""

    name: str
    path: str  # of a definition: what is near comes first
    language: str
    uses: Mapping[str, Collection[int]]  # bytes by path
    definitions: Collection[tuple[str, int]]
    family: Collection[int] = ()  # numbers of declarations
    family_definitions: Collection[tuple[str, int]] = ()
    is_built_in: Callable[[str, str], bool] = lambda _language, _name: False
    reach: Reach = EVERYWHERE
    may_be_local: bool = False  # to functions: whether it is, only a look inside can tell
    is_type: bool = False
    is_member: bool = True  # of a type or namespace


@dataclass(slots=True)
class Accounted:
    """Every place where a name stands, and what was not looked at."""

    places: list[NamePlace] = field(default_factory=list)
    unread: list[str] = field(default_factory=list)  # files whose text is not there
    too_many: int = 0  # further files that hold the name


class Accounting:
    """Accounts for the places of names in one snapshot."""

    def __init__(
        self,
        reader: SnapshotReader,
        graph: Graph,
        *,
        text_of: Callable[[str], str | None],
        unread_text: Callable[[str, int], str | None],
        masked: Callable[[str, str], str],
        tokens_of: TokensOf,
    ) -> None:
        self._reader = reader
        self._graph = graph
        self._text_of = text_of
        self._unread_text = unread_text
        self._masked = masked
        self._tokens_of = tokens_of

    def account(self, meant: Meant) -> Accounted:
        """Look at every text of the snapshot that holds the name."""
        found = Accounted()
        pattern = word_pattern(meant.name)
        left: dict[str, _File] = {}
        paths = sorted(self._holding(meant), key=lambda path: _distance(path, meant.path))
        found.too_many = max(0, len(paths) - _MAX_FILES)
        for path in paths[:_MAX_FILES]:
            text = self._text_of(path)
            if text is None:
                found.unread.append(path)
                continue
            file = self._file(path, text, pattern)
            rest = self._known(file, meant, found.places) if file.starts else []
            if rest:
                left[path] = file
                file.starts = rest
        self._look_inside(left, meant, found)
        self._look_at_unread(pattern, found)
        self._look_for_built(meant, found)
        reach = self._reach(meant, found)
        found.places = [_within_reach(place, reach) for place in found.places]
        found.places.sort(key=lambda place: (place.path, place.start))
        return found

    def _reach(self, meant: Meant, found: Accounted) -> Reach:
        """Where the name can mean what is asked about; its own files if it is local to functions.

        They are parsed only where something is left elsewhere.
        """
        own = {path for path, _ in meant.definitions}
        is_left = any(
            place.group in OPEN_GROUPS and place.path not in own for place in found.places
        )
        if meant.is_member or not (is_left and meant.may_be_local) or meant.reach != EVERYWHERE:
            return meant.reach
        tokens = self._tokens_of(meant.name, sorted(own))
        known = {(path, start): kind for path in own for start, kind in tokens.get(path, ())}
        is_local = all(known.get(place) is TokenKind.LOCAL for place in meant.definitions)
        return Reach(frozenset(own)) if is_local else meant.reach

    def _file(self, path: str, text: str, pattern: re.Pattern[bytes]) -> _File:
        return _File(path, text, pattern, lambda: self._masked(path, text).encode())

    def _holding(self, meant: Meant) -> Iterable[str]:
        needed = needed_by_literal(meant.name.removesuffix("=") or meant.name)
        catalog = self._reader.catalog
        found = dict.fromkeys((*self._reader.may_hold(needed), *self._reader.with_masks()))
        for version_id in found:
            for index in catalog.by_version[version_id]:
                yield catalog.paths[index]

    def _known(self, file: _File, meant: Meant, places: list[NamePlace]) -> list[int]:
        """Note what the index knows of a file's places; the others come back."""
        uses = meant.uses.get(file.path, ())
        groups: dict[int, Group] = {}
        for start in file.starts:
            at = name_starts(file.text, start)
            if any(place in uses for place in at):
                groups[start] = Group.USE
            elif any((file.path, place) in meant.definitions for place in at):
                groups[start] = Group.DEFINITION
            elif any((file.path, place) in meant.family_definitions for place in at):
                groups[start] = Group.FAMILY
        if len(groups) < len(file.starts) and self._reader.graph.is_linked(file.path):
            linked = self._linked(file.path, meant)
            self._add_linked(file, linked, groups, meant)
        places += [file.place(start, groups[start]) for start in file.starts if start in groups]
        return [start for start in file.starts if start not in groups]

    def _add_linked(
        self, file: _File, linked: Mapping[int, Group], groups: dict[int, Group], meant: Meant
    ) -> None:
        """Take what is linked; `{ name }` of an object may be a key, whatever its value means."""
        is_keyed = meant.is_member and self._graph.language(file.path) in _KEYED
        for start in file.starts:
            found = [linked[place] for place in name_starts(file.text, start) if place in linked]
            if not found or start in groups:
                continue
            if is_keyed and file.is_shorthand(start):
                file.else_groups[start] = found[0]
            else:
                groups[start] = found[0]

    def _linked(self, path: str, meant: Meant) -> dict[int, Group]:
        """What the uses and declarations of a file are to what is asked about."""
        graph = self._reader.graph
        is_keyed = meant.is_member and self._graph.language(path) in _KEYED
        groups = {
            start: Group.OTHER
            for _, ordinal, _, start, _ in graph.names(path)
            # What is no symbol may be a member of an object or a type without a name.
            if not meant.is_member or (ordinal >= 0 and not is_keyed)
        }
        groups |= dict.fromkeys((miss.start for miss in graph.misses(path)), Group.NOT_RESOLVED)
        targets = graph.targets(path)
        groups |= dict.fromkeys((start for start, _ in targets), Group.OTHER)
        family = (start for start, number in targets if number in meant.family)
        return groups | dict.fromkeys(family, Group.FAMILY)

    def _look_inside(self, left: Mapping[str, _File], meant: Meant, found: Accounted) -> None:
        """Have the files parsed in which places are left, and note what they are."""
        code = []
        for path, file in left.items():
            language = self._graph.language(path)
            if _is_prose(path):
                found.places += [file.place(start, Group.COMMENT) for start in file.starts]
            elif language == "text":
                found.places += [file.place(start, Group.NOT_ANALYSED) for start in file.starts]
            else:
                code.append(path)
        is_open = any(place.group in OPEN_GROUPS for place in found.places)
        most = _MAX_PARSED_IF_OPEN if is_open else _MAX_PARSED
        found.too_many += max(0, len(code) - most)
        tokens = self._tokens_of(meant.name, code[:most]) if code else {}
        for path in code[:most]:
            file = left[path]
            kinds = dict(tokens.get(path, ()))
            for start in file.starts:
                kind = kinds.get(start)
                found.places.append(file.place(start, self._group(file, start, kind, meant)))

    def _group(self, file: _File, start: int, kind: TokenKind | None, meant: Meant) -> Group:
        if kind is None:
            return Group.NOT_ANALYSED
        if kind is not TokenKind.KEY and start in file.else_groups:
            return file.else_groups[start]
        if kind in _GROUPS:
            return _GROUPS[kind]
        language = self._graph.language(file.path)
        if kind is TokenKind.KEY:
            is_alike = self._graph.is_alike(file.path, meant.path)
            return Group.NOT_RESOLVED if is_alike and meant.is_member else Group.OTHER
        if kind is TokenKind.USED_AS_TYPE and not meant.is_type:
            # `Slice piece(last);` of C++ looks like a function that takes a `last`.
            return Group.NOT_RESOLVED if language in _MISTAKEN else Group.OTHER
        if meant.is_built_in(language, meant.name):
            return Group.OTHER
        if not self._graph.is_alike(file.path, meant.path) or self._may_import(file.path, meant):
            return Group.NOT_RESOLVED
        is_member = bool(_BEHIND_MEMBER.search(file.text[max(0, start - 80) : start]))
        if language in _LEXICAL and not is_member and not self._is_from_outside(file.path, meant):
            return Group.NOT_RESOLVED
        if language in _LEXICAL and not (is_member and meant.is_member):
            return Group.OTHER
        return Group.OTHER if language in _WITHOUT_BASES else Group.OUTSIDE

    def _is_from_outside(self, path: str, meant: Meant) -> bool:
        """Whether a name that stands alone is imported from what is surely not in here.

        A name that nothing in its file binds may be known to it in some other way.
        """
        entry = self._reader.file(path)
        if path == meant.path:
            return True  # its own scopes say what it means
        if entry is None or entry.version_id is None:
            return False
        imports = self._reader.imports(entry.version_id)
        named = [item.module for item in imports if meant.name in (item.bound_name, item.name)]
        language = self._graph.language(path)
        return bool(named) and all(is_standard(language, module) for module in named)

    def _may_import(self, path: str, meant: Meant) -> bool:
        """Whether a file imports what is called like the one asked about, and none of it is known.

        The path by which it is found may be set while the program runs.
        """
        entry = self._reader.file(path)
        if entry is None or entry.version_id is None or path == meant.path:
            return False
        stem = meant.path.rpartition("/")[2].partition(".")[0]
        tail = dirname(meant.path).rpartition("/")[2] if stem in _FOLDER_FILES else stem
        modules = (item.module for item in self._reader.imports(entry.version_id))
        if not any(tail in _SEGMENT.findall(module) for module in modules):
            return False
        own = self._reader.graph.own_nodes(meant.path)
        return not any(number in own for _, number in self._reader.graph.targets(path))

    def _look_for_built(self, meant: Meant, found: Accounted) -> None:
        """Places where a macro or a program puts names together, of which this may be one."""
        is_c = meant.language in _PASTED
        built = pasted_name(meant.name) if is_c else composed_name(meant.name)
        if built is None:
            return
        group = Group.NOT_RESOLVED if is_c else Group.STRING
        needed = Needed(any_of=tuple(needed_by_literal(part) for part in built.needed))
        catalog = self._reader.catalog
        paths = [
            catalog.paths[index]
            for version_id in self._reader.may_hold(needed)
            for index in catalog.by_version[version_id]
        ]
        for path in paths[:_MAX_FILES]:
            text = self._text_of(path) if self._graph.is_alike(path, meant.path) else None
            if text is not None and (is_c or _DYNAMIC.search(text)):
                file = self._file(path, text, built.pattern)
                found.places += [file.place(start, group) for start in file.starts]

    def _look_at_unread(self, pattern: re.Pattern[bytes], found: Accounted) -> None:
        """What is tracked and not indexed: only whether the name stands there is known."""
        for path, entry in self._reader.files().items():
            if entry.skip_reason not in _UNREAD:
                continue
            text = self._unread_text(path, _MAX_UNREAD_BYTES)
            if text is None:
                found.unread.append(path)
                continue
            if pattern.search(text.encode()):
                file = self._file(path, text, pattern)
                file.has_text = len(text) <= _MAX_SHOWN_BYTES
                found.places += [file.place(start, Group.NOT_ANALYSED) for start in file.starts]


_GROUPS = {
    TokenKind.NO_SYMBOL: Group.OTHER,
    TokenKind.DECLARED: Group.OTHER,
    TokenKind.LOCAL: Group.OTHER,
    TokenKind.CODE: Group.NOT_RESOLVED,
    TokenKind.BROKEN: Group.NOT_RESOLVED,
    TokenKind.COMMENT: Group.COMMENT,
    TokenKind.PROSE: Group.COMMENT,
    TokenKind.STRING: Group.STRING,
    TokenKind.TEXT: Group.NOT_ANALYSED,
}


class _File:
    """A text and where a name stands in it."""

    def __init__(
        self, path: str, text: str, pattern: re.Pattern[bytes], masked: Callable[[], bytes]
    ) -> None:
        self.path = path
        self.text = text.encode()
        self.has_text = True
        self.starts = [match.start() for match in pattern.finditer(self.text)]
        self._masked = masked
        self._shown: bytes | None = None
        self._at = self._line = 0  # the place that was told last, and how many lines are before
        self.else_groups: dict[int, Group] = {}  # of what may be a key as well as a use

    def is_shorthand(self, start: int) -> bool:
        """Whether a name may be a key and its value at once: `{ name, other }`."""
        around = self.text[max(0, start - 40) : start].rstrip()[-1:]
        behind = _WORD.match(self.text, start)
        after = self.text[behind.end() : behind.end() + 40].lstrip()[:1] if behind else b""
        return around in _OPENS and after in _CLOSES

    def place(self, start: int, group: Group) -> NamePlace:
        """One of the places, with its line."""
        if start < self._at:
            self._at = self._line = 0
        self._line += self.text.count(b"\n", self._at, start)
        self._at = start
        begin = self.text.rfind(b"\n", 0, start) + 1
        end = self.text.find(b"\n", start)
        end = len(self.text) if end < 0 else end
        if self._shown is None and self.has_text:
            self._shown = self._masked()  # every byte in its place
        shown = self._shown or b""
        line = shown[begin:end].strip()
        if len(line) > _MAX_LINE:
            at = max(0, start - begin - _MAX_LINE // 2)
            line = shown[begin + at : min(end, begin + at + _MAX_LINE)].strip()
        return NamePlace(self.path, self._line + 1, start, group, line.decode("utf-8", "replace"))


_CODE_GROUPS = frozenset({Group.NOT_RESOLVED, Group.OUTSIDE})


def _within_reach(place: NamePlace, reach: Reach) -> NamePlace:
    """The place; in another group where the language keeps what is meant from being seen."""
    if place.group not in OPEN_GROUPS or not reach.excludes(place.path):
        return place
    if reach.in_code_only and place.group not in _CODE_GROUPS:
        return place
    return place._replace(group=Group.OTHER)


def _distance(path: str, other: str) -> tuple[int, str]:
    """How far a file is from another: itself, its folder, elsewhere."""
    if path == other:
        return 0, path
    return (1 if dirname(path) == dirname(other) else 2), path


def _is_prose(path: str) -> bool:
    folder, _, name = path.rpartition("/")
    stem, _, suffix = name.partition(".")
    if suffix in _PAGES and (_PROSE_NAMES.fullmatch(stem) or _SITE.search(folder)):
        return True
    if path.endswith(_PROSE):
        return True
    return "." not in name and _PROSE_NAMES.fullmatch(name) is not None
