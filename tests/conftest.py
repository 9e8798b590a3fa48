"""What all Python tests share."""

import pathlib
import sys

import pytest

sys.path.insert(0, str(pathlib.Path(__file__).parent))

from support.server import Server  # noqa: E402  (the path is set above)


@pytest.fixture
def server(tmp_path):
    with Server(tmp_path / "state") as running:
        yield running
