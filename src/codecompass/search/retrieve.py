"""A plan in, the evidence of all candidates out; asks the stores and decides nothing."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import replace
from pathlib import PurePosixPath
from typing import TYPE_CHECKING

from codecompass.model.search import Intent, Place
from codecompass.model.snapshot import VersionId
from codecompass.search.evidence import Evidence, FileLikeness
from codecompass.search.gains import chunk_gains, file_gains, trust_in
from codecompass.search.names import named_definitions
from codecompass.search.parse_query import last_part
from codecompass.search.paths import PathFit
from codecompass.search.plan import Plan, Term, weigh_terms
from codecompass.store.analyzers import shared_analyzer
from codecompass.store.lexical import (
    CHUNK_FIELDS,
    FILE_FIELDS,
    FILE_ORDINAL,
    NAME_FIELD,
    Clause,
    LexicalHit,
    Scope,
)
from codecompass.store.reader import SnapshotReader
from codecompass.store.vectors import DOCS_ROW
from codecompass.text.identifiers import split_name
from codecompass.text.patterns import Needed

if TYPE_CHECKING:
    from codecompass.search.meaning import Meaning

# Definitions that share one name; of more, the first.
_MAX_NAMED = 60
_MAX_COPIES = 5
# The folders next to a file say what it is about.
_FOLDER_WORDS = 3
# How many are looked at for each that is kept.
_LOOK_AT = 10


class Retriever:
    """Asks one snapshot, within the filters of one question."""

    def __init__(self, reader: SnapshotReader, plan: Plan) -> None:
        self.reader = reader
        self._meaning: Meaning | None = None
        self._plan = plan
        filters = plan.question.filters
        self._admitted = reader.catalog.admitted(filters)
        self.scope = reader.scope_of(filters, self._admitted)
        self.files_of = self._files_of()
        self.needs_symbol = filters.restricts_symbols
        self._paths = reader.catalog.paths
        self.is_cut = False  # whether there were more candidates than were taken

    def _files_of(self) -> Mapping[VersionId, Sequence[int]]:
        """The files that filters admit, by version."""
        by_version = self.reader.catalog.by_version
        if self._admitted is None:
            return by_version
        found: dict[VersionId, list[int]] = defaultdict(list)
        for index in self._admitted:
            found[self.reader.catalog.files[index].version_id].append(index)
        return found

    def _weighed(self, terms: Iterable[str]) -> list[Term]:
        """Terms of the question, weighed by how many files of the whole snapshot hold them."""
        words = self.reader.catalog.words
        counts = []
        for term in terms:
            count = self.reader.text.count(Clause(FILE_FIELDS[0], term), self.reader.everything)
            in_path = (*words.with_stem(term), *words.with_folder(term))
            if len(in_path) > count:
                # Equal files count once, as they do among those that hold a word inside.
                count = max(count, len({self.reader.catalog.versions[i] for i in in_path}))
            counts.append((term, count))
        return weigh_terms(counts, len(self.reader.catalog.by_version))

    def gather(
        self,
        phrases: Mapping[Place, float],
        only: Sequence[Place] | None = None,
        *,
        meaning: Meaning | None = None,
    ) -> Evidence:
        """All candidates of a ranked search, or the evidence for given places.

        `phrases` are places found by their lines; `meaning` finds others, and judges all.
        """
        self._meaning = meaning
        asked = self.asked_files() if only is None else frozenset()
        is_path = bool(asked) and not self.needs_symbol
        terms = self._weighed(self._terms_of_path() if is_path else self._plan.terms)
        catalog, text = self.reader.catalog, self.reader.text
        fit = PathFit(catalog.words, terms, self._plan.ranking.relatives)
        files: Set[int] = set()
        named = [] if is_path else self._named()
        if only is not None:
            found = list(only)
        elif is_path:  # the file, and what else is called like it
            files = asked.union(self._best_paths(fit))
            found = list(phrases)
        else:
            files = self._best_files(terms, fit) | asked
            found = [*self._best_chunks(terms, files), *named, *phrases, *self._alike_in(files)]
            found += self._alike(self._plan.search.alike_candidates)
        places = dict.fromkeys(place for place in found if place.ordinal is not None)
        copies = self._copies if only is None else self._all_copies
        files |= {index for place in found for index in copies(place.version_id)}
        texts = [term.text for term in terms]
        documents = {(catalog.versions[index], FILE_ORDINAL) for index in files}
        # Files and chunks have no fields in common: one look is enough for both.
        fields = (*FILE_FIELDS, *CHUNK_FIELDS, NAME_FIELD)
        levels = text.evidence(fields, texts, documents.union(_keys(places)))
        records = self.reader.records_at(places)
        return Evidence(
            terms=tuple(terms),
            paths=catalog.paths,
            versions=catalog.versions,
            files={index: levels[catalog.versions[index], FILE_ORDINAL] for index in files},
            chunks={place: levels[key] for place, key in zip(places, _keys(places), strict=True)},
            path_matches={index: fit.match(index) for index in files},
            path_terms={index: fit.terms_in(index) for index in files},
            records=records,
            names=named_definitions(self._plan.question, records, named),
            named_files=self._named_files(),
            asked_files=asked,
            phrases=phrases,
            chunk_likeness=self._meaning.at(places) if self._meaning else {},
            file_likeness=self._file_likeness(files),
            usual_depth=catalog.usual_depth,
            needs_symbol=self.needs_symbol,
        )

    def with_words(self, text: str, needed: Needed, *, few: int) -> list[VersionId]:
        """The contents that have every word of a text in one chunk.

        Where these are more than a few, only those that may hold the text itself.
        """
        terms = shared_analyzer().count_terms(text)
        in_files = self._with_terms(FILE_FIELDS[0], terms)
        if not in_files:  # as for most texts
            return []
        in_chunks = self._with_terms(CHUNK_FIELDS[0], terms)
        found = in_chunks.union(self.reader.without_definitions(in_files - in_chunks))
        if len(found) > few:
            found.intersection_update(self.reader.may_hold(needed))
        return sorted(found)

    def _with_terms(self, field: str, terms: Iterable[str]) -> set[VersionId]:
        groups = [[Clause(field, term)] for term in terms]
        hits = self.reader.text.every(groups, self.reader.everything)
        return {hit.version_id for hit in hits}

    def has_named(self) -> bool:
        """Whether something is called what the question calls it."""
        return bool(self._named() or self._named_files() or self.asked_files())

    def gather_alike(self, meaning: Meaning) -> Evidence:
        """The chunks that mean most what the question does, by their meaning alone."""
        self._meaning = meaning
        wanted = max(self._plan.search.alike_candidates, 3 * self._plan.options.top_k)
        places = self._alike(wanted)
        self.is_cut = len(places) >= wanted
        found = {index for place in places for index in self._copies(place.version_id)}
        catalog = self.reader.catalog
        return Evidence(
            terms=(),
            paths=catalog.paths,
            versions=catalog.versions,
            files=dict.fromkeys(found, ()),
            chunks=dict.fromkeys(places, ()),
            path_matches={},
            path_terms={},
            records=self.reader.records_at(places),
            chunk_likeness=meaning.at(places),
            file_likeness=self._file_likeness(found),
            usual_depth=catalog.usual_depth,
            needs_symbol=self.needs_symbol,
        )

    def _alike(self, limit: int) -> list[Place]:
        """The chunks that mean most what the question does, within the filters."""
        if self._meaning is None or not self._meaning.finds:
            return []
        admitted = None if self._admitted is None else self.files_of.__contains__
        least = self._plan.search.alike_least
        wanted = limit * _LOOK_AT if self.needs_symbol else limit
        found = self._meaning.best(wanted, admitted, least=least)
        return self._with_admitted_symbol(found)[:limit]

    def _alike_in(self, files: Iterable[int]) -> list[Place]:
        """The chunk of each file that means most what the question does."""
        if self._meaning is None or not self._meaning.finds:
            return []
        versions = sorted({self.reader.catalog.versions[index] for index in files})
        least = self._plan.search.alike_least
        return self._with_admitted_symbol(self._meaning.best_inside(versions, least=least))

    def _with_admitted_symbol(self, places: list[Place]) -> list[Place]:
        """Those of the places that the filters on symbols admit."""
        if not self.needs_symbol:
            return places
        filters = self._plan.question.filters
        records = self.reader.records_at(places)
        return [p for p in places if p in records and filters.admit_symbol(records[p])]

    def _file_likeness(self, files: Iterable[int]) -> dict[int, FileLikeness]:
        """How much files mean what the question does."""
        if self._meaning is None:
            return {}
        catalog, known = self.reader.catalog, self.reader.files()
        words = catalog.words
        wanted = sorted(files)
        wholes = [Place(catalog.versions[index], None) for index in wanted]
        docs = [Place(catalog.versions[index], DOCS_ROW) for index in wanted]
        alike = self._meaning.at([*wholes, *docs])
        paths = self._meaning.of_paths(
            [(*words.folders[index][-_FOLDER_WORDS:], *words.stems[index]) for index in wanted]
        )
        return {
            index: FileLikeness(
                alike.get(whole, 0.0),
                alike.get(doc),
                path,
                trust_in(known[catalog.paths[index]].size_bytes),
            )
            for index, whole, doc, path in zip(wanted, wholes, docs, paths, strict=True)
        }

    def _copies(self, version_id: VersionId) -> Sequence[int]:
        """The first few files with the same content; the rest would only be suppressed."""
        return self.files_of.get(version_id, ())[:_MAX_COPIES]

    def _all_copies(self, version_id: VersionId) -> Sequence[int]:
        return self.files_of.get(version_id, ())

    def _best_files(self, terms: Sequence[Term], fit: PathFit) -> set[int]:
        """The files that hold most of the question, and those whose paths do."""
        limit = max(self._plan.search.file_candidates, self._plan.options.top_k)
        clauses = _clauses(FILE_FIELDS, terms, file_gains(self._plan.ranking.file_saturation))
        whole_files = replace(self.scope, facts=(), keys=None)
        places = self._best(clauses, whole_files, limit)
        inside = (index for place in places for index in self._copies(place.version_id))
        return {*inside, *self._best_paths(fit)}

    def _best_paths(self, fit: PathFit) -> list[int]:
        """The files whose paths hold most of the question."""
        limit = max(self._plan.search.file_candidates, self._plan.options.top_k)
        admitted = None if self._admitted is None else set(self._admitted)
        return fit.candidates(limit, admitted)

    def _best_chunks(self, terms: Sequence[Term], files: Set[int]) -> list[Place]:
        """The best chunks of all files, and the best of the best files that have none yet."""
        ranking = self._plan.ranking
        limit = max(self._plan.search.chunk_candidates, 2 * self._plan.options.top_k)
        clauses = _clauses(CHUNK_FIELDS, terms, chunk_gains(ranking.chunk_saturation))
        clauses += [Clause(NAME_FIELD, t.text, t.share * ranking.definition_name) for t in terms]
        found = self._best(clauses, self.scope, limit)
        versions = {self.reader.catalog.versions[index] for index in files}
        rest = frozenset(versions - {place.version_id for place in found})
        inside = replace(self.scope, only=rest, without=frozenset())
        return found + self._best(clauses, inside, limit)

    def _named(self) -> list[Place]:
        """Definitions whose names the question gives; then those that differ in case."""
        found: list[Place] = []
        for name in self._plan.question.names:
            whole = "".join(split_name(last_part(name)))
            clauses = [Clause(NAME_FIELD, whole)] if whole else []
            # A name of one word stands in many others, and the very one may be left out.
            same = self.reader.places_named(last_part(name))
            same = [place for place in same if place.version_id in self.files_of]
            like = self._best(clauses, self.scope, _MAX_NAMED * _LOOK_AT)
            for places in (self._with_admitted_symbol(same), like):
                found += sorted(places, key=self._by_preference)[:_MAX_NAMED]
        return list(dict.fromkeys(found))

    def _by_preference(self, place: Place) -> tuple[float, int, int]:
        first = self.files_of[place.version_id][0]
        return -self._plan.preferences.factor(self._paths[first]), first, place.ordinal or 0

    def definitions_with_every_term(self) -> list[Place]:
        """Definitions whose names hold all terms, or are a name the question gives."""
        groups = [[Clause(NAME_FIELD, term)] for term in self._name_terms()]
        found = self._places(self.reader.text.every(groups, self.scope))
        return list(dict.fromkeys([*found, *self._named()]))

    def _name_terms(self) -> list[str]:
        """The terms without those that stand for several others as one word."""
        words = (*self._plan.question.words, *self._plan.question.phrases)
        stem = shared_analyzer().stem
        return list(dict.fromkeys(stem(word) for text in words for word in split_name(text)))

    def places_with_every_term(self) -> list[Place]:
        """Chunks that hold all terms; whole files where only all chunks together do."""
        inside = [
            [Clause(CHUNK_FIELDS[0], term), Clause(NAME_FIELD, term)] for term in self._plan.terms
        ]
        found = self._places(self.reader.text.every(inside, self.scope))
        if self.needs_symbol:
            return found
        groups = [[Clause(FILE_FIELDS[0], term)] for term in self._plan.terms]
        whole_files = replace(self.scope, facts=(), keys=None)
        files = self._places(self.reader.text.every(groups, whole_files))
        answered = {place.version_id for place in found}
        return [
            *found,
            *(Place(f.version_id, None) for f in files if f.version_id not in answered),
        ]

    def _best(self, clauses: Sequence[Clause], scope: Scope, limit: int) -> list[Place]:
        """The best places, so many at most."""
        hits = self.reader.text.best(clauses, scope, limit=limit + 1)
        self.is_cut = self.is_cut or len(hits) > limit
        return self._places(hits[:limit])

    def _places(self, hits: Iterable[LexicalHit]) -> list[Place]:
        """Hits as places; those of contents that no path shows any more are left out."""
        return [
            Place(hit.version_id, hit.ordinal) for hit in hits if hit.version_id in self.files_of
        ]

    def asked_files(self) -> frozenset[int]:
        """Files whose path is the question or ends with it; an absolute one may end with it."""
        if self._plan.guess.intent is not Intent.PATH:
            return frozenset()
        text = self._plan.question.text
        wanted = f"/{text.removeprefix('./').lstrip('/')}"
        named = [
            (index, f"/{self._paths[index]}")
            for index in self.reader.catalog.by_name.get(wanted.rpartition("/")[2], ())
            if index in self.files_of.get(self.reader.catalog.versions[index], ())
        ]
        found = [index for index, path in named if path.endswith(wanted)]
        if not found and text.startswith("/"):  # `/home/me/project/a/b.py`, as a trace has it
            inside = [
                (len(path), index)
                for index, path in named
                if wanted.endswith(path) and path.count("/") > 1
            ]
            found = [index for length, index in inside if length == max(inside)[0]]
        return frozenset(found)

    def _terms_of_path(self) -> Sequence[str]:
        """The terms of a question that is a path, but for the suffix, as others have it too."""
        suffix = PurePosixPath(self._plan.question.text).suffix.removeprefix(".")
        shared = shared_analyzer().terms_of(suffix)
        return [term for term in self._plan.terms if term not in shared] or self._plan.terms

    def _named_files(self) -> frozenset[int]:
        """Files whose own name is a name that the question gives."""
        wholes = {"".join(split_name(last_part(name))) for name in self._plan.question.names}
        words = self.reader.catalog.words
        return frozenset(index for whole in wholes for index in words.called(whole))


def _clauses(fields: Sequence[str], terms: Sequence[Term], gains: Sequence[float]) -> list[Clause]:
    """Each further level adds what it is worth more than the one before."""
    return [
        Clause(field, term.text, term.share * (gains[level + 1] - gains[level]))
        for term in terms
        for level, field in enumerate(fields)
    ]


def _keys(places: Iterable[Place]) -> Iterator[tuple[VersionId, int]]:
    return ((place.version_id, place.ordinal) for place in places if place.ordinal is not None)
