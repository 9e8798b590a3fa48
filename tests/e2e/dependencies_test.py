"""dependency_* and cluster_kubeconfig against the simulated AWS, with kubectl as judge."""

import json
import os
import subprocess

import pytest

from kubernetes_tools import tools_folder
from sandbox_process import AWS
from support.house import House

CREATE = "/api/v1/control-planes"
REQUEST = {"name": "demo", "region": "us-west-2"}


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    """A house with a cluster whose dependencies are in place."""
    folder = tmp_path_factory.mktemp("dependencies")
    with House(folder) as running:
        running.folder = folder
        running.run("POST", CREATE, REQUEST)
        running.before = components(running)
        running.operation = reconcile(running)
        yield running


@pytest.fixture
def house(tmp_path):
    with House(tmp_path) as running:
        running.folder = tmp_path
        running.run("POST", CREATE, REQUEST)
        yield running


def path(house, name):
    document = house.server.call("GET", "/api/v1/openapi.json").body
    for template, methods in document["paths"].items():
        for method, operation in methods.items():
            if operation.get("operationId") == name:
                return method.upper(), "/api/v1" + template.removeprefix("/api/v1").replace("{cluster}", "demo")
    raise AssertionError(f"no route for {name}")


def components(house):
    method, route = path(house, "dependency_list")
    answer = house.server.call(method, route)
    assert answer.status == 200, answer.body
    return {one["name"]: one for one in answer.body["dependencies"]}


def reconcile(house, **arguments):
    method, route = path(house, "dependency_reconcile")
    return house.run(method, route, arguments)


def kubectl(house, *arguments, text=True):
    """kubectl as a user would run it: with the kubeconfig that the product gives."""
    file = house.folder / "kubeconfig"
    if not file.exists():
        method, route = path(house, "cluster_kubeconfig")
        answer = house.server.call(method, route)
        assert answer.status == 200, answer.body
        assert "token" not in json.dumps(answer.body["kubeconfig"]).replace("get-token", "")
        file.write_text(json.dumps(answer.body["kubeconfig"]))
    environment = house.sandbox.environment(KUBECONFIG=str(file), HOME=str(house.folder))
    environment["PATH"] = f"{AWS.parent}:{os.environ['PATH']}"
    command = [str(tools_folder() / "kubectl"), *arguments]
    return subprocess.run(command, env=environment, capture_output=True, text=text, timeout=60, check=False)


def kubectl_json(house, *arguments):
    done = kubectl(house, *arguments, "-o", "json")
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def test_before_it_everything_is_absent_but_what_the_control_plane_brought(made):
    states = {name: one["state"] for name, one in made.before.items()}
    assert states.pop("pod_identity") == "ready"
    assert set(states.values()) == {"absent"}


def test_afterwards_each_is_ready_or_waits_for_nodes(made):
    states = {name: one["state"] for name, one in components(made).items()}
    assert set(states.values()) == {"ready", "waiting_for_nodes"}, states
    assert states["oidc_provider"] == states["namespaces"] == "ready"
    assert states["health_agent"] == "waiting_for_nodes"


def test_kubectl_sees_the_objects_with_their_proof(made):
    daemons = kubectl_json(made, "get", "daemonsets", "-A", "--show-managed-fields")["items"]
    names = {item["metadata"]["name"] for item in daemons}
    assert {"health-monitoring-agent", "hyperpod-dependencies-nvidia-device-plugin"} <= names
    ours = [item for item in daemons if item["metadata"]["name"] == "health-monitoring-agent"][0]
    assert made.operation["id"] in json.dumps(ours["metadata"])
    managers = {field["manager"] for field in ours["metadata"]["managedFields"]}
    assert "instantstart" in managers


def test_kubectl_is_who_the_caller_is(made):
    who = kubectl(made, "auth", "whoami")
    assert who.returncode == 0, who.stderr
    assert "arn:aws:iam::123456789012:user/" in who.stdout


def test_asked_again_nothing_is_changed(made):
    before = made.mutations()
    reconcile(made)
    assert made.mutations() == before


def test_what_somebody_changed_is_set_back_and_nothing_else_is_touched(house):
    reconcile(house)
    changed = kubectl(
        house,
        "patch",
        "daemonset",
        "health-monitoring-agent",
        "-n",
        "aws-hyperpod",
        "--type=json",
        '-p=[{"op":"replace","path":"/spec/template/spec/containers/0/image","value":"example.com/other:1"}]',
    )
    assert changed.returncode == 0, changed.stderr
    before = len(house.mutations())
    reconcile(house)
    rows = house.mutations()[before:]
    assert [row["operation"] for row in rows] == ["patch daemonsets"], rows
    daemon = kubectl_json(house, "get", "daemonset", "health-monitoring-agent", "-n", "aws-hyperpod")
    assert daemon["spec"]["template"]["spec"]["containers"][0]["image"] != "example.com/other:1"


def test_one_component_is_reconciled_by_itself(house):
    reconcile(house, components=["namespaces"])
    states = {name: one["state"] for name, one in components(house).items()}
    assert states["namespaces"] == "ready"
    assert states["health_agent"] == "absent"


def test_a_component_that_fails_is_retried_without_the_others_running_again(house):
    house.sandbox.faults(
        {"service": "eks", "operation": "CreateAddon", "kind": "error", "code": "InvalidRequestException", "times": 0}
    )
    method, route = path(house, "dependency_reconcile")
    operation = house.wait_for_end(house.start(method, route, {}))
    assert operation["state"] == "failed", operation
    done = {step["id"]: step for step in operation["steps"] if step["state"] == "done"}
    assert "oidc_provider" in done and "health_agent" in done
    house.sandbox.faults()
    before = house.mutations()
    retried = house.server.call("POST", f"/api/v1/operations/{operation['id']}/retry", {})
    assert retried.status == 200, retried.body
    assert house.wait_for_end(operation["id"])["state"] == "succeeded"
    new = house.mutations()[len(before) :]
    assert {row["operation"] for row in new} == {"CreateAddon"}, new


def test_an_object_of_somebody_else_is_left_alone(house):
    foreign = kubectl(house, "create", "clusterrole", "job-auto-restart", "--verb=get", "--resource=pods")
    assert foreign.returncode == 0, foreign.stderr
    method, route = path(house, "dependency_reconcile")
    answer = house.server.call(method, route, {})
    if answer.status == 202:
        operation = house.wait_for_end(answer.body["operation_id"])
        assert operation["state"] in ("failed", "needs_input"), operation
        error = next(step["error"] for step in operation["steps"] if step.get("error"))
    else:
        error = answer.body
    assert error["code"] == "name_taken", error
    rules = kubectl_json(house, "get", "clusterrole", "job-auto-restart")["rules"]
    assert rules == [{"apiGroups": [""], "resources": ["pods"], "verbs": ["get"]}]
