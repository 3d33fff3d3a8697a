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
