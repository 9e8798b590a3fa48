"""What all Python tests share."""

import pathlib
import sys

import pytest

HERE = pathlib.Path(__file__).parent
sys.path[:0] = [str(HERE), str(HERE / "sandbox")]

from support.server import Server  # noqa: E402  (the path is set above)


@pytest.fixture
def server(tmp_path):
    with Server(tmp_path / "state") as running:
        yield running
