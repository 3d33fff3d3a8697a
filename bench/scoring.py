"""What several benchmarks need: the scorer of the retrieval benchmark, tokenizers by name."""

import importlib.util
import sys
from collections.abc import Callable
from pathlib import Path
from types import ModuleType

Count = Callable[[str], int]


def load_scorer(folder: Path) -> ModuleType:
    """The `score.py` of the retrieval benchmark."""
    path = folder / "score.py"
    spec = importlib.util.spec_from_file_location("score", path)
    if spec is None or spec.loader is None:
        sys.exit(f"{path}: not found")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def tokenizer_named(text: str) -> tuple[str, Count]:
    """`NAME` is one of tiktoken's encodings, `NAME=FILE` a file in the format of tokenizers."""
    name, _, file = text.partition("=")
    if file:
        from tokenizers import Tokenizer

        loaded = Tokenizer.from_file(file)
        return name, lambda piece: len(loaded.encode(piece, add_special_tokens=False).ids)
    import tiktoken

    encoding = tiktoken.get_encoding(name)
    return name, lambda piece: len(encoding.encode(piece, disallowed_special=()))
