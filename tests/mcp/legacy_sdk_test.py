"""The Python SDK's line without 2026-07-28, which most hosts embed.

Needs the environment `mcp_legacy` of tests/peers.
"""

import asyncio
import contextlib

import httpx
import pytest
from mcp import ClientSession, StdioServerParameters
from mcp.client.stdio import stdio_client
from mcp.client.streamable_http import streamable_http_client

from support.server import BINARY, Server


@pytest.fixture(scope="module")
def sandbox(tmp_path_factory):
    with Server(tmp_path_factory.mktemp("mcp") / "state", "--sandbox") as running:
        yield running


@contextlib.asynccontextmanager
async def streams(server: Server, transport: str):
    if transport == "stdio":
        command = StdioServerParameters(command=BINARY, args=["mcp", "--state-dir", str(server.state)])
        async with stdio_client(command) as (read, write):
            yield read, write
        return
    async with httpx.AsyncClient(headers={"Authorization": f"Bearer {server.token}"}) as http:
        async with streamable_http_client(server.url + "/mcp", http_client=http) as (read, write, _):
            yield read, write


@pytest.mark.parametrize("transport", ["http", "stdio"])
def test_the_older_sdk_initializes_lists_calls_and_reads(sandbox, transport):
    async def run():
        async with streams(sandbox, transport) as (read, write), ClientSession(read, write) as session:
            hello = await session.initialize()
            tools = await session.list_tools()
            zones = await session.call_tool("zone_list", {})
            wrong = await session.call_tool("operation_list", {"limit": 0})
            resources = await session.list_resources()
            await session.send_ping()
            return hello, tools, zones, wrong, resources

    hello, tools, zones, wrong, resources = asyncio.run(asyncio.wait_for(run(), 60))
    assert hello.protocolVersion == "2025-11-25"
    assert hello.instructions
    assert "zone_list" in {tool.name for tool in tools.tools}
    assert zones.structuredContent == sandbox.call("GET", "/api/v1/zones").body
    assert wrong.isError and wrong.structuredContent["problems"][0]["pointer"] == "/limit"
    assert len(resources.resources) == 1
