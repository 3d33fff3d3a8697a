"""A word that no model knows in, the pieces by which its meaning is guessed out."""

from zlib import crc32

# Longer "words" are several joined, whose parts are known by themselves, or data.
MAX_WORD_CHARS = 14
_SIZES = (3, 4, 5)


def ngram_buckets(word: str, buckets: int) -> list[int]:
    """The numbers of a word's character n-grams; none for what is no word.

    Hashed, so that every n-gram has a number without a list of them; the ends of the
    word are marked, because beginnings and endings mean most.
    """
    if not word.isalpha() or not 1 < len(word) <= MAX_WORD_CHARS:
        return []
    marked = f"<{word}>".encode()
    return [
        crc32(marked[start : start + size]) % buckets
        for size in _SIZES
        for start in range(len(marked) - size + 1)
    ]
