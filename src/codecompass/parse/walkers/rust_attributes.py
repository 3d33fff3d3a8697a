"""Rust: what attributes say of the item behind them."""

import re
from collections.abc import Iterator

from tree_sitter import Node

_PATH = re.compile(r'#\[path\s*=\s*"([^"]+)"\s*\]')
_CONDITION = re.compile(r"#\[cfg\s*\((.*)\)\s*\]\Z", re.DOTALL)
_TOKENS = re.compile(r'\w+\s*=\s*"[^"]*"|\w+|[(),]')
# What holds where most of us build: features are on, other systems and special builds are not.
_TRUE = frozenset(
    {"unix", "test", "debug_assertions", "panic", "proc_macro", 'target_os="linux"'}
    | {'target_family="unix"', 'target_pointer_width="64"', 'target_endian="little"'}
    | {'target_arch="x86_64"', 'target_env="gnu"', 'target_has_atomic="64"'}
)
_BUILT_IN = frozenset(
    {
        "allow", "automatically_derived", "cfg", "cfg_attr", "cold", "crate_type", "deny",
        "derive",
        "deprecated", "doc", "expect", "export_name", "feature", "forbid", "global_allocator",
        "ignore", "inline", "link", "link_name", "macro_export", "macro_use", "must_use",
        "no_mangle", "no_std", "non_exhaustive", "panic_handler", "path", "proc_macro",
        "proc_macro_attribute", "proc_macro_derive", "repr", "rustfmt", "should_panic", "test",
        "target_feature", "track_caller", "warn",
    }
)  # fmt: skip


def attributes_of(node: Node) -> Iterator[Node]:
    """The attributes that stand before an item."""
    before = node.prev_named_sibling
    while before is not None and before.type in ("attribute_item", "line_comment"):
        if before.type == "attribute_item":
            yield before
        before = before.prev_named_sibling


def written_path(attributes: list[str]) -> str:
    """The file of a module where `#[path = "…"]` names it."""
    found = [match.group(1) for match in map(_PATH.match, attributes) if match]
    return found[0] if found else ""


def is_inactive(attributes: list[str]) -> bool:
    """Whether `#[cfg(…)]` leaves an item out of a usual build."""
    conditions = [match.group(1) for match in map(_CONDITION.match, attributes) if match]
    return any(not _holds(_TOKENS.findall(text)) for text in conditions)


def is_own(name: str) -> bool:
    """Whether an attribute can be one that somebody has written."""
    return name not in _BUILT_IN


def _holds(tokens: list[str]) -> bool:
    """A condition of `cfg`; takes its tokens off the front."""
    if not tokens:
        return True
    head = tokens.pop(0)
    if not tokens or tokens[0] != "(":
        text = re.sub(r"\s", "", head)
        return text in _TRUE or text.startswith("feature=")
    tokens.pop(0)
    found = []
    while tokens and tokens[0] != ")":
        found.append(_holds(tokens))
        if tokens and tokens[0] == ",":
            tokens.pop(0)
    if tokens:
        tokens.pop(0)
    return not any(found) if head == "not" else any(found) if head == "any" else all(found)
