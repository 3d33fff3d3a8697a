r"""Read source archives and write what the model learns from: docs, names, messages, code.

    python training/mine.py ARCHIVES PAIRS [--workers 2] [--only LIST]

Each archive becomes one file of JSON lines, gzipped, a line for a definition or a module:
its language, path, kind and name, the first paragraph of its doc, messages that stand in
it as strings, and how often each term stands in its code, the doc left out. The terms
are those of the index (`store.analyzers`), so the model sees what the index sees. With
`--only` the archives of a list are mined to the end, plain words beside terms, for the
evaluation: there the whole package is what a question has to be found in.
"""

import argparse
import contextlib
import gzip
import hashlib
import io
import json
import lzma
import re
import tarfile
import zlib
from collections import Counter
from collections.abc import Iterator
from multiprocessing import Pool
from pathlib import Path

from sources import excluded_names

from codecompass.chunk.collapse import collapsed_texts
from codecompass.chunk.embed_text import first_paragraph
from codecompass.model.symbol import Symbol
from codecompass.parse.detect import detect_language
from codecompass.parse.drafts import collect_drafts
from codecompass.parse.language import Language
from codecompass.parse.parser import Grammar, parse
from codecompass.parse.statements import root_statements
from codecompass.parse.symbols import RecordBuilder, number_records
from codecompass.store.analyzers import shared_analyzer
from codecompass.text.identifiers import find_identifiers, split_name
from codecompass.text.lines import LineTable

_FILE_BYTES = (200, 150_000)
_ARCHIVE_BYTES, _BIG_ARCHIVE = 1_000_000, 20 << 20
_BIG_FACTOR = 40  # what an archive larger than that may give more
_LONGEST_LINE = 2_000
_SAME_DOC = 2
_BROKEN = (OSError, EOFError, tarfile.TarError, lzma.LZMAError, zlib.error, RecursionError)
_DOCUMENTED, _BARE = 300, 80  # definitions of one archive
_LEFT_OUT = re.compile(
    r"(^|/)(tests?|testing|testdata|specs?|__tests__|vendor|third[_-]?party|node_modules|dist|build"
    r"|external/llvm|deps|generated|gen|mocks?|fixtures|examples?|docs?|debian|po|benchmarks?)/"
    r"|(_test|\.test|\.spec|_spec|\.min|\.pb|_pb2|\.g|\.designer|\.generated|test_[^/]*)\.\w+$"
    r"|\.d\.ts$",
    re.IGNORECASE,
)
_BOILERPLATE = re.compile(
    r"licen[sc]e|copyright|all rights reserved|auto-?generated|do not edit|inheritdoc|eslint-|@ts-"
    r"|^(see|returns?|todo|fixme|xxx|deprecated|constructor|getter|setter|noqa|type:)\b[^ ]*$",
    re.IGNORECASE,
)
_MARKUP = re.compile(r"<[^<>]{1,80}>|\{@\w+\s*([^{}]*)\}|[`*_]{2,}|https?://\S+|:\w+:`([^`]*)`")
_TAGS = re.compile(r"\s(?:[@\\](?:param|return|throws|brief|see|since)|:param|:return|Args:).*")
_MESSAGE = re.compile(r"\"((?:[^\"\\\n]|\\.){16,160})\"|'((?:[^'\\\n]|\\.){16,160})'")
LANGUAGES = frozenset(
    """python typescript tsx javascript go rust java c cpp csharp ruby php kotlin swift scala
    lua bash elixir haskell zig""".split()
)
_LICENCES = {
    "Apache-2.0": r"apache license",
    "GPL-3": r"gnu general public license\s+version 3",
    "LGPL": r"gnu lesser|gnu library",
    "GPL-2": r"gnu general public license",
    "MPL-2.0": r"mozilla public",
    "EPL": r"eclipse public",
    "ISC": r"isc license|permission to use, copy, modify, and(?:/or)? distribute",
    "MIT": r"permission is hereby granted, free of charge",
    "BSD": r"redistribution and use in source and binary forms",
}


def definitions(language: Language, text: bytes) -> list[Symbol]:
    """The definitions of a file; uses and meanings, which cost most, are left out."""
    if language.grammar is None:
        return []
    lines = LineTable(text)
    grammar = Grammar(*language.grammar, language.queries, ("symbols",))
    syntax = parse(
        text, grammar, transparent=language.transparent, repairs=language.repairs, walk=None
    )
    drafts = collect_drafts(syntax.captures, text)
    statements = root_statements(
        text, lines, roots=syntax.roots, drafts=drafts, captures=syntax.captures
    )
    numbering = number_records(drafts, statements)
    builder = RecordBuilder(language, text, lines, captures=syntax.captures)
    records = builder.symbols(drafts, numbering)
    records += builder.statements(statements, numbering, ())
    return sorted(records, key=lambda record: record.ordinal)


def plain_doc(doc: str) -> str:
    """The first paragraph without markup; "" if it says nothing."""
    plain = _TAGS.sub("", " " + _MARKUP.sub(r" \1\2 ", first_paragraph(doc)))
    words = plain.split()
    letters = sum(word.isalpha() and word.isascii() for word in words)
    says = len(words) >= 3 and letters * 2 >= len(words) and not _BOILERPLATE.search(plain)
    return " ".join(words[:60]) if says else ""


def _messages(code: str) -> list[str]:
    found = ["".join(groups) for groups in _MESSAGE.findall(code)]
    return [text for text in found if sum(word.isalpha() for word in text.split()) >= 4][:2]


def _module_doc(text: str) -> str:
    head = text[:3_000].lstrip()
    head = re.sub(r"\A#!.*\n", "", head).lstrip()
    match = re.match(
        r'[rR]?"""(.*?)"""|/\*+(.*?)\*/|((?:(?:///?!?|#|--+|;+)[^\n]*\n)+)', head, re.DOTALL
    )
    return plain_doc(next(filter(None, match.groups()), "")) if match else ""


def mine_file(path: str, raw: bytes) -> Iterator[dict[str, object]]:
    """What one file gives: its module, its definitions."""
    language = detect_language(path, raw)
    if language.name not in LANGUAGES or language.grammar is None:
        return
    text = raw.decode("utf-8", "replace")
    analyzer = shared_analyzer()
    symbols = definitions(language, raw)
    names = [symbol.name for symbol in symbols if not symbol.is_statement and symbol.depth < 2]
    doc = _module_doc(text)
    if doc and len(names) > 1:
        terms = analyzer.count_terms(" ".join(names))
        yield {"l": language.name, "p": path, "k": "module", "n": "", "d": doc, "c": terms}
    for symbol, content in zip(symbols, collapsed_texts(raw, symbols), strict=True):
        if symbol.is_statement or len(content) < 40:
            continue
        doc = plain_doc(symbol.doc) if symbol.doc else ""
        if not doc and len(find_identifiers(symbol.name)) + content.count(b"\n") < 4:
            continue
        code = (
            content.decode("utf-8", "replace").replace(symbol.doc, "")
            if symbol.doc
            else (content.decode("utf-8", "replace"))
        )
        terms = analyzer.count_terms(" ".join((*symbol.scope, code[:6_000])))
        if len(terms) < 5:
            continue
        yield {
            "l": language.name,
            "p": path,
            "k": str(symbol.kind),
            "n": symbol.name,
            "d": doc,
            "m": _messages(code),
            "c": dict(terms.most_common(96)),
            "code": code[:6_000],
        }


def _licence(text: str) -> str:
    folded = text[:4_000].lower()
    return next((name for name, mark in _LICENCES.items() if re.search(mark, folded)), "other")


def _is_wanted(path: str, excluded: frozenset[str]) -> bool:
    folders = {re.sub(r"[^a-z0-9]+", "-", part.lower()) for part in path.split("/")[1:-1]}
    return (
        not _LEFT_OUT.search(path.removeprefix("./").partition("/")[2]) and not folders & excluded
    )


class Mined:
    """What one archive gives, within limits."""

    def __init__(self, *, is_whole: bool, factor: int) -> None:
        self._is_whole = is_whole
        self._left = {True: _DOCUMENTED * factor, False: _BARE * factor}
        self._docs: Counter[str] = Counter()
        self.rows: list[dict[str, object]] = []
        self.licence = "unknown"

    def add(self, row: dict[str, object]) -> None:
        """Keep a line unless there are enough like it."""
        doc = str(row["d"])
        code = str(row.pop("code", ""))
        self._docs[doc] += bool(doc)
        if self._left[bool(doc)] <= 0 or self._docs[doc] > _SAME_DOC:
            return
        self._left[bool(doc)] -= 1
        if self._is_whole:
            row["w"] = Counter(split_name(code))
        self.rows.append(row)


def mine_archive(job: tuple[str, str, bool]) -> tuple[str, int]:
    """Write what one archive gives; how many lines that is."""
    source, target, is_whole = Path(job[0]), Path(job[1]), job[2]
    if target.exists():
        return target.name, 0
    factor = _BIG_FACTOR if is_whole or source.stat().st_size > _BIG_ARCHIVE else 1
    mined = Mined(is_whole=is_whole, factor=factor)
    with contextlib.suppress(*_BROKEN), _opened(source) as archive:
        for path, raw in _files(archive, mined, _ARCHIVE_BYTES * factor):
            for row in mine_file(path, raw):
                mined.add(row)
    target.parent.mkdir(parents=True, exist_ok=True)
    with gzip.open(target, "wt", compresslevel=3) as out:
        out.write(json.dumps({"licence": mined.licence}) + "\n")
        out.writelines(json.dumps(row, separators=(",", ":")) + "\n" for row in mined.rows)
    return target.name, len(mined.rows)


def _files(archive: tarfile.TarFile, mined: Mined, most_bytes: int) -> Iterator[tuple[str, bytes]]:
    """The source files of an archive, so many bytes of them; its licence on the way."""
    excluded = excluded_names()
    seen = 0
    for member in archive:
        name = member.name.rpartition("/")[2]
        if not member.isfile() or seen > most_bytes:
            continue
        if mined.licence == "unknown" and re.match(r"(?i)licen[sc]e|copying", name):
            mined.licence = _licence(_content(archive, member)[:6_000].decode("utf-8", "replace"))
        is_source = "." in name and detect_language(name, b"").name in LANGUAGES
        is_small = _FILE_BYTES[0] <= member.size <= _FILE_BYTES[1]
        if not is_source or not is_small or not _is_wanted(member.name, excluded):
            continue
        raw = _content(archive, member)
        if b"\0" not in raw and len(max(raw.split(b"\n"), key=len)) <= _LONGEST_LINE:
            seen += len(raw)
            yield member.name.partition("/")[2], raw


def _content(archive: tarfile.TarFile, member: tarfile.TarInfo) -> bytes:
    handle = archive.extractfile(member)
    return handle.read() if handle else b""


def _opened(source: Path) -> tarfile.TarFile:
    """An archive, or the one inside a Debian package."""
    if source.suffix != ".deb":
        return tarfile.open(source)
    data, place = source.read_bytes(), 8
    while place < len(data):
        name, size = data[place : place + 16].strip(), int(data[place + 48 : place + 58])
        place += 60
        if name.startswith(b"data.tar"):
            return tarfile.open(fileobj=io.BytesIO(data[place : place + size]))
        place += size + size % 2
    raise tarfile.ReadError(source.name)


def main() -> None:
    """Mine all archives that are not mined yet."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("archives", type=Path)
    parser.add_argument("pairs", type=Path)
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--only", type=Path, help="names of archives, one on each line")
    given = parser.parse_args()
    only = set(given.only.read_text().split("\n")) if given.only else set()
    files = [file for file in given.archives.glob("*/*") if file.is_file()]
    files = [file for file in files if not only or f"{file.name}.jsonl.gz" in only]
    files.sort(key=lambda file: hashlib.blake2b(file.name.encode()).digest())
    jobs = [
        (str(file), str(given.pairs / file.parent.name / f"{file.name}.jsonl.gz"), bool(only))
        for file in files
    ]
    total = 0
    with Pool(given.workers, maxtasksperchild=200) as pool:
        for number, (_, count) in enumerate(pool.imap_unordered(mine_archive, jobs), 1):
            total += count
            if number % 200 == 0:
                print(number, "of", len(jobs), "archives,", total, "lines", flush=True)
    print(total, "lines")


if __name__ == "__main__":
    main()
