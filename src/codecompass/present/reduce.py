"""An answer and how much of each of its results is to be shown in, a smaller answer out."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from functools import singledispatch
from typing import TypeVar

from codecompass.model.answer import (
    ChangedFile,
    ChangeResult,
    CompareAnswer,
    Completeness,
    DiffAnswer,
    FolderAnswer,
    LocateAnswer,
    Meta,
    OutlineAnswer,
    RefsAnswer,
    SearchAnswer,
    SymbolResult,
)
from codecompass.model.cluster import ClustersAnswer, ExpansionAnswer, ExpansionState
from codecompass.model.graph_answer import (
    CallsAnswer,
    FamilyAnswer,
    FamilyUses,
    PlaceGroup,
    ReferencesAnswer,
    RelationResult,
)
from codecompass.present.budget import Form, Forms

_FOLDERS_NAMED = 8
_PLACES_SHOWN = 3
_MEMBERS_SHOWN = 6
_DEFINITION = "definition"
_Unit = TypeVar("_Unit")
_Related = TypeVar("_Related", ReferencesAnswer, CallsAnswer, FamilyAnswer)


def first_forms(answer: object) -> list[Form]:
    """How much of each unit an answer shows by itself, the most relevant first."""
    if isinstance(answer, DiffAnswer):
        return [*map(_form, answer.results or ()), *(Form.NAME for _ in answer.files or ())]
    if isinstance(answer, RefsAnswer):
        return [Form.NAME for _ in (*answer.refs, *answer.worktrees)]
    if isinstance(answer, ClustersAnswer):
        return [Form.NAME for _ in answer.clusters]
    if isinstance(answer, CompareAnswer):
        return [Form.NAME for _ in _told_of(answer)]
    if isinstance(answer, (OutlineAnswer, ExpansionAnswer)):
        return [Form.NAME for _ in answer.results]
    if isinstance(answer, FolderAnswer):
        return [Form.NAME for _ in (*answer.files, *answer.results)]
    if isinstance(
        answer, (LocateAnswer, SearchAnswer, ReferencesAnswer, CallsAnswer, FamilyAnswer)
    ):
        return [_form(item) for item in answer.results]
    return []


def _form(item: object) -> Form:
    has_text = ("context", "body_preview", "diff")
    if any(getattr(item, name, None) for name in has_text):
        return Form.BODY
    if getattr(item, "signature", None) or getattr(item, "preview", None):
        return Form.SIGNATURE
    return Form.NAME


@singledispatch
def reduced(answer: object, forms: Forms) -> object:
    """The answer with each unit in its form; behind what is dropped a cursor leads on."""
    del forms
    return answer


@reduced.register
def _(answer: SearchAnswer, forms: Forms) -> SearchAnswer:
    pairs = zip(answer.results, forms, strict=True)
    results = tuple(
        replace(
            item,
            body_preview=item.body_preview if form <= Form.BODY else None,
            doc=item.doc if form <= Form.BODY else None,
            preview=item.preview if form <= Form.SIGNATURE else None,
        )
        for item, form in pairs
        if form < Form.DROPPED
    )
    if len(results) == len(answer.results):
        return replace(answer, results=results)
    cursor = answer.page.cursor(len(results), answer.total_hits) if answer.page else None
    return replace(answer, results=results, cursor=cursor, meta=_cut(answer.meta))


@reduced.register
def _(answer: LocateAnswer, forms: Forms) -> LocateAnswer:
    pairs = zip(answer.results, forms, strict=True)
    results = tuple(_symbol(item, form) for item, form in pairs if form < Form.DROPPED)
    if len(results) == len(answer.results):
        return replace(answer, results=results)
    cursor = answer.page.cursor(len(results), answer.total) if answer.page else None
    return replace(answer, results=results, cursor=cursor, meta=_cut(answer.meta))


def _symbol(item: SymbolResult, form: Form) -> SymbolResult:
    if form <= Form.BODY:
        return item
    signature = item.signature if form <= Form.SIGNATURE else None
    return replace(item, body_preview=None, doc=None, decorators=None, signature=signature)


@reduced.register(ReferencesAnswer)
@reduced.register(CallsAnswer)
@reduced.register(FamilyAnswer)
def _(answer: _Related, forms: Forms) -> _Related:
    pairs = zip(answer.results, forms, strict=True)
    results = tuple(_relation(item, form) for item, form in pairs if form < Form.DROPPED)
    if not isinstance(answer, FamilyAnswer):
        answer = replace(answer, groups=_short(answer.groups), family=_few(answer.family))
    if len(results) == len(answer.results):
        return replace(answer, results=results)
    counted = sum(item.relation != _DEFINITION for item in results)
    cursor = answer.page.cursor(counted, answer.total) if answer.page else None
    return replace(answer, results=results, cursor=cursor, meta=_cut(answer.meta))


def _short(groups: tuple[PlaceGroup, ...] | None) -> tuple[PlaceGroup, ...] | None:
    """Groups of places without the list of all lines."""
    if groups is None:
        return None
    return tuple(
        replace(group, lines=None, places=group.places[:_PLACES_SHOWN]) for group in groups
    )


def _few(family: tuple[FamilyUses, ...] | None) -> tuple[FamilyUses, ...] | None:
    return family[:_MEMBERS_SHOWN] if family is not None else None


def _relation(item: RelationResult, form: Form) -> RelationResult:
    return item if form <= Form.BODY else replace(item, context=None)


@reduced.register
def _(answer: DiffAnswer, forms: Forms) -> DiffAnswer:
    results, files = answer.results or (), answer.files or ()
    by_rank = sorted(results, key=lambda item: item.rank)
    shown = dict(zip((item.rank for item in by_rank), forms, strict=False))
    kept = tuple(
        _change(item, shown[item.rank]) for item in results if shown[item.rank] < Form.DROPPED
    )
    pairs = list(zip(files, forms[len(results) :], strict=True))
    told = _kept(files, forms[len(results) :])
    notes = answer.notes or ()
    if len(told) < len(files):
        notes = (*notes, _untold([file for file, form in pairs if form is Form.DROPPED]))
    meta, cursor = answer.meta, answer.cursor
    if len(kept) < len(results) and answer.page:
        meta = _cut(meta)
        cursor = answer.page.cursor(len(kept), sum(answer.summary.values()))
    return replace(
        answer,
        results=kept if answer.results is not None else None,
        files=told if answer.files is not None else None,
        notes=notes or None,
        meta=meta,
        cursor=cursor,
    )


def _change(item: ChangeResult, form: Form) -> ChangeResult:
    if form <= Form.BODY:
        return item
    if form is Form.SIGNATURE:
        return replace(item, diff=None)
    return replace(item, diff=None, signature=None, before_signature=None, callers=None)


def _untold(files: Sequence[ChangedFile]) -> str:
    """How many files are left out, by folder, so that one can be asked for by its path."""
    folders = Counter(f"{file.path.rpartition('/')[0] or '.'}/" for file in files)
    named = [f"{name} {count}" for name, count in folders.most_common(_FOLDERS_NAMED)]
    rest = len(folders) - _FOLDERS_NAMED
    more = f" and {rest} more folders" if rest > 0 else ""
    return f"{len(files):,} more files changed: {', '.join(named)}{more}; narrow by path_prefix"


@reduced.register
def _(answer: RefsAnswer, forms: Forms) -> RefsAnswer:
    count = len(answer.refs)
    return replace(
        answer,
        refs=_kept(answer.refs, forms[:count]),
        worktrees=_kept(answer.worktrees, forms[count:]),
    )


def _kept(units: Sequence[_Unit], forms: Forms) -> tuple[_Unit, ...]:
    pairs = zip(units, forms, strict=True)
    return tuple(unit for unit, form in pairs if form < Form.DROPPED)


@reduced.register
def _(answer: ClustersAnswer, forms: Forms) -> ClustersAnswer:
    kept = _kept(answer.clusters, forms)
    if len(kept) == len(answer.clusters):
        return answer
    rest = len(answer.clusters) - len(kept)
    notes = (*(answer.notes or ()), f"{rest} more clusters do not fit: ask for fewer, or narrow")
    return replace(answer, clusters=kept, notes=notes, meta=_cut(answer.meta))


@reduced.register
def _(answer: OutlineAnswer, forms: Forms) -> OutlineAnswer:
    kept = _kept(answer.results, forms)
    return replace(answer, results=kept, meta=_cut(answer.meta))


@reduced.register
def _(answer: ExpansionAnswer, forms: Forms) -> ExpansionAnswer:
    kept = _kept(answer.results, forms)
    state = ExpansionState.TRUNCATED
    return replace(answer, results=kept, state=state, meta=_cut(answer.meta))


@reduced.register
def _(answer: FolderAnswer, forms: Forms) -> FolderAnswer:
    count = len(answer.files)
    return replace(
        answer,
        files=_kept(answer.files, forms[:count]),
        results=_kept(answer.results, forms[count:]),
        meta=_cut(answer.meta),
    )


@reduced.register
def _(answer: CompareAnswer, forms: Forms) -> CompareAnswer:
    shown: dict[int, list[str]] = {0: []}
    for number, line in _kept(_told_of(answer), forms):
        lines = shown.setdefault(number, [])
        if line is not None:
            lines.append(line)
    results = []
    for number, lines in shown.items():
        item = answer.results[number]
        left = len((item.diff or "").splitlines()) - len(lines)
        told = "\n".join([*lines, *([f"… {left} more lines"] if left else [])])
        results.append(replace(item, diff=told or None))
    left_out = (answer.members_left or 0) + len(answer.results) - len(results)
    return replace(
        answer,
        results=tuple(results),
        members_left=left_out or None,
        meta=_cut(answer.meta),
    )


def _told_of(answer: CompareAnswer) -> list[tuple[int, str | None]]:
    """The lines of all differences, each with its result; before those of a member, itself."""
    found: list[tuple[int, str | None]] = []
    for number, item in enumerate(answer.results):
        if number:
            found.append((number, None))
        found += [(number, line) for line in (item.diff or "").splitlines()]
    return found


def _cut(meta: Meta) -> Meta:
    return replace(meta, result_completeness=Completeness.TRUNCATED, safety_limit_applied=True)
