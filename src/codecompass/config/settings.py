"""Every tunable number, in small frozen parts, one for each consumer."""

from dataclasses import dataclass, field, fields
from pathlib import Path


@dataclass(frozen=True, slots=True)
class IndexSettings:
    """What is read and how the work is divided."""

    max_file_bytes: int = 1_048_576  # larger files are data; skipped and counted
    max_line_bytes: int = 20_000  # minified where most of a script is in longer lines; skipped
    workers: int = 0  # processes that extract; 0: one for each CPU, at most 8
    memory_mib: int = 700  # of all processes of a run together; fewer workers, more writes
    nice: int = 0  # how much other programs come first; runs behind a watcher use 10
    inline_files: int = 50  # up to so many files are extracted by a single helper process
    commit_files: int = 2_000  # after so many files what was extracted is made durable


@dataclass(frozen=True, slots=True)
class StoreSettings:
    """Where indexes live and how the engines are tuned."""

    home: Path = Path()  # filled in by `load`: the user's data directory or CODECOMPASS_HOME
    disk_mib: int = 20_000  # of all indexes; more, and those nobody asked for the longest go
    busy_timeout_s: float = 10.0  # how long a writer waits for another one
    cache_mib: int = 32  # SQLite page cache
    writer_memory_mib: int = 64  # what Tantivy collects before it writes a segment


@dataclass(frozen=True, slots=True)
class FreshnessSettings:
    """What a query does when files have changed since the last sync."""

    policy: str = "balanced"  # strict | balanced | best_effort
    sync_files: int = 200  # balanced: up to so many changed files are synced before answering
    look_s: float = 2.0  # servers: a look that took longer is not made before every question
    wait_s: float = 3.0  # balanced: so long another process that does the same work is waited for
    recheck_after_s: float = 0.0  # a look at the files counts for so long; 0: look every time


@dataclass(frozen=True, slots=True)
class WatchSettings:
    """What a process that watches a repository does."""

    start: bool = True  # a server starts one where none runs
    debounce_s: float = 1.0  # files are read when nothing more was written for so long
    reconcile_s: float = 1_800.0  # so often all files are looked at, whatever was told
    poll_s: float = 30.0  # the same where the system tells nothing, as on network folders
    share: float = 0.1  # of the time, that reading changes behind everybody's back may take
    idle_exit_s: float = 1_800.0  # one that a server started ends when nobody asks for so long
    max_folders: int = 100_000  # of more folders none is watched
    timeout_s: float = 1.0  # so long a question waits for its word, then looks for itself


@dataclass(frozen=True, slots=True)
class RefSettings:
    """Branches, tags and commits: what they are compared with, and how long they are kept."""

    base: str = ""  # the branch work is based on; "": the remote's default branch, or main
    keep_days: int = (
        30  # a ref nobody asks for is forgotten after so long; it can be indexed again
    )
    keep_snapshots: int = 200  # so many refs are kept, those asked for last


@dataclass(frozen=True, slots=True)
class SearchSettings:
    """How far a search looks."""

    file_candidates: int = 20  # files taken from the text index, and as many from paths
    chunk_candidates: int = 20  # chunks from all files, and as many from the best files
    alike_candidates: int = 20  # chunks that mean most what the question does
    alike_least: float = 0.25  # what is less like a question is not found by its meaning
    max_top_k: int = 100  # results a caller may ask for at once
    time_limit_s: float = 5.0  # for matching an expression; then an error says so


@dataclass(frozen=True, slots=True)
class SemanticSettings:
    """What understands questions and code, and what may leave this machine for it."""

    mode: str = "hybrid"  # off | rerank_only (no candidates of its own) | hybrid
    model: str = "builtin"  # the one that ships; a folder; voyage:, openai: or cohere:MODEL
    rerank: str = "local"  # or voyage:MODEL, cohere:MODEL for the best results once more
    rerank_candidates: int = 30  # results that a provider is asked to rank
    rerank_weight: float = 0.65  # of the provider's score; the rest is ours
    external_provider_enabled: bool = False  # may anything be sent to a provider?
    allow_code_payload_to_external: bool = False  # may that be code?
    endpoint: str = ""  # address of a provider; "": its own
    timeout_s: float = 10.0  # for one request to a provider, tries included
    retries: int = 2  # after an answer that says to come back, or none
    batch: int = 64  # texts in one request


def _path_preferences() -> dict[str, float]:
    return {
        "tests": 0.5, "test": 0.5, "testing": 0.5, "testdata": 0.5, "__tests__": 0.5,
        "spec": 0.5, "specs": 0.5, "e2e": 0.5,
        "test_*": 0.5, "*_test.*": 0.5, "*_tests.*": 0.5, "*.test.*": 0.5, "*.spec.*": 0.5,
        "*-test.*": 0.5, "*_spec.*": 0.5, "*Test.*": 0.5, "*Tests.*": 0.5, "*.bats": 0.5,
        "conftest.py": 0.5,
        "mock": 0.5, "mocks": 0.5, "__mocks__": 0.5, "fixture": 0.5, "fixtures": 0.5,
        "example": 0.5, "examples": 0.5, "sample": 0.5, "samples": 0.5, "demo": 0.5, "demos": 0.5,
        "bench": 0.5, "benches": 0.5, "benchmark": 0.5, "benchmarks": 0.5,
        "vendor": 0.4, "vendored": 0.4, "third_party": 0.4, "node_modules": 0.4, "deps": 0.5,
        "generated": 0.5, "*.min.*": 0.3, "*.pb.go": 0.5, "*_pb2.py": 0.5, "*.d.ts": 0.7,
        "docs": 0.5, "doc": 0.5, "*.md": 0.4, "*.rst": 0.4, "*.txt": 0.4, "*.adoc": 0.4,
        "*.json": 0.4, "*.yaml": 0.4, "*.yml": 0.4, "*.toml": 0.4, "*.ini": 0.4, "*.cfg": 0.4,
        "*.xml": 0.4, "*.html": 0.4, "*.css": 0.4, "*.svg": 0.3, "*.csv": 0.3, "*.lock": 0.2,
        "*.in": 0.4, "*.def": 0.4, "*.cmake": 0.4, "*.bazel": 0.4, "*.po": 0.3,
    }  # fmt: skip


@dataclass(frozen=True, slots=True)
class RankingSettings:
    """What each reason to rank a result high is worth."""

    file_words: float = 1.3  # words of the question in the file
    chunk_words: float = 1.0  # words of the question in the chunk
    coherence: float = 0.6  # other good chunks in the same file
    file_name: float = 1.6  # words of the question in the file's name
    folder_name: float = 1.0  # words of the question in the folders' names
    path_terms: float = 4.0  # of a longer question the names of files and folders say less
    definition_name: float = 0.5  # words of the question in the definition's name
    exact_name: float = 0.3  # a name of the question is the definition's
    exact_file: float = 0.5  # a name of the question is the file's
    exact_path: float = 5.0  # the question is the file's path, or the end of it
    single_name: float = 3.0  # times `exact_name` where the question is one name
    phrase: float = 2.0  # a quoted phrase stands there word for word
    meaning: float = 0.7  # the chunk means what the question does
    file_meaning: float = 0.7  # the file does
    docs_meaning: float = 1.1  # the docs of what it defines do
    path_meaning: float = 0.75  # the words of its path do
    name_meaning: float = 0.3  # what is left of all four where the question is a name
    file_saturation: float = 8.0  # frequency in a file at which a word is worth half of all
    chunk_saturation: float = 4.0  # the same in a chunk
    relatives: float = 0.8  # a word that begins another, as `auth` and authentication
    depth: float = 0.12  # what each folder more than usual takes away, as an exponent
    same_file: float = 0.4  # what each further result of a file keeps of its score
    path_preferences: dict[str, float] = field(default_factory=_path_preferences)


@dataclass(frozen=True, slots=True)
class AnswerSettings:
    """How much an answer holds."""

    max_results: int = 50  # matches in one answer; more are counted and said to be left out
    max_suggestions: int = 5  # similar names told when nothing was found
    max_changes: int = 100  # changed symbols in one answer; more are counted
    max_relations: int = 1_000  # uses, calls or relatives in one answer, whatever is asked for
    max_tokens: int = 4_000  # of code in its context, where the caller names no budget
    largest_budget: int = 32_000  # that a caller may name
    context_min_score: float = 0.5  # what scores less is no context; of nothing else the best few
    precompute: bool = True  # while nothing is asked, make clusters of what is used the most
    diff_files: int = 2_000  # of more changed files only the names are told, not the symbols


@dataclass(frozen=True, slots=True)
class ServerSettings:
    """What a server for agents takes on."""

    max_characters: int = 18_000  # of one answer; the least that a client cuts at is 20,000
    first_wait_s: float = 5.0  # how long a first question waits for its index to be built
    progress_wait_s: float = 45.0  # the same where the caller is told how far it is
    warm_workspaces: int = 4  # kept open, those asked last
    engines: int = 2  # open for one workspace: so many questions at a time
    auto_workspaces: int = 10  # found on demand and remembered
    auto_keep_days: int = 7  # one of those that nobody asks for is forgotten after so long
    jobs_at_once: int = 2  # folders that are indexed on demand at the same time
    jobs_per_minute: int = 6  # folders that begin to be indexed on demand
    max_requests: int = 500  # over HTTP at the same time; more are told to come back
    max_body_bytes: int = 1_048_576  # of one request over HTTP
    memory_mib: int = 64  # of its own: grown beyond, a server gives back what it keeps
    rest_after_s: float = 60.0  # asked nothing for so long, a server gives memory back
    audit: bool = True  # note each call in a log: which tool, how long, what came of it


@dataclass(frozen=True, slots=True)
class Settings:
    """All parts, and for each value that is not a default, where it comes from."""

    index: IndexSettings = field(default_factory=IndexSettings)
    store: StoreSettings = field(default_factory=StoreSettings)
    freshness: FreshnessSettings = field(default_factory=FreshnessSettings)
    watch: WatchSettings = field(default_factory=WatchSettings)
    refs: RefSettings = field(default_factory=RefSettings)
    answers: AnswerSettings = field(default_factory=AnswerSettings)
    search: SearchSettings = field(default_factory=SearchSettings)
    ranking: RankingSettings = field(default_factory=RankingSettings)
    semantic: SemanticSettings = field(default_factory=SemanticSettings)
    server: ServerSettings = field(default_factory=ServerSettings)
    origins: dict[str, str] = field(default_factory=dict)  # "index.workers" → "CODECOMPASS_…"

    def items(self) -> list[tuple[str, object, str]]:
        """Each setting with its value and origin, in the order they are declared."""
        rows: list[tuple[str, object, str]] = []
        for part_name in PARTS:
            part = getattr(self, part_name)
            for item in fields(part):
                key = f"{part_name}.{item.name}"
                origin = self.origins.get(key, "default")
                rows.append((key, getattr(part, item.name), origin))
        return rows


PARTS = {
    "index": IndexSettings,
    "store": StoreSettings,
    "freshness": FreshnessSettings,
    "watch": WatchSettings,
    "refs": RefSettings,
    "answers": AnswerSettings,
    "search": SearchSettings,
    "ranking": RankingSettings,
    "semantic": SemanticSettings,
    "server": ServerSettings,
}
"""The parts by the name they have in configuration files."""
