"""Compiler truth for Rust: the definition rust-analyzer gives each identifier use.

Usage: rust_truth.py ROOT OUT.jsonl [--rust-analyzer CMD] [--sysroot-src DIR] [--deps DIR]...

A rust-project.json is generated from the Cargo.toml files (no cargo, no network): all features
on, `test` on, dependencies joined by package name among the repository's own packages and those
found under --deps. `rust-analyzer lsif` then answers in one batch. Roles come from tree-sitter.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlparse

import tree_sitter_rust
from rust_syntax import (
    declared_kind,
    in_attribute,
    in_pattern,
    in_unexpanded,
    is_local,
    is_macro_name,
    is_member,
    is_qualified,
    role_of,
)
from tree_sitter import Language, Node, Parser, Range

LANGUAGE = Language(tree_sitter_rust.language())
NAMES = {"identifier", "field_identifier", "type_identifier", "shorthand_field_identifier"}
SKIPPED_DIRS = {"target", ".git", "node_modules"}
TARGET_DIRS = {"example": "examples", "test": "tests", "bench": "benches"}
KEYWORDS = {"Self", "self", "super", "crate", "_", "static", "async", "await", "dyn"}
Position = tuple[int, int]


# ---- the project ---------------------------------------------------------------------------


@dataclass
class Crate:
    """One compilation target."""

    name: str
    root: Path
    is_lib: bool
    index: int = -1
    deps: dict[str, Crate] = field(default_factory=dict)


@dataclass
class Package:
    """One Cargo.toml with a [package] table."""

    directory: Path
    manifest: dict[str, Any]
    workspace: dict[str, Any]
    member: bool
    crates: list[Crate] = field(default_factory=list)

    @property
    def name(self) -> str:
        return str(self.manifest["package"]["name"])

    @property
    def lib(self) -> Crate | None:
        return next((c for c in self.crates if c.is_lib), None)

    @property
    def edition(self) -> str:
        edition = self.manifest["package"].get("edition", "2015")
        if isinstance(edition, dict):
            edition = self.workspace.get("package", {}).get("edition", "2021")
        return str(edition)

    @property
    def is_proc_macro(self) -> bool:
        lib = self.manifest.get("lib", {})
        return bool(lib.get("proc-macro") or lib.get("proc_macro"))


def read_toml(path: Path) -> dict[str, Any]:
    try:
        return tomllib.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}


def load_packages(root: Path, member: bool) -> list[Package]:
    manifests: dict[Path, dict[str, Any]] = {}
    for path in sorted(root.rglob("Cargo.toml")):
        if not SKIPPED_DIRS & set(path.relative_to(root).parts):
            manifests[path.parent] = read_toml(path)
    packages = []
    for directory, manifest in manifests.items():
        if "name" not in manifest.get("package", {}):
            continue
        above = [manifests.get(d, {}) for d in (directory, *directory.parents)]
        workspace: dict[str, Any] = next((m["workspace"] for m in above if "workspace" in m), {})
        package = Package(directory, manifest, workspace, member)
        package.crates = list(find_crates(package))
        packages.append(package)
    return packages


def find_crates(package: Package) -> Iterator[Crate]:
    """The lib, then (for members) the bins, examples, tests, benches and build script."""
    directory, manifest = package.directory, package.manifest
    lib = manifest.get("lib", {})
    root = directory / lib.get("path", "src/lib.rs")
    if root.is_file():
        yield Crate(str(lib.get("name", package.name)).replace("-", "_"), root, True)
    if not package.member:
        return
    roots: set[Path] = set()
    for kind in ("bin", *TARGET_DIRS):
        base = directory / TARGET_DIRS.get(kind, "src/bin")
        for entry in manifest.get(kind, []):
            path = entry.get("path")
            roots.add(directory / path if path else base / f"{entry.get('name')}.rs")
        if manifest["package"].get("auto" + TARGET_DIRS.get(kind, "bins"), True):
            roots.update(base.glob("*.rs"))
            roots.update(base.glob("*/main.rs"))
    roots.update({directory / "src/main.rs", directory / "build.rs"})
    for path in sorted(roots):
        if path.is_file():
            name = path.parent.name if path.name == "main.rs" else path.stem
            yield Crate(name.replace("-", "_").replace(".", "_"), path, False)


def dependency_tables(manifest: dict[str, Any]) -> Iterator[tuple[bool, dict[str, Any]]]:
    """(is it dev only, table) for each dependency table, normal ones first."""
    for dev, key in (
        (False, "dependencies"),
        (False, "build-dependencies"),
        (True, "dev-dependencies"),
    ):
        for owner in (manifest, *manifest.get("target", {}).values()):
            yield dev, owner.get(key, {})


def link(packages: list[Package]) -> None:
    """Joins crates to the libraries they name, leaving out what would close a cycle."""
    libs: dict[str, Crate] = {}
    for package in packages:
        if package.lib:
            libs.setdefault(package.name, package.lib)
    for wanted_dev in (False, True):
        for package in packages:
            for dev, table in dependency_tables(package.manifest):
                if dev == wanted_dev and (package.member or not dev):
                    link_table(package, table, libs)
    for package in packages:
        for crate in package.crates:
            if package.lib and crate is not package.lib:
                crate.deps[package.lib.name] = package.lib


def link_table(package: Package, table: dict[str, Any], libs: dict[str, Crate]) -> None:
    for alias, spec in table.items():
        if isinstance(spec, dict) and spec.get("workspace"):
            spec = package.workspace.get("dependencies", {}).get(alias, spec)
        real = spec.get("package", alias) if isinstance(spec, dict) else alias
        lib = libs.get(real)
        if lib is None:
            continue
        name = alias.replace("-", "_") if real != alias else lib.name
        for crate in package.crates:
            if not reaches(lib, crate):
                crate.deps[name] = lib


def reaches(start: Crate, goal: Crate) -> bool:
    todo, seen = [start], set()
    while todo:
        crate = todo.pop()
        if crate is goal:
            return True
        if id(crate) not in seen:
            seen.add(id(crate))
            todo.extend(crate.deps.values())
    return False


def project_json(packages: list[Package], sysroot_src: str | None) -> dict[str, Any]:
    crates = [(p, c) for p in packages for c in p.crates]
    for index, (_, crate) in enumerate(crates):
        crate.index = index
    project: dict[str, Any] = {"crates": [crate_json(p, c) for p, c in crates]}
    if sysroot_src:
        project["sysroot_src"] = sysroot_src
    return project


def crate_json(package: Package, crate: Crate) -> dict[str, Any]:
    features = set(package.manifest.get("features", {}))
    for _, table in dependency_tables(package.manifest):
        features.update(k for k, v in table.items() if isinstance(v, dict) and v.get("optional"))
    cfg = [f'feature="{name}"' for name in sorted(features)]
    cfg += [
        "unix",
        'target_os="linux"',
        'target_family="unix"',
        'target_arch="x86_64"',
        'target_env="gnu"',
        'target_pointer_width="64"',
        'target_endian="little"',
        'target_has_atomic="64"',
        'target_has_atomic="ptr"',
        'panic="unwind"',
        "debug_assertions",
    ]
    if package.member:
        cfg.append("test")
    version = package.manifest["package"].get("version", "0.0.0")
    return {
        "display_name": crate.name,
        "root_module": str(crate.root),
        "edition": package.edition,
        "deps": [{"crate": dep.index, "name": name} for name, dep in crate.deps.items()],
        "is_workspace_member": package.member,
        "is_proc_macro": crate.is_lib and package.is_proc_macro,
        "source": {
            "include_dirs": [str(package.directory)],
            "exclude_dirs": [str(package.directory / d) for d in sorted(SKIPPED_DIRS)],
        },
        "cfg": cfg,
        "env": {
            "CARGO_PKG_NAME": package.name,
            "CARGO_CRATE_NAME": crate.name,
            "CARGO_PKG_VERSION": version if isinstance(version, str) else "0.0.0",
            "CARGO_MANIFEST_DIR": str(package.directory),
        },
    }


# ---- the index -----------------------------------------------------------------------------


@dataclass
class Index:
    """What rust-analyzer said: per file, token start -> definition (None where it gave none)."""

    documents: dict[int, Path] = field(default_factory=dict)
    ranges: dict[int, tuple[Position, Position]] = field(default_factory=dict)
    owner: dict[int, int] = field(default_factory=dict)
    result_set: dict[int, int] = field(default_factory=dict)
    definition: dict[int, int] = field(default_factory=dict)
    items: dict[int, list[int]] = field(default_factory=dict)

    def add(self, element: dict[str, Any]) -> None:
        label = element["label"]
        if label == "range":
            start, end = element["start"], element["end"]
            self.ranges[element["id"]] = (
                (start["line"], start["character"]),
                (end["line"], end["character"]),
            )
        elif label == "document":
            self.documents[element["id"]] = Path(unquote(urlparse(element["uri"]).path))
        elif label == "contains":
            if element["outV"] in self.documents:
                self.owner.update(dict.fromkeys(element["inVs"], element["outV"]))
        elif label == "next":
            self.result_set[element["outV"]] = element["inV"]
        elif label == "textDocument/definition":
            self.definition[element["outV"]] = element["inV"]
        elif label == "item" and element.get("property") is None:
            self.items.setdefault(element["outV"], []).extend(element["inVs"])
            for range_id in element["inVs"]:
                self.owner.setdefault(range_id, int(element.get("document") or element["shard"]))

    def targets(self, range_id: int) -> list[int]:
        return self.items.get(self.definition.get(self.result_set.get(range_id, -1), -1), [])


def build_index(command: list[str], project: dict[str, Any]) -> Index:
    index = Index()
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / "rust-project.json").write_text(json.dumps(project))
        with subprocess.Popen(
            [*command, "lsif", folder], stdout=subprocess.PIPE, text=True
        ) as process:
            assert process.stdout is not None
            for line in process.stdout:
                index.add(json.loads(line))
        if process.returncode:
            raise SystemExit(f"rust-analyzer ended with status {process.returncode}")
    return index


# ---- syntax --------------------------------------------------------------------------------


class SourceFile:
    """A parsed file; items inside item-level macro bodies are parsed as items too."""

    def __init__(self, path: Path) -> None:
        self.data = path.read_bytes()
        self.lines = self.data.split(b"\n")
        self.names: dict[Position, Node] = {}
        self._trees: list[Any] = []
        self._parse(None, 0)

    def _parse(self, included: Range | None, depth: int) -> bool:
        parser = (
            Parser(LANGUAGE) if included is None else Parser(LANGUAGE, included_ranges=[included])
        )
        tree = parser.parse(self.data)
        if included is not None and tree.root_node.has_error:
            return False
        self._trees.append(tree)
        todo = [(tree.root_node, False)]
        while todo:
            node, in_function = todo.pop()
            if node.type in NAMES and (
                node.parent is None or node.parent.type not in ("lifetime", "label")
            ):
                self.names[(node.start_point[0], node.start_point[1])] = node
            if (
                node.type == "token_tree"
                and not in_function
                and depth < 4
                and self._is_item_body(node)
            ):
                inner = Range(
                    (node.start_point[0], node.start_point[1] + 1),
                    (node.end_point[0], node.end_point[1] - 1),
                    node.start_byte + 1,
                    node.end_byte - 1,
                )
                if inner.end_byte > inner.start_byte and self._parse(inner, depth + 1):
                    continue
            inside = in_function or node.type in ("function_item", "closure_expression")
            todo.extend((child, inside) for child in node.children)
        return True

    def _is_item_body(self, node: Node) -> bool:
        parent = node.parent
        return (
            parent is not None
            and parent.type == "macro_invocation"
            and self.data[node.start_byte : node.start_byte + 1] == b"{"
        )

    def text(self, node: Node) -> str:
        return self.data[node.start_byte : node.end_byte].decode("utf-8", "replace")

    def byte_position(self, line: int, utf16: int) -> Position:
        raw = self.lines[line] if line < len(self.lines) else b""
        if raw.isascii():
            return line, utf16
        units = raw.decode("utf-8", "replace").encode("utf-16-le")[: utf16 * 2]
        return line, len(units.decode("utf-16-le", "replace").encode())


# ---- output --------------------------------------------------------------------------------


class Truth:
    """Turns the index into uses."""

    def __init__(self, root: Path, index: Index) -> None:
        self.root = root
        self.index = index
        self.files: dict[Path, SourceFile] = {}
        self.counts = dict.fromkeys(("uses", "in-repo", "ext", "unresolved"), 0)

    def file(self, path: Path) -> SourceFile:
        if path not in self.files:
            self.files[path] = SourceFile(path)
        return self.files[path]

    def uses(self) -> Iterator[dict[str, Any]]:
        tokens: dict[Path, dict[Position, int]] = {}
        for range_id, document in self.index.owner.items():
            path = self.index.documents[document]
            if path.is_relative_to(self.root) and range_id in self.index.result_set:
                start = self.file(path).byte_position(*self.index.ranges[range_id][0])
                tokens.setdefault(path, {})[start] = range_id
        for path in sorted(tokens):
            source = self.file(path)
            for position, node in sorted(source.names.items()):
                use = self.use(path, source, position, node, tokens[path].get(position))
                if use:
                    yield use

    def use(
        self, path: Path, source: SourceFile, position: Position, node: Node, range_id: int | None
    ) -> dict[str, Any] | None:
        found: list[tuple[Path, Position]] = []
        for target in self.index.targets(range_id) if range_id is not None else []:
            target_path = self.index.documents[self.index.owner[target]]
            start = self.index.ranges[target][0]
            if target_path.is_relative_to(self.root):
                start = self.file(target_path).byte_position(*start)
            found.append((target_path, start))
        if (path, position) in found or node.parent is None:
            return None
        if declared_kind(node) and (not found or node.parent.type != "token_tree"):
            return None
        if source.text(node) in KEYWORDS or (
            not found and (in_pattern(node) or in_unexpanded(node))
        ):
            return None
        use: dict[str, Any] = {
            "f": path.relative_to(self.root).as_posix(),
            "l": position[0] + 1,
            "c": position[1],
            "n": source.text(node),
            "k": role_of(node),
        }
        if is_member(node):
            use["m"] = 1
        if is_qualified(node):
            use["q"] = 1
        self.fill(use, found)
        return use

    def fill(self, use: dict[str, Any], found: list[tuple[Path, Position]]) -> None:
        inside = [
            (p, s)
            for p, s in found
            if p.is_relative_to(self.root) and not in_attribute(self.file(p).names.get(s))
        ]  # a derive has no declaration
        use["t"] = [[p.relative_to(self.root).as_posix(), s[0] + 1, s[1]] for p, s in inside]
        nodes = [self.file(p).names.get(s) if s != (0, 0) else None for p, s in inside]
        kinds = []
        for (_, start), node in zip(inside, nodes, strict=True):
            if start == (0, 0):
                kinds.append("module")  # a module that is a file
            elif node is None:
                kinds.append("other")
            else:
                kinds.append(
                    "macro_generated" if is_macro_name(node) else declared_kind(node) or "variable"
                )
        use["dk"] = kinds
        if any(node is not None and is_local(node) and not is_macro_name(node) for node in nodes):
            use["loc"] = 1
        if use["k"] == "call" and kinds and kinds[0] == "struct":
            use["k"] = "new"
        elif use["k"] == "new" and kinds and kinds[0] in ("function", "method", "variable"):
            use["k"] = "ref"
        if not inside:
            use["ext" if found else "un"] = 1
        self.counts["uses"] += 1
        self.counts["in-repo" if inside else "ext" if found else "unresolved"] += 1


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("root", type=Path)
    parser.add_argument("out", type=Path)
    parser.add_argument(
        "--rust-analyzer", default="rust-analyzer", help="command, split at spaces"
    )
    parser.add_argument("--sysroot-src", help="the library folder of rust-src")
    parser.add_argument(
        "--deps", type=Path, action="append", default=[], help="folder of dependency sources"
    )
    options = parser.parse_args()
    root = options.root.resolve()
    packages = load_packages(root, True)
    for folder in options.deps:
        packages += load_packages(folder.resolve(), False)
    link(packages)
    index = build_index(options.rust_analyzer.split(), project_json(packages, options.sysroot_src))
    truth = Truth(root, index)
    with options.out.open("w", encoding="utf-8") as out:
        for use in truth.uses():
            out.write(json.dumps(use, ensure_ascii=False, separators=(",", ":")) + "\n")
    print(", ".join(f"{name} {count}" for name, count in truth.counts.items()), file=sys.stderr)
    return 0


if __name__ == "__main__":
    sys.exit(main())
