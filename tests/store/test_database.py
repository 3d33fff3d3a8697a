"""The one place that speaks SQL to SQLite."""

from pathlib import Path

import pytest

from codecompass.store.database import Database


@pytest.mark.parametrize("count", [0, 1, 3, 16, 17, 899, 900, 901, 2_000])
def test_any_number_of_values_is_looked_up(tmp_path: Path, count: int) -> None:
    with Database(tmp_path / "a.db", busy_timeout_s=1, cache_mib=1) as database:
        database.run_script("CREATE TABLE t (id INTEGER PRIMARY KEY, kind TEXT)")
        database.run_many(
            "INSERT INTO t VALUES (?, ?)", ((number, "ab"[number % 2]) for number in range(3_000))
        )
        wanted = list(range(0, count * 2, 2))
        found = database.rows_among("SELECT id FROM t WHERE id IN (*)", wanted)
        assert sorted(row[0] for row in found) == [number for number in wanted if number < 3_000]
        sql = "SELECT id FROM t WHERE kind = ? AND id IN (*)"
        assert database.rows_among(sql, wanted, first=("b",)) == []


def test_states_tell_what_others_have_committed(tmp_path: Path) -> None:
    path = tmp_path / "a.db"
    with Database(path, busy_timeout_s=1, cache_mib=1) as writer:
        writer.run_script("CREATE TABLE t (id INTEGER)")
        with (
            Database(path, busy_timeout_s=1, cache_mib=1, create=False) as reader,
            Database(path, busy_timeout_s=1, cache_mib=1, create=False) as other,
        ):
            before = reader.state()
            assert reader.state() == before
            assert other.state() != before  # no two connections have one in common
            writer.run("INSERT INTO t VALUES (1)")
            assert reader.state() != before
