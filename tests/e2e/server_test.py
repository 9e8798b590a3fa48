"""The process as its users meet it: start, faces, refusals, files, end."""

import http.client
import json
import os
import signal
import socket
import stat
import urllib.parse

import pytest
from support.server import Server


def raw(server: Server, request: bytes) -> bytes:
    address = urllib.parse.urlsplit(server.url)
    with socket.create_connection((address.hostname, address.port), timeout=20) as connection:
        connection.sendall(request)
        answer = b""
        while chunk := connection.recv(65536):
            answer += chunk
        return answer


def test_rest_and_cli_give_the_same_answer(server):
    by_rest = server.call("GET", "/api/v1/operations").body
    by_cli = server.cli("operation", "list", "--output", "json")
    assert by_cli.returncode == 0, by_cli.stderr
    assert json.loads(by_cli.stdout) == by_rest == {"operations": []}


BAD_INPUT = [
    # path and query for REST, words for the command line, the code and the pointers that both must give
    ("/api/v1/operations?limt=5", ["operation", "list", "--limt", "5"], "invalid_request", ["/limt"]),
    ("/api/v1/operations?limit=0", ["operation", "list", "--limit", "0"], "invalid_request", ["/limit"]),
    ("/api/v1/operations?limit=x&state=runing", ["operation", "list", "--limit", "x", "--state", "runing"],
     "invalid_request", ["/limit", "/state"]),
    ("/api/v1/operations/no%20id", ["operation", "get", "--operation-id", "no id"], "invalid_request",
     ["/operation_id"]),
    ("/api/v1/operations/0193-none", ["operation", "get", "--operation-id", "0193-none"], "not_found", []),
    ("/api/v1/operations/0193-none?wait_seconds=46",
     ["operation", "get", "--operation-id", "0193-none", "--wait-seconds", "46"], "invalid_request", ["/wait_seconds"]),
]


@pytest.mark.parametrize(("path", "words", "code", "pointers"), BAD_INPUT)
def test_bad_input_gets_the_same_code_and_pointers_from_every_face(server, path, words, code, pointers):
    by_rest = server.call("GET", path)
    by_cli = server.cli(*words, "--output", "json")
    assert by_cli.returncode == 1
    for problem in (by_rest.body, json.loads(by_cli.stderr)):
        assert problem["code"] == code
        assert sorted(p["pointer"] for p in problem["problems"]) == sorted(pointers)
    assert by_rest.headers["Content-Type"] == "application/problem+json"


def test_a_misspelt_value_names_the_nearest_allowed_one(server):
    answer = server.call("GET", "/api/v1/operations?state=runing")
    assert answer.status == 422
    assert answer.body["problems"][0]["nearest"] == "running"


@pytest.mark.parametrize("body", [b"{", b'{"a":1,"a":2}', b"[1,2]", b'{"x":1e400}', b'\xef\xbb\xbf{}', b'{"a":"\xff"}'])
def test_broken_json_is_refused_and_the_server_lives(server, body):
    answer = server.call("POST", "/api/v1/operations/0193-none/cancel", body)
    assert answer.status in (400, 422)
    assert answer.body["code"] in ("invalid_json", "invalid_request")
    assert server.call("GET", "/healthz").status == 200


def test_a_body_over_the_limit_is_refused(server):
    answer = server.call("POST", "/api/v1/operations/0193-none/cancel", b'{"a":"' + b"x" * 1_100_000 + b'"}')
    assert answer.status == 413
    assert answer.body["code"] == "body_too_large"


@pytest.mark.parametrize(
    ("headers", "status", "code"),
    [
        ({"Authorization": None}, 401, "unauthenticated"),
        ({"Authorization": "Bearer wrong"}, 401, "unauthenticated"),
        ({"Host": "evil.example:3099"}, 421, "bad_host"),
        ({"Host": "127.0.0.1.evil.example"}, 421, "bad_host"),
        ({"Origin": "http://evil.example"}, 403, "bad_origin"),
        ({"Origin": "null"}, 403, "bad_origin"),
        ({"Sec-Fetch-Site": "cross-site"}, 403, "bad_origin"),
    ],
)
def test_who_may_not_call_is_told_so_with_a_stable_code(server, headers, status, code):
    answer = server.call("GET", "/api/v1/operations", headers=headers)
    assert (answer.status, answer.body["code"]) == (status, code)
    assert "Access-Control-Allow-Origin" not in answer.headers


@pytest.mark.parametrize("content_type", ["text/plain", "application/x-www-form-urlencoded", "multipart/form-data"])
def test_forms_are_not_read(server, content_type):
    answer = server.call("POST", "/api/v1/operations/0193-none/cancel", b"{}", {"Content-Type": content_type})
    assert (answer.status, answer.body["code"]) == (415, "unsupported_media_type")


@pytest.mark.parametrize(
    ("request_bytes", "status"),
    [
        (b"GET /healthz HTTP/1.1\r\n\r\n", b"400"),
        (b"GET /healthz HTTP/1.1\r\nHost: localhost\r\nHost: localhost\r\n\r\n", b"400"),
        (b"GET http://localhost/healthz HTTP/1.1\r\nHost: localhost\r\n\r\n", b"400"),
        (b"GET /healthz HTTP/1.0\r\n\r\n", b"400"),
        (b"POST /healthz HTTP/1.1\r\nHost: localhost\r\nContent-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n{}", b"400"),
    ],
)
def test_requests_that_two_servers_would_read_differently_are_refused(server, request_bytes, status):
    answer = raw(server, request_bytes.replace(b"\r\n\r\n", b"\r\nConnection: close\r\n\r\n", 1))
    assert answer.split(b" ", 2)[1] == status, answer


def test_state_files_are_for_their_owner_alone(server):
    assert stat.S_IMODE(os.stat(server.state).st_mode) == 0o700
    for file in server.state.iterdir():
        assert stat.S_IMODE(file.stat().st_mode) & 0o077 == 0, file


def test_the_token_stands_in_no_log_and_no_database(server):
    server.call("GET", "/api/v1/operations")
    assert server.token not in server.output()
    for file in server.state.iterdir():
        if file.name != "token":
            assert server.token.encode() not in file.read_bytes(), file


def test_a_second_server_on_the_same_state_is_refused_and_the_first_lives(server):
    second = Server(server.state)
    card = (server.state / "server.json").read_text()
    with pytest.raises(RuntimeError, match="ended with 1"):
        second.start()
    (server.state / "server.json").write_text(card)
    assert server.call("GET", "/healthz").status == 200


def test_it_ends_well_on_sigterm_and_starts_again_after_a_kill(tmp_path):
    server = Server(tmp_path / "state")
    server.start()
    token = server.token
    server.kill()
    server.start()
    assert server.token != token, "a new start issues a new token"
    server.token, old = token, server.token
    assert server.call("GET", "/api/v1/operations").status == 401, "and the old one ends"
    server.token = old
    assert server.call("GET", "/api/v1/operations").status == 200
    assert server.stop() == 0


def test_a_login_link_works_once_and_opens_the_api_to_a_browser(server):
    code = server.output().split("#login=")[1].split()[0]
    first = server.call("POST", "/api/v1/session", {"code": code}, {"Authorization": None})
    assert first.status == 200
    cookie = first.headers["Set-Cookie"].split(";")[0]
    assert server.call("GET", "/api/v1/operations", headers={"Authorization": None, "Cookie": cookie}).status == 200
    assert server.call("POST", "/api/v1/session", {"code": code}, {"Authorization": None}).status == 401


def test_without_a_server_the_command_line_says_how_to_start_one(tmp_path):
    answer = Server(tmp_path / "none").cli("operation", "list")
    assert answer.returncode == 3
    assert "instantstart serve" in answer.stderr
    assert "server_not_running" in answer.stderr


def test_listening_beyond_loopback_is_refused(tmp_path):
    with pytest.raises(RuntimeError, match="TLS"):
        Server(tmp_path / "state", "--listen", "0.0.0.0").start()


def test_a_port_that_is_taken_is_refused_in_words(tmp_path):
    with socket.create_server(("127.0.0.1", 0)) as taken:
        server = Server(tmp_path / "state")
        with pytest.raises(RuntimeError, match="ended with 1"):
            server.start("--port", str(taken.getsockname()[1]))
    assert "Address already in use" in server.output()


def test_a_connection_serves_many_requests(server):
    address = urllib.parse.urlsplit(server.url)
    connection = http.client.HTTPConnection(address.hostname, address.port, timeout=20)
    for _ in range(50):
        connection.request("GET", "/api/v1/operations", headers={"Authorization": f"Bearer {server.token}"})
        assert connection.getresponse().read() == b'{"operations":[]}'
    connection.close()


def test_ctrl_c_ends_it_too(tmp_path):
    server = Server(tmp_path / "state")
    server.start()
    server.process.send_signal(signal.SIGINT)
    assert server.process.wait(20) == 0
