"""Reading one file: its text, or the reason to leave it out."""

import os
import subprocess
import threading
from pathlib import Path

import pytest

from codecompass.model.source import SkipReason, SourceText
from codecompass.source.read import blob_id, decode_text, read_source, stamp_of
from tests.conftest import age, without_rights


def read(path: Path, **limits: int) -> SourceText | SkipReason:
    allowed = {"max_bytes": 1_000_000, "max_line_bytes": 20_000} | limits
    return read_source(path.parent, path.name, **allowed)


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (b"a\0b", SkipReason.BINARY),
        (b"x" * 1_000_001, SkipReason.TOO_LARGE),
        (b"x" * 20_001, SkipReason.LONG_LINE),
        (b"\xff\xfe\x00", SkipReason.BINARY),
    ],
)
def test_files_that_are_left_out(tmp_path: Path, content: bytes, reason: SkipReason) -> None:
    path = tmp_path / "file"
    path.write_bytes(content)
    assert read(path) == reason


def test_one_long_line_among_many_is_no_reason(tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.write_bytes(b"x" * 20_001 + b"\n" + b"y = 1\n" * 4_000)
    assert isinstance(read(path), SourceText)


def test_a_missing_file_and_a_folder_are_unreadable(tmp_path: Path) -> None:
    assert read(tmp_path / "none") == SkipReason.UNREADABLE
    (tmp_path / "folder").mkdir()
    assert read(tmp_path / "folder") == SkipReason.UNREADABLE


@pytest.mark.skipif(os.name == "nt", reason="permissions work otherwise on Windows")
def test_a_forbidden_file_is_unreadable(tmp_path: Path) -> None:
    path = tmp_path / "secret"
    path.write_text("x")
    path.chmod(0)
    with without_rights(tmp_path):
        assert read(path) == SkipReason.UNREADABLE


@pytest.mark.parametrize(
    ("raw", "text"),
    [
        (b"\xef\xbb\xbfx = 1\n", b"x = 1\n"),
        ("é".encode("latin-1"), "é".encode()),
        ("\ufeffgrün\r\n".encode("utf-16"), "\ufeffgrün\r\n".encode()),
        (b"late" + b" " * 9000 + b"\0", b"late" + b" " * 9000 + b"\0"),
    ],
)
def test_text_becomes_utf8_without_mark(raw: bytes, text: bytes) -> None:
    assert decode_text(raw) == text


def test_code_is_text_whatever_its_texts_hold(tmp_path: Path) -> None:
    held = b'class Fuzz { String input = "a\0b"; }\n'
    for name, is_text in (("Fuzz.java", True), ("fuzz.bin", False)):
        (tmp_path / name).write_bytes(held)
        assert isinstance(read(tmp_path / name), SourceText) is is_text
    (tmp_path / "broken.java").write_bytes(b"\0\xff\xfe\x80")
    assert read(tmp_path / "broken.java") == SkipReason.BINARY


def test_only_what_people_minify_is_minified(tmp_path: Path) -> None:
    for name, is_text in (("Table.java", True), ("app.js", False)):
        (tmp_path / name).write_bytes(b"x" * 2_000)
        assert isinstance(read(tmp_path / name, max_line_bytes=1_000), SourceText) is is_text


def test_the_blob_id_is_gits(tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.write_bytes(b"content\n")
    said = subprocess.run(["git", "hash-object", str(path)], capture_output=True, check=True)
    assert blob_id(b"content\n") == said.stdout.decode().strip()


def test_a_fresh_file_is_not_judged_by_its_time(tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.write_text("x")
    fresh = read(path)
    assert isinstance(fresh, SourceText)
    assert fresh.stamp == 0
    age(path)
    settled = read(path)
    assert isinstance(settled, SourceText)
    assert settled.stamp == stamp_of(path.stat()) != 0


def test_a_file_that_changes_while_it_is_read_is_whole(tmp_path: Path) -> None:
    """Each content is one letter repeated; a mixture would show a torn read."""
    path = tmp_path / "file"
    path.write_bytes(b"a" * 300_000)
    stop = threading.Event()

    def rewrite() -> None:
        letters = iter("bcdefghij" * 1000)
        while not stop.is_set():
            other = tmp_path / "other"
            other.write_bytes(next(letters).encode() * 300_000)
            other.replace(path)

    writer = threading.Thread(target=rewrite)
    writer.start()
    try:
        for _ in range(50):
            found = read(path, max_line_bytes=1_000_000)
            assert isinstance(found, SourceText)
            assert len(set(found.text)) == 1
            assert found.blob_id == blob_id(found.text)
    finally:
        stop.set()
        writer.join()
