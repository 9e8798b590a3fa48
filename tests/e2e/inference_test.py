"""model_deploy, model_call and deployment_delete against the simulated AWS, with kubectl as judge."""

import json

import pytest

from dependencies_test import kubectl, kubectl_json, path, reconcile
from support.house import House, is_repeated

DEPLOYMENTS = "/api/v1/clusters/demo/deployments"
GROUP = {"name": "workers", "instance_type": "ml.g5.8xlarge", "count": 2}
QWEN = {"name": "qwen", "model": "Qwen/Qwen2.5-0.5B-Instruct", "instance_type": "ml.g5.8xlarge", "max_model_len": 4096}


@pytest.fixture(scope="module")
def house(tmp_path_factory):
    """A house whose cluster has two nodes of one GPU each, and serves a model."""
    folder = tmp_path_factory.mktemp("inference")
    with House(folder) as running:
        running.folder = folder
        running.run("POST", "/api/v1/control-planes", {"name": "demo", "region": "us-west-2"})
        reconcile(running)
        method, route = path(running, "hyperpod_create")
        running.run(method, route, {"group": GROUP})
        running.before = len(running.mutations())
        running.operation = running.run("POST", DEPLOYMENTS, QWEN)
        yield running


def get(house, name):
    answer = house.server.call("GET", f"{DEPLOYMENTS}/{name}")
    assert answer.status == 200, answer.body
    return answer.body


def call(house, name, **request):
    return house.server.call("POST", f"{DEPLOYMENTS}/{name}/call", request)


def delete(house, name):
    answer = house.server.call("DELETE", f"{DEPLOYMENTS}/{name}")
    assert answer.status == 409 and answer.body["status"] == "confirm_required", answer.body
    return house.run("DELETE", f"{DEPLOYMENTS}/{name}?confirm_token={answer.body['confirm_token']}")


def test_each_call_was_made_once(house):
    made = house.mutations()[house.before :]
    assert [row["operation"] for row in made] == ["patch deployments", "patch services"]
    assert not is_repeated(made)


def test_kubectl_sees_plain_objects_that_say_whose_they_are(house):
    deployment = kubectl_json(house, "get", "deployment", "qwen")
    assert deployment["metadata"]["annotations"]["instantstart/operation"] == house.operation["id"]
    assert deployment["status"]["readyReplicas"] == 1
    pod = deployment["spec"]["template"]["spec"]
    container = pod["containers"][0]
    assert container["resources"]["limits"]["nvidia.com/gpu"] == "1"
    assert container["args"][0] == QWEN["model"]
    assert pod["nodeSelector"] == {"node.kubernetes.io/instance-type": "ml.g5.8xlarge"}
    service = kubectl_json(house, "get", "service", "qwen")
    assert service["spec"]["type"] == "ClusterIP"
    pods = kubectl_json(house, "get", "pods", "-l", "instantstart/deployment=qwen")["items"]
    assert [one["status"]["phase"] for one in pods] == ["Running"]


def test_it_is_listed_as_ready_and_says_what_comes_next(house):
    listed = house.server.call("GET", DEPLOYMENTS).body["deployments"]
    assert [(one["name"], one["state"], one["ready"]) for one in listed] == [("qwen", "ready", 1)]
    one = get(house, "qwen")
    assert one["deployment"]["url"] == "http://qwen.default.svc:8000/v1"
    assert one["pods"][0]["says"] == "answers"
    assert one["next"][0]["action"] == "model_call"


def test_asked_again_nothing_is_sent(house):
    before = len(house.mutations())
    operation = house.run("POST", DEPLOYMENTS, QWEN)
    assert operation["steps"] == []
    assert len(house.mutations()) == before


def test_the_model_answers_through_the_api_server(house):
    answer = call(house, "qwen", prompt="Say hello.", max_tokens=20)
    assert answer.status == 200, answer.body
    assert answer.body["text"] and answer.body["finish_reason"] in ("stop", "length")
    assert answer.body["model"] == QWEN["model"]
    assert answer.body["usage"]["total_tokens"] > 0
    chat = [{"role": "system", "content": "Be brief."}, {"role": "user", "content": "Hi."}]
    answer = call(house, "qwen", messages=chat, max_tokens=20)
    assert answer.status == 200, answer.body


def test_why_it_does_not_answer_is_told_apart(house):
    answer = call(house, "qwem", prompt="hi")
    assert answer.status == 404 and "Did you mean qwen?" in json.dumps(answer.body), answer.body
    answer = call(house, "qwen")
    assert answer.status == 422 and answer.body["code"] == "invalid_request", answer.body


def test_more_gpus_than_a_node_has_are_refused_before_anything_is_made(house):
    before = len(house.mutations())
    answer = house.server.call("POST", DEPLOYMENTS, {**QWEN, "name": "wide", "tensor_parallel": 2})
    assert answer.status == 422, answer.body
    assert answer.body["problems"][0]["pointer"] == "/tensor_parallel"
    assert len(house.mutations()) == before


def test_a_name_of_somebody_else_is_refused_and_left_alone(house):
    made = kubectl(house, "create", "service", "clusterip", "taken", "--tcp=80")
    assert made.returncode == 0, made.stderr
    answer = house.server.call("POST", DEPLOYMENTS, {**QWEN, "name": "taken"})
    assert answer.status == 409 and answer.body["code"] == "name_taken", answer.body
    answer = call(house, "taken", prompt="hi")
    assert answer.status == 404, answer.body
    assert kubectl(house, "get", "deployment", "taken").returncode != 0


def test_an_image_that_is_not_there_fails_in_words_and_another_mends_it(house):
    wrong = {**QWEN, "name": "second", "image": "somebody/vllm-does-not-exist:1"}
    operation_id = house.start("POST", DEPLOYMENTS, wrong)
    failed = house.wait_for_end(operation_id)
    assert failed["state"] == "failed", failed
    assert "image can't be pulled" in failed["error"]["message"], failed["error"]
    assert "not found" in failed["error"]["message"], failed["error"]
    one = get(house, "second")
    assert one["deployment"]["state"] == "failing" and "not found" in one["reasons"][0], one
    answer = house.server.call("POST", f"/api/v1/operations/{operation_id}/retry", {})
    assert answer.status < 300, answer.body
    assert house.wait_for_end(operation_id)["state"] == "failed"
    house.run("POST", DEPLOYMENTS, {**QWEN, "name": "second"})
    assert get(house, "second")["deployment"]["state"] == "ready"
    delete(house, "second")


def test_a_server_that_ends_again_and_again_fails_with_what_it_said(house):
    gated = {**QWEN, "name": "gated", "model": "meta-llama/Llama-3.1-8B-Instruct"}
    failed = house.wait_for_end(house.start("POST", DEPLOYMENTS, gated))
    assert failed["state"] == "failed", failed
    assert "the model is gated" in failed["error"]["message"], failed["error"]
    delete(house, "gated")


def test_deleted_its_gpu_is_free_and_nobody_answers(house):
    delete(house, "qwen")
    assert house.server.call("GET", DEPLOYMENTS).body["deployments"] == []
    assert kubectl_json(house, "get", "pods")["items"] == []
    assert kubectl(house, "get", "service", "qwen").returncode != 0
    answer = call(house, "qwen", prompt="hi")
    assert answer.status == 404, answer.body
