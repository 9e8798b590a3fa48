"""cluster_select and overview_get: whose cluster is meant, and all of it in one look."""

import json
import subprocess

import pytest

from support.house import House
from support.server import BINARY


@pytest.fixture(scope="module")
def house(tmp_path_factory):
    with House(tmp_path_factory.mktemp("selection")) as running:
        for name in ("north", "south"):
            running.run("POST", "/api/v1/control-planes", {"name": name, "region": "us-west-2"})
        yield running


def select(house, cluster):
    answer = house.server.call("PUT", "/api/v1/selection", {"cluster": cluster})
    assert answer.status == 200, answer.body
    return answer.body


def test_without_a_selection_a_call_must_name_its_cluster(house):
    answer = house.server.call("GET", "/api/v1/clusters/-/groups")
    assert (answer.status, answer.body["code"]) == (422, "invalid_request")
    assert [(one["pointer"], one["rule"]) for one in answer.body["problems"]] == [("/cluster", "required")]


def test_a_selected_cluster_is_meant_by_calls_that_name_none(house):
    assert select(house, "north")["cluster"].startswith("north.us-west-2.")
    assert house.server.call("GET", "/api/v1/clusters/-/groups").body["cluster"].startswith("north.")
    assert house.server.call("GET", "/api/v1/clusters/south/groups").body["cluster"].startswith("south.")
    command = [BINARY, "group", "list", "--state-dir", str(house.server.state), "--output", "json"]
    shown = subprocess.run(command, capture_output=True, text=True, check=True)
    assert json.loads(shown.stdout)["cluster"].startswith("north.")
    assert select(house, "south")["previous"].startswith("north.")


def test_a_cluster_that_is_not_managed_can_not_be_selected(house):
    answer = house.server.call("PUT", "/api/v1/selection", {"cluster": "nort"})
    assert (answer.status, answer.body["code"]) == (404, "not_found")
    assert "north" in json.dumps(answer.body)


def test_what_destroys_must_name_its_cluster(house):
    select(house, "north")
    before = house.mutations()
    answer = house.server.call("DELETE", "/api/v1/control-planes/-")
    assert answer.status == 422, answer.body
    assert answer.body["problems"][0]["pointer"] == "/cluster"
    assert house.mutations() == before


def test_a_change_answers_which_cluster_it_is_of(house):
    answer = house.server.call("POST", "/api/v1/clusters/-/dependencies", {"dry_run": True})
    assert answer.status == 200, answer.body
    assert answer.body["cluster"].split(".")[0] in ("north", "south")


def test_the_overview_tells_identity_clusters_and_what_comes_next(house):
    select(house, "north")
    answer = house.server.call("GET", "/api/v1/overview")
    assert answer.status == 200, answer.body
    seen = answer.body
    assert seen["identity"]["account"] == "123456789012"
    assert seen["selected"].startswith("north.")
    assert [one["cluster"] for one in seen["clusters"]] == ["north", "south"]
    assert all("problem" not in one for one in seen["clusters"])
    assert seen["operations"] == [] and seen["alarms"] == []
    assert seen["next"][0]["action"] == "cluster_get"
    assert len(json.dumps(seen, separators=(",", ":"))) <= 1024


def test_the_overview_says_why_aws_can_not_be_called(house):
    answer = house.server.call("GET", "/api/v1/overview?profile=nobody")
    assert answer.status == 200, answer.body
    assert "nobody" in answer.body["identity"]["problem"]
    assert any("AWS can't be called" in one for one in answer.body["alarms"])
