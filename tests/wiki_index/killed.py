"""A build or an update that kills itself: ``killed.py MOMENT DUMP INDEX MODEL``.

Each time that it tells of its progress, or touches a file of the index, is a moment; MOMENT says at
which of them it dies, counted from 1, or 0: at none. Then it prints what its moments were.
"""

from __future__ import annotations

import os
import signal
import sys
from pathlib import Path

from letter_encoder import LetterEncoder

from wiki_index import (
    build_index,
    encoder,
    fulltext,
    ingest,
    leads,
    progress,
    store_writer,
    template_pages,
    update_index,
)

_TOUCHES = ("open", "os.mkdir", "os.remove", "os.rename", "os.rmdir", "sqlite3.connect")

moments: list[str] = []
last, dump, index, model = int(sys.argv[1]), *sys.argv[2:]


def moment(name: str) -> None:
    moments.append(name)
    if len(moments) == last:
        os.kill(os.getpid(), signal.SIGKILL)


def audit(event: str, arguments: tuple) -> None:
    if event in _TOUCHES and str(arguments[0]).startswith(index):
        moment(event)


# All that is kept is kept at once, so that every resumption is met.
ingest._COMMIT_SECONDS = template_pages._COMMIT_SECONDS = progress._REPORT_SECONDS = 0.0
store_writer._SAMPLE_PAGES, fulltext._COMMIT_DOCUMENTS, leads._CHUNK = 50, 100, 20
encoder.load = lambda model, many=False: LetterEncoder(model)
sys.addaudithook(audit)
options = {"workers": 1, "progress": lambda told: moment(told.stage)}
if any(Path(place, "manifest.json").exists() for place in (index, f"{index}.replaced")):
    update_index(index, dump, **options)
else:
    build_index(dump, index, dense=model, templates=True, **options)
print("\n".join(moments))
