"""The tree of all errors, each with a stable code and what to do next.

CodeCompassError
├── BadInput                 invalid_argument
│   ├── UnknownOperation     unknown_operation
│   ├── PatternTooSlow       pattern_too_slow
│   ├── CursorExpired        cursor_expired
│   ├── RefMissing           ref_not_found
│   ├── SymbolUnclear        symbol_not_unique
│   ├── HandleGone           handle_gone
│   └── PathOutside          path_outside_workspace
├── ConfigInvalid            config_invalid
├── WorkspaceMissing         workspace_not_found
├── WorkspaceUnreadable      workspace_unreadable
├── WorkspaceUnknown         workspace_not_registered
├── WorkspaceForbidden       workspace_not_allowed
├── TooManyJobs              indexing_rate_limited
├── Cancelled                cancelled
├── FileNotIndexed           file_not_indexed
├── GitMissing               git_missing
├── GitFailed                git_failed
├── IndexMissing             not_indexed
├── IndexIncompatible        index_incompatible
│   └── IndexDamaged         index_damaged
└── StoreError               store_failed
    ├── StoreBusy            store_busy
    └── StoreFull            disk_full
"""


class CodeCompassError(Exception):
    """Something a caller can be told about: what failed, on what, and what to do next."""

    code = "internal"
    remediation = ""

    def __init__(self, message: str, *, remediation: str | None = None) -> None:
        super().__init__(message)
        if remediation is not None:
            self.remediation = remediation

    @property
    def message(self) -> str:
        """What failed, in one line."""
        return str(self)


class BadInput(CodeCompassError):
    """An argument is missing, of the wrong type, or not one of the allowed values."""

    code = "invalid_argument"
    remediation = "correct the argument and call again"


class UnknownOperation(BadInput):
    """A batch line names an operation that does not exist."""

    code = "unknown_operation"


class PatternTooSlow(BadInput):
    """An expression could not be matched in the time a search may take."""

    code = "pattern_too_slow"
    remediation = "write a simpler expression, add plain text to it, or narrow the paths"


class CursorExpired(BadInput):
    """A cursor belongs to another question, or to an index that has changed since."""

    code = "cursor_expired"
    remediation = "ask the question again without a cursor"


class RefMissing(BadInput):
    """A ref names no commit of this repository, or several."""

    code = "ref_not_found"
    remediation = "`codecompass refs-list` shows the refs of this repository"


class SymbolUnclear(BadInput):
    """A name stands for no definition, or for several where one is needed."""

    code = "symbol_not_unique"
    remediation = "give a symbol path, such as `path > A > name`, or a handle"


class HandleGone(BadInput):
    """A handle of an earlier answer belongs to a definition that is not there any more."""

    code = "handle_gone"
    remediation = "it was renamed, moved or deleted since: search again"


class PathOutside(BadInput):
    """A path leaves the workspace, by `..`, an absolute path or a symbolic link."""

    code = "path_outside_workspace"
    remediation = "give a path inside the workspace, relative to its root"


class ConfigInvalid(CodeCompassError):
    """A configuration file or variable cannot be used."""

    code = "config_invalid"
    remediation = "correct the value; `codecompass config show` prints each value and its origin"


class WorkspaceMissing(CodeCompassError):
    """The workspace folder does not exist or is not a folder."""

    code = "workspace_not_found"
    remediation = "give an existing folder with --workspace"


class WorkspaceUnreadable(CodeCompassError):
    """The workspace folder cannot be listed."""

    code = "workspace_unreadable"
    remediation = "check the permissions of the folder"


class WorkspaceUnknown(CodeCompassError):
    """A server was asked about a folder that it was not started for and that has no index."""

    code = "workspace_not_registered"
    remediation = (
        "leave workspace out, run `codecompass index` there, or start the server with"
        " --workspace for it, or with --auto-workspace and --allowed-root"
    )


class WorkspaceForbidden(CodeCompassError):
    """A server was asked about a folder outside the roots that it may look into."""

    code = "workspace_not_allowed"
    remediation = "give a folder below an allowed root, or start the server with another one"


class TooManyJobs(CodeCompassError):
    """More folders are to be indexed on demand than a server starts at a time."""

    code = "indexing_rate_limited"
    remediation = "ask again in a minute"


class Cancelled(CodeCompassError):
    """Nobody wants the answer any more."""

    code = "cancelled"
    remediation = "ask again"


class FileNotIndexed(CodeCompassError):
    """The path is not part of the snapshot that was asked."""

    code = "file_not_indexed"
    remediation = "`codecompass index --show-ignored` names the rule that leaves a file out"


class GitMissing(CodeCompassError):
    """The `git` program is not installed."""

    code = "git_missing"
    remediation = "install git and make sure it is on the PATH"


class GitFailed(CodeCompassError):
    """A `git` command failed."""

    code = "git_failed"


class IndexMissing(CodeCompassError):
    """Nothing has been indexed for this workspace yet."""

    code = "not_indexed"
    remediation = "codecompass index"


class IndexIncompatible(CodeCompassError):
    """The index was made by another version or cannot be read."""

    code = "index_incompatible"
    remediation = "codecompass index --force"


class IndexDamaged(IndexIncompatible):
    """The index is not as it was written: a disk failed, or something changed its files."""

    code = "index_damaged"
    remediation = "codecompass index builds what is damaged anew"


class StoreError(CodeCompassError):
    """A store could not do what was asked."""

    code = "store_failed"
    remediation = "codecompass doctor"


class StoreBusy(StoreError):
    """Another process is writing to this repository's store."""

    code = "store_busy"
    remediation = "wait for the other process; `codecompass status` shows its job"


class StoreFull(StoreError):
    """The disk that holds the store is full; what was published before is still there."""

    code = "disk_full"
    remediation = (
        "free some space, or set CODECOMPASS_HOME to another disk, then `codecompass sync`"
    )


class ArchiveRefused(CodeCompassError):
    """An archive of an index is not one, was changed, or is of another version."""

    code = "archive_refused"
    remediation = "export it again, or index from nothing: codecompass index"


class ProviderBlocked(CodeCompassError):
    """The settings name a provider elsewhere, and forbid to send it code."""

    code = "provider_blocked"


class ProviderFailed(CodeCompassError):
    """A provider of vectors or scores did not answer as it should."""

    code = "provider_failed"
    remediation = "ask again later, or set semantic.model to builtin and semantic.rerank to local"


class ExtraMissing(CodeCompassError):
    """A package that is installed on demand only."""

    code = "extra_missing"
