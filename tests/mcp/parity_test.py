"""One contract, three faces: the same bad input gets the same code and the same JSON pointers from REST, the command line and MCP.

The cases are made from the served OpenAPI document, for every action that it has. Needs the environment `mcp` of tests/peers.
"""

import asyncio
import dataclasses
import json
import re
import urllib.parse

import httpx2
import pytest
from mcp.client import Client
from mcp.client.streamable_http import streamable_http_client

from support.server import Server

PREFIX = "/api/v1"


@dataclasses.dataclass
class Action:
    name: str
    method: str
    path: str
    members: dict  # name → schema without references
    places: dict  # name → "path", "query" or "body"
    required: set
    example: dict


@dataclasses.dataclass
class Case:
    action: Action
    arguments: dict
    pointer: str | None  # one that must be among the problems


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    with Server(tmp_path_factory.mktemp("parity") / "state", "--sandbox") as running:
        yield running


def resolved(document: dict, schema: dict) -> dict:
    if "$ref" not in schema:
        return schema
    found = document
    for part in schema["$ref"].removeprefix("#/").split("/"):
        found = found[part]
    return resolved(document, found) | {name: value for name, value in schema.items() if name != "$ref"}


def actions_of(document: dict) -> list[Action]:
    actions = []
    for path, routes in document["paths"].items():
        for method, route in routes.items():
            action = Action(route["operationId"], method.upper(), path, {}, {}, set(), {})
            for parameter in route.get("parameters", []):
                name = parameter["name"]
                action.members[name] = resolved(document, parameter["schema"])
                action.places[name] = parameter["in"]
                if parameter.get("required"):
                    action.required.add(name)
                if "example" in parameter:
                    action.example[name] = parameter["example"]
            body = route.get("requestBody", {}).get("content", {}).get("application/json", {})
            schema = resolved(document, body.get("schema", {}))
            for name, member in schema.get("properties", {}).items():
                action.members[name] = resolved(document, member)
                action.places[name] = "body"
            action.required |= set(schema.get("required", []))
            action.example |= body.get("example", {})
            actions.append(action)
    assert len(actions) > 10
    return actions


# --- bad input, from the schemas ----------------------------------------------------------------------------


def wrong_type(schema: dict, place: str) -> object:
    """None where there is no such thing: a query and a path hold texts."""
    kind = schema.get("type")
    if kind in ("integer", "number", "boolean"):
        return "several"
    if place == "body" and kind in ("object", "array"):
        return "several"
    return 5 if place == "body" and kind == "string" else None


def broken_rule(schema: dict) -> object:
    if "enum" in schema:
        return "no such value"
    if "maximum" in schema:
        return int(schema["maximum"]) + 1
    if "minimum" in schema:
        return int(schema["minimum"]) - 1
    bad = "no good! value?"
    if schema.get("type") == "string" and "pattern" in schema and not re.search(schema["pattern"], bad):
        return bad
    if schema.get("type") == "string" and schema.get("maxLength", 1 << 20) <= 4096:
        return "x" * (schema["maxLength"] + 1)
    return None


def cases_of(kind: str, action: Action) -> list[Case]:
    base = action.example
    if kind == "unknown field":
        return [Case(action, base | {"no_such_field": 1}, "/no_such_field")]
    if kind == "missing member":
        names = [name for name in sorted(action.required & set(base)) if action.places[name] != "path"]
        return [Case(action, {k: v for k, v in base.items() if k != name}, f"/{name}") for name in names]
    if kind == "unknown cluster":
        # What creates a cluster names it too, and may well not find it.
        return [Case(action, base | {"cluster": "nowhere"}, None)] if action.places.get("cluster") == "path" else []
    make = {"wrong type": lambda name: wrong_type(action.members[name], action.places[name]),
            "broken rule": lambda name: broken_rule(action.members[name])}[kind]
    made = {name: make(name) for name in action.members}
    return [Case(action, base | {name: value}, f"/{name}") for name, value in made.items() if value is not None]


# --- the three faces ----------------------------------------------------------------------------------------


def by_rest(server: Server, case: Case):
    rest = dict(case.arguments)
    path = case.action.path
    for name in re.findall(r"\{(\w+)\}", path):
        path = path.replace(f"{{{name}}}", urllib.parse.quote(str(rest.pop(name)), safe=""))
    if case.action.method in ("POST", "PUT", "PATCH"):
        return server.call(case.action.method, PREFIX + path, rest).body
    pairs = [(name, one) for name, value in rest.items() for one in (value if isinstance(value, list) else [value])]
    texts = [(name, json.dumps(one) if isinstance(one, (bool, dict)) else one) for name, one in pairs]
    query = "?" + urllib.parse.urlencode(texts) if texts else ""
    return server.call(case.action.method, PREFIX + path + query).body


def by_cli(server: Server, case: Case):
    noun, verb = case.action.name.replace("_", "-").rsplit("-", 1)
    words = [noun, verb, "--arguments", json.dumps(case.arguments), "--output", "json"]
    done = server.cli(*words)
    text = done.stderr or done.stdout
    try:
        return json.loads(text)
    except ValueError:
        return {"code": f"exit {done.returncode}: {text[:200]}"}


async def by_mcp(server: Server, cases: list[Case]):
    headers = {"Authorization": f"Bearer {server.token}"}
    async with httpx2.AsyncClient(headers=headers, timeout=60) as http:
        async with Client(streamable_http_client(server.url + "/mcp", http_client=http)) as client:
            return [(await client.call_tool(case.action.name, case.arguments)).structured_content for case in cases]


def judged(problem) -> tuple:
    return problem.get("code"), tuple(sorted(one["pointer"] for one in problem.get("problems", [])))


@pytest.mark.parametrize("kind", ["unknown field", "wrong type", "missing member", "broken rule", "unknown cluster"])
def test_bad_input_gets_one_answer(server, kind):
    actions = actions_of(server.call("GET", f"{PREFIX}/openapi.json").body)
    cases = [case for action in actions for case in cases_of(kind, action)]
    assert cases, f"no case of {kind}"
    answers = asyncio.run(by_mcp(server, cases))
    faults = []
    for case, answer in zip(cases, answers, strict=True):
        seen = {"mcp": judged(answer), "rest": judged(by_rest(server, case)), "cli": judged(by_cli(server, case))}
        where = f"{case.action.name} {json.dumps(case.arguments)}"
        if len(set(seen.values())) != 1:
            faults.append(f"{where}: {seen}")
        elif case.pointer and case.pointer not in seen["rest"][1]:
            faults.append(f"{where}: no {case.pointer} in {seen['rest']}")
        elif seen["rest"][0] is None:
            faults.append(f"{where}: was not refused")
    assert not faults, f"{len(faults)} of {len(cases)}:\n" + "\n".join(faults)


def test_without_a_token_nobody_gets_an_answer(server):
    actions = actions_of(server.call("GET", f"{PREFIX}/openapi.json").body)
    for action in actions:
        path = PREFIX + re.sub(r"\{\w+\}", "x", action.path)
        body = {} if action.method == "POST" else None
        answer = server.call(action.method, path, body, {"Authorization": None})
        assert (answer.status, answer.body["code"]) == (401, "unauthenticated"), action.name
    message = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "zone_list", "arguments": {}}}
    answer = server.call("POST", "/mcp", message, {"Authorization": None})
    assert answer.status == 401 and "zones" not in json.dumps(answer.body)
