"""``export-sft``: correct runs as training data."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

import click

from react_local.cli.common import say
from react_local.cli.methods import MethodName
from react_local.cli.report import OTHER_FILE

if TYPE_CHECKING:
    from react_local.evaluation.sft import Style


@click.command("export-sft")
@click.argument("runs", metavar="RUN...", nargs=-1, required=True, type=click.Path(path_type=Path))
@click.option(
    "--out",
    required=True,
    type=click.Path(dir_okay=False, path_type=Path),
    help="JSON lines file to write.",
)
@click.option(
    "--form",
    "style",
    type=click.Choice(["completion", "chat"]),
    default="completion",
    help="For a base model, or for a chat model. Default: completion.",
)
@click.option(
    "--method",
    "methods",
    multiple=True,
    type=MethodName(),
    help="Only runs of this method; repeatable. Default: all.",
)
def export_sft(runs: tuple[Path, ...], out: Path, style: Style, methods: tuple[str, ...]) -> None:
    """Write the correct runs of evaluations as training data for supervised fine-tuning.

    RUN is a directory made by react-local eval. A run is correct by exact match; runs with the same
    question and actions are written once. Text that the model did not write is marked as excluded
    from the loss. FILE.card.md describes the data and where it came from.

    \b
    Example:
      react-local export-sft run --method react --out train.jsonl
    """
    from react_local.evaluation.files import write_whole
    from react_local.evaluation.report import Report
    from react_local.evaluation.runner import refuse_own_file
    from react_local.evaluation.sft import card, collect

    refuse_own_file(out, runs)
    report = Report.read(runs)
    sources = collect(report, methods)
    samples = [sample for source in sources for sample in source.samples]
    lines = (json.dumps(sample.record(style), ensure_ascii=False) + "\n" for sample in samples)
    beside = out.with_name(f"{out.name}.card.md")
    write_whole(out, "".join(lines), OTHER_FILE)
    write_whole(beside, card(report, sources, style), OTHER_FILE)
    repeated = sum(source.correct for source in sources) - len(samples)
    say(f"Runs in {out}: {len(samples)}; repetitions left out: {repeated}. See {beside}.")
