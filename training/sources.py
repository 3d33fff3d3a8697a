r"""Choose the packages that the model is trained on, and download them.

    python training/sources.py choose --sources Sources.xz --packages Packages.xz
    python training/sources.py download --debian MIRROR --npm REGISTRY --into ARCHIVES

Both are indexes of a Debian release: of source archives, and of packages, which for some
languages hold the sources. `choose` writes `packages.tsv`, the data list: a
line for each archive with its kind, its path on the mirror and the beginning of its
SHA-256; `npm.txt` names packages of the npm registry, which hold Swift, Kotlin and C#.
Whatever bears the name of a repository of the benchmark is left out: see `excluded.txt`.
"""

import argparse
import hashlib
import json
import lzma
import re
import sys
import urllib.request
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

HERE = Path(__file__).resolve().parent
LIST = HERE / "packages.tsv"
_MAX_BYTES = 4 << 20
_MOST = 1_000  # archives of one kind
_FEWER = {"c": 500, "cpp": 500, "rust": 0, "ruby": 0}  # others as packages
_BIG = {"mono": "csharp", "swiftlang": "swift", "kotlin": "kotlin", "scala": "scala"}
_BIG |= {"android-platform-frameworks-base": "kotlin", "android-platform-tools-base": "kotlin"}
_BIG |= {"gradle": "kotlin", "zsh": "bash", "bash": "bash", "opentk": "csharp"}
_BIG |= {"repetier-host": "csharp", "smuxi": "csharp", "quickroute-gps": "csharp"}
_NAMES = {
    "go": r"golang-.*",
    "rust": r"rust-.*",
    "ruby": r"ruby-.*",
    "php": r"(php-|symfony|phpunit).*",
    "haskell": r"haskell-.*",
    "lua": r"lua-.*|.*-nvim",
    "java": r".*-java|java-.*",
    "javascript": r"node-.*",
    "python": r"python-.*|django-.*|py[a-z].*",
    "elixir": r"elixir.*|erlang-.*",
    "kotlin": r"kotlinx-.*|gradle-.*",
    "scala": r"scala-.*",
    "bash": r"bash.*|.*-bash|zsh-.*|.*-completion|git-.*|debootstrap|devscripts|dkms|.*-scripts",
}
_NEEDS = {
    "csharp": r"\bmono-|cli-common",
    "java": r"default-jdk|javahelper|maven-debian",
    "php": r"phpab|dh-php|php-cli",
    "python": r"dh-python|dh-sequence-python3|python3-all",
    "cpp": r"qtbase|qt6|libboost|cmake|libgtest|googletest|libfmt",
    "c": r"meson|autoconf|dh-autoreconf|libtool|automake|libglib2",
}
_PACKAGES = {
    "rust": (r"librust-[a-z0-9.-]+-dev", 2_200),
    "ruby": (r"ruby-.*", 1_200),
    "python": (r"python3-.*", 2_500),
    "go": (r"golang-.*-dev", 1_200),
    "javascript": (r"node-.*", 800),
}
_PACKAGE_BYTES = (8_000, 3 << 20)
_SKIPPED = re.compile(r"lib.*-perl|.*-doc|.*-data|fonts-.*|hunspell-.*|r-cran-.*|.*-el|kf[56]-.*")


def excluded_names() -> frozenset[str]:
    """The words that no package and no folder of a trained file is called."""
    lines = (HERE / "excluded.txt").read_text().splitlines()
    return frozenset(line for line in lines if line and not line.startswith("#"))


def is_excluded(package: str, names: frozenset[str]) -> bool:
    """Whether a package's name holds one of the names, as whole words."""
    words = "-".join(re.split(r"[^a-z0-9]+", package.lower().removesuffix("js").strip("-_")))
    return any(f"-{name}-" in f"-{words}-" for name in names)


def _paragraphs(index: Path) -> Iterator[dict[str, str]]:
    with lzma.open(index, "rt", encoding="utf-8") as lines:
        for paragraph in lines.read().split("\n\n"):
            fields: dict[str, str] = {}
            key = ""
            for line in paragraph.splitlines():
                if line[:1].isspace():
                    fields[key] += "\n" + line.strip()
                else:
                    key, _, value = line.partition(":")
                    fields[key] = value.strip()
            if "Package" in fields:
                yield fields


def _kind(package: str, needs: str) -> str | None:
    if package in _BIG:
        return _BIG[package]
    if _SKIPPED.fullmatch(package):
        return None
    for kind, pattern in _NAMES.items():
        if re.fullmatch(pattern, package):
            return kind
    return next((kind for kind, mark in _NEEDS.items() if re.search(mark, needs)), None)


def choose_packages(index: Path) -> list[tuple[str, str, str]]:
    """Kind, path and digest of packages that hold sources."""
    names = excluded_names()
    found: dict[str, list[tuple[str, str, str]]] = {}
    for fields in _paragraphs(index):
        package, size = fields["Package"], int(fields["Size"])
        is_wanted = _PACKAGE_BYTES[0] <= size <= _PACKAGE_BYTES[1]
        if not is_wanted or is_excluded(package, names):
            continue
        for kind, (pattern, _) in _PACKAGES.items():
            if re.fullmatch(pattern, package):
                row = (kind, fields["Filename"], fields["SHA256"][:16])
                found.setdefault(kind, []).append(row)
    return [
        row
        for kind, (_, most) in _PACKAGES.items()
        for row in sorted(sorted(found.get(kind, []), key=lambda row: row[-1])[:most])
    ]


def choose(index: Path) -> list[tuple[str, str, str]]:
    """Kind, path and digest of each archive to take, by kind and name."""
    names = excluded_names()
    found: dict[str, dict[str, tuple[str, str, str]]] = {}
    for fields in _paragraphs(index):
        package = fields["Package"]
        needs = " ".join(value for key, value in fields.items() if key.startswith("Build-Dep"))
        kind = _kind(package, needs)
        if kind is None or is_excluded(package, names):
            continue
        for line in fields["Checksums-Sha256"].split("\n"):
            if ".orig" not in line or line.endswith(".asc"):
                continue
            digest, size, name = line.split()
            if int(size) <= _MAX_BYTES or package in _BIG:
                row = (kind, f"{fields['Directory']}/{name}", digest[:16])
                found.setdefault(kind, {})[name] = row
    rows = []
    for kind in sorted(found):
        most = _FEWER.get(kind, _MOST)
        taken = sorted(found[kind].values(), key=lambda row: row[-1])[:most]
        rows += sorted(taken)
    return rows


def _fetch(address: str, into: Path, digest: str) -> str:
    if into.exists():
        return ""
    try:
        with urllib.request.urlopen(address, timeout=120) as answer:  # noqa: S310
            data = answer.read()
    except OSError as error:
        return f"{into.name}: {error}"
    if digest and hashlib.sha256(data).hexdigest()[:16] != digest:
        return f"{into.name}: another file than the list says"
    into.parent.mkdir(parents=True, exist_ok=True)
    into.write_bytes(data)
    return ""


def _fetch_npm(registry: str, line: str, into: Path) -> str:
    package, _, version = line.partition(" ")
    try:
        with urllib.request.urlopen(f"{registry}/{package}", timeout=60) as answer:  # noqa: S310
            versions = json.load(answer)
    except OSError as error:
        return f"{package}: {error}"
    version = version or versions.get("dist-tags", {}).get("latest", "")
    if version not in versions.get("versions", {}):
        return f"{package}: no version {version}"
    tarball = versions["versions"][version]["dist"]["tarball"]
    name = package.replace("/", "+").lstrip("@")
    return _fetch(tarball, into / "npm" / f"{name}_{version}.tgz", "")


def download(debian: str, npm: str, into: Path) -> None:
    """Bring every archive of the lists, 32 at a time; say which did not come."""
    names = excluded_names()
    rows = [line.split("\t") for line in LIST.read_text().splitlines()]
    rows.sort(key=lambda row: row[-1])  # so that a part of them is a fair sample
    lines = [line for line in (HERE / "npm.txt").read_text().splitlines() if line]
    with ThreadPoolExecutor(32) as pool:
        waiting = [
            pool.submit(_fetch, f"{debian}/{path}", into / kind / Path(path).name, digest)
            for kind, path, digest in rows
        ]
        waiting += [
            pool.submit(_fetch_npm, npm, line, into)
            for line in lines
            if not is_excluded(line.partition(" ")[0], names)
        ]
        missing = [said for item in waiting if (said := item.result())]
    print(f"{len(waiting) - len(missing)} archives; missing: {len(missing)}")
    print("\n".join(missing[:40]), file=sys.stderr)


def main() -> None:
    """Choose or download."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    commands = parser.add_subparsers(dest="command", required=True)
    chooser = commands.add_parser("choose")
    chooser.add_argument("--sources", type=Path, required=True)
    chooser.add_argument("--packages", type=Path, required=True)
    loader = commands.add_parser("download")
    loader.add_argument("--debian", required=True, help="address of a Debian mirror")
    loader.add_argument("--npm", required=True, help="address of an npm registry")
    loader.add_argument("--into", type=Path, required=True)
    given = parser.parse_args()
    if given.command == "choose":
        rows = sorted({*choose(given.sources), *choose_packages(given.packages)})
        LIST.write_text("".join("\t".join(row) + "\n" for row in rows))
    else:
        download(given.debian, given.npm, given.into)


if __name__ == "__main__":
    main()
