"""The official MCP conformance suite: every server scenario of every revision that it knows, without a failure or a warning.

Needs the environment `mcp_conformance` of tests/peers. The suite's own tools, prompts and resources are served behind
`--mcp-conformance-fixtures`.
"""

import json
import pathlib
import re
import subprocess
import sys

import pytest

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
sys.path.append(str(ROOT / "tools"))

from peer_env import environment  # noqa: E402  (the path is set above)
from support.server import BINARY, Server  # noqa: E402
from support.token_proxy import TokenProxy  # noqa: E402

# Scenarios of the newest line of the suite that no revision requires, and that the product has nothing for.
NOT_SERVED = {
    r"tasks-": "the tasks extension is not offered: operations are followed by tools and resources",
    r"sep-2640-": "a proposal that no revision adopted",
    r"http-custom-header-": "no tool wants an argument mirrored in a header",
}
RUNS = {  # with how many scenarios there are at least
    "released": (30, "conformance-released", "--suite", "all"),
    "2025-03-26": (1, "conformance-next", "--suite", "all", "--spec-version", "2025-03-26"),
    "2025-06-18": (25, "conformance-next", "--suite", "all", "--spec-version", "2025-06-18"),
    "2025-11-25": (30, "conformance-next", "--requirements", "2025-11-25"),
    "2026-07-28": (45, "conformance-next", "--requirements", "2026-07-28"),
}


@pytest.fixture(scope="module")
def fixtures_url(tmp_path_factory):
    with Server(tmp_path_factory.mktemp("conformance") / "state", "--mcp-conformance-fixtures") as server:
        with TokenProxy(server.url, server.token) as proxy:
            yield proxy.url + "/mcp"


def run_suite(line: str, *words: str) -> subprocess.CompletedProcess:
    peer = environment("mcp_conformance")
    command = [peer / "bin" / "node", peer / "node_modules" / line / "dist" / "index.js", "server", *words]
    return subprocess.run(command, capture_output=True, text=True, timeout=300, check=False)


def scenario_of(folder: pathlib.Path) -> str:
    return re.sub(r"^server-(.+)-\d{4}-\d\d-\d\dT[\d-]+Z$", r"\1", folder.name)


@pytest.mark.parametrize("run", RUNS)
def test_every_scenario_passes_without_a_warning(fixtures_url, tmp_path, run):
    least, line, *words = RUNS[run]
    done = run_suite(line, "--url", fixtures_url, "--output-dir", str(tmp_path), *words)
    faults, scenarios = [], set()
    for file in tmp_path.rglob("checks.json"):
        scenario = scenario_of(file.parent)
        scenarios.add(scenario)
        if any(re.match(pattern, scenario) for pattern in NOT_SERVED):
            continue
        bad = [check for check in json.loads(file.read_text()) if check["status"] in ("FAILURE", "WARNING")]
        faults += [f"{scenario}: {check['id']}: {check.get('errorMessage')}" for check in bad]
    assert not faults, "\n".join(sorted(faults))
    assert done.returncode == 0, done.stdout[-4000:] + done.stderr[-2000:]
    assert len(scenarios) >= least, scenarios


def test_without_the_flag_there_are_no_fixtures(server):
    call = {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {"protocolVersion": "2025-11-25"}}
    accept = {"Accept": "application/json, text/event-stream"}
    answer = server.call("POST", "/mcp", call, accept)
    assert set(answer.body["result"]["capabilities"]) == {"tools", "resources"}
    session = accept | {"Mcp-Session-Id": answer.headers["Mcp-Session-Id"]}
    tools = server.call("POST", "/mcp", call | {"method": "tools/list", "params": {}}, session).body["result"]["tools"]
    assert tools and not [tool["name"] for tool in tools if tool["name"].startswith("test_")]
    assert server.call("POST", "/mcp", call | {"method": "prompts/list"}, session).body["error"]["code"] == -32601


@pytest.mark.parametrize("words", [["--allowed-host", "fleet.example:443"], ["--listen", "0.0.0.0"]])
def test_fixtures_are_served_to_loopback_alone(tmp_path, words):
    command = [BINARY, "serve", "--state-dir", tmp_path / "state", "--port", "0", "--mcp-conformance-fixtures", *words]
    done = subprocess.run(command, capture_output=True, text=True, timeout=20, check=False)
    assert done.returncode == 1 and "loopback" in done.stderr
