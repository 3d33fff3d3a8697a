"""clangd as a server for one file at a time, and the compile commands it needs."""

from __future__ import annotations

import json
import queue
import re
import tempfile
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from lsp_client import LanguageServer, Message, ServerError, path_of_uri

C_SUFFIXES = {".c"}
CPP_SUFFIXES = {".cc", ".cpp", ".cxx"}
HEADER_SUFFIXES = {".h", ".hh", ".hpp", ".hxx", ".inc"}
SYSTEM_INCLUDES = (Path("/usr/include"), Path("/usr/include/x86_64-linux-gnu"))
INCLUDE = re.compile(rb'^[ \t]*#[ \t]*include[ \t]*([<"])([^">]+)[">]', re.MULTILINE)
C_FUNCTION = re.compile(r"c:@F@\w+$")
MISSING = re.compile(r"'([^']+)' file not found")
TIMEOUT_S = 300.0
WINDOW = 128
Position = tuple[int, int]
Spot = tuple[Path, Position]


@dataclass(frozen=True)
class Answer:
    """What clangd says of one name."""

    spots: tuple[Spot, ...]  # where it is declared or defined
    symbols: tuple[str, ...]  # names that are the same in every file; none: only guessed


# ---- the project ---------------------------------------------------------------------------


class Project:
    """The C and C++ files of a repository, and how each would be compiled."""

    def __init__(self, root: Path, flags: list[str]) -> None:
        self.root = root
        self.flags = flags
        known = C_SUFFIXES | CPP_SUFFIXES | HEADER_SUFFIXES
        self.files = sorted(
            path
            for path in root.rglob("*")
            if path.suffix in known and path.is_file() and ".git" not in path.parts
        )
        sources = [path.suffix for path in self.files if path.suffix not in HEADER_SUFFIXES]
        self.has_cpp_headers = sum(s in CPP_SUFFIXES for s in sources) * 2 > len(sources)
        self.outside: set[str] = set()  # headers looked for in the system
        self.folders = self._include_folders()

    def is_cpp(self, path: Path) -> bool:
        return path.suffix in CPP_SUFFIXES or (
            path.suffix in HEADER_SUFFIXES and self.has_cpp_headers
        )

    def below(self, folders: list[str]) -> list[Path]:
        """The files under any of these folders; all for none."""
        roots = [self.root / folder for folder in folders] or [self.root]
        return [path for path in self.files if any(path.is_relative_to(r) for r in roots)]

    def _include_folders(self) -> list[Path]:
        """The folders the repository's #include lines are relative to."""
        wanted: set[str] = set()
        for path in self.files:
            for mark, raw in INCLUDE.findall(path.read_bytes()):
                name = raw.decode("utf-8", "replace").removeprefix("./")
                is_system = any((folder / name).exists() for folder in SYSTEM_INCLUDES)
                if mark == b"<":
                    self.outside.add(name)
                    if is_system or "." not in name:
                        continue
                if not (path.parent / name).is_file():
                    wanted.add(name)
        by_name: dict[str, list[Path]] = {}
        for path in self.files:
            by_name.setdefault(path.name, []).append(path)
        return sorted(
            {
                path.parents[name.count("/")]
                for name in wanted
                for path in by_name.get(Path(name).name, [])
                if path.as_posix().endswith("/" + name)
            }
        )

    def commands(self, files: Iterable[Path]) -> list[dict[str, Any]]:
        """The entries of compile_commands.json, nearest include folders first."""
        found = []
        for path in files:
            language = "c++" if self.is_cpp(path) else "c"
            if path.suffix in HEADER_SUFFIXES:
                language += "-header"
            nearest = sorted(self.folders, key=lambda folder: (distance(path, folder), folder))
            arguments = [
                "clang",
                f"-x{language}",
                "-std=c++20" if self.is_cpp(path) else "-std=gnu11",
                "-w",
                "-ferror-limit=0",
                "-D_GNU_SOURCE",
                *self.flags,
                *(f"-I{folder}" for folder in nearest),
                str(path),
            ]
            found.append({"directory": str(self.root), "file": str(path), "arguments": arguments})
        return found


def distance(start: Path, goal: Path) -> int:
    """How many folders to leave and to enter between two places."""
    shared = sum(1 for a, b in zip(start.parts, goal.parts, strict=False) if a == b)
    return len(start.parts) + len(goal.parts) - 2 * shared


# ---- the server ----------------------------------------------------------------------------


class Clangd(LanguageServer):
    """A running clangd; positions are rows and columns in bytes."""

    capabilities = {  # noqa: RUF012  # as in the parent
        "offsetEncoding": ["utf-8"],
        "general": {"positionEncodings": ["utf-8"]},
    }

    def __init__(self, command: list[str], project: Project, files: list[Path]) -> None:
        self._project = project
        self._diagnostics: queue.SimpleQueue[Message] = queue.SimpleQueue()
        self._folder = tempfile.TemporaryDirectory()
        commands = json.dumps(project.commands(files))
        (Path(self._folder.name) / "compile_commands.json").write_text(commands)
        options = [
            f"--compile-commands-dir={self._folder.name}",
            "--background-index=false",
            "-j=1",
            "--log=error",
            "--limit-results=20",
            "--pch-storage=memory",
        ]
        super().__init__("clangd", [*command, *options], project.root, TIMEOUT_S)

    def open(self, path: Path) -> list[str]:
        """Shows a file and waits until it is read; gives the headers that were not found."""
        document = {
            "uri": path.as_uri(),
            "languageId": "cpp" if self._project.is_cpp(path) else "c",
            "version": 1,
            "text": path.read_bytes().decode("utf-8", "replace"),
        }
        self._notify("textDocument/didOpen", {"textDocument": document})
        while True:
            try:
                params = self._diagnostics.get(timeout=TIMEOUT_S)
            except queue.Empty as error:
                raise ServerError(f"clangd does not finish {path}") from error
            if params["uri"] == document["uri"]:
                messages = [each["message"] for each in params["diagnostics"]]
                return [name for message in messages for name in MISSING.findall(message)]

    def ask(self, path: Path, positions: list[Position]) -> Iterator[Answer]:
        """What the names at these places of the open file mean, in the order asked."""
        for start in range(0, len(positions), WINDOW):
            waiting = []
            for row, column in positions[start : start + WINDOW]:
                params = {
                    "textDocument": {"uri": path.as_uri()},
                    "position": {"line": row, "character": column},
                }
                waiting.append(
                    (
                        self._request("textDocument/definition", params),
                        self._request("textDocument/symbolInfo", params),
                    )
                )
            for definition, symbol in waiting:
                spots = tuple(
                    (Path(at.path), (at.row, at.column))
                    for at in self._locations(definition)
                    if at.path is not None
                )
                symbols = symbol.get(timeout=TIMEOUT_S).get("result") or []
                names = tuple(each.get("usr") or "" for each in symbols)
                if symbols and len(spots) == 1 and spots[0][0] != path:
                    spots = self._as_read(spots[0], symbols[-1])
                yield Answer(spots, names)

    def _as_read(self, spot: Spot, symbol: Message) -> tuple[Spot, ...]:
        """Goes by what the open file reads, not by another file that defines the name anew."""
        place = symbol.get("definitionRange") or symbol.get("declarationRange") or {}
        file = path_of_uri(place.get("uri", ""))
        if file is None or file == str(spot[0]):
            return (spot,)
        name = symbol.get("usr") or ""
        is_inside = Path(file).is_relative_to(self._project.root)
        if not is_inside and not C_FUNCTION.match(name):
            return (spot,)
        start = place["range"]["start"]
        read = (Path(file), (start["line"], start["character"]))
        return (spot, read) if is_inside and "@F@" in name else (read,)

    def shut(self, path: Path) -> None:
        """Puts the file away."""
        self._notify("textDocument/didClose", {"textDocument": {"uri": path.as_uri()}})

    def _hear(self, message: Message) -> None:
        if message["method"] == "textDocument/publishDiagnostics":
            self._diagnostics.put(message["params"])

    def close(self) -> None:
        super().close()
        self._folder.cleanup()
