"""Check that a base install compiles nothing: a wheel of every pin for every platform.

    python .ci/check_wheels.py [--extra http]

Walks what `pyproject.toml` requires, at the versions of `constraints.txt`, by the markers
of the target, and looks for a wheel in the list of files of the index that pip uses.
Prints what is missing; exit status 1 if that is not one of the exceptions below.
"""

from __future__ import annotations

import argparse
import io
import subprocess
import sys
import tomllib
import zipfile
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from email.parser import Parser
from functools import cache
from html.parser import HTMLParser
from pathlib import Path
from typing import NamedTuple
from urllib.error import HTTPError
from urllib.parse import urldefrag, urljoin
from urllib.request import urlopen

from packaging.requirements import Requirement
from packaging.specifiers import SpecifierSet
from packaging.tags import Tag, compatible_tags, cpython_tags, mac_platforms
from packaging.utils import InvalidWheelFilename, canonicalize_name, parse_wheel_filename

_ROOT = Path(__file__).parent.parent
_PYTHONS = ((3, 11), (3, 12), (3, 13), (3, 14))
_TIMEOUT_S = 60


@dataclass(frozen=True)
class Target:
    """A platform: what its wheels may be called, and what markers see."""

    platforms: tuple[str, ...]
    markers: dict[str, str] = field(hash=False)


def _linux(machine: str, kinds: list[str]) -> Target:
    markers = {"sys_platform": "linux", "platform_system": "Linux", "os_name": "posix"}
    platforms = tuple(f"{kind}_{machine}" for kind in [*kinds, "linux"])
    return Target(platforms, markers | {"platform_machine": machine})


def _mac(machine: str) -> Target:
    markers = {"sys_platform": "darwin", "platform_system": "Darwin", "os_name": "posix"}
    platforms = tuple(mac_platforms((12, 0), machine))
    return Target(platforms, markers | {"platform_machine": machine})


_GLIBC = ["manylinux2014", "manylinux2010", "manylinux1"]
_GLIBC += [f"manylinux_2_{minor}" for minor in range(5, 29)]
_MUSL = ["musllinux_1_0", "musllinux_1_1", "musllinux_1_2"]
_WINDOWS = {"sys_platform": "win32", "platform_system": "Windows", "os_name": "nt"}
TARGETS = {
    "Linux x86-64": _linux("x86_64", _GLIBC),
    "Linux aarch64": _linux("aarch64", _GLIBC),
    "musl x86-64": _linux("x86_64", _MUSL),
    "macOS Intel": _mac("x86_64"),
    "macOS ARM": _mac("arm64"),
    "Windows x86-64": Target(("win_amd64",), _WINDOWS | {"platform_machine": "AMD64"}),
}


class File(NamedTuple):
    """One file of the index."""

    name: str
    url: str
    requires_python: str
    is_yanked: bool


class _Links(HTMLParser):
    def __init__(self, base: str) -> None:
        super().__init__()
        self.base = base
        self.found: list[File] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = dict(attrs)
        if tag == "a" and given.get("href"):
            url = urldefrag(urljoin(self.base, given["href"] or "")).url
            needs = given.get("data-requires-python") or ""
            name = url.rpartition("/")[2]
            self.found.append(File(name, url, needs, "data-yanked" in given))


@cache
def index_url() -> str:
    """The index that pip asks, as it is set up here."""
    command = [sys.executable, "-m", "pip", "config", "get", "global.index-url"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)  # noqa: S603
    if done.returncode == 0:
        return done.stdout.strip().rstrip("/")
    from pip._internal.models.index import PyPI

    return PyPI.simple_url.rstrip("/")


@cache
def files_of(name: str) -> tuple[File, ...]:
    """All files of a project."""
    url = f"{index_url()}/{name}/"
    with urlopen(url, timeout=_TIMEOUT_S) as answer:  # noqa: S310  # pip's own index
        links = _Links(answer.url)
        links.feed(answer.read().decode())
    return tuple(links.found)


@cache
def wheels_of(name: str, version: str) -> tuple[tuple[File, frozenset[Tag]], ...]:
    """The wheels of one release, each with its tags."""
    found = []
    for file in files_of(name):
        if file.is_yanked or f"-{version}-" not in file.name or not file.name.endswith(".whl"):
            continue
        try:
            found.append((file, parse_wheel_filename(file.name)[3]))
        except InvalidWheelFilename:
            continue
    return tuple(found)


@cache
def requirements_of(name: str, version: str) -> tuple[Requirement, ...]:
    """What a release requires, by the metadata of one of its wheels."""
    wheels = wheels_of(name, version)
    if not wheels:
        return ()
    file = wheels[0][0]
    try:
        with urlopen(f"{file.url}.metadata", timeout=_TIMEOUT_S) as answer:  # noqa: S310
            text = answer.read().decode()
    except HTTPError:  # an index without them
        with urlopen(file.url, timeout=_TIMEOUT_S) as answer:  # noqa: S310
            wheel = zipfile.ZipFile(io.BytesIO(answer.read()))
        place = next(item for item in wheel.namelist() if item.endswith(".dist-info/METADATA"))
        text = wheel.read(place).decode()
    return tuple(
        Requirement(line) for line in Parser().parsestr(text).get_all("Requires-Dist", [])
    )


@dataclass(frozen=True)
class Pins:
    """The versions that `constraints.txt` allows."""

    lines: tuple[Requirement, ...]

    def version(self, name: str, environment: dict[str, str]) -> str | None:
        """The pinned version of a project on a target."""
        for line in self.lines:
            if canonicalize_name(line.name) != name:
                continue
            if line.marker is None or line.marker.evaluate(environment):
                return next(iter(line.specifier)).version
        return None


def main() -> int:
    """Check all targets, print, say whether all is well."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("--extra", action="append", default=[])
    extras = parser.parse_args().extra
    project = tomllib.loads((_ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    lines = (_ROOT / "constraints.txt").read_text("utf-8").splitlines()
    pins = Pins(tuple(Requirement(line) for line in lines if line))
    wanted = [Requirement(line) for line in project["dependencies"]]
    for extra in extras:
        wanted += [Requirement(line) for line in project["optional-dependencies"][extra]]
    with ThreadPoolExecutor(8) as pool:
        list(pool.map(lambda line: files_of(canonicalize_name(line.name)), wanted))
    problems = 0
    for title, target in TARGETS.items():
        for python in _PYTHONS:
            for problem in _problems(target, python, wanted, pins):
                print(f"{title}, Python {python[0]}.{python[1]}: {problem}")  # noqa: T201
                problems += 1
    checked = len(TARGETS) * len(_PYTHONS)
    print(f"{checked} platforms and Pythons checked, {problems} problems")  # noqa: T201
    return 1 if problems else 0


def _problems(
    target: Target, python: tuple[int, int], wanted: list[Requirement], pins: Pins
) -> Iterator[str]:
    """What a platform with one Python would have to build, or gets unpinned."""
    version = f"{python[0]}.{python[1]}"
    environment = target.markers | {
        "python_version": version,
        "python_full_version": f"{version}.0",
        "implementation_name": "cpython",
        "platform_python_implementation": "CPython",
        "extra": "",
    }
    short = f"cp{python[0]}{python[1]}"
    tags = {*cpython_tags(python, [short], target.platforms)}
    tags |= {*compatible_tags(python, short, target.platforms)}
    seen: set[tuple[str, frozenset[str]]] = set()
    waiting = [(line, frozenset({""})) for line in wanted]
    while waiting:
        line, extras = waiting.pop()
        name = canonicalize_name(line.name)
        applies = line.marker is None or any(
            line.marker.evaluate(environment | {"extra": extra}) for extra in extras
        )
        asked = frozenset({"", *line.extras})
        if not applies or (name, asked) in seen:
            continue
        seen.add((name, asked))
        pinned = pins.version(name, environment)
        if pinned is None:
            yield f"{name} is not pinned"
            continue
        if not any(
            tags & its_tags and f"{version}.0" in SpecifierSet(file.requires_python)
            for file, its_tags in wheels_of(name, pinned)
        ):
            yield f"no wheel of {name} {pinned}"
        waiting += [(needed, asked) for needed in requirements_of(name, pinned)]


if __name__ == "__main__":
    sys.exit(main())
