"""Text in, an estimate of how many tokens a language model makes of it out."""

# Common tokenizers make 3 to 4 characters of code into one token; 3 errs to the safe side.
_BYTES_PER_TOKEN = 3


def estimate_tokens(text: str) -> int:
    """A conservative estimate: rarely under what common tokenizers count."""
    return -(-len(text.encode("utf-8", "replace")) // _BYTES_PER_TOKEN)


def cut_to_tokens(text: str, tokens: int) -> str:
    """The beginning of a text that is estimated at no more than so many tokens."""
    kept = text.encode("utf-8", "replace")[: tokens * _BYTES_PER_TOKEN]
    return kept.decode("utf-8", "ignore")
