"""The control plane's templates under cfn-lint, which knows CloudFormation's resource schemas better than we do."""

import json
import os
import pathlib
import subprocess
import sys

import pytest

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(ROOT / "tools"))

from peer_env import environment  # noqa: E402  (the path is set above)

WRITER = os.environ.get("NETWORK_TEST", "build/dev/src/capabilities_network_test")
KINDS = ["single", "per_zone", "private", "existing_vpc"]
# W3010: zones are chosen by name, since the caller chooses them and the stack has to keep them.
IGNORED = ["W3010"]


@pytest.fixture(scope="session")
def templates(tmp_path_factory):
    folder = tmp_path_factory.mktemp("templates")
    written = subprocess.run(
        [WRITER, "--gtest_filter=*IsWrittenForOtherCheckers*"],
        env={**os.environ, "INSTANTSTART_TEMPLATES": str(folder)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert written.returncode == 0, written.stdout + written.stderr
    return folder


def lint(template: pathlib.Path, region: str) -> list:
    program = environment("lint") / "bin" / "cfn-lint"
    command = [program, "--format", "json", "--regions", region, "--ignore-checks", *IGNORED, "--", template]
    ran = subprocess.run(command, capture_output=True, text=True, check=False)
    assert ran.stdout.strip() or ran.returncode == 0, ran.stderr
    found = json.loads(ran.stdout or "[]")
    return [f"{one['Rule']['Id']} {'/'.join(map(str, one['Location'].get('Path') or []))}: {one['Message']}" for one in found]


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("region", ["us-west-2", "cn-north-1", "us-gov-west-1"])
def test_the_template_has_no_findings(templates, kind, region):
    assert lint(templates / f"{kind}.json", region) == []


def test_the_linter_finds_a_broken_reference(templates, tmp_path):
    document = json.loads((templates / "single.json").read_text())
    document["Resources"]["PublicRoute"]["Properties"]["GatewayId"] = {"Ref": "Nowhere"}
    broken = tmp_path / "broken.json"
    broken.write_text(json.dumps(document))
    assert any("Nowhere" in finding for finding in lint(broken, "us-west-2"))
