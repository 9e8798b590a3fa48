"""job_logs and the topic log/… on the socket, with kubectl as judge: a server that is killed in mid-stream loses and
doubles nothing."""

import re
import time

import pytest

from dependencies_test import kubectl
from support.house import House
from support.websocket import WebSocket

ENVIRONMENT = {
    "name": "demo",
    "region": "us-west-2",
    "group": {"name": "workers", "instance_type": "ml.g5.8xlarge", "count": 2},
}
IMAGE = "763104351884.dkr.ecr.us-west-2.amazonaws.com/pytorch-training:2.8.0-gpu-py312-cu129-ubuntu22.04-ec2"
JOBS = "/api/v1/clusters/demo/jobs"
TOPIC = "log/demo/default/{}"


def submit(house, name, steps, log_every=5):
    request = {
        "name": name,
        "image": IMAGE,
        "script": "/workspace/train.py",
        "script_arguments": [f"--max_steps={steps}", f"--logging_steps={log_every}"],
        "nodes": 2,
    }
    return house.start("POST", JOBS, request)


@pytest.fixture(scope="module")
def house(tmp_path_factory):
    folder = tmp_path_factory.mktemp("logs")
    with House(folder) as running:
        running.folder = folder
        running.run("POST", "/api/v1/environments", ENVIRONMENT)
        yield running


def logs(house, name, **query):
    asked = "&".join(f"{key}={value}" for key, value in query.items())
    answer = house.server.call("GET", f"{JOBS}/{name}/logs?{asked}")
    assert answer.status == 200, answer.body
    return answer.body


def whole(house, name, until=None, **query):
    """The text from the beginning to the end, or to that many bytes."""
    text, offset = "", 0
    while True:
        piece = logs(house, name, offset=offset, max_bytes=65536, wait_seconds=20, **query)
        text += piece["text"]
        offset = piece["next_offset"]
        if piece["ended"] or (until is not None and offset >= until):
            return text


def wait_for_bytes(house, name, count):
    """Until so much of rank 0 is kept."""
    end = time.monotonic() + 60
    while time.monotonic() < end:
        answer = house.server.call("GET", f"{JOBS}/{name}/logs?rank=0&max_bytes=16")
        if answer.status == 200 and answer.body["size"] >= count:
            return
        time.sleep(0.05)
    raise AssertionError(f"rank 0 of {name} has not written {count} bytes: {answer.body}")


def kubectl_log(house, pod):
    done = kubectl(house, "logs", pod, "-c", "pytorch", text=False)
    assert done.returncode == 0, done.stderr
    return done.stdout.decode()


def read_topic(house, topic, offset=None, most=None):
    """Bytes of a topic to its end, or until there are `most` of them."""
    with WebSocket(house.server.url, {"Authorization": f"Bearer {house.server.token}"}) as socket:
        frame = {"type": "subscribe", "channel": 1, "topic": topic, "credit": 1_000_000}
        socket.send(frame if offset is None else frame | {"cursor": offset})
        answer = socket.receive()
        assert answer["type"] == "subscribed", answer
        read = b""
        while most is None or len(read) < most:
            message = socket.receive()
            if isinstance(message, dict):
                assert message["type"] == "ended", message
                break
            assert message[:4] == (1).to_bytes(4, "big")
            read += message[4:]
        return read


def test_a_killed_server_loses_and_doubles_nothing(house):
    submit(house, "killed", steps=12000, log_every=50)
    wait_for_bytes(house, "killed", 1500)
    before = read_topic(house, TOPIC.format("killed"), offset=0, most=2000)
    house.server.kill()
    house.server.start()
    wait_for_bytes(house, "killed", 6000)
    house.server.kill()
    house.server.start()
    judged = {}
    for rank in (0, 1):
        judged[rank] = kubectl_log(house, f"killed-pods-{rank}")
    for rank, expected in judged.items():
        kept = whole(house, "killed", until=len(expected.encode()), rank=rank)
        assert kept[: len(expected)] == expected
    # A follower of the socket goes on where it was.
    after = read_topic(house, TOPIC.format("killed"), offset=len(before), most=2000)
    again = read_topic(house, TOPIC.format("killed"), offset=0, most=len(before) + len(after))
    assert (before + after) == again[: len(before) + len(after)]
    asked = house.server.call("DELETE", f"{JOBS}/killed")
    house.run("DELETE", f"{JOBS}/killed?confirm_token={asked.body['confirm_token']}")
    # Kept after the pods are gone; the lines of each pod are its log.
    rank_0 = whole(house, "killed", rank=0)
    assert rank_0.startswith(judged[0])
    merged = read_topic(house, TOPIC.format("killed")).decode()
    mark = "[killed-pods-0] "
    lines = re.findall(r"[^\r\n]*(?:\r\n|\r|\n)", merged)
    assert "".join(line.removeprefix(mark) for line in lines if line.startswith(mark)) == rank_0


def test_the_command_line_follows_to_the_end(house):
    submit(house, "short", steps=600, log_every=20)
    wait_for_bytes(house, "short", 1)
    done = house.server.cli(
        "job", "logs", "--cluster", "demo", "--name", "short", "--rank", "0", "--offset", "0", "--follow"
    )
    assert done.returncode == 0, done.stderr
    # As Python reads a program's output.
    expected = whole(house, "short", rank=0).replace("\r\n", "\n").replace("\r", "\n")
    assert done.stdout == expected


def test_progress_is_read_from_the_log(house):
    job = house.server.call("GET", f"{JOBS}/short").body["job"]
    assert job["progress"]["step"] == 600
    assert job["progress"]["loss"] > 0


def test_an_unknown_job_is_not_found(house):
    answer = house.server.call("GET", f"{JOBS}/nobody/logs")
    assert (answer.status, answer.body["code"]) == (404, "not_found")
