"""Answers in, compact lines for people and agents out."""

from collections.abc import Mapping

from codecompass.model.answer import (
    CallMetrics,
    DoctorAnswer,
    FolderAnswer,
    LocateAnswer,
    OutlineAnswer,
    StatusAnswer,
    SymbolResult,
    SyncAnswer,
)
from codecompass.model.health import HealthAnswer
from codecompass.model.snapshot import LIVE, Compatibility, SnapshotCounts
from codecompass.present.meta import state_line
from codecompass.text.tokens import estimate_tokens

_MIB = 1024 * 1024
_MAX_TOOLS = 5
_SHOWN_FAILURES = 10


def render_outline(answer: OutlineAnswer) -> str:
    """One line per symbol: lines, nesting, signature."""
    state = " · syntax errors" if answer.has_errors else ""
    about = f"{answer.path} · {answer.language} · {answer.line_count} lines{state}"
    lines = [f"{state_line(answer.meta)} · {about}"]
    width = max((len(_span(item)) for item in answer.results), default=0)
    previous = ""
    for item in answer.results:
        label = item.signature or item.name
        is_repeated, previous = label == previous, label
        if item.name not in label or is_repeated:
            label = f"{item.name}: {label}"  # `typedef struct`; the second of `a, b = 1, 2`
        lines.append(f"{_span(item):>{width}}  {'  ' * (item.depth or 0)}{label}")
    if not answer.total:
        lines.append("no definitions in this file")
    rest = answer.total - len(answer.results)
    if rest > 0:
        lines.append(f"{rest:,} more definitions inside these, or below: ask for one by its name")
    return "\n".join(lines)


def render_folder(answer: FolderAnswer) -> str:
    """One line per file with what it defines; folders that are not told with their counts."""
    lines = [f"{state_line(answer.meta)} · {answer.path} · {answer.total_files} files"]
    names: dict[str, list[str]] = {}
    for item in answer.results:
        if item.is_exported is not False:
            names.setdefault(item.path, []).append(item.name)
    lead = "" if answer.path == "." else f"{answer.path}/"
    for file in answer.files:
        told = ", ".join(dict.fromkeys(names.get(file.path, ())))
        rest = file.definitions - len(names.get(file.path, ()))
        if rest > 0:
            told = f"{told} and {rest} more" if told else f"{rest} definitions"
        shown = f"{file.path.removeprefix(lead)} {file.line_count} lines"
        lines.append(f"  {shown}: {told}" if told else f"  {shown}")
    for name, count in answer.folders.items():
        lines.append(f"  {name.removeprefix(lead)} {count} file{'' if count == 1 else 's'}")
    rest = answer.total_files - len(answer.files) - sum(answer.folders.values())
    if rest:
        lines.append(f"{rest} more files: ask for a folder inside")
    return "\n".join(lines)


def render_locate(answer: LocateAnswer) -> str:
    """Results grouped by file, each with its place first; suggestions clearly apart."""
    lines: list[str] = []
    for item in answer.results:
        name = item.qualified_name or item.name
        lines.append(f"{item.path}:{_span(item)} {item.kind} {name} [{item.handle}]")
        if item.signature:
            lines.append(f"    {item.signature}")
        for extra in (item.doc, item.body_preview):
            if extra:
                lines += [f"    | {line}" for line in extra.splitlines()]
    if not answer.results and answer.filtered_out:
        lines.append(
            f"{answer.filtered_out} definitions named {answer.query!r}, none passes the filters"
        )
    elif not answer.results:
        meta = answer.meta
        lines.append(
            f"no definition named {answer.query!r}; searched {meta.searched_symbols or 0:,}"
            f" definitions in {meta.searched_files or 0:,} files"
        )
    if answer.suggestions:
        lines.append(f"not matches, but similar: {', '.join(answer.suggestions)}")
    if answer.cursor:
        lines.append(f"more: narrow by kind or path, or cursor={answer.cursor}")
    text = "\n".join(lines)
    found = f"{len(answer.results)} of {answer.total} definitions"
    return f"{state_line(answer.meta)} · {found} · {estimate_tokens(text)} tokens\n{text}"


def _content_lines(counts: SnapshotCounts) -> list[str]:
    """What a snapshot holds, and what of it is not as it should be."""
    lines = [
        f"content    {counts.files:,} files, {counts.lines:,} lines, {counts.symbols:,}"
        f" symbols, {counts.references:,} references, {counts.imports:,} imports",
        f"languages  {_tally(counts.languages)}",
    ]
    if counts.skipped:
        lines.append(f"skipped    {_tally(counts.skipped)}")
    if counts.absent_submodules:
        names = ", ".join(counts.absent_submodules[:_SHOWN_FAILURES])
        lines.append(f"submodules not checked out: {names}")
    if counts.with_errors:
        rest = ", …" if counts.with_errors > len(counts.such_as) else ""
        named = ", ".join(counts.such_as) + rest
        lines.append(f"errors     {counts.with_errors:,} files with syntax errors: {named}")
    if counts.not_parsed:
        lines.append(f"not parsed {not_parsed_text(counts.not_parsed)}")
    return lines


def not_parsed_text(failed: Mapping[str, str]) -> str:
    """Which files could not be parsed, and why."""
    shown = [f"{path} ({why})" for path, why in list(failed.items())[:_SHOWN_FAILURES]]
    rest = ", …" if len(failed) > len(shown) else ""
    return f"{len(failed):,} files, found as plain text only: {', '.join(shown)}{rest}"


def render_status(answer: StatusAnswer) -> str:
    """The state in a few lines; what needs doing last."""
    lines = [
        f"workspace  {answer.workspace}",
        f"ref        {answer.ref}",
        f"index      {answer.indexing_status}, {answer.freshness_status}",
        f"store      {answer.store} ({answer.size_bytes / _MIB:.1f} MiB,"
        f" schema {answer.schema_version or 'none'}, {answer.compatibility})",
    ]
    if answer.counts:
        lines += _content_lines(answer.counts)
        at = f" at {answer.head[:10]}" if answer.head else ""
        lines.append(f"published  {answer.published_at}{at}")
    if answer.is_sparse:
        lines.append("sparse     only a part of the tree is checked out, and indexed")
    if answer.changed_files:
        lines.append(f"changed    {answer.changed_files:,} files since then: codecompass sync")
    if answer.recovery:
        found = answer.recovery
        times = f", {found.attempts} times" if found.attempts > 1 else ""
        lines.append(f"recovery   job {found.job_id} {found.error_code}{times}: {found.message}")
        lines.append(f"           {found.advice}")
    if answer.watcher:
        lines.append(f"watched    by {answer.watcher}")
    if answer.calls:
        said = [_call(item) for item in answer.calls[:_MAX_TOOLS]]
        lines.append(f"calls      ms p50/p95, tokens: {' · '.join(said)}")
    if answer.is_being_written:
        lines.append("busy       a process is writing for this or another working tree")
    elif answer.counts is None:
        ref = "" if answer.ref == LIVE else f" --ref {answer.ref}"
        force = " --force" if answer.compatibility is Compatibility.REINDEX_REQUIRED else ""
        lines.append(f"next       codecompass index{force}{ref}")
    return "\n".join(lines)


def render_sync(answer: SyncAnswer) -> str:
    """What a run did, in one line; in a second one what it could not do."""
    counts = answer.counts
    note = f"\nnote: {answer.note}" if answer.note else ""
    if not answer.published:
        looked = f"{counts.scanned:,} files looked at in {answer.duration_ms} ms"
        return f"up to date: {looked}{note}"
    parts = [
        f"{counts.extracted:,} files extracted",
        f"{counts.symbols:,} symbols",
        f"{counts.reused:,} known already" if counts.reused else "",
        f"{counts.deleted:,} removed" if counts.deleted else "",
        f"{counts.skipped:,} skipped" if counts.skipped else "",
        f"{counts.requoted:,} chunks quote a changed signature" if counts.requoted else "",
    ]
    said = ", ".join(part for part in parts if part)
    return f"indexed in {answer.duration_ms / 1000:.1f} s: {said}{note}"


def render_health(answer: HealthAnswer) -> str:
    """One line for each workspace, then what bounds a server."""
    lines = [f"{answer.status} · codecompass {answer.version}"]
    for item in answer.workspaces:
        counts = f" · {item.files:,} files, {item.symbols:,} symbols" if item.files else ""
        warm = {True: " · warm", False: " · cold", None: ""}[item.is_warm]
        said = f" · {item.said}" if item.said else ""
        lines.append(f"{item.path} · {item.ref} · {item.status}{counts}{warm}{said}")
    lines.append(", ".join(f"{name} {value:g}" for name, value in answer.limits.items()))
    return "\n".join(lines)


def render_doctor(answer: DoctorAnswer) -> str:
    """One line per check, advice below it."""
    lines = []
    for check in answer.checks:
        lines.append(f"{'ok  ' if check.ok else 'FAIL'} {check.name}: {check.detail}")
        if check.advice:
            lines.append(f"     {check.advice}")
    if answer.ignored:
        lines.append("files left out by our rules:")
        lines += [f"  {count:>6,}  {rule}" for rule, count in answer.ignored.items()]
    return "\n".join(lines)


def _span(item: SymbolResult) -> str:
    if item.start_line == item.end_line:
        return str(item.start_line)
    return f"{item.start_line}-{item.end_line}"


def _call(item: CallMetrics) -> str:
    errors = f", {item.errors:,} errors" if item.errors else ""
    return f"{item.tool} {item.calls:,}{errors}: {item.p50_ms}/{item.p95_ms}, {item.p50_tokens}"


def _tally(counts: Mapping[str, int]) -> str:
    return ", ".join(f"{name} {count:,}" for name, count in counts.items())
