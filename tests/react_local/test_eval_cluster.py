"""Two nodes of Ray on loopback that answer questions, one of which is killed midway."""

from __future__ import annotations

import importlib.util
import os
import subprocess
import sys
from pathlib import Path

import pytest

from react_local.evaluation.runner import RunLayout, read_runs

ROOT = Path(__file__).parents[2]
HAS_RAY = importlib.util.find_spec("ray") is not None

_CLUSTER = """
import sys
from dataclasses import replace
from pathlib import Path
from ray.cluster_utils import Cluster
from an_evaluation import EXAMPLES, MANIFEST, SETUP, Opened, asked
from a_run import PAGES
from react_local.evaluation.cluster import ray_pool
from react_local.evaluation.runner import RunLayout, evaluate, prepare
from wiki_index import WikiIndex

root = Path(sys.argv[1])
many = [replace(EXAMPLES[n % 3], id=f"q{n}") for n in range(12)]
alone, far = RunLayout(root / "alone"), RunLayout(root / "far")
for layout in (alone, far):
    prepare(layout, MANIFEST, many)
with WikiIndex.from_pages(PAGES) as wiki:
    evaluate(alone, many, "react", asked(wiki), SETUP)

nodes = Cluster(initialize_head=True, head_node_args={"num_cpus": 1, "include_dashboard": False})
lost = nodes.add_node(num_cpus=1)
nodes.wait_for_nodes()
killed = []

def kill(progress):
    if not killed and progress.done >= 4:
        import ray
        assert len([node for node in ray.nodes() if node["Alive"]]) == 2
        nodes.remove_node(lost, allow_graceful=False)
        killed.append(progress.done)

try:
    opened = Opened(root / "deaths", seconds=0.3)
    with ray_pool(nodes.address, opened, cores=1, workers=None) as pool:
        assert pool.size == 2
        evaluate(far, many, "react", pool.ask_all, SETUP, kill)
    assert killed
finally:
    nodes.shutdown()
print("done", killed)
"""


@pytest.mark.skipif(not HAS_RAY, reason="ray is not installed")
def test_a_lost_node_changes_nothing(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-c", _CLUSTER, str(tmp_path)],
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": f"{ROOT}:{Path(__file__).parent}"},
        capture_output=True,
        text=True,
        timeout=1_800,
    )
    assert done.returncode == 0, done.stderr[-3_000:]
    assert "\ndone " in f"\n{done.stdout}"
    alone, far = (told(tmp_path / name) for name in ("alone", "far"))
    assert len(alone) == 12
    assert far == alone


def told(root: Path) -> dict[str, list]:
    runs = read_runs(RunLayout(root), "react")
    return {
        example.id: [(step.thought, step.action, step.observation) for step in run.trajectory.steps]
        for example, run in runs.items()
    }
