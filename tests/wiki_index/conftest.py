from __future__ import annotations

from pathlib import Path

import pytest
from letter_encoder import LetterEncoder

from wiki_index import encoder

DATA = Path(__file__).resolve().parents[2] / ".." / "shared" / "data"


@pytest.fixture
def data() -> Path:
    """The folder of real data beside the checkout; the test is skipped where it is absent."""
    if not DATA.is_dir():
        pytest.skip("../shared/data is absent")
    return DATA


@pytest.fixture
def letters(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """A directory that passes for a model, read by the letter encoder."""
    monkeypatch.setattr(encoder, "is_quick", lambda model: True)
    monkeypatch.setattr(encoder, "load", lambda model, many=False: LetterEncoder(model))
    LetterEncoder.encoded = 0
    model = tmp_path / "letters"
    model.mkdir()
    (model / "modules.json").write_text("[]")
    return model
