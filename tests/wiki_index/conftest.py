from __future__ import annotations

from pathlib import Path

import pytest

DATA = Path(__file__).resolve().parents[2] / ".." / "shared" / "data"


@pytest.fixture
def data() -> Path:
    """The folder of real data beside the checkout; the test is skipped where it is absent."""
    if not DATA.is_dir():
        pytest.skip("../shared/data is absent")
    return DATA
