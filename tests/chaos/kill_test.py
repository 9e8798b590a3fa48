"""The server is killed, by SIGKILL, while it changes things: each change happens once, and the work ends well."""

import contextlib
import os
import random
import subprocess

import pytest

from sandbox_process import wait_until
from support.house import House, is_repeated
from support import scenarios
from support.scenarios import end_well, prepare, restart, undisturbed

REQUEST = {"name": "demo", "region": "us-west-2"}
CREATE = "/api/v1/control-planes"
POINTS = ["after_accept", "before_intent", "after_intent", "before_act", "after_act", "after_receipt", "before_finish"]
RUNS = int(os.environ.get("RUNS", "20"))
SEED = os.environ.get("SEED", "1")
# The short form kills over the first kind alone; KINDS=all over every kind, and over the whole main job.
IS_LONG = os.environ.get("KINDS") == "all"
LIFE = scenarios.LIFE if IS_LONG else scenarios.LIFE[:1]
MAIN_JOB = scenarios.MAIN_JOB if IS_LONG else scenarios.LIFE[:1]
LONGEST_LIFE = 0.5  # Seconds; an environment takes about two.


@pytest.fixture(scope="module")
def calls_of_life(tmp_path_factory):
    with House(tmp_path_factory.mktemp("life")) as house:
        return undisturbed(house, LIFE)


@pytest.fixture(scope="module")
def calls_of_main_job(tmp_path_factory):
    with House(tmp_path_factory.mktemp("main-job")) as house:
        return undisturbed(house, MAIN_JOB)


@pytest.mark.parametrize("point", POINTS)
def test_a_death_at_a_fault_point_repeats_and_loses_nothing(tmp_path, point, calls_of_life):
    with House(tmp_path) as house:
        for change in LIFE:
            prepare(house, change)
            restart(house, "--die-at", point)
            before = len(house.mutations())
            request = change.request(house, f"token-{change.kind}")
            first = request.send(house)
            assert house.server.process.wait(30) == -9, change.kind
            house.server.log.close()
            house.server.start()
            again = request.send(house)
            assert again and first in (None, again), change.kind
            assert end_well(house, change, again, before) == calls_of_life[change.kind], change.kind
            assert request.send(house) == again, change.kind


@pytest.mark.parametrize("run", range(RUNS))
def test_deaths_at_any_time_repeat_and_lose_nothing(tmp_path, run, calls_of_main_job):
    """SEED and the number of the run decide when it dies, as far as time does."""
    chance = random.Random(f"{SEED}:{run}")
    with House(tmp_path) as house:
        for change in MAIN_JOB:
            before = len(house.mutations())
            request = change.request(house, f"token-{change.kind}")
            first = None
            for _ in range(chance.randint(1, 3)):
                answered = request.send(house)
                assert first is None or answered in (None, first), change.kind
                first = first or answered
                with contextlib.suppress(subprocess.TimeoutExpired):
                    house.server.process.wait(chance.random() * LONGEST_LIFE)
                house.server.kill()
                house.server.start()
            again = request.send(house)
            assert again == first, change.kind
            assert end_well(house, change, again, before) == calls_of_main_job[change.kind], change.kind
        assert not is_repeated(house.mutations())


def ask(house, token=None):
    return house.start("POST", CREATE, REQUEST | ({"client_token": token} if token else {}))


def check_result(house, operation_id):
    operation = house.wait_for_end(operation_id)
    assert operation["state"] == "succeeded", operation
    assert [row["operation"] for row in house.mutations()] == ["CreateStack"]
    assert house.sandbox.aws_json("eks", "list-clusters")["clusters"] == ["demo"]


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


def test_asked_again_when_it_is_done_it_changes_nothing(tmp_path):
    with House(tmp_path) as house:
        check_result(house, ask(house))
        before = house.mutations()
        answer = house.server.call("POST", CREATE, REQUEST | {"dry_run": True})
        assert {step["effect"] for step in answer.body["plan"]["steps"]} == {"none"}, answer.body
        second = ask(house)
        assert house.wait_for_end(second)["state"] == "succeeded"
        assert house.mutations() == before
