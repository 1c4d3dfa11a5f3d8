"""``label``: a person says why runs succeeded or failed."""

from __future__ import annotations

import getpass
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from react_local.cli.common import as_json, print_json, say
from react_local.cli.methods import MethodName

if TYPE_CHECKING:
    from react_local.evaluation.labels import Label, LabelFile
    from react_local.evaluation.report import Answered, MethodReport

_BACK, _QUIT = "b", "q"


class _Person(click.ParamType):
    name = "NAME"

    def convert(self, value: Any, param: Any, ctx: Any) -> str:
        if not value or not all(c.isalnum() or c in "-_." for c in value) or value[0] == ".":
            self.fail("a name consists of letters, digits, dots, - and _", param, ctx)
        return value


@click.command()
@click.argument("run", type=click.Path(path_type=Path))
@click.option(
    "--method",
    "methods",
    multiple=True,
    type=MethodName(),
    help="Only runs of this method; repeatable. Default: all.",
)
@click.option(
    "--by", type=_Person(), default=getpass.getuser, help="The annotator. Default: your user name."
)
@click.option(
    "--each",
    type=click.IntRange(min=1),
    default=50,
    help="Successes, and failures, to label per method. Default: 50.",
)
@click.option(
    "--seed", type=int, default=0, help="Seed of their selection; the same for all annotators."
)
@click.option("--summary", is_flag=True, help="Only show the tables of labels.")
@as_json
def label(
    run: Path,
    methods: tuple[str, ...],
    by: str,
    each: int,
    seed: int,
    summary: bool,
    as_json: bool,
) -> None:
    """Label by hand why an evaluation's runs succeeded or failed, and summarise the labels.

    The categories are those of Table 2 of the ReAct paper. A rule suggests each label; Enter
    accepts it. Every label is saved at once, and the same command continues where you stopped.
    Agreement between annotators is reported as Cohen's kappa. --json prints the summary.

    \b
    Example:
      react-local label run --method react --by anna
      react-local label run --summary
    """
    from react_local.evaluation.labels import LabelFile, draw
    from react_local.evaluation.report import Report
    from react_local.evaluation.runner import RunLayout, read_manifest

    read_manifest(RunLayout(run))  # labels are of one evaluation, not of a sweep
    report = Report.read([run])
    wanted = report.of(methods)
    if not (summary or as_json):
        file = LabelFile(run, by, wanted)
        drawn = [(m.method, answered) for m in wanted for answered in draw(m, each, seed)]
        _ask_all([pair for pair in drawn if _key(*pair) not in file.labels], len(drawn), file)
    files = LabelFile.all(run, wanted)
    for file in files:
        if file.outdated:
            say(f"note: {file.outdated} labels by {file.person} are of runs that changed since")
    files = [file for file in files if file.labels]
    if as_json:
        print_json(_record(wanted, files))
    elif files:
        _show(wanted, files)
    else:
        say("nothing is labelled yet")


def _key(method: str, answered: Answered) -> tuple[str, str]:
    return method, answered.example.id


def _ask_all(left: Sequence[tuple[str, Answered]], total: int, file: LabelFile) -> None:
    """Ask for the label of each run that is left, until the person quits."""
    place = 0
    while place < len(left):
        method, answered = left[place]
        click.echo(f"\n--- {total - len(left) + place + 1} of {total}: {method} ---")
        given = _ask(answered, can_go_back=place > 0)
        if given == _QUIT:
            say(f"{len(left) - place} of {total} are left; run the same command again to continue")
            return
        if given == _BACK:
            place -= 1
            continue
        file.add(answered, method, given)
        place += 1


def _ask(answered: Answered, can_go_back: bool) -> Label | str:
    """The label that the person gives to a run, or their request to go back or to quit."""
    from react_local.cli.ask import display
    from react_local.display import replay
    from react_local.evaluation.labels import MEANINGS, choices, suggest
    from react_local.sanitise import visible

    replay(answered.run.trajectory, display())
    example, suggested = answered.example, suggest(answered)
    click.echo(f"Gold: {visible(' / '.join(example.answers))}")
    if example.titles:
        click.echo(f"Gold pages: {visible('; '.join(example.titles))}")
    offered = choices(answered)
    for number, one in enumerate(offered, start=1):
        click.echo(f"  {number}  {one}: {MEANINGS[one]}")
    others = [_BACK] * can_go_back + [_QUIT]
    words = "b back, q quit" if can_go_back else "q quit"
    numbers = [str(number) for number in range(1, len(offered) + 1)]
    try:
        answer = click.prompt(
            f"Number ({words})",
            default=numbers[offered.index(suggested)],
            type=click.Choice([*numbers, *others]),
            show_choices=False,
        )
    except click.Abort:  # the labels so far are saved
        raise KeyboardInterrupt from None
    return answer if answer in others else offered[int(answer) - 1]


def _show(methods: Sequence[MethodReport], files: Sequence[LabelFile]) -> None:
    from react_local.evaluation.labels import FAILURE, SUCCESS, agreements, counts
    from react_local.evaluation.tables import aligned

    columns = [
        (f"{m.method}, {file.person}", found)
        for m in methods
        for file in files
        if (found := counts(file.labels, m.method))
    ]
    for heading, kind in (("Success", SUCCESS), ("Failure", FAILURE)):
        rows = [[heading, *(name for name, _ in columns)]]
        totals = [sum(found[one] for one in kind) for _, found in columns]
        for one in kind:
            cells = [_share(found[one], of) for (_, found), of in zip(columns, totals, strict=True)]
            rows.append([one, *cells])
        click.echo(aligned(rows))
    for found in agreements(files):
        kind = "successes" if found.labels == SUCCESS else "failures"
        kappa = "undefined" if found.kappa is None else f"{found.kappa:.2f}"
        click.echo(
            f"Cohen's kappa of {found.first} and {found.second} on {found.runs} {kind}: {kappa}"
        )


def _share(count: int, total: int) -> str:
    return f"{count} ({100 * count / total:.0f} %)" if total else "–"


def _record(methods: Sequence[MethodReport], files: Sequence[LabelFile]) -> dict[str, Any]:
    from react_local.evaluation.labels import SUCCESS, agreements, counts

    return {
        "labels": [
            {"method": m.method, "by": file.person, "counts": dict(found)}
            for m in methods
            for file in files
            if (found := counts(file.labels, m.method))
        ],
        "kappa": [
            {
                "first": found.first,
                "second": found.second,
                "of": "successes" if found.labels == SUCCESS else "failures",
                "runs": found.runs,
                "kappa": found.kappa,
            }
            for found in agreements(files)
        ],
    }
