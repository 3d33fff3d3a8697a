"""What a command prints: answers to standard output, progress and errors to standard error."""

import json
import os
import sys
import time

from codecompass.errors import CodeCompassError
from codecompass.present.render import as_json
from codecompass.text.visible import visible

_BAR_CELLS = 24
_REDRAW_S = 0.1


def print_text(text: str) -> None:
    """Print an answer."""
    sys.stdout.write(visible(text) + "\n")


def print_json(answer: object) -> None:
    """Print an answer as one JSON object on one line."""
    sys.stdout.write(as_json(answer) + "\n")


def print_note(text: str) -> None:
    """Something to know beside the answer, where no program reads it as one."""
    sys.stderr.write(f"codecompass: {visible(text)}\n")


def print_error(error: CodeCompassError, *, as_json: bool) -> None:
    """Say what failed and what to do."""
    if as_json:
        print_json({"error": error_value(error)})
        return
    sys.stderr.write(f"codecompass: {visible(error.message)}\n")
    if error.remediation:
        sys.stderr.write(f"  try: {visible(error.remediation)}\n")


def error_value(error: CodeCompassError) -> dict[str, object]:
    """An error for JSON: code, message, remediation."""
    return {
        "code": error.code,
        "message": error.message,
        "data": {"remediation": error.remediation},
    }


class ProgressLines:
    """Progress as JSON lines on standard error, for programs."""

    def __init__(self) -> None:
        self._told_at = 0.0

    def __call__(self, stage: str, done: int, total: int) -> None:
        """Say how far it is, a few times a second."""
        now = time.monotonic()
        if now - self._told_at < _REDRAW_S and 0 < done < total:
            return
        self._told_at = now
        said = {"stage": stage, "done": done, "total": total}
        sys.stderr.write(json.dumps(said) + "\n")
        sys.stderr.flush()

    def clear(self) -> None:
        """Leave what was said."""


class ProgressBar:
    """A bar on standard error, drawn only if a person is looking."""

    def __init__(self) -> None:
        self._is_shown = sys.stderr.isatty() and os.environ.get("TERM") != "dumb"
        self._drawn_at = 0.0

    def __call__(self, stage: str, done: int, total: int) -> None:
        """Draw, but not more often than the eye can follow."""
        now = time.monotonic()
        if not self._is_shown or (now - self._drawn_at < _REDRAW_S and 0 < done < total):
            return
        self._drawn_at = now
        cells = "#" * (_BAR_CELLS * done // total) if total else ""
        counts = f" {done:,}/{total:,}" if total else ""
        sys.stderr.write(f"\r\x1b[K{stage:<8} [{cells:<{_BAR_CELLS}}]{counts}")
        sys.stderr.flush()

    def clear(self) -> None:
        """Remove the bar."""
        if self._is_shown and self._drawn_at:
            sys.stderr.write("\r\x1b[K")
            sys.stderr.flush()
