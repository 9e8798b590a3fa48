"""MCP as its clients meet it: the official Python SDK (both eras, over HTTP and stdio) and raw messages.

Needs the environment `mcp` of tests/peers.
"""

import asyncio
import contextlib
import json
import subprocess

import httpx2
import pytest
from mcp.client import Client
from mcp.client.stdio import StdioServerParameters, stdio_client
from mcp.client.streamable_http import streamable_http_client

from support.server import BINARY, Server

MODES = ["legacy", "auto", "2026-07-28"]
TRANSPORTS = ["http", "stdio"]
everywhere = pytest.mark.parametrize(("mode", "transport"), [(m, t) for m in MODES for t in TRANSPORTS])

# The bounds of the product: bytes of compact JSON.
TOOL_BYTES = 1200
ALL_TOOLS_BYTES = 72 * 1024
RESULT_BYTES = 8 * 1024


@pytest.fixture(scope="module")
def sandbox(tmp_path_factory):
    with Server(tmp_path_factory.mktemp("mcp") / "state", "--sandbox") as running:
        yield running


@contextlib.asynccontextmanager
async def connected(server: Server, mode: str, transport: str):
    if transport == "stdio":
        command = StdioServerParameters(command=BINARY, args=["mcp", "--state-dir", str(server.state)])
        async with Client(stdio_client(command), mode=mode) as client:
            yield client
        return
    headers = {"Authorization": f"Bearer {server.token}"}
    async with httpx2.AsyncClient(headers=headers, timeout=60) as http:
        async with Client(streamable_http_client(server.url + "/mcp", http_client=http), mode=mode) as client:
            yield client


def with_client(server, mode, transport, use):
    async def run():
        async with connected(server, mode, transport) as client:
            return await use(client)

    return asyncio.run(asyncio.wait_for(run(), 60))


def raw(server: Server, message: object, headers: dict | None = None):
    body = message if isinstance(message, bytes) else json.dumps(message).encode()
    accept = {"Accept": "application/json, text/event-stream"}
    return server.call("POST", "/mcp", body, accept | (headers or {}))


def request(method: str, params: dict | None = None, number: int = 1) -> dict:
    return {"jsonrpc": "2.0", "id": number, "method": method, "params": params or {}}


def handshake(server: Server, revision: str) -> dict:
    answer = raw(server, request("initialize", {"protocolVersion": revision, "capabilities": {}}))
    assert answer.status == 200 and answer.body["result"]["protocolVersion"] == revision
    return {"Mcp-Session-Id": answer.headers["Mcp-Session-Id"]}


@everywhere
def test_the_tools_are_the_actions_of_the_contract(sandbox, mode, transport):
    tools = with_client(sandbox, mode, transport, lambda client: client.list_tools()).tools
    contract = sandbox.call("GET", "/api/v1/openapi.json").body
    routes = [route for path in contract["paths"].values() for route in path.values()]
    operations = {route["operationId"] for route in routes if "operationId" in route}
    assert {tool.name for tool in tools} == operations
    for tool in tools:
        assert tool.input_schema["type"] == "object"
        hints = tool.annotations
        assert None not in (hints.read_only_hint, hints.destructive_hint, hints.idempotent_hint, hints.open_world_hint)


@everywhere
def test_a_read_answers_the_object_that_rest_answers(sandbox, mode, transport):
    result = with_client(sandbox, mode, transport, lambda client: client.call_tool("zone_list", {}))
    assert not result.is_error
    assert result.structured_content == sandbox.call("GET", "/api/v1/zones").body
    assert json.loads(result.content[0].text) == result.structured_content


@everywhere
def test_operations_are_listed(sandbox, mode, transport):
    result = with_client(sandbox, mode, transport, lambda client: client.call_tool("operation_list", {"limit": "5"}))
    assert result.structured_content == sandbox.call("GET", "/api/v1/operations").body


BAD_INPUT = [
    # tool, arguments, path for REST, words for the command line, the code and the pointers that all must give
    ("operation_list", {"limt": 5}, "/api/v1/operations?limt=5", ["operation", "list", "--limt", "5"],
     "invalid_request", ["/limt"]),
    ("operation_list", {"limit": "x", "state": "runing"}, "/api/v1/operations?limit=x&state=runing",
     ["operation", "list", "--limit", "x", "--state", "runing"], "invalid_request", ["/limit", "/state"]),
    ("operation_get", {"operation_id": "no id"}, "/api/v1/operations/no%20id",
     ["operation", "get", "--operation-id", "no id"], "invalid_request", ["/operation_id"]),
    ("operation_get", {"operation_id": "0193-none", "wait_seconds": 46}, "/api/v1/operations/0193-none?wait_seconds=46",
     ["operation", "get", "--operation-id", "0193-none", "--wait-seconds", "46"], "invalid_request", ["/wait_seconds"]),
    ("operation_get", {"operation_id": "0193-none"}, "/api/v1/operations/0193-none",
     ["operation", "get", "--operation-id", "0193-none"], "not_found", []),
    ("zone_list", {"region": "US West"}, "/api/v1/zones?region=US%20West", ["zone", "list", "--region", "US West"],
     "invalid_request", ["/region"]),
]


@pytest.mark.parametrize(("tool", "arguments", "path", "words", "code", "pointers"), BAD_INPUT)
def test_bad_input_gets_the_same_problem_from_every_face(sandbox, tool, arguments, path, words, code, pointers):
    by_mcp = with_client(sandbox, "auto", "http", lambda client: client.call_tool(tool, arguments))
    assert by_mcp.is_error
    by_rest = sandbox.call("GET", path).body
    by_cli = json.loads(sandbox.cli(*words, "--output", "json").stderr)
    for problem in (by_mcp.structured_content, by_rest, by_cli):
        assert problem["code"] == code
        assert sorted(one["pointer"] for one in problem["problems"]) == sorted(pointers)
    same = {name: value for name, value in by_rest.items() if name != "request_id"}
    assert {name: by_mcp.structured_content[name] for name in same if name != "problems"} == {
        name: value for name, value in same.items() if name != "problems"
    }


@everywhere
def test_resources_are_listed_and_read(sandbox, mode, transport):
    async def use(client):
        listed = await client.list_resources()
        templates = await client.list_resource_templates()
        read = await client.read_resource(listed.resources[0].uri)
        return templates, read

    templates, read = with_client(sandbox, mode, transport, use)
    assert [t.uri_template for t in templates.resource_templates] == ["instantstart://operations/{id}"]
    assert any(row["code"] == "operation_conflict" for row in json.loads(read.contents[0].text)["error_codes"])


def test_the_list_of_tools_and_a_default_result_keep_their_budgets(sandbox):
    answer = raw(sandbox, request("tools/list"), handshake(sandbox, "2025-11-25"))
    tools = answer.body["result"]["tools"]
    sizes = {tool["name"]: len(json.dumps(tool, separators=(",", ":"))) for tool in tools}
    assert max(sizes.values()) <= TOOL_BYTES, sizes
    assert sum(sizes.values()) <= ALL_TOOLS_BYTES
    assert max(len(tool["description"]) for tool in tools) <= 300
    arguments = {"accelerated": False}
    result = with_client(sandbox, "auto", "http", lambda client: client.call_tool("instance_type_list", arguments))
    assert len(json.dumps(result.structured_content, separators=(",", ":"))) <= RESULT_BYTES


@pytest.mark.parametrize("revision", ["2025-03-26", "2025-06-18", "2025-11-25"])
def test_every_handshake_revision_has_its_session(sandbox, revision):
    session = handshake(sandbox, revision)
    assert raw(sandbox, {"jsonrpc": "2.0", "method": "notifications/initialized"}, session).status == 202
    call = raw(sandbox, request("tools/call", {"name": "zone_list", "arguments": {}}), session).body["result"]
    assert ("structuredContent" in call) == (revision >= "2025-06-18")
    assert sandbox.call("GET", "/mcp", headers=session).status == 405
    assert sandbox.call("DELETE", "/mcp", headers=session).status == 204
    assert raw(sandbox, request("ping"), session).status == 404


def test_batches_are_served_in_2025_03_26_alone(sandbox):
    batch = [request("ping", number=1), request("tools/list", number=2)]
    answers = raw(sandbox, batch, handshake(sandbox, "2025-03-26"))
    assert [answer["id"] for answer in answers.body] == [1, 2]
    refused = raw(sandbox, batch, handshake(sandbox, "2025-11-25"))
    assert (refused.status, refused.body["error"]["code"]) == (400, -32600)


@pytest.mark.parametrize(
    ("message", "status", "code"),
    [
        (b"{", 400, -32700),
        (b"[]", 400, -32600),
        (b'{"jsonrpc":"2.0","id":null,"method":"ping"}', 400, -32600),
        (request("tools/list"), 400, -32600),
        (request("tools/list", {"_meta": {"io.modelcontextprotocol/protocolVersion": "2026-07-28"}}), 400, -32602),
    ],
)
def test_what_is_no_sound_message_is_an_error_of_the_protocol(sandbox, message, status, code):
    answer = raw(sandbox, message)
    assert (answer.status, answer.body["error"]["code"]) == (status, code)
    assert answer.body.get("id", 1) is not None


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({"Authorization": None}, 401),
        ({"Authorization": "Bearer wrong"}, 401),
        ({"Origin": "http://evil.example"}, 403),
        ({"Host": "evil.example"}, 421),
        ({"Content-Type": "text/plain"}, 415),
        ({"Accept": "text/html"}, 406),
    ],
)
def test_who_may_not_call_is_refused_before_anything_is_read(sandbox, headers, status):
    assert raw(sandbox, request("ping"), headers).status == status


def test_a_message_over_the_limit_is_refused_and_the_server_lives(sandbox):
    assert raw(sandbox, request("ping", {"text": "x" * (5 * 1024 * 1024)})).status == 413
    assert raw(sandbox, request("ping"), handshake(sandbox, "2025-11-25")).status == 200


def test_a_browser_session_does_not_open_mcp(tmp_path):
    with Server(tmp_path / "state") as server:
        code = server.output().split("#login=")[1].split()[0]
        login = server.call("POST", "/api/v1/session", {"code": code}, {"Authorization": None})
        cookie = {"Cookie": login.headers["Set-Cookie"].split(";")[0], "Authorization": None}
        assert server.call("GET", "/api/v1/operations", headers=cookie).status == 200
        assert raw(server, request("ping"), cookie).status == 401


def bridge(state, *lines: object) -> list[dict]:
    text = "".join(line if isinstance(line, str) else json.dumps(line) + "\n" for line in lines)
    command = [BINARY, "mcp", "--state-dir", str(state)]
    done = subprocess.run(command, input=text, capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 0, done.stderr
    return [json.loads(line) for line in done.stdout.splitlines()]


def test_the_oldest_revision_is_spoken_over_stdio(sandbox):
    hello = request("initialize", {"protocolVersion": "2024-11-05", "capabilities": {}}, 0)
    initialized = {"jsonrpc": "2.0", "method": "notifications/initialized"}
    answers = bridge(sandbox.state, hello, initialized, request("tools/list"))
    assert answers[0]["result"]["protocolVersion"] == "2024-11-05"
    assert all("annotations" not in tool for tool in answers[1]["result"]["tools"])


def test_without_a_server_each_call_says_how_to_start_one(tmp_path):
    hello = request("initialize", {"protocolVersion": "2025-11-25"})
    answers = bridge(tmp_path / "none", hello, request("tools/list", number=2))
    assert [answer["id"] for answer in answers] == [1, 2]
    for answer in answers:
        assert "instantstart serve" in answer["error"]["message"]
        assert answer["error"]["data"]["code"] == "server_not_running"


def test_lines_that_are_no_messages_do_not_end_the_bridge(sandbox):
    prefix = "io.modelcontextprotocol/"
    meta = {f"{prefix}protocolVersion": "2026-07-28", f"{prefix}clientCapabilities": {}}
    discover = request("server/discover", {"_meta": meta})
    answers = bridge(sandbox.state, "nonsense\n", "\n", "x" * 1_100_000 + "\n", discover)
    assert [answer.get("error", {}).get("code") for answer in answers] == [-32700, -32600, None]
    assert answers[2]["result"]["supportedVersions"] == ["2026-07-28"]


@pytest.mark.parametrize("mode", MODES)
def test_a_bridge_outlives_a_restart_of_the_server(tmp_path, mode):
    server = Server(tmp_path / "state")
    server.start()

    async def use(client):
        first = await client.call_tool("operation_list", {})
        server.kill()
        gone = None
        try:
            await client.call_tool("operation_list", {})
        except Exception as error:  # whichever class the SDK has for an error of the protocol
            gone = str(error)
        server.start()
        return first, gone, await client.call_tool("operation_list", {})

    first, gone, last = with_client(server, mode, "stdio", use)
    assert server.stop() == 0
    assert gone
    assert first.structured_content == last.structured_content == {"operations": []}


@pytest.mark.parametrize(("mode", "transport"), [("auto", "http"), ("legacy", "stdio")])
def test_waiting_for_an_operation_tells_its_progress(tmp_path, mode, transport):
    heard = []

    async def hear(progress, total, message):
        heard.append((progress, total, message))

    async def use(client):
        started = await client.call_tool("control_plane_create", {"name": "demo"})
        again = await client.call_tool("control_plane_create", {"name": "demo"})
        assert again.structured_content["status"] == "joined"
        arguments = {"operation_id": started.structured_content["operation_id"], "wait_seconds": 45}
        ended = await client.call_tool("operation_get", arguments, progress_callback=hear)
        resource = await client.read_resource(f"instantstart://operations/{arguments['operation_id']}")
        return ended.structured_content, json.loads(resource.contents[0].text)

    with Server(tmp_path / "state", "--sandbox", "--sandbox-scale", "120") as server:
        ended, resource = with_client(server, mode, transport, use)
    assert ended["state"] == resource["state"] == "succeeded"
    assert len(heard) >= 2
    steps = [progress for progress, _, _ in heard]
    assert steps == sorted(set(steps)), "it grows strictly"
    assert any("CREATE_IN_PROGRESS" in message for _, _, message in heard)


def test_giving_up_a_wait_leaves_the_operation_running(tmp_path):
    with Server(tmp_path / "state", "--sandbox", "--sandbox-scale", "120") as server:
        session = handshake(server, "2025-11-25")
        create = {"name": "control_plane_create", "arguments": {"name": "demo"}}
        start = raw(server, request("tools/call", create), session)
        operation = start.body["result"]["structuredContent"]["operation_id"]
        arguments = {"operation_id": operation, "wait_seconds": 45}
        wait = {"name": "operation_get", "arguments": arguments, "_meta": {"progressToken": 1}}
        headers = session | {"Authorization": f"Bearer {server.token}", "Accept": "text/event-stream, application/json"}
        with httpx2.stream("POST", server.url + "/mcp", json=request("tools/call", wait), headers=headers) as stream:
            assert stream.headers["Content-Type"] == "text/event-stream"
            first = next(stream.iter_lines())
        assert first == "event: message"
        done = server.call("GET", f"/api/v1/operations/{operation}?wait_seconds=45")
        assert done.body["state"] == "succeeded"
