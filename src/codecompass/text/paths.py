"""What a path says by its names."""

import re

_TEST_FOLDERS = frozenset(
    {"test", "tests", "testing", "testdata", "__tests__", "spec", "specs", "e2e", "fixtures"}
)
_TEST_FILE = re.compile(r"^test_|_tests?\.|\.(test|spec)\.|-test\.|_spec\.|Tests?\.\w+$")


def is_test_path(path: str) -> bool:
    """Whether a file belongs to tests, by the names of its folders or its own."""
    *folders, name = path.split("/")
    return not _TEST_FOLDERS.isdisjoint(folders) or _TEST_FILE.search(name) is not None


def has_control_characters(path: str) -> bool:
    """Whether a name would break the lines of an answer, or could fake some."""
    return min(path, default=" ") < " "


def without_control_characters(path: str) -> str:
    """The same name as it can be told."""
    return "".join("?" if letter < " " else letter for letter in path)
