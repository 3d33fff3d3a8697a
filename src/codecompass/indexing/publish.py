"""Extracted files in, rows in both engines out; durable, but in no snapshot yet."""

from collections.abc import Sequence

from codecompass.indexing.plan import Plan, skipped_entry
from codecompass.indexing.work import ExtractedFile
from codecompass.model.snapshot import FileEntry, JobCounts, VersionId, VersionKey
from codecompass.model.source import FileStat, SkipReason
from codecompass.store.versions import VersionRows, insert_versions, known_versions
from codecompass.store.writing import WriteSession

_NOT_COUNTED = (None, SkipReason.IGNORED)


class Stage:
    """Takes extracted files into both engines; nothing of it is in a snapshot yet."""

    def __init__(self, session: WriteSession, plan: Plan) -> None:
        self._session = session
        self._plan = plan
        self._ids: dict[VersionKey, VersionId] = {}
        self.entries: list[FileEntry] = []
        self.done = 0
        self.uncommitted = 0
        self._extracted = 0
        self._symbols = 0

    def add(self, batch: Sequence[ExtractedFile]) -> None:
        """Store the rows of a batch; equal contents are stored once."""
        fresh: list[VersionRows] = []
        keys = {item.rows.key for item in batch if item.rows}
        unknown = {key for key in keys if key not in self._ids}
        found = known_versions(self._session.database, unknown)
        self._ids |= {key: version.id for key, version in found.items()}
        for item in batch:
            self.done += 1
            if item.rows is None:
                reason = item.skip_reason or SkipReason.UNREADABLE
                stat = FileStat(item.path, item.size_bytes, item.stamp)
                self.entries.append(skipped_entry(item.path, reason, stat, item.blob_id))
                continue
            rows = item.rows
            version_id = self._ids.setdefault(rows.key, rows.id)
            if version_id == rows.id:
                fresh.append(rows)
                self._session.lexical.add(rows.id, rows.key.blob_id, rows.documents)
                self._symbols += rows.definitions
                if rows.vectors is not None:
                    self._session.vectors.add(rows.id, rows.vectors)
            self.entries.append(
                FileEntry(
                    item.path, version_id, None, rows.key.blob_id, item.size_bytes, item.stamp
                )
            )
        insert_versions(self._session.database, fresh)
        self._extracted += len(fresh)
        self.uncommitted += len(batch)

    def commit(self) -> None:
        """Make it durable: text first, so that a version in the database always has its text."""
        self._session.lexical.commit()
        self._session.vectors.commit()
        self._session.database.commit()
        self.uncommitted = 0

    def counts(self, *, requoted: int, resolved: int) -> JobCounts:
        """What the run did."""
        plan = self._plan
        settled = [*plan.files.values(), *self.entries]
        return JobCounts(
            scanned=plan.scanned,
            hashed=max(plan.hashed, self.done),
            extracted=self._extracted,
            reused=plan.reused(),
            deleted=len(plan.dropped()),
            skipped=sum(entry.skip_reason not in _NOT_COUNTED for entry in settled),
            symbols=self._symbols,
            requoted=requoted,
            resolved=resolved,
        )
