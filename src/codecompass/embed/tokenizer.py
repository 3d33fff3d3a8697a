"""The tokenizer of a model in a folder; needs the extra `models`."""

from pathlib import Path
from typing import Any

from codecompass.errors import BadInput, ExtraMissing


def load_tokenizer(folder: Path) -> Any:
    """The tokenizer that `tokenizer.json` describes."""
    try:
        from tokenizers import Tokenizer
    except ModuleNotFoundError as error:
        raise ExtraMissing(
            "this model needs the package tokenizers",
            remediation="pip install 'codecompass[models]'",
        ) from error
    file = folder / "tokenizer.json"
    if not file.exists():
        raise BadInput(f"semantic.model: {folder} holds no tokenizer.json")
    tokenizer = Tokenizer.from_file(str(file))
    tokenizer.no_padding()
    return tokenizer
