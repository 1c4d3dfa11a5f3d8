"""Writing files atomically."""

from __future__ import annotations

import os
from pathlib import Path

from react_local.errors import EvaluationError

GO_ON = "fix that, then run the same command again to continue"


def write_whole(path: Path, text: str, advice: str = GO_ON) -> None:
    """Write a file atomically; write directly to what is not a regular file, such as a pipe.

    Raises:
        EvaluationError: it cannot be written; `advice` says what to do.
    """
    try:
        if path.exists() and not path.is_file():
            path.write_text(text, encoding="utf-8")
        else:
            _replace(Path(os.path.realpath(path)), text)  # a link remains a link
    except OSError as error:
        raise cannot_write(path, error, advice) from error


def _replace(path: Path, text: str) -> None:
    """Write a file beside `path` and move it there; if that fails, remove it."""
    passing = path.with_name(f"{path.name}.writing")
    try:
        with passing.open("w", encoding="utf-8") as file:
            file.write(text)
            file.flush()
            os.fsync(file.fileno())
        passing.replace(path)
    except BaseException:
        passing.unlink(missing_ok=True)
        raise


def cannot_write(path: Path, error: OSError, advice: str = GO_ON) -> EvaluationError:
    """The error for a file of an evaluation that cannot be written."""
    return EvaluationError(f"cannot write {path}: {error.strerror}: {advice}")
