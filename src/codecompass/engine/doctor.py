"""A workspace in, what is right and wrong with it out."""

import platform
import sys
from collections.abc import Callable
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from codecompass import __version__
from codecompass.config.load import unknown_variables
from codecompass.engine.watching import Watching
from codecompass.engine.workspace import Workspace
from codecompass.errors import CodeCompassError
from codecompass.model.answer import Check, DoctorAnswer
from codecompass.model.snapshot import LIVE, Compatibility, JobStatus, live_name
from codecompass.parse.extract import extract, load_language
from codecompass.parse.languages import LANGUAGES
from codecompass.present.text import not_parsed_text
from codecompass.source.events import can_watch, watch_limit
from codecompass.source.git import git_version
from codecompass.source.ignore import count_by_rule
from codecompass.source.walk import list_ignored_by_git, list_workspace
from codecompass.store.database import is_writable, sqlite_version
from codecompass.store.disk import free_bytes, nearest_folder
from codecompass.store.repository import RepositoryStore

_MIB = 1024 * 1024
_MAX_RULES = 20
# A changed file needs less; a run that reads many needs more.
_LEAST_FREE = 5 * _MIB


def examine(workspace: Workspace, store: RepositoryStore) -> DoctorAnswer:
    """Versions, grammars, index, snapshots, last run, ignore rules; with what to do."""
    checks = [
        _versions(),
        _git(workspace),
        _settings(workspace),
        _grammars(),
        _tried("index", lambda: _index(store)),
        _tried("integrity", lambda: _integrity(store)),
        _tried("snapshots", lambda: _snapshots(store)),
        _tried("parsing", lambda: _parsing(workspace, store)),
        _tried("last run", lambda: _last_run(workspace, store)),
        _watching(workspace),
    ]
    if workspace.is_bare:
        return DoctorAnswer(tuple(checks))
    try:
        listing = list_workspace(workspace.root, workspace.scratch)
    except CodeCompassError as error:
        checks.append(Check("ignore", False, error.message, error.remediation))
        return DoctorAnswer(tuple(checks))
    by_git = list_ignored_by_git(workspace.root, workspace.scratch)
    rules = count_by_rule([*listing.ignored, *by_git])
    shown = dict(list(rules.items())[:_MAX_RULES])
    checks.append(
        Check("ignore", True, f"{len(listing.files):,} files to index, {len(rules)} rules active")
    )
    return DoctorAnswer(tuple(checks), shown)


def _tried(name: str, check: Callable[[], Check]) -> Check:
    """A check of what may be damaged so that it cannot even be made."""
    try:
        return check()
    except CodeCompassError as error:
        return Check(name, False, error.message, error.remediation)


def _versions() -> Check:
    python = f"{platform.python_implementation()} {platform.python_version()} on {sys.platform}"
    packages = ", ".join(f"{name} {_version(name)}" for name in ("tree-sitter", "tantivy"))
    detail = f"codecompass {__version__}, {python}, {packages}"
    return Check("versions", True, f"{detail}, SQLite {sqlite_version()}")


def _version(package: str) -> str:
    try:
        return version(package)
    except PackageNotFoundError:
        return "not installed"


def _git(workspace: Workspace) -> Check:
    try:
        found = git_version(workspace.root)
    except CodeCompassError as error:
        return Check("git", False, error.message, error.remediation)
    kind = "a git work tree" if workspace.is_git else "a plain folder"
    kind = "a bare repository" if workspace.is_bare else kind
    return Check("git", True, f"git {found}; {workspace.root} is {kind}")


def _settings(workspace: Workspace) -> Check:
    """What was set, and what looks like a setting and is none."""
    given = [f"{key} ({origin})" for key, origin in sorted(workspace.settings.origins.items())]
    unknown = unknown_variables()
    if unknown:
        detail = f"not known and ignored: {', '.join(unknown)}"
        return Check("settings", False, detail, "`codecompass config show` names all that are")
    return Check("settings", True, ", ".join(given) or "all as they come")


def _grammars() -> Check:
    """Load every grammar and run its queries: a wheel that does not fit shows here."""
    broken, missing = [], []
    for language in LANGUAGES:
        try:
            if not load_language(language):
                missing.append(language.label)
            extract(language, b"x\n", with_reads=True)
        except Exception as error:  # noqa: BLE001  # whatever a wheel does, the doctor goes on
            broken.append(f"{language.name}: {error}")
    if broken:
        return Check(
            "grammars", False, "; ".join(broken), "pip install --force-reinstall codecompass"
        )
    detail = f"{len(LANGUAGES) - len(missing)} languages load"
    if missing:
        detail += f"; not installed, so that their files are plain text: {', '.join(missing)}"
    return Check("grammars", True, detail)


def _index(store: RepositoryStore) -> Check:
    state = store.compatibility()
    if not _can_be_written(store.layout.folder):
        advice = "make it writable, or set CODECOMPASS_HOME to another folder"
        return Check("index", False, f"{store.layout.folder} cannot be written", advice)
    free = free_bytes(store.layout.folder)
    if free < _LEAST_FREE:
        detail = f"{free / _MIB:.1f} MiB are free on the disk of {store.layout.folder}"
        return Check("index", False, detail, "free some space: nothing new can be stored")
    if state is Compatibility.NOT_INDEXED:
        return Check("index", True, "nothing indexed yet", "codecompass index")
    size = f"{store.size_bytes() / _MIB:.1f} MiB in {store.layout.folder}"
    if state is Compatibility.COMPATIBLE:
        return Check("index", True, size)
    return Check("index", False, f"{state}, {size}", "codecompass index --force")


def _can_be_written(folder: Path) -> bool:
    """Whether a folder can be written, or made."""
    there = nearest_folder(folder)
    return there.is_dir() and is_writable(there)


def _integrity(store: RepositoryStore) -> Check:
    """Read everything: what a disk has damaged shows here before a question meets it."""
    if store.compatibility() is not Compatibility.COMPATIBLE:
        return Check("integrity", True, "nothing to check")
    damaged = store.damage()
    if damaged:
        store.note_damage()
        return Check("integrity", False, "; ".join(damaged), "codecompass index mends it")
    detail = "facts, text and vectors are as they were written"
    return Check("integrity", True, detail)


def _watching(workspace: Workspace) -> Check:
    """Who watches, and how much the system lets one watch."""
    if not can_watch():
        return Check("watch", True, "this system is polled, not watched")
    limit = watch_limit()
    folders = f"at most {limit:,} folders can be watched" if limit else "no limit known"
    watching = Watching(workspace.layout.folder, workspace.root, workspace.settings.watch)
    found = watching.in_words()
    if found is None:
        return Check("watch", True, f"no watcher runs; {folders}")
    return Check("watch", True, f"{found}; {folders}")


def _snapshots(store: RepositoryStore) -> Check:
    """What the store keeps for branches and working trees, and what of it is of no use."""
    if store.compatibility() is not Compatibility.COMPATIBLE:
        return Check("snapshots", True, "none")
    records = store.snapshots()
    live = [record for record in records if record.ref == LIVE]
    gone = sum(not Path(record.workspace).is_dir() for record in live)
    total, unused = store.version_counts()
    detail = (
        f"{len(live)} working trees, {len(records) - len(live)} commits, {total:,} file versions"
        f" of which {unused:,} are in no snapshot"
    )
    if gone:
        detail += f"; {gone} working trees are gone"
    return Check("snapshots", True, detail, "codecompass gc" if gone or unused else "")


def _parsing(workspace: Workspace, store: RepositoryStore) -> Check:
    """Files that killed a parser or that it cannot read: they are searched as plain text."""
    reader = None
    if store.compatibility() is Compatibility.COMPATIBLE:
        reader = store.reader(live_name(workspace.root))
    if reader is None:
        return Check("parsing", True, "nothing indexed")
    with reader:
        failed = reader.counts().not_parsed
    if not failed:
        return Check("parsing", True, "every file of a known language was parsed")
    advice = "they are parsed again when their content or the grammar changes"
    return Check("parsing", True, not_parsed_text(failed), advice)


def _last_run(workspace: Workspace, store: RepositoryStore) -> Check:
    job = store.last_job(live_name(workspace.root))
    if job is None:
        return Check("last run", True, "none")
    detail = f"job {job.id}, {job.mode}, {job.status}, {job.duration_ms} ms, {job.updated_at}"
    if job.status in {JobStatus.FAILED, JobStatus.ROLLED_BACK}:
        return Check("last run", False, f"{detail}: {job.error_message}", "codecompass sync")
    return Check("last run", True, detail)
