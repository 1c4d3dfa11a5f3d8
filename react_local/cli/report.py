"""``report``: the results of evaluations, as tables and as an HTML page."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import click

from react_local.cli.common import as_json, print_json, say

OTHER_FILE = "name another file"


@click.command()
@click.argument("runs", metavar="RUN...", nargs=-1, required=True, type=click.Path(path_type=Path))
@click.option("--csv", type=click.Path(dir_okay=False, path_type=Path), help="Write a CSV file.")
@click.option(
    "--latex",
    type=click.Path(dir_okay=False, path_type=Path),
    help="Write the main table in LaTeX.",
)
@click.option(
    "--markdown",
    type=click.Path(dir_okay=False, path_type=Path),
    help="Write all tables in Markdown.",
)
@click.option("--html", type=click.Path(dir_okay=False, path_type=Path), help="Write an HTML page.")
@as_json
def report(
    runs: tuple[Path, ...],
    csv: Path | None,
    latex: Path | None,
    markdown: Path | None,
    html: Path | None,
    as_json: bool,
) -> None:
    """Show the scores of evaluations, with confidence intervals and behaviour.

    RUN is a directory made by react-local eval; the directory of a --sweep stands for all of its
    evaluations. All figures are recomputed from the traces. The page of --html is a single file
    that shows every trajectory and needs no scripts and no network.

    \b
    Example:
      react-local report run --html run.html
    """
    from react_local.evaluation import formats, tables
    from react_local.evaluation.files import write_whole
    from react_local.evaluation.page import to_html
    from react_local.evaluation.report import Report
    from react_local.evaluation.runner import refuse_own_file

    found = Report.read(runs)
    for path, render in (
        (csv, formats.to_csv),
        (latex, formats.to_latex),
        (markdown, formats.to_markdown),
        (html, to_html),
    ):
        if path is not None:
            refuse_own_file(path, runs)
            write_whole(path, render(found), OTHER_FILE)
            say(f"Wrote {path}.")
    if as_json:
        print_json(found.record())
    else:
        click.echo(tables.text(found), nl=False)


def show(runs: Sequence[Path]) -> None:
    """Print the tables of these evaluations on standard output."""
    from react_local.evaluation import tables
    from react_local.evaluation.report import Report

    click.echo(tables.text(Report.read(runs)), nl=False)
