"""What went wrong in, lines on standard error out, for the person who started a server."""

import sys
import traceback
from contextlib import suppress


def complain() -> None:
    """Print the error that is being handled; that nobody reads it is no second one."""
    with suppress(OSError, ValueError):
        traceback.print_exc()


def say(line: str) -> None:
    """Print a line."""
    with suppress(OSError, ValueError):
        sys.stderr.write(line)
