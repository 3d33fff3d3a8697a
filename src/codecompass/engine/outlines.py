"""The definitions of a file, or the files of a folder, in; what a budget takes of them out."""

from dataclasses import replace

from codecompass.engine.views import View
from codecompass.model.answer import Completeness, FileInFolder, FolderAnswer, Meta, OutlineAnswer
from codecompass.model.query import DetailLevel
from codecompass.navigate.outline import FileOutline, FolderOutline
from codecompass.present.budget import Form, Forms, fitted
from codecompass.present.detail import symbol_result
from codecompass.present.meta import make_meta
from codecompass.present.text import render_folder, render_outline
from codecompass.text.tokens import estimate_tokens


def file_answer(view: View, found: FileOutline, budget: int) -> OutlineAnswer:
    """The definitions of a file; of too many, those at the top stay the longest."""
    whole = [symbol_result(item, DetailLevel.SIGNATURE) for item in found.symbols]
    order = sorted(range(len(whole)), key=lambda place: (whole[place].depth or 0, place))
    meta = _meta(view, [found.path])

    def answer(forms: Forms) -> OutlineAnswer:
        shown = dict(zip(order, forms, strict=True))
        results = tuple(
            replace(item, signature=None) if shown[place] is Form.NAME else item
            for place, item in enumerate(whole)
            if shown[place] < Form.DROPPED
        )
        return OutlineAnswer(
            found.path, found.language, found.line_count, found.has_errors, results, meta,
            len(whole),
        )  # fmt: skip

    first = [Form.SIGNATURE] * len(whole)
    forms = fitted(first, lambda forms: estimate_tokens(render_outline(answer(forms))), budget)
    made = answer(forms)
    cut = _cut(meta, estimate_tokens(render_outline(made)), is_cut=len(made.results) < made.total)
    return replace(made, meta=cut)


def folder_answer(view: View, folder: FolderOutline, budget: int) -> FolderAnswer:
    """The definitions of the files, or their names, or how many there are."""
    meta = _meta(view, [item.path for item in folder.files])

    def answer(forms: Forms) -> FolderAnswer:
        told = [pair for pair in zip(folder.files, forms, strict=True) if pair[1] < Form.DROPPED]
        return FolderAnswer(
            path=folder.path,
            total_files=folder.total_files,
            files=tuple(
                FileInFolder(
                    file.path, file.language, file.line_count, len(file.symbols), form.name.lower()
                )
                for file, form in told
            ),
            folders=folder.folders,
            results=tuple(
                symbol_result(symbol, DetailLevel.SIGNATURE)
                for file, form in told
                if form is Form.SIGNATURE
                for symbol in file.symbols
            ),
            meta=meta,
        )

    first = [Form.SIGNATURE] * len(folder.files)
    forms = fitted(first, lambda forms: estimate_tokens(render_folder(answer(forms))), budget)
    made = answer(forms)
    unseen = folder.total_files - sum(folder.folders.values()) - len(made.files)
    return replace(made, meta=_cut(meta, estimate_tokens(render_folder(made)), is_cut=unseen > 0))


def _meta(view: View, paths: list[str]) -> Meta:
    return make_meta(
        view.seen(is_overlay=bool(view.overlay(paths))),
        shown=1,
        total=1,
        elapsed_ms=view.elapsed_ms(),
        content=(),
        searched=None,
    )


def _cut(meta: Meta, tokens: int, *, is_cut: bool) -> Meta:
    """The metadata of an answer of so many tokens."""
    return replace(
        meta,
        estimated_tokens=tokens,
        result_completeness=Completeness.TRUNCATED if is_cut else meta.result_completeness,
        safety_limit_applied=is_cut,
    )
