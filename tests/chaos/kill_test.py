"""The server is killed, by SIGKILL, while it changes things: each change happens once, and the work ends well."""

import contextlib
import os
import random
import subprocess

import pytest

from sandbox_process import wait_until
from support.house import House, is_repeated

REQUEST = {"name": "demo", "region": "us-west-2"}
CREATE = "/api/v1/control-planes"
POINTS = ["after_accept", "before_intent", "after_intent", "before_act", "after_act", "after_receipt", "before_finish"]
RUNS = int(os.environ.get("RUNS", "20"))


@pytest.fixture
def house(tmp_path):
    with House(tmp_path) as running:
        yield running


def ask(house, token=None):
    """The id of the operation, or None when the server died over it."""
    body = REQUEST | ({"client_token": token} if token else {})
    try:
        answer = house.server.call("POST", CREATE, body)
    except OSError:
        return None
    assert answer.status == 202, answer.body
    return answer.body["operation_id"]


def check_result(house, operation_id):
    operation = house.wait_for_end(operation_id)
    assert operation["state"] == "succeeded", operation
    rows = house.mutations()
    assert not is_repeated(rows)
    assert [row["operation"] for row in rows] == ["CreateStack"]
    clusters = house.sandbox.aws_json("eks", "list-clusters")["clusters"]
    assert clusters == ["demo"]


@pytest.mark.parametrize("point", POINTS)
def test_a_death_at_a_fault_point_repeats_and_loses_nothing(tmp_path, point):
    with House(tmp_path) as house:
        house.server.stop()
        house.server.start("--die-at", point)
        first = ask(house, "token-1")
        assert house.server.process.wait(30) == -9
        house.server.log.close()
        house.server.start()
        again = ask(house, "token-1")
        assert first in (None, again)
        ask(house)  # joins the operation while it runs, asks for nothing new when it has ended
        check_result(house, again)


def test_the_same_call_after_a_death_finds_the_same_operation_and_changes_nothing(tmp_path):
    with House(tmp_path, scale=150) as house:  # long enough to come back to while it runs
        first = ask(house, "token-1")
        wait_until(house.mutations)
        house.server.kill()
        house.server.start()
        before = house.mutations()
        assert ask(house, "token-1") == first
        assert ask(house) == first
        check_result(house, first)
        assert house.mutations() == before
        assert ask(house, "token-1") == first
        assert house.mutations() == before


def test_asked_again_when_it_is_done_it_changes_nothing(house):
    check_result(house, ask(house))
    before = house.mutations()
    answer = house.server.call("POST", CREATE, REQUEST | {"dry_run": True})
    assert {step["effect"] for step in answer.body["plan"]["steps"]} == {"none"}, answer.body
    second = ask(house)
    assert house.wait_for_end(second)["state"] == "succeeded"
    assert house.mutations() == before


def test_deaths_at_any_time_repeat_and_lose_nothing(tmp_path):
    chance = random.Random(int(os.environ.get("SEED", "1")))
    for run in range(RUNS):
        with House(tmp_path / str(run)) as house:
            operation_id = None
            for _ in range(chance.randint(1, 4)):
                operation_id = ask(house, "token-1") or operation_id
                with contextlib.suppress(subprocess.TimeoutExpired):
                    house.server.process.wait(chance.random() * 0.4)
                house.server.kill()
                house.server.start()
            again = ask(house, "token-1")
            assert operation_id in (None, again)
            check_result(house, again)
