"""What all commands share: errors and exit codes, output, and how an index is named."""

from __future__ import annotations

import errno
import json
import os
import sys
import traceback
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NoReturn

import click

from react_local.errors import ReactLocalError
from wiki_index.errors import WikiIndexError

NO_ANSWER = 3
INTERRUPTED = 130
DEBUG = "REACT_LOCAL_DEBUG"

as_json = click.option("--json", "as_json", is_flag=True, help="Print JSON on standard output.")


class Failure(click.ClickException):
    """The one line on standard error that a command ends with, and its exit code."""

    def __init__(self, message: str, code: int = 1) -> None:
        super().__init__(" ".join(message.split()))
        self.exit_code = code

    def show(self, file: Any = None) -> None:
        click.echo(f"react-local: {self.message}", file=file or sys.stderr)


class Name(click.ParamType):
    """A path or a name, never a blank one, which would be taken for the default."""

    name = "text"

    def convert(self, value: Any, param: Any, ctx: Any) -> str:
        if not value.strip():
            self.fail("it is blank: give a path or a name, or leave the option out")
        return value


class Words(click.ParamType):
    """What to look for, never blank, which nothing could answer."""

    name = "text"

    def convert(self, value: Any, param: Any, ctx: Any) -> str:
        if not value.strip():
            self.fail("it is blank: say what to look for", param, ctx)
        return value


index_option = click.option(
    "--index",
    type=Name(),
    metavar="DIR",
    help="Index: a path or a name. Default: the one used last.",
)


class Program(click.Group):
    """The group of all commands: the one place where errors become exit codes."""

    def invoke(self, ctx: click.Context) -> Any:
        try:
            return super().invoke(ctx)
        except (ReactLocalError, WikiIndexError) as error:
            raise Failure(str(error)) from error
        except KeyboardInterrupt:
            raise Failure("interrupted", INTERRUPTED) from None
        except (click.ClickException, click.exceptions.Exit, click.Abort, BrokenPipeError):
            raise
        except Exception as error:
            _unexpected(error)


def _unexpected(error: Exception) -> NoReturn:
    if os.environ.get(DEBUG):
        traceback.print_exc()
    what = str(error) or "no message"
    if isinstance(error, OSError) and error.strerror:
        is_full = error.errno in (errno.ENOSPC, errno.EDQUOT)
        unnamed = "cannot write the output" if is_full else "a file"
        raise Failure(f"{error.filename or unnamed}: {error.strerror}") from error
    raise Failure(
        f"unexpected {type(error).__name__}: {what}. This is a bug: please report it, with the "
        f"output under {DEBUG}=1"
    ) from error


def print_json(value: Any) -> None:
    click.echo(json.dumps(value, ensure_ascii=False, indent=2))


def say(text: str) -> None:
    """Print one line of progress or advice on standard error."""
    click.echo(text, err=True)


class NamedPath(click.Path):
    """A path, never an empty one, which would be taken for the current directory."""

    def __init__(self, **options: Any) -> None:
        super().__init__(path_type=Path, **options)

    def convert(self, value: Any, param: Any, ctx: Any) -> Any:
        if value == "":
            self.fail("the path is empty.", param, ctx)
        return super().convert(value, param, ctx)


def find_index(name: str | None) -> Path:
    """The directory of the index that was named, or of the default one."""
    from react_local.home import Home

    if name == "":
        raise click.UsageError("the name of the index is empty.")
    return Home.find().index(name)


def missing_page(index: str, title: str, similar: Sequence[str]) -> Failure:
    """What a command about a page ends with where there is none of that title."""
    titles = ", ".join(map(repr, similar))
    advice = f"Similar: {titles}" if titles else "react-local retrieve finds pages by their text"
    return Failure(f"no page {title!r} in {index}. {advice}.")


def size(count: float) -> str:
    """A number of bytes for a person: ``253 MB`` (decimal units)."""
    for unit in ("B", "kB", "MB"):
        if count < 999.5:
            return f"{count:.0f} {unit}"
        count /= 1000
    return f"{count:.1f} GB"
