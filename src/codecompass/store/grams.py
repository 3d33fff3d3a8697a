"""Which files may hold a text: three-byte pieces of each content, as bits.

A content's pieces are hashed into a set of bits whose size grows with their number.
A file whose bits lack a piece of a literal cannot hold it; a file that has them all
may, and is read. Case is folded for ASCII letters, so one set serves both kinds of
search. About 1 kB for each file, and ten times cheaper to make than trigrams in
Tantivy (docs/decisions/008).
"""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING

from codecompass.model.snapshot import VersionId

if TYPE_CHECKING:
    from collections.abc import Iterable

    import numpy as np
    from numpy.typing import NDArray

    from codecompass.text.patterns import Needed

_GRAM_BYTES = 3
_MIN_BITS, _MAX_BITS = 1 << 9, 1 << 16
# One bit in eight set: four pieces of a literal let one foreign file in 4,000 pass.
_BITS_PER_GRAM = 8
# More pieces of a long literal would deny hardly any more files.
_ENOUGH_GRAMS = 64
# So many pieces are looked for in all contents, the rest in those that may hold them.
_FIRST_GRAMS = 8
_ALWAYS = 0  # a place that every content has
_PRIMES = (1, 251, 63_029)
# Letters that match an ASCII letter where case is ignored: ſ and the Kelvin sign.
_ODD_LETTERS = ((b"\xc5\xbf", b"s"), (b"\xe2\x84\xaa", b"k"))


def gram_bits(text: bytes) -> bytes:
    """The pieces of a content as bits; a power of two of them."""
    return pack_grams(gram_slots(text))


def gram_slots(text: bytes) -> NDArray[np.bool_]:
    """The pieces of a content, each at its place among all there may be."""
    import numpy as np

    data = text.lower()
    folded = data
    if not data.isascii():
        for odd, letter in _ODD_LETTERS:
            folded = folded.replace(odd, letter)
    slots = np.zeros(_MAX_BITS, dtype=bool)
    for content in {data, folded}:
        slots[_hashes(content)] = True
    slots[_ALWAYS] = True
    return slots


def pack_grams(slots: NDArray[np.bool_]) -> bytes:
    """Places as bits, in as few of them as do."""
    import numpy as np

    count = int(slots.sum())
    size = _MIN_BITS
    while size < _MAX_BITS and size < count * _BITS_PER_GRAM:
        size *= 2
    return np.packbits(slots.reshape(-1, size).any(axis=0), bitorder="little").tobytes()


def texts_in(slots: NDArray[np.bool_], texts: tuple[bytes, ...]) -> set[bytes]:
    """Those of some texts that a content may hold, in any case of ASCII letters."""
    import numpy as np

    found = np.flatnonzero(slots[_table_of(texts)].all(axis=1))
    return {texts[number] for number in found.tolist()}


@lru_cache(maxsize=4)
def _table_of(texts: tuple[bytes, ...]) -> NDArray[np.intp]:
    """The places of each text's pieces; of a shorter text the place that is always set."""
    import numpy as np

    rows = [_hashes(text.lower()).tolist() or [_ALWAYS] for text in texts]
    width = max(map(len, rows))
    return np.array([(row * width)[:width] for row in rows], np.intp)


def _hashes(data: bytes) -> NDArray[np.uint32]:
    import numpy as np

    codes = np.frombuffer(data, dtype=np.uint8).astype(np.uint32)
    if len(codes) < _GRAM_BYTES:
        return codes[:0]
    first, second, third = _PRIMES
    mixed = codes[:-2] * third + codes[1:-1] * second + codes[2:] * first
    return (mixed * np.uint32(2_654_435_761) >> np.uint32(16)).astype(np.uint32)


class GramIndex:
    """The bits of many contents, in memory; snapshots have most of them in common."""

    def __init__(self) -> None:
        self.known: set[VersionId] = set()
        self.covered: object = None  # the contents of a snapshot that are all known
        # By size; one column for each content, so that a look at one place is a look at one row.
        self._tables: dict[int, tuple[list[VersionId], NDArray[np.uint8]]] = {}

    def add(self, rows: Iterable[tuple[VersionId, bytes]]) -> None:
        """Add contents that are not yet known."""
        import numpy as np

        by_size: dict[int, list[tuple[VersionId, bytes]]] = {}
        for version_id, bits in rows:
            by_size.setdefault(len(bits), []).append((version_id, bits))
        for size, group in by_size.items():
            ids = [version_id for version_id, _ in group]
            joined = b"".join(bits for _, bits in group)
            table = np.frombuffer(joined, np.uint8).reshape(-1, size).T
            before, old = self._tables.get(size, ([], table[:, :0]))
            self._tables[size] = (before + ids, np.concatenate([old, table], axis=1))
            self.known.update(ids)

    def candidates(self, needed: Needed) -> list[VersionId]:
        """The versions that may hold what is needed, of all snapshots."""
        found: list[VersionId] = []
        for _, (versions, table) in sorted(self._tables.items()):
            columns = _holders(needed, table).nonzero()[0].tolist()
            found += [versions[column] for column in columns]
        return found


def _holders(needed: Needed, table: NDArray[np.uint8]) -> NDArray[np.bool_]:
    """For each column whether it may hold what is needed."""
    import numpy as np

    flags = np.ones(table.shape[1], dtype=bool)
    if needed.literal:
        flags = _literal_holders(_pieces(needed.literal), table)
    for part in needed.all_of:
        flags &= _holders(part, table)
    if needed.any_of:
        flags &= np.logical_or.reduce([_holders(part, table) for part in needed.any_of])
    return flags


@lru_cache(maxsize=16)
def _pieces(literal: bytes) -> NDArray[np.uint32]:
    """The hashes of a literal's pieces, or of enough of them."""
    import numpy as np

    # `np.unique` would load the masked arrays, for good.
    found = np.array(sorted(set(_hashes(literal).tolist())), np.uint32)
    return found[:: 1 + len(found) // _ENOUGH_GRAMS]


def _literal_holders(pieces: NDArray[np.uint32], table: NDArray[np.uint8]) -> NDArray[np.bool_]:
    import numpy as np

    places = pieces & np.uint32(len(table) * 8 - 1)
    some, rest = places[:_FIRST_GRAMS], places[_FIRST_GRAMS:]
    flags = _are_set(table[some >> 3], some)
    columns = flags.nonzero()[0]
    flags[columns] = _are_set(table[np.ix_(rest >> 3, columns)], rest)
    return flags


def _are_set(rows: NDArray[np.uint8], places: NDArray[np.uint32]) -> NDArray[np.bool_]:
    """For each column whether it has the bits of all places, of which `rows` hold the bytes."""
    import numpy as np

    bits = (places & 7).astype(np.uint8)[:, None]
    flags: NDArray[np.bool_] = np.all(rows >> bits & 1, axis=0)
    return flags
