"""Our Kubernetes client, judged by a real kube-apiserver and etcd.

KUBE_DRIVER names the driver's binary. Without an API server on this machine every test here is skipped by name.
"""

import json
import os
import subprocess
import time

import pytest

from kube.cuttable_proxy import CuttableProxy
from support.apiserver import ApiServer, Unavailable

DRIVER = os.environ.get("KUBE_DRIVER", "build/dev/tests/kube/kube_driver")


@pytest.fixture(scope="session")
def apiserver(tmp_path_factory):
    try:
        # Secrets have no watch cache: their watches go to etcd, and end where it forgot its history.
        with ApiServer(tmp_path_factory.mktemp("apiserver"), "--watch-cache-sizes=secrets#0") as running:
            yield running
    except Unavailable as why:
        pytest.skip(f"peer kube-apiserver: {why}")


class Driver:
    def __init__(self, server, port: int | None = None, token: str | None = None):
        self.process = subprocess.Popen([DRIVER], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        url = f"https://127.0.0.1:{port or server.port}/"
        assert self(server=url, ca=server.ca_pem, token=token or server.token) == {"connected": True}

    def __call__(self, mode: str = "", **line) -> dict:
        if mode:
            line["mode"] = mode
        self.process.stdin.write(json.dumps(line) + "\n")
        self.process.stdin.flush()
        return json.loads(self.process.stdout.readline())

    def error(self, mode: str, **line) -> dict:
        answer = self(mode, **line)
        assert "error" in answer, answer
        return answer["error"]

    def close(self) -> None:
        self.process.stdin.close()
        assert self.process.wait(20) == 0


@pytest.fixture
def driver(apiserver):
    running = Driver(apiserver)
    yield running
    running.close()


@pytest.fixture
def space(apiserver, request):
    """A namespace of the test's own."""
    name = request.node.name.replace("_", "-").replace("[", "-").replace("]", "").lower()[:60].strip("-")
    apiserver.call("POST", "/api/v1/namespaces", {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name}})
    return name


def wait_for(done, limit: float = 30) -> None:
    end = time.monotonic() + limit
    while not done():
        assert time.monotonic() < end, "it did not come"
        time.sleep(0.1)


def config(space: str, name: str, **data: str) -> dict:
    return {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": name, "namespace": space}, "data": data}


def secret(space: str, name: str, value: str) -> dict:
    return {"apiVersion": "v1", "kind": "Secret", "metadata": {"name": name, "namespace": space},
            "stringData": {"value": value}}  # fmt: skip


def deployment(space: str, **spec) -> dict:
    template = {"metadata": {"labels": {"app": "a"}}, "spec": {"containers": [{"name": "a", "image": "a:1"}]}}
    return {"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": "a", "namespace": space},
            "spec": {"selector": {"matchLabels": {"app": "a"}}, "template": template, **spec}}  # fmt: skip


def widget_definition(group: str) -> dict:
    schema = {"type": "object", "properties": {"spec": {"type": "object", "properties": {
        "size": {"type": "integer", "minimum": 1}}}}}  # fmt: skip
    version = {"name": "v1", "served": True, "storage": True, "schema": {"openAPIV3Schema": schema}}
    names = {"plural": "widgets", "singular": "widget", "kind": "Widget", "shortNames": ["wd"]}
    return {"apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition",
            "metadata": {"name": f"widgets.{group}"},
            "spec": {"group": group, "scope": "Namespaced", "names": names, "versions": [version]}}  # fmt: skip


def test_apply_creates_then_updates(driver, space):
    first = driver("apply", type="cm", object=config(space, "a", x="1"))
    assert first["created"]
    second = driver("apply", type="cm", object=config(space, "a", x="2"))
    assert not second["created"]
    assert second["object"]["data"] == {"x": "2"}
    again = driver("apply", type="cm", object=config(space, "a", x="2"))
    version = [written["object"]["metadata"]["resourceVersion"] for written in (second, again)]
    assert version[0] == version[1]
    assert second["object"]["metadata"]["managedFields"][0]["manager"] == "instantstart"


def test_apply_names_the_manager_it_conflicts_with(driver, apiserver, space):
    path = f"/api/v1/namespaces/{space}/configmaps/a?fieldManager=alice&force=true"
    apiserver.call("PATCH", path, config(space, "a", x="hers"), "application/apply-patch+yaml")
    error = driver.error("apply", type="cm", object=config(space, "a", x="ours"))
    assert error["code"] == "conflict"
    assert error["detail"]["managers"] == ["alice"]
    assert [problem["pointer"] for problem in error["problems"]] == ["/data/x"]
    assert driver("apply", type="cm", object=config(space, "a", x="ours"), force=True)["object"]["data"]["x"] == "ours"


@pytest.mark.parametrize("mode", ["apply", "create"])
def test_misspelt_field_is_a_problem_at_its_place(driver, space, mode):
    error = driver.error(mode, type="deployments", object=deployment(space, replicsa=2))
    assert error["code"] == "invalid_request", error
    assert [(p["pointer"], p["rule"]) for p in error["problems"]] == [("/spec/replicsa", "unknown_field")], error
    assert driver.error("get", type="deployments", space=space, name="a")["code"] == "not_found"


def test_invalid_value_is_a_problem_at_its_place(driver, space):
    error = driver.error("apply", type="deploy", object=deployment(space, replicas=-1))
    assert error["code"] == "invalid_request"
    assert ("/spec/replicas", "value") in [(p["pointer"], p["rule"]) for p in error["problems"]], error


def test_create_of_a_taken_name(driver, space):
    assert driver("create", type="cm", object=config(space, "a"))["created"]
    error = driver.error("create", type="cm", object=config(space, "a"))
    assert (error["code"], error["detail"]["name"]) == ("name_taken", "a")


def test_dry_run_stores_nothing(driver, space):
    assert driver("apply", type="cm", object=config(space, "a"), dry_run=True)["created"]
    assert driver.error("get", type="cm", space=space, name="a")["code"] == "not_found"


def test_patches_and_scale(driver, space):
    driver("create", type="deploy", object=deployment(space, replicas=1))
    merged = driver("merge_patch", type="deploy", space=space, name="a", patch={"spec": {"replicas": 3}})
    assert merged["object"]["spec"]["replicas"] == 3
    four = {"spec": {"replicas": 4}}
    scale = driver("merge_patch", type="deploy", space=space, name="a", subresource="scale", patch=four)
    assert scale["object"]["kind"] == "Scale"
    assert driver("get", type="deploy", space=space, name="a", subresource="scale")["object"]["spec"]["replicas"] == 4
    test = [{"op": "test", "path": "/spec/replicas", "value": 9}]
    assert driver.error("json_patch", type="deploy", space=space, name="a", patch=test)["code"] == "invalid_request"


def test_delete_refuses_another_object(driver, space):
    made = driver("create", type="cm", object=config(space, "a"))["object"]["metadata"]
    other = "00000000-0000-0000-0000-000000000000"
    assert driver.error("delete", type="cm", space=space, name="a", uid=other)["code"] == "conflict"
    assert driver.error("delete", type="cm", space=space, name="a", version="1")["code"] == "conflict"
    gone = driver("delete", type="cm", space=space, name="a", uid=made["uid"])
    assert gone == {"waiting": False, "uid": made["uid"]}
    assert driver.error("delete", type="cm", space=space, name="a")["code"] == "not_found"


def test_delete_that_waits_for_finalizers_says_so(driver, apiserver, space):
    held = config(space, "a")
    held["metadata"]["finalizers"] = ["example.com/held"]
    driver("create", type="cm", object=held)
    assert driver("delete", type="cm", space=space, name="a")["waiting"]
    path = f"/api/v1/namespaces/{space}/configmaps/a"
    apiserver.call("PATCH", path, {"metadata": {"finalizers": None}}, "application/merge-patch+json")


def test_rights_and_tokens(apiserver, space):
    stranger = Driver(apiserver, token=apiserver.stranger)
    assert stranger.error("get", type="cm", space=space, name="a")["code"] == "access_denied"
    stranger.close()
    nobody = Driver(apiserver, token="made-up")
    assert nobody.error("get", type="cm", space=space, name="a")["code"] == "credentials_invalid"
    nobody.close()


def test_kind_that_came_after_discovery_is_found(driver, apiserver, space):
    assert driver.error("spelled", type="widgets")["code"] == "not_found"
    group = "late.example.com"
    driver("create", type="crd", object=widget_definition(group))
    wait_for(lambda: group in [one["name"] for one in apiserver.call("GET", "/apis")["groups"]])
    # What was not there is not asked for again at once (Discovery::k_least_age).
    wait_for(lambda: "kind" in driver("spelled", type="wd"))
    found = driver("spelled", type="wd")
    assert (found["kind"], found["api_version"], found["namespaced"]) == ("Widget", f"{group}/v1", True)
    widget = {"apiVersion": f"{group}/v1", "kind": "Widget", "metadata": {"name": "a", "namespace": space}}
    assert driver("apply", type="widget", object={**widget, "spec": {"size": 1}})["created"]
    error = driver.error("apply", type="widget", object={**widget, "spec": {"size": 0}})
    assert [problem["pointer"] for problem in error["problems"]] == ["/spec/size"], error
    error = driver.error("apply", type="widget", object={**widget, "spec": {"syze": 1}})
    assert [problem["pointer"] for problem in error["problems"]] == ["/spec/syze"], error


@pytest.fixture(scope="session")
def many(apiserver):
    """A namespace with 1,200 ConfigMaps of 4 KB."""
    namespace = {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "many"}}
    apiserver.call("POST", "/api/v1/namespaces", namespace)
    for number in range(1200):
        body = config("many", f"c{number:04}", value=str(number), filler="x" * 4000)
        apiserver.call("POST", "/api/v1/namespaces/many/configmaps", body)
    return "many"


@pytest.mark.parametrize("page_size", [0, 100, 5000])
def test_large_list_has_everything_once(driver, many, page_size):
    listed = driver("list", type="cm", space=many, page_size=page_size, names_only=True)
    assert listed["names"] == [f"c{number:04}" for number in range(1200)]
    assert listed["bytes"] < 1200 * 300


@pytest.mark.parametrize("watch_list", [False, True])
def test_cache_follows(driver, apiserver, many, watch_list):
    driver("watch_start", type="cm", space=many, watch_list=watch_list)
    state = driver("watch_until", space=many, size=1200)
    assert (state["deltas"], state["lists"], state["doubled"]) == (1200, 1, 0)
    path = f"/api/v1/namespaces/{many}/configmaps"
    apiserver.call("PATCH", f"{path}/c0007", {"data": {"value": "seven"}}, "application/merge-patch+json")
    state = driver("watch_until", space=many, name="c0007", value="seven")
    assert (state["deltas"], state["live"]) == (1201, True)
    apiserver.call("POST", path, config(many, "late", value="new"))
    driver("watch_until", space=many, name="late", value="new", size=1201)
    apiserver.call("DELETE", f"{path}/late")
    state = driver("watch_until", space=many, size=1200)
    assert (state["deltas"], state["lists"]) == (1203, 1)
    apiserver.call("PATCH", f"{path}/c0007", {"data": {"value": "7"}}, "application/merge-patch+json")


@pytest.fixture
def cut_driver(apiserver):
    proxy = CuttableProxy(apiserver.port)
    running = Driver(apiserver, port=proxy.port)
    running.proxy = proxy
    yield running
    running.close()
    proxy.close()


def test_broken_watch_goes_on_where_it_was(cut_driver, apiserver, space):
    path = f"/api/v1/namespaces/{space}/configmaps"
    for name in "abc":
        apiserver.call("POST", path, config(space, name, value="1"))
    cut_driver("watch_start", type="cm", space=space, watch_list=True)
    cut_driver("watch_until", space=space, size=3)
    cut_driver.proxy.cut()
    apiserver.call("DELETE", f"{path}/a")
    apiserver.call("PATCH", f"{path}/b", {"data": {"value": "2"}}, "application/merge-patch+json")
    cut_driver.proxy.mend()
    state = cut_driver("watch_until", space=space, name="b", value="2", size=2)
    assert (state["lists"], state["deltas"], state["doubled"]) == (1, 5, 0), state
    assert state["watches"] >= 2


def test_forgotten_history_is_listed_again(cut_driver, apiserver, space):
    path = f"/api/v1/namespaces/{space}/secrets"
    for name in "abc":
        apiserver.call("POST", path, secret(space, name, "1"))
    cut_driver("watch_start", type="secrets", space=space, watch_list=False)
    cut_driver("watch_until", space=space, size=3)
    cut_driver.proxy.cut()
    apiserver.call("DELETE", f"{path}/a")
    apiserver.call("PATCH", f"{path}/b", {"stringData": {"value": "2"}}, "application/merge-patch+json")
    apiserver.call("POST", path, secret(space, "d", "1"))
    apiserver.forget_history()
    cut_driver.proxy.mend()
    state = cut_driver("watch_until", space=space, name="b", value="Mg==", size=3)
    # Three at first, then one removed, one changed, one added: c is the same and makes no delta.
    assert (state["lists"], state["deltas"], state["doubled"]) == (2, 6, 0), state


def test_refusals_of_the_service_proxy_are_the_api_servers(driver, apiserver, space):
    error = driver.error("proxy", space=space, name="missing", port="http")
    assert (error["code"], error["detail"]["name"]) == ("not_found", "missing")
    stranger = Driver(apiserver, token=apiserver.stranger)
    assert stranger.error("proxy", space=space, name="missing", port="http")["code"] == "access_denied"
    stranger.close()
