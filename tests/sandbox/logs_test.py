"""Simulated CloudWatch Logs as `aws` and boto3 see it."""

import time

import botocore.exceptions
import pytest

GROUP = "/test/app"


@pytest.fixture(scope="module")
def logs(sandbox):
    client = sandbox.client("logs")
    client.create_log_group(logGroupName=GROUP, tags={"a": "b"})
    return client


def code_of(call, **named) -> str:
    with pytest.raises(botocore.exceptions.ClientError) as refused:
        call(**named)
    return refused.value.response["Error"]["Code"]


def put(logs, stream: str, *messages: str) -> dict:
    logs.create_log_stream(logGroupName=GROUP, logStreamName=stream)
    now = int(time.time() * 1000)
    events = [{"timestamp": now + i, "message": message} for i, message in enumerate(messages)]
    return logs.put_log_events(logGroupName=GROUP, logStreamName=stream, logEvents=events)


def test_a_stream_is_followed_until_the_token_repeats(logs):
    assert "rejectedLogEventsInfo" not in put(logs, "follow", "a", "b", "c")
    named = {"logGroupName": GROUP, "logStreamName": "follow", "startFromHead": True, "limit": 2}
    seen, token = [], None
    while True:
        page = logs.get_log_events(**named, **({"nextToken": token} if token else {}))
        seen += [event["message"] for event in page["events"]]
        if page["nextForwardToken"] == token:
            break
        token = page["nextForwardToken"]
    assert seen == ["a", "b", "c"]


def test_the_command_line_filters(sandbox, logs):
    put(logs, "filter", "INFO fine", 'ERROR "no such" file', "ERROR Exiting")
    arguments = ("logs", "filter-log-events", "--log-group-name", GROUP, "--log-stream-names", "filter")
    found = sandbox.aws_json(*arguments, "--filter-pattern", "ERROR -Exiting")["events"]
    assert [event["message"] for event in found] == ['ERROR "no such" file']
    done = sandbox.aws(*arguments, "--filter-pattern", "{ $.level = 1 }")
    assert "does not simulate JSON filter patterns" in done.stderr


def test_pages_of_streams_and_of_events(logs):
    for i in range(3):
        put(logs, f"page-{i}", f"x{i}", f"y{i}")
    pages = logs.get_paginator("describe_log_streams").paginate(
        logGroupName=GROUP, logStreamNamePrefix="page-", PaginationConfig={"PageSize": 2}
    )
    assert [s["logStreamName"] for page in pages for s in page["logStreams"]] == ["page-0", "page-1", "page-2"]
    pages = logs.get_paginator("filter_log_events").paginate(
        logGroupName=GROUP, logStreamNamePrefix="page-", PaginationConfig={"PageSize": 4}
    )
    events = [event for page in pages for event in page["events"]]
    assert sorted(event["message"] for event in events) == ["x0", "x1", "x2", "y0", "y1", "y2"]
    assert len({event["eventId"] for event in events}) == 6


def test_errors_have_the_codes_that_clients_know(logs):
    assert code_of(logs.create_log_group, logGroupName=GROUP) == "ResourceAlreadyExistsException"
    assert code_of(logs.create_log_group, logGroupName="no blanks") == "InvalidParameterException"
    assert code_of(logs.describe_log_streams, logGroupName="/none") == "ResourceNotFoundException"
    with pytest.raises(logs.exceptions.ResourceNotFoundException):
        logs.get_log_events(logGroupName=GROUP, logStreamName="none")


def test_events_too_old_are_rejected(logs):
    logs.create_log_stream(logGroupName=GROUP, logStreamName="old")
    old = int(time.time() * 1000) - 15 * 24 * 3600 * 1000
    answer = logs.put_log_events(
        logGroupName=GROUP, logStreamName="old", logEvents=[{"timestamp": old, "message": "x"}]
    )
    assert answer["rejectedLogEventsInfo"]["tooOldLogEventEndIndex"] == 1
