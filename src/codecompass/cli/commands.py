"""One function per command: parse → call one engine method → print."""

import argparse
import sys
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from codecompass.cli.batch import answer_lines, lines_when_ready, raw_lines
from codecompass.cli.terminal import ProgressBar, ProgressLines, print_json, print_text
from codecompass.config.load import PROJECT_FILE, is_of_machine, load_settings
from codecompass.engine.engine import Engine
from codecompass.engine.operations import KINDS, call_operation
from codecompass.engine.workspace import enclosing_workspace
from codecompass.errors import BadInput
from codecompass.indexing.job import Progress
from codecompass.indexing.run import lower_priority
from codecompass.model.answer import LocateAnswer, OutlineAnswer, StatusAnswer
from codecompass.model.cluster import ClusterOptions
from codecompass.model.query import (
    AnswerShape,
    ContextOptions,
    DetailLevel,
    DiffOptions,
    DiffScope,
    ExplainLevel,
    GraphOptions,
    OutlineDepth,
    Strategy,
    SymbolFilters,
)
from codecompass.model.search import SearchMode, SearchOptions, Stage
from codecompass.present.render import Budget, rendered
from codecompass.search.parse_query import language_named
from codecompass.source.guard import resolve_workspace

_ANSWERED, _NOTHING_FOUND = 0, 1


def default_workspace(folder: Path) -> str:
    """The top of the repository around the current folder, or that folder."""
    return str(enclosing_workspace(folder))


def run_init(parsed: argparse.Namespace) -> int:
    """Write a project file with every setting as a comment."""
    root = resolve_workspace(parsed.workspace)
    target = root / PROJECT_FILE
    if target.exists() or target.is_symlink():
        raise BadInput(f"{target} exists already", remediation="edit it, or delete it first")
    lines = ["# Settings of CodeCompass for this project; each line shows its default."]
    part = ""
    for key, value, _ in load_settings(None, {}).items():
        name, _, setting = key.partition(".")
        if is_of_machine(key):
            continue
        if name != part:
            part = name
            lines += ["", f"[{name}]"]
        lines.append(f"# {setting} = {_as_toml(value)}")
    target.write_text("\n".join(lines) + "\n", "utf-8")
    print_either(parsed, {"written": str(target)}, f"wrote {target}\nnext: codecompass index")
    return _ANSWERED


def _as_toml(value: object) -> str:
    if isinstance(value, dict):
        pairs = ", ".join(f'"{name}" = {number}' for name, number in value.items())
        return f"{{ {pairs} }}"
    if isinstance(value, bool):
        return str(value).lower()
    return f'"{value}"' if isinstance(value, str) else str(value)


def open_engine(parsed: argparse.Namespace) -> Engine:
    """The engine of a command's workspace; a person may have it show secrets."""
    engine = Engine.open(parsed.workspace)
    if parsed.show_secrets:
        if not sys.stdout.isatty():
            raise BadInput("--show-secrets works on a terminal only")
        engine.show_secrets()
    return engine


def run_index(parsed: argparse.Namespace) -> int:
    """Build or update the index, or say what would be left out of it."""
    with open_engine(parsed) as engine:
        if parsed.show_ignored:
            ignored = engine.ignored()
            lines = [f"{item.path}\t{item.source}:{item.line}\t{item.pattern}" for item in ignored]
            print_either(parsed, {"ignored": ignored}, "\n".join(lines))
            return _ANSWERED
        lower_priority(engine.workspace.settings.index.nice)
        with Progressing(parsed) as progress:
            if parsed.changed and not parsed.force:
                answer = engine.freshen(progress=progress)
            else:
                answer = engine.index(force=parsed.force, ref=parsed.ref, progress=progress)
        show_answer(parsed, engine, answer)
    return _ANSWERED


def run_sync(parsed: argparse.Namespace) -> int:
    """Update an existing index."""
    with open_engine(parsed) as engine:
        lower_priority(engine.workspace.settings.index.nice)
        with Progressing(parsed) as progress:
            answer = engine.sync(ref=parsed.ref, progress=progress)
        show_answer(parsed, engine, answer)
    return _ANSWERED


def run_outline(parsed: argparse.Namespace) -> int:
    """The definitions of a file."""
    with open_engine(parsed) as engine:
        with Progressing(parsed) as progress:
            answer = engine.outline(
                parsed.path,
                depth=OutlineDepth(parsed.depth),
                ref=parsed.ref,
                progress=progress,
            )
        show_answer(parsed, engine, answer)
    if isinstance(answer, OutlineAnswer):
        return _found(parsed, len(answer.results))
    return _found(parsed, answer.total_files)


def run_refs(parsed: argparse.Namespace) -> int:
    """Every use of a symbol."""
    options = GraphOptions(
        roles=tuple(parsed.role),
        limit=parsed.limit,
        cursor=parsed.cursor,
        with_context=parsed.context,
    )
    with open_engine(parsed) as engine:
        with Progressing(parsed) as progress:
            answer = engine.find_references(
                parsed.symbol,
                options=options,
                filters=_filters(parsed),
                ref=parsed.ref,
                progress=progress,
            )
        show_answer(parsed, engine, answer)
    return _found(parsed, len(answer.results))


def run_calls(parsed: argparse.Namespace) -> int:
    """Who calls a symbol, and what it calls."""
    direction = "both" if parsed.both else "callees" if parsed.callees else "callers"
    options = GraphOptions(
        direction=direction, depth=parsed.depth, limit=parsed.limit, cursor=parsed.cursor
    )
    with open_engine(parsed) as engine:
        with Progressing(parsed) as progress:
            answer = engine.call_graph(
                parsed.symbol, options=options, ref=parsed.ref, progress=progress
            )
        show_answer(parsed, engine, answer)
    return _found(parsed, len(answer.results))


def run_hierarchy(parsed: argparse.Namespace) -> int:
    """The family of a symbol."""
    return _ask_about(parsed, "hierarchy")


def run_related(parsed: argparse.Namespace) -> int:
    """What belongs to a symbol."""
    return _ask_about(parsed, "related")


def run_similar(parsed: argparse.Namespace) -> int:
    """What is like a symbol."""
    return _ask_about(parsed, "similar")


def _ask_about(parsed: argparse.Namespace, question: str) -> int:
    """Ask something about a symbol that takes no more than how many are wanted."""
    options = GraphOptions(limit=parsed.limit, cursor=parsed.cursor)
    with open_engine(parsed) as engine:
        with Progressing(parsed) as progress:
            answer = getattr(engine, question)(
                parsed.symbol, options=options, ref=parsed.ref, progress=progress
            )
        show_answer(parsed, engine, answer)
    return _found(parsed, len(answer.results))


def run_search(parsed: argparse.Namespace) -> int:
    """Places that answer a question."""
    shape = AnswerShape(
        detail_level=DetailLevel(parsed.detail),
        compact=parsed.compact,
        explain=ExplainLevel(parsed.explain),
    )
    filters = _filters(parsed)
    options = replace(
        _search_options(parsed),
        top_k=parsed.top_k,
        min_score=parsed.min_score,
        exhaustive=parsed.all,
        cursor=parsed.cursor,
    )
    if options.mode is SearchMode.SIMILAR:
        snippet = sys.stdin.read() if parsed.query == "-" else parsed.query
        options = replace(options, code_snippet=snippet)
    with open_engine(parsed) as engine:
        with Progressing(parsed) as progress:
            answer = engine.search(
                "" if options.code_snippet else parsed.query,
                options=options,
                filters=filters,
                shape=shape,
                ref=parsed.ref,
                progress=progress,
            )
        show_answer(parsed, engine, answer)
    return _found(parsed, len(answer.results))


def run_context(parsed: argparse.Namespace) -> int:
    """Code in its context."""
    options = ContextOptions(
        max_tokens=parsed.max_tokens,
        strategy=Strategy(parsed.strategy),
        detail_level=DetailLevel(parsed.detail),
    )
    filters = _filters(parsed)
    with open_engine(parsed) as engine:
        with Progressing(parsed) as progress:
            answer = engine.context(
                parsed.query, options=options, filters=filters, ref=parsed.ref, progress=progress
            )
        show_answer(parsed, engine, answer)
    return _found(parsed, len(answer.results))


def run_clusters(parsed: argparse.Namespace) -> int:
    """What matches with what belongs to it; or one relationship of a cluster."""
    if bool(parsed.query) == bool(parsed.of):
        raise BadInput("clusters: give a question, or --of with the id of a cluster")
    with open_engine(parsed) as engine:
        if parsed.of:
            return _expand_cluster(engine, parsed)
        options = ClusterOptions(
            max_clusters=parsed.max_clusters,
            expansion_depth=2 if parsed.depth is None else parsed.depth,
            include_preview=not parsed.no_preview,
            expand=tuple(parsed.expand),
        )
        filters = _filters(parsed)
        with Progressing(parsed) as progress:
            answer = engine.clusters(
                parsed.query, options=options, filters=filters, ref=parsed.ref, progress=progress
            )
        show_answer(parsed, engine, answer)
    return _found(parsed, len(answer.clusters))


def _expand_cluster(engine: Engine, parsed: argparse.Namespace) -> int:
    if len(parsed.expand) != 1 or parsed.expand == ["all"]:
        raise BadInput("--of: give the one relationship that is wanted with --expand")
    with Progressing(parsed) as progress:
        answer = engine.expand_cluster(
            parsed.of,
            parsed.expand[0],
            expansion_depth=1 if parsed.depth is None else parsed.depth,
            limit=parsed.limit,
            ref=parsed.ref,
            progress=progress,
        )
    show_answer(parsed, engine, answer)
    return _found(parsed, len(answer.results))


def run_explain(parsed: argparse.Namespace) -> int:
    """Why a hit ranks where it does."""
    filters = _filters(parsed)
    with open_engine(parsed) as engine:
        with Progressing(parsed) as progress:
            answer = engine.explain(
                parsed.query,
                parsed.target,
                options=_search_options(parsed),
                filters=filters,
                ref=parsed.ref,
                progress=progress,
            )
        show_answer(parsed, engine, answer)
    return _found(parsed, answer.rank or 0)


def run_followups(parsed: argparse.Namespace) -> int:
    """What to ask next."""
    filters = _filters(parsed)
    with open_engine(parsed) as engine:
        with Progressing(parsed) as progress:
            answer = engine.suggest_followups(
                parsed.query, filters=filters, ref=parsed.ref, progress=progress
            )
        show_answer(parsed, engine, answer)
    return _found(parsed, len(answer.calls))


def _search_options(parsed: argparse.Namespace) -> SearchOptions:
    return SearchOptions(mode=SearchMode(parsed.mode), stage=Stage(parsed.stage))


def _filters(parsed: argparse.Namespace) -> SymbolFilters:
    _check_choices("--kind", parsed.kind, KINDS)
    said = {None: None, "yes": True, "no": False}
    return SymbolFilters(
        kind=tuple(parsed.kind),
        language=tuple(language_named(name) for name in parsed.lang),
        extension=tuple(parsed.ext),
        paths=tuple(parsed.path),
        path_prefix=parsed.path_prefix,
        path_contains=tuple(parsed.path_contains),
        path_not_contains=tuple(parsed.path_not_contains),
        path_glob=parsed.path_glob,
        is_exported=said[parsed.exported],
        has_doc=said[parsed.documented],
        decorator_contains=parsed.decorator,
    )


def run_symbol(parsed: argparse.Namespace) -> int:
    """Definitions by name."""
    filters = _filters(parsed)
    with open_engine(parsed) as engine:
        with Progressing(parsed) as progress:
            answer: LocateAnswer = engine.locate(
                parsed.name,
                filters=filters,
                detail_level=DetailLevel(parsed.detail),
                cursor=parsed.cursor,
                ref=parsed.ref,
                progress=progress,
            )
        show_answer(parsed, engine, answer)
    return _found(parsed, len(answer.results))


def run_diff(parsed: argparse.Namespace) -> int:
    """What a ref or the working tree changes."""
    if parsed.of is not None and parsed.ref is not None:
        raise BadInput(f"diff: given {parsed.of!r} and --ref {parsed.ref!r}; allowed: one of them")
    options = DiffOptions(
        scope=DiffScope(parsed.scope),
        detail_level=DetailLevel(parsed.detail),
        path_prefix=parsed.path_prefix,
        limit=parsed.limit,
        include_callers=parsed.callers,
        cursor=parsed.cursor,
    )
    ref = parsed.of if parsed.of is not None else parsed.ref
    with open_engine(parsed) as engine:
        with Progressing(parsed) as progress:
            answer = engine.diff(ref=ref, base=parsed.base, options=options, progress=progress)
        show_answer(parsed, engine, answer)
    return _found(parsed, answer.affected_files)


def run_compare(parsed: argparse.Namespace) -> int:
    """One symbol at two refs."""
    with open_engine(parsed) as engine:
        with Progressing(parsed) as progress:
            answer = engine.compare(
                parsed.symbol, parsed.from_ref, parsed.to_ref, progress=progress
            )
        show_answer(parsed, engine, answer)
    return _ANSWERED


def run_refs_list(parsed: argparse.Namespace) -> int:
    """Refs and work trees."""
    with open_engine(parsed) as engine:
        answer = engine.list_refs(contains=parsed.contains, limit=parsed.limit)
        show_answer(parsed, engine, answer)
    return _found(parsed, len(answer.refs))


def run_switch_ref(parsed: argparse.Namespace) -> int:
    """Choose what questions without a ref mean."""
    with open_engine(parsed) as engine:
        answer = engine.switch_ref(parsed.to)
        show_answer(parsed, engine, answer)
    return _ANSWERED


def run_status(parsed: argparse.Namespace) -> int:
    """The state of the index."""
    with open_engine(parsed) as engine:
        answer: StatusAnswer = engine.status(
            wait=parsed.wait, timeout_s=parsed.timeout, ref=parsed.ref
        )
        show_answer(parsed, engine, answer)
    return _ANSWERED


def run_batch(parsed: argparse.Namespace) -> int:
    """Answer one JSON call per line."""
    with open_engine(parsed) as engine:
        with Progressing(parsed) as progress:
            engine.index(ref=parsed.ref, progress=progress)
        lines = lines_when_ready(
            raw_lines(sys.stdin.fileno()), lambda: engine.use_idle_time(ref=parsed.ref)
        )
        for answer in answer_lines(
            lines, lambda op, args: call_operation(engine, op, args, ref=parsed.ref)
        ):
            print_json(answer)
            sys.stdout.flush()
    return _ANSWERED


class Progressing:
    """A progress bar while something long runs; none if nobody wants one."""

    def __init__(self, parsed: argparse.Namespace) -> None:
        as_lines = getattr(parsed, "progress_json", False)
        self._bar = ProgressLines() if as_lines else ProgressBar()
        self._is_wanted = not parsed.quiet

    def __enter__(self) -> Progress:
        return self._bar if self._is_wanted else _ignore

    def __exit__(self, *details: object) -> None:
        self._bar.clear()


def _ignore(stage: str, done: int, total: int) -> None:
    """Show nothing."""


def show_answer(parsed: argparse.Namespace, engine: Engine, answer: object) -> None:
    """Print an answer: as it is for programs, within the budget for those who read it."""
    if parsed.json:
        print_json(answer)
        return
    given = getattr(parsed, "max_tokens", None)
    if given is not None and given < 1:
        raise BadInput(f"--max-tokens: given {given}; allowed: 1 and more")
    tokens = given or engine.workspace.settings.answers.max_tokens
    print_text(rendered(answer, Budget(tokens)))


def print_either(parsed: argparse.Namespace, answer: object, text: str) -> None:
    """Print an answer for programs, or the same in words."""
    if parsed.json:
        print_json(answer)
    elif text:
        print_text(text)


def _check_choices(option: str, given: Sequence[str], allowed: Sequence[str]) -> None:
    for value in given:
        if value not in allowed:
            raise BadInput(f"{option}: given {value!r}; allowed: {', '.join(allowed)}")


def _found(parsed: argparse.Namespace, count: int) -> int:
    return _NOTHING_FOUND if parsed.quiet and not count else _ANSWERED
