"""Captures of import statements in, one record per imported name out.

Inside one `import` capture the parts are read in source order:

- `import.module` is the module for every name of its statement; `import.prefix`
  is put before what stands inside its `import.group`.
- `import.segment` is one part of a module path that the grammar does not keep whole.
- `import.name` is an imported name, `import.path` a path that is module and name
  in one; `import.alias` renames what came last before it; `import.bound` is the
  variable that `x = require(...)` fills.
- `import.default`, `import.namespace`, `import.wildcard` bind a name of that sort.
- `import.type_only`, `import.re_export`, `import.dynamic`, `import.side_effect` mark a
  whole statement.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field

from codecompass.model.reference import Import
from codecompass.parse.ranges import ByteRange, innermost, outermost_first
from codecompass.text.lines import LineTable

_PARTS = (
    "module", "segment", "prefix", "group", "name", "path", "alias", "bound",
    "default", "namespace", "wildcard", "type_only", "re_export", "dynamic", "side_effect",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class ImportRules:
    """How a language writes module paths; see the row's fields of the same names."""

    separator: str
    splits_path: bool
    module_binds: str


@dataclass(slots=True)
class _Name:
    start: int
    prefix: str = ""
    name: str = ""
    path: str = ""  # module and name in one
    bound: str = ""
    sort: str = ""  # default | namespace


@dataclass(slots=True)
class _Statement:
    span: ByteRange
    module: str = ""
    module_span: ByteRange = (-1, -1)
    segments: list[str] = field(default_factory=list)
    bound: str = ""
    names: list[_Name] = field(default_factory=list)
    groups: list[tuple[ByteRange, str]] = field(default_factory=list)
    marks: set[str] = field(default_factory=set)


def collect_imports(
    text: bytes,
    lines: LineTable,
    *,
    captures: Mapping[str, list[ByteRange]],
    rules: ImportRules,
) -> list[Import]:
    """All imports of a file in source order."""
    shells = sorted(captures.get("import", ()), key=outermost_first)
    statements = [_Statement(shell) for shell in shells]
    parts = sorted((span, part) for part in _PARTS for span in captures.get(f"import.{part}", ()))
    spans = [span for span, _ in parts]
    for (span, part), index in zip(parts, innermost(shells, spans), strict=True):
        if index >= 0:
            _read_part(statements[index], part, span=span, text=text)
    found: list[Import] = []
    for statement in statements:
        found += _finish(statement, lines, rules)
    return found


def _read_part(statement: _Statement, part: str, *, span: ByteRange, text: bytes) -> None:
    value = text[span[0] : span[1]].decode("utf-8", "replace").strip().strip("\"'`<>")
    match part:
        case "path" | "name" | "default" | "namespace" | "wildcard":
            if span != statement.module_span or part == "wildcard":
                statement.names.append(_name(statement, part, span, value))
        case "module":
            if not statement.module:
                statement.module, statement.module_span = value, span
        case "segment":
            statement.segments.append(value)
        case "prefix":
            statement.groups.append((span, value))
        case "group":
            _close_prefix(statement, span)
        case "alias" if statement.names:
            statement.names[-1].bound = value
        case "alias" | "bound":
            statement.bound = value
        case _:
            statement.marks.add(part)


def _name(statement: _Statement, part: str, span: ByteRange, value: str) -> _Name:
    prefix = _prefix_at(statement, span)
    match part:
        case "path":
            return _Name(span[0], prefix, path=value)
        case "name":
            return _Name(span[0], prefix, name=value)
        case "wildcard":
            return _Name(span[0], prefix, name="*")
    return _Name(span[0], name="default" if part == "default" else "*", bound=value, sort=part)


def _close_prefix(statement: _Statement, group: ByteRange) -> None:
    """Let the prefix that stands right before a group hold inside that group."""
    for index in range(len(statement.groups) - 1, -1, -1):
        span, value = statement.groups[index]
        if span[1] <= group[0]:
            statement.groups[index] = (group, value)
            return


def _prefix_at(statement: _Statement, span: ByteRange) -> str:
    if not statement.groups:
        return ""
    around = [value for group, value in statement.groups if group[0] <= span[0] < group[1]]
    return "\0".join(around)


def _finish(statement: _Statement, lines: LineTable, rules: ImportRules) -> list[Import]:
    names, splits_path = statement.names, rules.splits_path
    statement.module = statement.module or rules.separator.join(statement.segments)
    if not names and statement.module:
        names = [_Name(statement.span[0], path=statement.module, bound=statement.bound)]
        statement.module, splits_path = "", splits_path and bool(statement.segments)
    marks = statement.marks
    found = []
    for item in names:
        module, name = _module_and_name(item, statement.module, rules.separator, splits_path)
        bound = _bound_name(item, module, name, rules)
        binds = bound and not marks & {"re_export", "side_effect"}
        found.append(
            Import(
                module=module,
                name=name,
                bound_name=bound if binds else "",
                line=lines.line_of(item.start),
                start_byte=item.start,
                type_only="type_only" in marks,
                namespace=item.sort == "namespace",
                default=item.sort == "default",
                re_export="re_export" in marks,
                dynamic="dynamic" in marks,
                side_effect="side_effect" in marks or not (name or bound or marks),
            )
        )
    return found


def _module_and_name(
    item: _Name, module: str, separator: str, splits_path: bool
) -> tuple[str, str]:
    prefix = [part for part in (module, *item.prefix.split("\0")) if part]
    if not item.path:
        return separator.join(prefix), item.name
    path = separator.join([*prefix, item.path])
    if splits_path and separator in path:
        path = path.removesuffix(f"{separator}self")  # Rust: `use a::b::{self}` is `use a::b`
        head, _, last = path.rpartition(separator)
        return head, last
    return path, ""


def _bound_name(item: _Name, module: str, name: str, rules: ImportRules) -> str:
    """The local name: an alias, the imported name, or what a plain module import binds."""
    if item.bound or name == "*":
        return item.bound
    if name:
        return name
    if rules.module_binds == "first":
        return module.split(rules.separator, 1)[0]
    if rules.module_binds == "last":
        return module.rstrip("/").rsplit("/", 1)[-1]
    if rules.splits_path and module.isidentifier():
        return module
    return ""
