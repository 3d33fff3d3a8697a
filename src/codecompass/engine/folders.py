"""A folder's files in, as much of them as a budget takes out."""

from dataclasses import replace

from codecompass.engine.views import View
from codecompass.model.answer import Completeness, FileInFolder, FolderAnswer
from codecompass.model.query import DetailLevel
from codecompass.navigate.outline import FolderOutline
from codecompass.present.budget import Form, Forms, fitted
from codecompass.present.detail import symbol_result
from codecompass.present.meta import make_meta
from codecompass.present.text import render_folder
from codecompass.text.tokens import estimate_tokens


def folder_answer(view: View, folder: FolderOutline, budget: int) -> FolderAnswer:
    """The definitions of the files, or their names, or how many there are."""
    meta = make_meta(
        view.seen(is_overlay=bool(view.overlay([item.path for item in folder.files]))),
        shown=1,
        total=1,
        elapsed_ms=view.elapsed_ms(),
        content=(),
        searched=None,
    )

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
    return replace(
        made,
        meta=replace(
            meta,
            estimated_tokens=estimate_tokens(render_folder(made)),
            result_completeness=Completeness.TRUNCATED if unseen else meta.result_completeness,
            safety_limit_applied=bool(unseen),
        ),
    )
