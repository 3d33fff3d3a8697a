"""A question in, a guess at what it is after out."""

import re

from codecompass.model.search import Intent, IntentGuess, Question
from codecompass.search.parse_query import has_known_suffix

_PATH = re.compile(r"[\w.@+-]*(?:/[\w.@+-]+)+/?")
_ERROR = re.compile(
    r"\b(?:\w+(?:Error|Exception)|panic(?:ked)?|traceback|segfault|errno|stack ?trace"
    r"|exit code|assertion failed|undefined reference|cannot find|no such)\b",
    re.IGNORECASE,
)
_CODE = re.compile(r"[{};]|=>|->|\w\(|\)\.|==|!=|&&|\|\||:=|\b(?:def|func|fn|class|struct) \w+")
_PROSE = re.compile(
    r"\b(?:how|what|where|when|which|why|who|does|is|are|the|a|an|and|of|for|to|with|in)\b",
    re.IGNORECASE,
)


def guess_intent(question: Question) -> IntentGuess:
    """The kind of question and how sure that is.

    A guess only moves weights and names the retrievers to ask first; it never hides
    a result of another kind.
    """
    if question.symbol or question.usages_of:
        return IntentGuess(Intent.SYMBOL, 1.0)
    if question.expression:
        return IntentGuess(Intent.STRUCTURAL, 1.0)
    text = question.text
    words = text.split()
    if len(words) == 1:
        return _guess_word(text)
    if _ERROR.search(text) and not text.lower().startswith(("how", "what", "where", "which")):
        is_message = bool(re.search(r"['\":]|\d", text))
        return IntentGuess(Intent.ERROR, 0.8 if is_message else 0.5)
    if len(_CODE.findall(text)) >= 2:
        return IntentGuess(Intent.STRUCTURAL, 0.7)
    share = len(_PROSE.findall(text)) / max(len(words), 1)
    if len(words) == 2 and len(question.names) == 2:
        return IntentGuess(Intent.SYMBOL, 0.6)
    return IntentGuess(Intent.NATURAL_LANGUAGE, round(min(0.95, 0.6 + share), 2))


def _guess_word(word: str) -> IntentGuess:
    if _PATH.fullmatch(word):
        return IntentGuess(Intent.PATH, 0.95)
    if has_known_suffix(word):
        return IntentGuess(Intent.PATH, 0.7)  # `config.go`, which may also be a method
    if re.fullmatch(r"[\w$.:#!?]+", word):
        return IntentGuess(Intent.SYMBOL, 0.9 if re.search(r"[A-Z_.:#]", word) else 0.7)
    return IntentGuess(Intent.STRUCTURAL, 0.5)
