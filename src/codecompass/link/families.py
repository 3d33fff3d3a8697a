"""Which languages are resolved together, and how."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass

from codecompass.link.dialect import Dialect, Modules
from codecompass.link.dialects import (
    ecma,
    extensions,
    general,
    go,
    includes,
    java,
    plain,
    python,
    rust,
    rust_modules,
)
from codecompass.link.dialects.ecma_inference import EcmaInference
from codecompass.link.dialects.python_inference import PythonInference
from codecompass.link.infer import Inference

LINK_VERSION = "5"
"""Raised when the same facts could be resolved otherwise."""


PLAIN_LANGUAGES = frozenset({"swift", "scala", "lua", "bash", "elixir", "haskell", "zig"})
"""Languages of which names are followed and types are not; reads of values are not recorded."""


@dataclass(frozen=True, slots=True)
class Family:
    """Languages whose files see each other."""

    name: str
    languages: frozenset[str]
    dialect: Dialect
    inference: type[Inference]
    modules: Callable[[Iterable[str], Mapping[str, str]], Modules]
    config_names: tuple[str, ...] = ()  # files that say what module names mean
    has_packages: bool = False  # several files make up a unit with names of its own


def _by_full_names(name: str, languages: set[str], inference: type[Inference]) -> Family:
    dialect = Dialect(
        stubs=f"<{name}>", iterate=("__each__",), indexed="__at__", sequence="Array",
        forms=dict.fromkeys(general.TRANSPARENT, "first"),
    )  # fmt: skip
    return Family(name, frozenset(languages), dialect, inference, general.PathModules)


FAMILIES = (
    Family(
        "python",
        frozenset({"python"}),
        python.DIALECT,
        PythonInference,
        lambda paths, _configs: python.modules_of(tuple(paths)),
    ),
    Family(
        "ecma",
        frozenset({"javascript", "typescript", "tsx"}),
        ecma.DIALECT,
        EcmaInference,
        ecma.EcmaModules,
        ("package.json", "tsconfig", "jsconfig"),
    ),
    Family(
        "java",
        frozenset({"java"}),
        java.DIALECT,
        java.JavaInference,
        java.JavaModules,
        has_packages=True,
    ),
    Family(
        "rust",
        frozenset({"rust"}),
        rust_modules.DIALECT,
        rust.RustInference,
        rust_modules.RustModules,
        ("Cargo.toml",),
        has_packages=True,
    ),
    Family(
        "go",
        frozenset({"go"}),
        go.DIALECT,
        go.GoInference,
        go.GoModules,
        ("go.mod",),
        has_packages=True,
    ),
    _by_full_names("c", {"c", "cpp"}, includes.IncludeInference),
    _by_full_names("csharp", {"csharp"}, extensions.CSharpInference),
    _by_full_names("php", {"php"}, general.PackageInference),
    _by_full_names("kotlin", {"kotlin"}, extensions.KotlinInference),
    _by_full_names("ruby", {"ruby"}, general.RubyInference),
    *(_by_full_names(name, {name}, plain.PlainInference) for name in sorted(PLAIN_LANGUAGES)),
)
FAMILY_OF = {language: family for family in FAMILIES for language in family.languages}


def family_languages(language: str) -> frozenset[str]:
    """The languages whose files are resolved together with those of one; none if it is not."""
    family = FAMILY_OF.get(language)
    return family.languages if family is not None else frozenset()


def is_config(family: Family, path: str) -> bool:
    """Whether a file says what module names mean."""
    name = path.rpartition("/")[2]
    if name in family.config_names:
        return True
    return name.endswith(".json") and name.startswith(family.config_names or ("\0",))
