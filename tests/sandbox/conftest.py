"""What the tests of the sandbox share: one of them for a module, or one of its own for a test."""

import pytest
from sandbox_process import Sandbox


@pytest.fixture(scope="module")
def sandbox(tmp_path_factory):
    """Shared by a module's tests: each looks only at what it made itself."""
    shared = Sandbox(tmp_path_factory.mktemp("shared") / "state").start()
    yield shared
    assert shared.stop() == 0, shared.log.read_text()


@pytest.fixture
def own_sandbox(tmp_path):
    """For tests that kill it or count everything."""
    own = Sandbox(tmp_path / "state").start()
    yield own
    if own.process.poll() is None:
        own.stop()
