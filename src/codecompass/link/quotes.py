"""Changed signatures and who imports them in, the chunks whose text quotes them out; pure."""

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from codecompass.link.modules import PathIndex, last_words
from codecompass.model.reference import Import, Reference


@dataclass(frozen=True, slots=True)
class Importer:
    """A file that may import something changed: what it imports of it, and what it uses."""

    path: str
    imports: tuple[Import, ...]
    uses: Callable[[], Sequence[Reference]]  # read only where the imports alone do not tell


def changed_signatures(before: Mapping[str, str], after: Mapping[str, str]) -> set[str]:
    """The names whose signature is another one now, came, or went."""
    names = before.keys() | after.keys()
    return {name for name in names if before.get(name) != after.get(name)}


class ChangedFiles:
    """What changed in a snapshot, by path, and how to tell which import means it."""

    def __init__(self, names: Mapping[str, Collection[str]], paths: Iterable[str]) -> None:
        self._names = names
        self._changed = PathIndex(names)
        self._paths = paths
        self._words: set[str] = set()  # that imports worth a closer look end with

    @cached_property
    def _all(self) -> PathIndex:
        return PathIndex(self._paths, self._words)

    def behind(self, module: str, importer: str) -> Collection[str]:
        """The changed names of the file a module text means; none if it may mean several."""
        meant = self._changed.meant(module, importer)
        if len(meant) != 1 or self._all.meant(module, importer) != meant:
            return ()
        return self._names[meant[0]]

    def may_be_meant(self, module: str, name: str, importer: str) -> bool:
        """Whether an import is worth a closer look."""
        inner = _inner_module(module, name)
        if self._changed.meant(module, importer) or self._changed.meant(inner, importer):
            self._words.update(last_words(module, importer), last_words(inner, importer))
            return True
        return False


def quoting_chunks(importer: Importer, changed: ChangedFiles) -> set[int]:
    """The ordinals of the importer's chunks that use a changed name of a file it imports."""
    found: set[int] = set()
    for item in importer.imports:
        names = changed.behind(item.module, importer.path)
        if names:
            found |= _using(item, importer.uses, names, is_module=False)
        if item.name and item.name != "*":
            names = changed.behind(_inner_module(item.module, item.name), importer.path)
            if names:
                found |= _using(item, importer.uses, names, is_module=True)
    return found


def _inner_module(module: str, name: str) -> str:
    """What an import means if the name it imports is a module itself."""
    return f"{module}{name}" if module.endswith(".") else f"{module}.{name}"


def _using(
    item: Import,
    uses: Callable[[], Sequence[Reference]],
    names: Collection[str],
    *,
    is_module: bool,
) -> set[int]:
    """The chunks that use one of the names in the way this import makes them known."""
    bound = item.bound_name
    names_one = item.name not in {"", "*"} and not is_module
    if names_one and item.name not in names:
        return set()
    found = set()
    for use in uses():
        if use.enclosing is None:
            continue
        if names_one:
            is_quoted = not use.receiver and use.name == bound
        elif bound:
            is_quoted = use.receiver == bound and use.name in names
        else:
            is_quoted = not use.receiver and use.name in names
        if is_quoted:
            found.add(use.enclosing)
    return found
