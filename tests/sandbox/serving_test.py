"""Simulated model servers with kubectl as the judge: a vLLM Deployment behind a Service, what it answers, what it logs,
and a start that fails."""

import json

import pytest
from cluster_tools import KubeCluster
from sandbox_process import wait_until

MODEL = "Qwen/Qwen3-0.6B"


@pytest.fixture(scope="module")
def cluster(tmp_path_factory):
    made = KubeCluster(tmp_path_factory.mktemp("serving"), 200, "serving")
    yield made
    made.stop()


def deployment(name: str, *arguments: str, gpus: int = 1) -> dict:
    container = {
        "name": "server",
        "image": "vllm/vllm-openai:v0.33.0",
        "args": ["--model", MODEL, *arguments],
        "ports": [{"containerPort": 8000, "name": "http"}],
        "startupProbe": {"httpGet": {"path": "/health", "port": "http"}, "failureThreshold": 90},
        "livenessProbe": {"httpGet": {"path": "/health", "port": "http"}},
        "resources": {"limits": {"nvidia.com/gpu": gpus}},
    }
    labels = {"app": name}
    template = {"metadata": {"labels": labels}, "spec": {"enableServiceLinks": False, "containers": [container]}}
    return {
        "apiVersion": "apps/v1",
        "kind": "Deployment",
        "metadata": {"name": name},
        "spec": {"selector": {"matchLabels": labels}, "template": template},
    }


def service(name: str) -> dict:
    ports = [{"port": 8000, "targetPort": "http"}]
    return {
        "apiVersion": "v1",
        "kind": "Service",
        "metadata": {"name": name},
        "spec": {"selector": {"app": name}, "ports": ports},
    }


@pytest.fixture(scope="module")
def server(cluster):
    cluster.apply(service("chat"), deployment("chat"))
    cluster.kubectl("rollout", "status", "deployment/chat", "--timeout=60s")
    return "/api/v1/namespaces/default/services/chat:8000/proxy"


def test_models_and_health(cluster, server):
    listed = json.loads(cluster.kubectl("get", "--raw", f"{server}/v1/models"))
    assert [(one["id"], one["max_model_len"]) for one in listed["data"]] == [(MODEL, 40960)]
    assert cluster.kubectl("get", "--raw", f"{server}/health") == ""


def test_a_question_is_answered_counted_and_logged(cluster, server):
    question = {"model": MODEL, "messages": [{"role": "user", "content": "What is a transformer?"}]}
    answer = json.loads(
        cluster.kubectl("create", "--raw", f"{server}/v1/chat/completions", "-f", "-", stdin=json.dumps(question))
    )
    assert "transformer" in answer["choices"][0]["message"]["content"]
    usage = answer["usage"]
    assert usage["total_tokens"] == usage["prompt_tokens"] + usage["completion_tokens"]
    assert "vllm:generation_tokens_total" in cluster.kubectl("get", "--raw", f"{server}/metrics")
    log = cluster.kubectl("logs", "deployment/chat")
    assert "Application startup complete." in log
    assert '"POST /v1/chat/completions HTTP/1.1" 200 OK' in log


def test_a_stream_comes_as_events(cluster, server):
    question = {"stream": True, "messages": [{"role": "user", "content": "transformer"}]}
    text = cluster.kubectl("create", "--raw", f"{server}/v1/chat/completions", "-f", "-", stdin=json.dumps(question))
    events = [line.removeprefix("data: ") for line in text.splitlines() if line]
    assert events[-1] == "[DONE]"
    pieces = [json.loads(one)["choices"][0]["delta"].get("content", "") for one in events[:-1]]
    assert "".join(pieces) == "Here is a short answer about transformer."


def test_a_model_that_is_not_served(cluster, server):
    question = json.dumps({"model": "x", "messages": [{"role": "user", "content": "a"}]})
    refused = cluster.run("create", "--raw", f"{server}/v1/chat/completions", "-f", "-", stdin=question)
    assert refused.returncode != 0
    assert "(NotFound)" in refused.stderr  # kubectl keeps the words to itself.
    wait_until(lambda: '"POST /v1/chat/completions HTTP/1.1" 404 Not Found' in cluster.kubectl("logs", "deployment/chat"))


def test_too_few_gpus_end_the_start(cluster, server):
    cluster.apply(deployment("wide", "--tensor-parallel-size", "4"))
    wait_until(lambda: "larger than the number of available GPUs (1)" in cluster.run("logs", "deployment/wide").stdout)
    wait_until(lambda: "CrashLoopBackOff" in cluster.kubectl("get", "pods", "-l", "app=wide"))
    cluster.kubectl("delete", "deployment", "wide")
