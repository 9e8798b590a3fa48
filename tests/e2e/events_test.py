"""The events socket of a running server: who may open it, and that nobody misses or doubles an event."""

import http.cookies
import json
import re
import time

import pytest

from support.house import House
from support.websocket import BINARY, TEXT, Closed, Refused, WebSocket

PATH = "/api/v1/control-planes"
REQUEST = {"name": "demo", "region": "us-west-2"}


def bearer(server) -> dict:
    return {"Authorization": f"Bearer {server.token}"}


def connect(server, **how) -> WebSocket:
    return WebSocket(server.url, bearer(server), **how)


def log_in(server) -> str:
    """The Cookie header of a new browser session."""
    code = re.search(r"#login=(\S+)", server.output())[1]
    answer = server.call("POST", "/api/v1/session", {"code": code}, {"Authorization": None, "Origin": server.url})
    assert answer.status == 200, answer.body
    cookie = http.cookies.SimpleCookie(answer.headers["Set-Cookie"])
    return "; ".join(f"{name}={morsel.value}" for name, morsel in cookie.items())


@pytest.fixture(scope="module")
def house(tmp_path_factory):
    """Tests leave it running, with one operation that has ended."""
    with House(tmp_path_factory.mktemp("events")) as running:
        running.operation = running.run("POST", PATH, REQUEST)
        yield running


# --- who may -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("headers", "path", "status", "code"),
    [
        ({}, "/ws", 401, "unauthenticated"),
        ({"Authorization": "Bearer wrong"}, "/ws", 401, "unauthenticated"),
        ({"Cookie": "instantstart_session=wrong", "Origin": "{url}"}, "/ws", 401, "unauthenticated"),
        ({}, "/ws?token={token}", 401, "unauthenticated"),
        ({"Authorization": "Bearer {token}", "Origin": "http://evil.example"}, "/ws", 403, "bad_origin"),
        ({"Authorization": "Bearer {token}", "Origin": "null"}, "/ws", 403, "bad_origin"),
        ({"Authorization": "Bearer {token}", "Origin": "http://localhost:9"}, "/ws", 403, "bad_origin"),
        ({"Authorization": "Bearer {token}", "Sec-Fetch-Site": "same-site"}, "/ws", 403, "bad_origin"),
        ({"Authorization": "Bearer {token}", "Host": "evil.example"}, "/ws", 421, "bad_host"),
        ({"Authorization": "Bearer {token}"}, "/ws/other", 404, "not_found"),
    ],
)
def test_a_socket_is_refused_to_whom_it_does_not_belong(server, headers, path, status, code):
    def filled(text):
        return text.format(url=server.url, token=server.token)

    with pytest.raises(Refused) as refused:
        WebSocket(server.url, {name: filled(value) for name, value in headers.items()}, path=filled(path))
    assert (refused.value.status, refused.value.body["code"]) == (status, code)
    assert server.token not in server.output()


def test_a_session_is_good_with_our_own_origin_only(server):
    cookie = log_in(server)
    for headers in ({}, {"Origin": "http://evil.example"}, {"Origin": server.url.replace("http", "https", 1)}):
        with pytest.raises(Refused) as refused:
            WebSocket(server.url, {"Cookie": cookie} | headers)
        assert refused.value.body["code"] == "bad_origin"
    with WebSocket(server.url, {"Cookie": cookie, "Origin": server.url}) as ours:
        assert ours.subscribe("operations") == {"type": "subscribed", "channel": 1, "topic": "operations", "cursor": 0}


def test_a_session_that_ends_ends_its_socket_within_ten_seconds(server):
    cookie = log_in(server)
    with WebSocket(server.url, {"Cookie": cookie, "Origin": server.url}) as ours:
        ours.subscribe("operations")
        server.call("DELETE", "/api/v1/session", None, {"Authorization": None, "Cookie": cookie, "Origin": server.url})
        begun = time.monotonic()
        with pytest.raises(Closed) as closed:
            ours.receive()
        assert closed.value.code == 4401
        assert time.monotonic() - begun < 10


def test_without_its_subprotocol_or_without_a_websocket_it_is_refused(server):
    with pytest.raises(Refused) as refused:
        connect(server, protocol=None)
    assert refused.value.status == 400
    assert server.call("GET", "/ws").status == 426


# --- what it says ------------------------------------------------------------------------------------------


def test_events_are_replayed_from_any_cursor(house):
    with connect(house.server) as reader:
        assert reader.subscribe("operations", 0)["type"] == "subscribed"
        everything = reader.events_until("operation_succeeded")
    assert [event["sequence"] for event in everything] == list(range(1, len(everything) + 1))
    middle = len(everything) // 2
    with connect(house.server) as reader:
        assert reader.subscribe("operations", middle)["cursor"] == middle
        assert reader.events_until("operation_succeeded") == everything[middle:]


def test_an_operation_is_followed_with_a_view_that_the_rest_face_agrees_with(house):
    topic = f"operation/{house.operation['id']}"
    with connect(house.server) as reader:
        reader.subscribe(topic, 0)
        reader.events_until("operation_succeeded")
        frame = reader.receive()
        assert (frame["type"], frame["topic"]) == ("view", topic)
        assert frame["view"] == house.server.call("GET", f"/api/v1/operations/{house.operation['id']}").body


def test_a_cursor_ahead_of_all_events_and_an_unknown_operation_are_refused(house):
    with connect(house.server) as reader:
        refused = reader.subscribe("operations", 1_000_000)
        assert (refused["type"], refused["channel"], refused["problem"]["code"]) == ("error", 1, "invalid_request")
        assert refused["problem"]["problems"][0]["pointer"] == "/cursor"
        assert reader.subscribe("operation/0193-none")["problem"]["code"] == "not_found"


def test_nothing_is_missed_or_doubled_over_a_kill_of_the_server(tmp_path):
    with House(tmp_path, scale=400) as house:
        heard: list[dict] = []
        with connect(house.server) as first:
            first.subscribe("operations", 0)
            operation = house.start("POST", PATH, REQUEST)
            first.events_until("step_acting", heard)
            house.server.kill()
            with pytest.raises(Closed):
                while True:
                    heard += first.receive().get("events", [])
        house.server.start()
        with connect(house.server) as second:
            second.subscribe("operations", heard[-1]["sequence"])
            second.events_until("operation_succeeded", heard)
        assert house.wait_for_end(operation)["state"] == "succeeded"
        assert [event["sequence"] for event in heard] == list(range(1, len(heard) + 1))
        with connect(house.server) as again:
            again.subscribe("operations", 0)
            assert again.events_until("operation_succeeded") == heard


def test_a_reader_that_does_not_read_holds_nobody_and_misses_nothing(tmp_path):
    with House(tmp_path) as house, connect(house.server) as slow, connect(house.server) as poor, connect(house.server) as quick:
        for reader, credit in ((slow, 10_000), (poor, 1), (quick, 10_000)):
            reader.subscribe("operations", 0, credit=credit)
        house.start("POST", PATH, REQUEST)
        heard = quick.events_until("operation_succeeded")
        assert slow.events_until("operation_succeeded") == heard
        first = poor.receive()["events"]
        poor.send({"type": "credit", "channel": 1, "credit": 10_000})
        assert poor.events_until("operation_succeeded", first) == heard


@pytest.mark.parametrize(
    ("opcode", "payload", "masked", "code"),
    [
        (TEXT, b" " * 5_000, True, 1009),
        (TEXT, b"{}", False, 1002),
        (TEXT, b"\xff", True, 1007),
        (BINARY, b"x", True, 1003),
    ],
)
def test_frames_that_no_client_sends_end_the_socket_alone(server, opcode, payload, masked, code):
    with connect(server) as other, connect(server) as broken:
        broken.send_frame(opcode, payload, masked)
        with pytest.raises(Closed) as closed:
            broken.receive()
        assert closed.value.code == code
        assert other.subscribe("operations")["type"] == "subscribed"


def test_wrong_words_are_answered_and_the_socket_lives(server):
    with connect(server) as reader:
        reader.send_frame(TEXT, b"{")
        assert reader.receive()["problem"]["code"] == "invalid_json"
        reader.send({"type": "subscribe", "channel": 1, "topic": "operations", "extra": json.dumps({})})
        assert reader.receive()["problem"]["problems"][0]["pointer"] == "/extra"
        assert reader.subscribe("operations")["type"] == "subscribed"


def test_a_server_that_stops_says_goodbye(tmp_path):
    with House(tmp_path) as house, connect(house.server) as reader:
        reader.subscribe("operations")
        house.server.process.terminate()
        with pytest.raises(Closed) as closed:
            reader.receive()
        assert closed.value.code == 1001
