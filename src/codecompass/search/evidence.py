"""What the stores say about a question: plain values between gathering and ranking."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from codecompass.model.search import Place
from codecompass.model.snapshot import VersionId
from codecompass.model.symbol import Symbol
from codecompass.search.plan import Term


@dataclass(frozen=True, slots=True)
class PathMatch:
    """How well the question fits a file's name and the names of its folders, 0 to 1."""

    stem: float
    folder: float

    @property
    def worth(self) -> float:
        """Both together; a file's own name says more than its folders'."""
        return 2 * self.stem + self.folder


class FileLikeness(NamedTuple):
    """How much a file means what the question does, as cosines."""

    whole: float
    docs: float | None  # of what it defines; None: it has none
    path: float
    trust: float  # in the first two: a short text is like many questions by chance


@dataclass(frozen=True, slots=True)
class Evidence:
    """All candidates with what was found about them."""

    terms: tuple[Term, ...]
    paths: Sequence[str]  # of the whole snapshot; files are numbered by it
    versions: Sequence[VersionId]  # of the same files
    files: Mapping[int, tuple[int, ...]]  # level of each term in a file
    chunks: Mapping[Place, tuple[int, ...]]  # levels, and more where the name holds the term
    path_matches: Mapping[int, PathMatch]
    path_terms: Mapping[int, frozenset[str]]  # terms that stand in a file's path
    records: Mapping[Place, Symbol]
    names: Mapping[Place, float] = field(default_factory=dict)  # definitions of a name asked for
    named_files: frozenset[int] = frozenset()  # files called like a name asked for
    asked_files: frozenset[int] = frozenset()  # files whose path the question is
    phrases: Mapping[Place, float] = field(default_factory=dict)  # worth of what stands there
    chunk_likeness: Mapping[Place, float] = field(default_factory=dict)  # cosines with chunks
    file_likeness: Mapping[int, FileLikeness] = field(default_factory=dict)
    usual_depth: int = 0  # folders above half of the snapshot's files
    needs_symbol: bool = False  # filters ask for definitions: whole files do not count
