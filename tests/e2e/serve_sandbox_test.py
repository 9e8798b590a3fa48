"""`serve --sandbox`: a simulated AWS beside the server, which outlives the server's death."""

import json
import os
import stat
import urllib.error
import urllib.request

import pytest

from support.server import Server


def card(server: Server) -> dict:
    return json.loads((server.state / "sandbox" / "sandbox.json").read_text())


def is_healthy(url: str) -> bool:
    try:
        with urllib.request.urlopen(f"{url}/_sandbox/health", timeout=10) as answer:
            return answer.status == 200
    except (urllib.error.URLError, ConnectionError):
        return False


@pytest.fixture
def server(tmp_path):
    # Variables of the caller that would lead elsewhere.
    environment = os.environ | {
        "AWS_ENDPOINT_URL": "http://127.0.0.1:9",
        "AWS_ACCESS_KEY_ID": "AKIDEXAMPLE",
        "AWS_SECRET_ACCESS_KEY": "made-up",
        "AWS_PROFILE": "nobody",
        "AWS_REGION": "eu-west-1",
    }
    with Server(tmp_path / "state", "--sandbox", environment=environment) as running:
        yield running


def test_calls_go_to_the_sandbox_whatever_the_caller_has_configured(server):
    answer = server.call("GET", "/api/v1/zones")
    assert answer.status == 200, answer.body
    assert answer.body["region"] == "us-west-2"
    audit = json.load(urllib.request.urlopen(card(server)["url"] + "/_sandbox/audit", timeout=10))
    assert [row["operation"] for row in audit["entries"]] == ["DescribeAvailabilityZones"]


def test_the_sandbox_outlives_the_death_of_the_server_and_is_found_again(server):
    before = card(server)
    server.kill()
    assert is_healthy(before["url"])
    server.start()
    assert card(server) == before
    assert server.call("GET", "/api/v1/zones").status == 200


def test_a_clean_stop_ends_both_and_the_next_start_has_the_same_account_and_port(server):
    before = card(server)
    assert server.stop() == 0
    assert not is_healthy(before["url"])
    server.start()
    assert card(server) == before


def test_the_key_of_the_simulated_account_is_in_no_log_and_in_private_files_only(server):
    secret = card(server)["environment"]["AWS_SECRET_ACCESS_KEY"]
    server.call("GET", "/api/v1/zones")
    holders = [file for file in server.state.rglob("*") if file.is_file() and secret.encode() in file.read_bytes()]
    assert server.state / "sandbox" / "sandbox.log" not in holders
    assert all(stat.S_IMODE(file.stat().st_mode) == 0o600 for file in holders)
