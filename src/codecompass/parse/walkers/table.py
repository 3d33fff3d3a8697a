"""Which walker reads which language; loaded when first needed."""

from collections.abc import Callable
from functools import cache
from importlib import import_module
from typing import TYPE_CHECKING

from codecompass.model.module import ModuleFacts

if TYPE_CHECKING:
    from tree_sitter import Node

Walk = Callable[["Node", bytes], ModuleFacts]
_WALKERS = {
    "go": ("go", "walk"),
    "java": ("java", "walk"),
    "rust": ("rust", "walk"),
    "python": ("python", "walk"),
    "javascript": ("ecma", "walk"),
    "typescript": ("ecma", "walk_typed"),
    "c": ("c_family", "walk_c"),
    "cpp": ("c_family", "walk_cpp"),
    "csharp": ("csharp", "walk"),
    "php": ("php", "walk"),
    "kotlin": ("kotlin", "walk"),
    "ruby": ("ruby", "walk"),
}


@cache
def load_walker(name: str) -> Walk | None:
    """The walker of this name; None for languages without one."""
    if not name:
        return None
    module, function = _WALKERS[name]
    found: Walk = getattr(import_module(f"codecompass.parse.walkers.{module}"), function)
    return found
