"""Files that are written whole or not at all."""

from __future__ import annotations

import os
from pathlib import Path

from react_local.errors import EvaluationError

GO_ON = "fix that, then give the same command again to continue"


def write_whole(path: Path, text: str, advice: str = GO_ON) -> None:
    """Write a file whole or not at all; what is no file, such as a pipe, is written to as it is.

    Raises:
        EvaluationError: it cannot be written; `advice` says what to do.
    """
    try:
        if path.exists() and not path.is_file():
            path.write_text(text, encoding="utf-8")
        else:
            _replace(Path(os.path.realpath(path)), text)  # a link stays one
    except OSError as error:
        raise cannot_write(path, error, advice) from error


def _replace(path: Path, text: str) -> None:
    """Write beside `path`, then put that in its place; nothing stays of what failed."""
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
    """What is raised where a file of an evaluation could not be written."""
    return EvaluationError(f"cannot write {path}: {error.strerror}: {advice}")
