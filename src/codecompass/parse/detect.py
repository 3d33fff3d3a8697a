"""A path and a text in, the language out."""

from codecompass.parse.language import Language
from codecompass.parse.languages import BY_NAME, LANGUAGES, PLAIN_TEXT

_BY_SUFFIX = {suffix: language for language in LANGUAGES for suffix in language.suffixes}
_BY_FILENAME = {name: language for language in LANGUAGES for name in language.filenames}
_TEMPLATES = frozenset({".example", ".sample", ".template", ".dist", ".defaults", ".tpl"})
_BY_INTERPRETER = {name: language for language in LANGUAGES for name in language.interpreters}


def detect_language(path: str, text: bytes) -> Language:
    """The language of a file, by its name, then its suffix, then its `#!` line.

    A `.h` file that speaks C++ is read as C++; everything unknown is plain text.
    """
    language = language_by_name(path)
    if language is not None:
        return language
    if path.endswith(".h"):
        return BY_NAME["cpp" if _speaks_cpp(text) else "c"]
    found = _by_interpreter(text) if text.startswith(b"#!") else None
    return found or PLAIN_TEXT


def language_by_name(path: str) -> Language | None:
    """The language of a file if its name alone decides; None if its content has a say."""
    name = path.rpartition("/")[2]
    language = _BY_FILENAME.get(name) or _BY_SUFFIX.get(_suffix(name))
    if language is None and name.startswith(("Dockerfile.", "Containerfile.")):
        return BY_NAME["dockerfile"]
    if language is None and name.startswith(".env."):
        return BY_NAME["settings" if _suffix(name) in _TEMPLATES else "secrets"]
    return None if name.endswith(".h") else language


def _suffix(name: str) -> str:
    """The last part of a name with its dot; a name that only begins with a dot has none."""
    place = name.rfind(".")
    return name[place:].lower() if 0 < place < len(name) - 1 else ""


def _by_interpreter(text: bytes) -> Language | None:
    words = text[2:200].split(b"\n", 1)[0].decode("utf-8", "replace").split()
    names = [word.rsplit("/", 1)[-1] for word in words]
    if names[:1] == ["env"]:
        names = [name for name in names[1:] if not name.startswith("-") and "=" not in name]
    stem = names[0].rstrip("0123456789.") if names else ""
    return _BY_INTERPRETER.get(names[0]) or _BY_INTERPRETER.get(stem) if names else None


_CPP_MARKS = (
    b"\nclass ",
    b"\nnamespace ",
    b"template <",
    b"template<",
    b"std::",
    b"\n#include <string>",
)


def _speaks_cpp(text: bytes) -> bool:
    return any(mark in text for mark in _CPP_MARKS)
