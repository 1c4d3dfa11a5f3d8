"""The command line: the one place that wires models, indexes and methods together."""

from __future__ import annotations

import click

from react_local.cli.ask import ask, replay
from react_local.cli.common import Program
from react_local.cli.doctor import doctor
from react_local.cli.eval import evaluate
from react_local.cli.export import export_sft
from react_local.cli.home import home
from react_local.cli.index import build_index, info, update, verify
from react_local.cli.label import label
from react_local.cli.models import models
from react_local.cli.report import report
from react_local.cli.sample import sample
from react_local.cli.search import lookup, retrieve, search
from react_local.cli.wiki import wiki


@click.group(cls=Program, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(package_name="react-local", message="%(prog)s %(version)s")
def main() -> None:
    """Answer questions offline, from a Wikipedia index and an open model on this machine.

    \b
    Example:
      react-local sample wiki
      react-local build-index wiki/sample-multistream.xml.bz2 --out wiki/index
      react-local ask --index wiki/index "Which sea surrounds the Faroe Islands?"
    """


_COMMANDS = (
    ask,
    build_index,
    doctor,
    evaluate,
    export_sft,
    home,
    info,
    label,
    lookup,
    models,
    replay,
    report,
    retrieve,
    sample,
    search,
    update,
    verify,
    wiki,
)
for _command in _COMMANDS:
    main.add_command(_command)
