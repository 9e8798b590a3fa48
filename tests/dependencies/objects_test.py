"""The objects of all components, judged by a real kube-apiserver: strict server-side apply takes each of them, what the
server fills in is no difference to us, and applying again changes nothing.

DEPENDENCY_DRIVER names the driver's binary. Without an API server on this machine every test here is skipped by name.
"""

import copy
import json
import os
import subprocess
import urllib.error

import pytest

from support.apiserver import ApiServer, Unavailable

DRIVER = os.environ.get("DEPENDENCY_DRIVER", "build/dev/tests/dependencies/dependency_driver")
STRICT = "?fieldManager=instantstart&fieldValidation=Strict"


@pytest.fixture(scope="session")
def apiserver(tmp_path_factory):
    try:
        # As EKS has it: device plugins are privileged.
        with ApiServer(tmp_path_factory.mktemp("apiserver"), "--allow-privileged=true") as running:
            yield running
    except Unavailable as why:
        pytest.skip(f"peer kube-apiserver: {why}")


@pytest.fixture(scope="session")
def driver():
    with subprocess.Popen([DRIVER], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:

        def ask(**line) -> dict:
            process.stdin.write(json.dumps(line) + "\n")
            process.stdin.flush()
            return json.loads(process.stdout.readline())

        yield ask
        process.stdin.close()


@pytest.fixture(scope="session")
def objects(driver):
    return driver(mode="objects", region="us-west-2", operation="op-1")["objects"]


def apply(server, one: dict) -> dict:
    try:
        return server.call("PATCH", one["path"] + STRICT, one["object"], "application/apply-patch+yaml")
    except urllib.error.HTTPError as refused:
        pytest.fail(f"{one['ref']}: {refused.read().decode()}")


@pytest.fixture(scope="session")
def applied(apiserver, objects):
    return {one["ref"]: apply(apiserver, one) for one in objects}


def test_every_object_is_taken_by_strict_apply(applied, objects):
    assert len(applied) == len(objects) == 21


def test_what_the_server_fills_in_is_no_difference(apiserver, driver, applied, objects):
    for one in objects:
        live = apiserver.call("GET", one["path"])
        answer = driver(mode="differences", desired=one["object"], live=live)
        assert answer == {"differences": []}, one["ref"]


def test_applying_again_changes_nothing(apiserver, applied, objects):
    for one in objects:
        before = applied[one["ref"]]["metadata"]["resourceVersion"]
        assert apply(apiserver, one)["metadata"]["resourceVersion"] == before, one["ref"]


def test_a_field_that_somebody_changed_is_seen_and_set_back_by_force(apiserver, driver, applied, objects):
    one = next(o for o in objects if o["ref"] == "daemonsets/aws-hyperpod/health-monitoring-agent")
    changed = copy.deepcopy(applied[one["ref"]])
    for member in ("managedFields", "resourceVersion"):
        changed["metadata"].pop(member)
    changed["spec"]["template"]["spec"]["tolerations"] = []
    apiserver.call("PUT", one["path"] + "?fieldManager=somebody", changed)
    live = apiserver.call("GET", one["path"])
    found = driver(mode="differences", desired=one["object"], live=live)["differences"]
    assert found == ["/spec/template/spec/tolerations"]
    apiserver.call("PATCH", one["path"] + STRICT + "&force=true", one["object"], "application/apply-patch+yaml")
    live = apiserver.call("GET", one["path"])
    assert driver(mode="differences", desired=one["object"], live=live) == {"differences": []}
