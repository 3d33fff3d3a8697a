"""The languages' own types, written down in those languages, as tables."""

from functools import cache
from importlib.resources import files

from codecompass.model.module import NOTHING, ModuleFacts, Scope, ScopeKind
from codecompass.parse.extract import extract
from codecompass.parse.languages import BY_NAME

_STUBS = {
    "python": ("python", "python.stub"),
    "ecma": ("typescript", "ecma.stub"),
    "go": ("go", "go.stub"),
    "java": ("java", "java.stub"),
    "rust": ("rust", "rust.stub"),
    "c": ("cpp", "c.stub"),
    "csharp": ("csharp", "csharp.stub"),
    "kotlin": ("kotlin", "kotlin.stub"),
    "php": ("csharp", "php.stub"),
    "ruby": ("csharp", "ruby.stub"),
}


@cache
def stub_tables(family: str) -> ModuleFacts:
    """The tables of the types that values of a family of languages have without importing any."""
    if family not in _STUBS:  # no types of values are known
        return ModuleFacts(
            [], [Scope(ScopeKind.MODULE, NOTHING, NOTHING, {})], [], [], None, [], {}
        )
    language, name = _STUBS[family]
    text = (files("codecompass.parse") / "stubs" / name).read_bytes()
    found = extract(BY_NAME[language], text).module
    assert found is not None  # noqa: S101  # our own text, and its language has a walker
    return found


@cache
def built_in_names(family: str) -> frozenset[str]:
    """What the members of those types are called."""
    keys = stub_tables(family).keys.values()
    return frozenset(key.rpartition(".")[2] for key in keys)
