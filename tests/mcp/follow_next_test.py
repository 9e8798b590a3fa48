"""An agent that knows nothing but `next` gets every change done.

The tools come from tools/list: each that changes something is called once, and followed to its end by calling exactly what
the answers' `next` says. Needs the environment `mcp` of tests/peers.
"""

import asyncio
import contextlib

import httpx2
import pytest
from mcp.client import Client
from mcp.client.streamable_http import streamable_http_client

from support.house import House

# A request for every such tool, in an order in which each finds what it needs. A tool without a row fails the test.
DEMO = {"cluster": "demo"}
GROUP = {"name": "workers", "instance_type": "ml.g5.8xlarge", "count": 2}
REQUESTS = [
    ("control_plane_create", {"name": "demo", "region": "us-west-2"}),
    ("cluster_forget", DEMO),
    ("cluster_import", {"name": "demo", "region": "us-west-2"}),
    ("cluster_select", DEMO),
    ("dependency_reconcile", DEMO),
    ("hyperpod_create", DEMO | {"group": GROUP}),
    ("storage_mount", DEMO | {"name": "shared", "bucket": "demo-data-1", "create": True}),
    ("training_submit", DEMO | {"name": "train", "image": "pytorch:2.7.1", "script": "/data/train.py", "nodes": 1}),
    ("job_delete", DEMO | {"name": "train"}),
    ("model_deploy", DEMO | {"name": "qwen", "model": "Qwen/Qwen2.5-0.5B-Instruct", "instance_type": "ml.g5.8xlarge",
                             "max_model_len": 4096}),
    ("deployment_delete", DEMO | {"name": "qwen"}),
    ("storage_unmount", DEMO | {"name": "shared"}),
    ("hyperpod_delete", DEMO),
    ("control_plane_delete", DEMO),
    ("environment_create", {"name": "second", "region": "us-west-2", "group": GROUP}),
    ("environment_delete", {"cluster": "second"}),
]
# They need an operation that runs, and one that failed: see the last tests.
ON_OPERATIONS = {"operation_cancel", "operation_retry"}
RUNNING = {"started", "joined", "planned", "confirm_required"}
GOOD_ENDS = {"succeeded", "done"}
ENDED = {"succeeded", "failed", "cancelled", "needs_input"}


@contextlib.asynccontextmanager
async def connected(house: House):
    headers = {"Authorization": f"Bearer {house.server.token}"}
    async with httpx2.AsyncClient(headers=headers, timeout=90) as http:
        async with Client(streamable_http_client(house.server.url + "/mcp", http_client=http)) as client:
            yield client


def run(house: House, use, seconds: int = 240):
    async def body():
        async with connected(house) as client:
            return await use(client)

    return asyncio.run(asyncio.wait_for(body(), seconds))


async def follow(client, tool: str, arguments: dict) -> tuple[str, list]:
    """How it ended, and what was called on the way."""
    trail = []
    while len(trail) < 40:
        result = await client.call_tool(tool, arguments)
        answer = result.structured_content
        how = answer.get("state") or answer.get("status")
        trail.append((tool, arguments, how, answer))
        if "code" in answer:
            return f"refused: {answer['code']}", trail
        if how in ENDED:
            return how, trail
        if not answer.get("next"):
            # Local changes are done when they are answered.
            return ("stuck" if how in RUNNING else "done"), trail
        tool, arguments = answer["next"][0]["action"], answer["next"][0]["arguments"]
    return "endless", trail


@pytest.fixture(scope="module")
def house(tmp_path_factory):
    with House(tmp_path_factory.mktemp("follow")) as running:
        yield running


async def mutating_tools(client) -> set[str]:
    tools = (await client.list_tools()).tools
    return {tool.name for tool in tools if not tool.annotations.read_only_hint}


def test_every_change_is_followed_to_its_end(house):
    async def use(client):
        tools = await mutating_tools(client)
        assert tools == {name for name, _ in REQUESTS} | ON_OPERATIONS, "each has its request, and none is of the past"
        ends = {}
        for name, arguments in REQUESTS:
            ends[name] = await follow(client, name, arguments)
        return ends

    ends = run(house, use)
    bad = {name: trail for name, (end, trail) in ends.items() if end not in GOOD_ENDS}
    assert not bad, "\n".join(f"{name}: {ends[name][0]}: {trail}" for name, trail in bad.items())
    destroyed = [name for name, (_, trail) in ends.items() if any(step[2] == "confirm_required" for step in trail)]
    assert "control_plane_delete" in destroyed, "what removes was confirmed on the way"


def test_after_a_failure_next_goes_on_where_it_stopped(tmp_path):
    async def use(client):
        failed, trail = await follow(client, "control_plane_create", {"name": "demo", "region": "us-west-2"})
        step = trail[-1][3]["next"][0]
        end, more = await follow(client, step["action"], step["arguments"])
        return failed, step["action"], end, trail + more

    with House(tmp_path) as running:
        running.sandbox.faults({"service": "cloudformation", "operation": "CreateStack", "kind": "access_denied", "times": 1})
        failed, tool, end, trail = run(running, use)
    assert (failed, tool, end) == ("failed", "operation_retry", "succeeded"), trail


def test_after_a_cancel_next_removes_what_was_made(tmp_path):
    """At a slower pace, so that the operation still runs when it is cancelled."""

    async def use(client):
        started = await client.call_tool("control_plane_create", {"name": "demo", "region": "us-west-2"})
        operation = {"operation_id": started.structured_content["operation_id"]}
        while not (await client.call_tool("operation_get", operation)).structured_content["resources"]:
            pass
        end, trail = await follow(client, "operation_cancel", operation)
        (step,) = trail[-1][3]["next"]
        removed, more = await follow(client, step["action"], step["arguments"])
        return end, step["action"], removed, trail + more

    with House(tmp_path, scale=300) as running:
        end, tool, removed, trail = run(running, use)
    assert (end, tool, removed) == ("cancelled", "operation_cancel", "cancelled"), trail
    assert {one["state"] for one in trail[-1][3]["resources"]} == {"removed"}
