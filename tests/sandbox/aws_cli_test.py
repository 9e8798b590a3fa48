"""The sandbox as `aws` and boto3 see it: who may call, what is told, what survives, what fails on purpose."""

import json
import re
import subprocess
import threading
import urllib.error
import urllib.request
import uuid
from datetime import datetime, timedelta, timezone

import botocore.auth
import botocore.awsrequest
import botocore.credentials
import botocore.exceptions
import pytest
from sandbox_process import Sandbox, wait_until

ACCOUNT = "123456789012"
TRUST = json.dumps(
    {
        "Version": "2012-10-17",
        "Statement": [
            {"Effect": "Allow", "Principal": {"AWS": f"arn:aws:iam::{ACCOUNT}:root"}, "Action": "sts:AssumeRole"}
        ],
    }
)


def make_role(sandbox: Sandbox, name: str) -> str:
    return sandbox.client("iam").create_role(RoleName=name, AssumeRolePolicyDocument=TRUST)["Role"]["Arn"]


def code_of(call, *arguments, **named) -> str:
    with pytest.raises(botocore.exceptions.ClientError) as refused:
        call(*arguments, **named)
    return refused.value.response["Error"]["Code"]


# -- the command line


def test_get_caller_identity(sandbox):
    identity = sandbox.aws_json("sts", "get-caller-identity")
    assert identity["Account"] == ACCOUNT
    assert identity["Arn"] == f"arn:aws:iam::{ACCOUNT}:user/sandbox"
    assert identity["UserId"].startswith("AIDA")


def test_assume_role_of_a_role_that_is_not_there(sandbox):
    done = sandbox.aws(
        "sts", "assume-role", "--role-arn", f"arn:aws:iam::{ACCOUNT}:role/none", "--role-session-name", "a1"
    )
    assert done.returncode != 0
    assert "(AccessDenied)" in done.stderr
    assert f"User: arn:aws:iam::{ACCOUNT}:user/sandbox is not authorized to perform: sts:AssumeRole" in done.stderr


def test_a_session_of_a_role(sandbox):
    arn = make_role(sandbox, "cli-session")
    answer = sandbox.aws_json("sts", "assume-role", "--role-arn", arn, "--role-session-name", "night")
    keys = answer["Credentials"]
    identity = sandbox.aws_json(
        "sts",
        "get-caller-identity",
        AWS_ACCESS_KEY_ID=keys["AccessKeyId"],
        AWS_SECRET_ACCESS_KEY=keys["SecretAccessKey"],
        AWS_SESSION_TOKEN=keys["SessionToken"],
    )
    assert identity["Arn"] == f"arn:aws:sts::{ACCOUNT}:assumed-role/cli-session/night"
    assert identity["UserId"] == answer["AssumedRoleUser"]["AssumedRoleId"]


def test_a_wrong_secret(sandbox):
    done = sandbox.aws("sts", "get-caller-identity", AWS_SECRET_ACCESS_KEY="wrong")
    assert "(SignatureDoesNotMatch)" in done.stderr


def test_lookup_events(sandbox):
    make_role(sandbox, "looked-up")
    found = sandbox.aws_json(
        "cloudtrail", "lookup-events", "--lookup-attributes", "AttributeKey=ResourceName,AttributeValue=looked-up"
    )["Events"]
    assert [event["EventName"] for event in found] == ["CreateRole"]
    record = json.loads(found[0]["CloudTrailEvent"])
    assert record["eventSource"] == "iam.amazonaws.com"
    assert record["requestParameters"]["roleName"] == "looked-up"
    assert record["userIdentity"]["arn"] == f"arn:aws:iam::{ACCOUNT}:user/sandbox"


def test_list_service_quotas_in_pages(sandbox):
    quotas = sandbox.aws_json("service-quotas", "list-service-quotas", "--service-code", "sagemaker", "--page-size", "50")[
        "Quotas"
    ]
    names = [quota["QuotaName"] for quota in quotas]
    assert len(names) == len(set(names)) > 400
    assert "ml.p5.48xlarge for cluster usage" in names[150:]  # A client that stops after three pages misses it.
    requests = [row for row in sandbox.audit() if row["operation"] == "ListServiceQuotas"]
    assert len(requests) >= 9


# -- who may call


def test_presigned_identity_as_eks_tokens_use_it(sandbox):
    credentials = botocore.credentials.Credentials(
        sandbox.variables["AWS_ACCESS_KEY_ID"], sandbox.variables["AWS_SECRET_ACCESS_KEY"]
    )
    request = botocore.awsrequest.AWSRequest(
        "GET",
        f"{sandbox.url}/?Action=GetCallerIdentity&Version=2011-06-15",
        headers={"x-k8s-aws-id": "cluster-a"},
    )
    botocore.auth.SigV4QueryAuth(credentials, "sts", "us-west-2", expires=60).add_auth(request)
    url = request.prepare().url

    def get(**headers: str) -> bytes:
        with urllib.request.urlopen(urllib.request.Request(url, headers=headers), timeout=30) as answer:
            return answer.read()

    assert f"arn:aws:iam::{ACCOUNT}:user/sandbox".encode() in get(**{"x-k8s-aws-id": "cluster-a"})
    for headers in ({"x-k8s-aws-id": "cluster-b"}, {}):
        with pytest.raises(urllib.error.HTTPError) as refused:
            get(**headers)
        assert refused.value.code == 403
        assert b"SignatureDoesNotMatch" in refused.value.read()


def test_ended_sessions_are_refused_in_the_words_of_each_service(own_sandbox):
    arn = make_role(own_sandbox, "short")
    keys = own_sandbox.client("sts").assume_role(RoleArn=arn, RoleSessionName="s1")["Credentials"]
    assert own_sandbox.client("sts", keys=keys).get_caller_identity()["Account"] == ACCOUNT
    own_sandbox.control("POST", "expire-sessions")
    assert code_of(own_sandbox.client("sts", keys=keys).get_caller_identity) == "ExpiredToken"
    assert code_of(own_sandbox.client("ec2", keys=keys).describe_vpcs) == "RequestExpired"
    quotas = own_sandbox.client("service-quotas", keys=keys)
    assert code_of(quotas.list_service_quotas, ServiceCode="vpc") == "ExpiredTokenException"


def test_a_client_whose_clock_is_wrong(sandbox, monkeypatch):
    late = datetime.now(timezone.utc) - timedelta(minutes=20)
    monkeypatch.setattr(botocore.auth, "get_current_datetime", lambda *_, **__: late.replace(tzinfo=None))
    with pytest.raises(botocore.exceptions.ClientError) as refused:
        sandbox.client("sts").get_caller_identity()
    assert refused.value.response["Error"]["Code"] == "SignatureDoesNotMatch"
    assert re.match(r"Signature expired: \d{8}T\d{6}Z is now earlier than", refused.value.response["Error"]["Message"])


def test_unknown_keys(sandbox):
    keys = {"AccessKeyId": "AKIDEXAMPLE", "SecretAccessKey": "wrong"}
    assert code_of(sandbox.client("sts", keys=keys).get_caller_identity) == "InvalidClientTokenId"
    assert code_of(sandbox.client("ec2", keys=keys).describe_vpcs) == "AuthFailure"
    quotas = sandbox.client("service-quotas", keys=keys)
    assert code_of(quotas.list_service_quotas, ServiceCode="vpc") == "UnrecognizedClientException"


def test_services_and_operations_that_are_not_simulated(sandbox):
    assert code_of(sandbox.client("dynamodb").list_tables) == "UnknownOperationException"
    assert code_of(sandbox.client("ec2").describe_fleets) == "InvalidAction"


def test_the_control_api_is_no_page_of_a_browser(sandbox):
    for headers in ({"Origin": "http://127.0.0.1"}, {"Host": "rebound.example"}):
        request = urllib.request.Request(f"{sandbox.url}/_sandbox/reset", method="POST", headers=headers)
        with pytest.raises(urllib.error.HTTPError) as refused:
            urllib.request.urlopen(request, timeout=30)
        assert refused.value.code in (403, 421)


# -- what goes wrong on purpose


def test_a_throttled_client_tries_again(own_sandbox):
    own_sandbox.faults({"service": "ec2", "operation": "CreateVpc", "kind": "throttle", "times": 2})
    ec2 = own_sandbox.client("ec2", retries={"mode": "standard", "total_max_attempts": 5})
    ec2.create_vpc(CidrBlock="10.7.0.0/16")
    assert [row["error_code"] for row in own_sandbox.audit()] == ["RequestLimitExceeded"] * 2 + [""]
    assert own_sandbox.control("GET", "faults") == {"rules": []}


def test_a_lost_reply_was_carried_out(own_sandbox):
    own_sandbox.faults({"service": "ec2", "operation": "CreateVpc", "kind": "drop_reply"})
    with pytest.raises(botocore.exceptions.ConnectionClosedError):
        own_sandbox.client("ec2").create_vpc(CidrBlock="10.8.0.0/16")
    assert len(own_sandbox.mutations("CreateVpc")) == 1
    found = own_sandbox.client("ec2").describe_vpcs(Filters=[{"Name": "cidr", "Values": ["10.8.0.0/16"]}])["Vpcs"]
    assert len(found) == 1


def test_a_lost_request_was_not(own_sandbox):
    own_sandbox.faults({"service": "ec2", "operation": "CreateVpc", "kind": "drop_request"})
    with pytest.raises(botocore.exceptions.ConnectionClosedError):
        own_sandbox.client("ec2").create_vpc(CidrBlock="10.8.0.0/16")
    assert own_sandbox.mutations("CreateVpc") == []


def test_a_client_that_gives_up_on_a_slow_call_has_still_made_it(own_sandbox):
    own_sandbox.faults({"service": "ec2", "operation": "CreateVpc", "kind": "slow", "delay_ms": 2500})
    with pytest.raises(botocore.exceptions.ReadTimeoutError):
        own_sandbox.client("ec2", read_timeout=1).create_vpc(CidrBlock="10.9.0.0/16")
    wait_until(lambda: len(own_sandbox.mutations("CreateVpc")) == 1)


# -- what survives


def test_everything_survives_kill_9(own_sandbox):
    vpc = own_sandbox.client("ec2").create_vpc(CidrBlock="10.1.0.0/16")["Vpc"]["VpcId"]
    arn = make_role(own_sandbox, "survivor")
    keys = own_sandbox.client("sts").assume_role(RoleArn=arn, RoleSessionName="s1")["Credentials"]
    own_sandbox.control(
        "PUT", "quotas", {"region": "us-west-2", "service_code": "vpc", "quota_code": "L-F678F1CE", "value": 3}
    )
    before, variables = own_sandbox.audit(), own_sandbox.variables
    own_sandbox.kill()

    own_sandbox.start()
    changed = {"AWS_ENDPOINT_URL"}  # The port was free, it is another one now.
    assert {n: v for n, v in own_sandbox.variables.items() if n not in changed} == {
        n: v for n, v in variables.items() if n not in changed
    }
    after = own_sandbox.audit()
    assert after[: len(before)] == before
    assert [row["sequence"] for row in after] == list(range(1, len(after) + 1))
    assert own_sandbox.client("ec2").describe_vpcs(VpcIds=[vpc])["Vpcs"][0]["CidrBlock"] == "10.1.0.0/16"
    assert "assumed-role/survivor/s1" in own_sandbox.client("sts", keys=keys).get_caller_identity()["Arn"]
    quota = own_sandbox.client("service-quotas").get_service_quota(ServiceCode="vpc", QuotaCode="L-F678F1CE")
    assert quota["Quota"]["Value"] == 3


def test_what_was_answered_is_there_whenever_the_kill_comes(own_sandbox):
    """Writers run into the kill; afterwards the world has all they were told, and the audit is the world."""
    answered = []

    def write(client) -> None:
        while True:
            name = f"r-{uuid.uuid4().hex}"
            try:
                client.create_role(RoleName=name, AssumeRolePolicyDocument=TRUST)
            except (botocore.exceptions.BotoCoreError, botocore.exceptions.ClientError):
                return
            answered.append(name)

    for round_number in range(3):
        goal = len(answered) + 40
        writers = [threading.Thread(target=write, args=(own_sandbox.client("iam"),)) for _ in range(4)]
        for writer in writers:
            writer.start()
        wait_until(lambda: len(answered) >= goal, seconds=60)
        own_sandbox.kill()
        for writer in writers:
            writer.join()
        own_sandbox.start()
        pages = own_sandbox.client("iam").get_paginator("list_roles").paginate()
        roles = {role["RoleName"] for page in pages for role in page["Roles"] if role["RoleName"].startswith("r-")}
        assert set(answered) <= roles, round_number
        audited = [row["request"]["RoleName"] for row in own_sandbox.mutations("CreateRole")]
        assert sorted(audited) == sorted(roles)


def test_one_process_has_the_state(own_sandbox):
    second = subprocess.run(
        [own_sandbox.process.args[0], "sandbox", "--state-dir", str(own_sandbox.state), "--port", "0"],
        capture_output=True,
        text=True,
        timeout=30,
    )
    assert second.returncode == 1
    assert second.stderr.startswith("instantstart sandbox: ")


def test_a_port_that_is_taken(own_sandbox, tmp_path):
    port = own_sandbox.url.rsplit(":", 1)[1]
    second = subprocess.run(
        [own_sandbox.process.args[0], "sandbox", "--state-dir", str(tmp_path / "other"), "--port", port],
        capture_output=True,
        text=True,
        timeout=30,
    )
    assert second.returncode == 1
    assert second.stderr.startswith("instantstart sandbox: ") and port in second.stderr
    assert not (tmp_path / "other" / "sandbox.json").exists()


def test_an_orderly_stop_keeps_the_reads_as_well(own_sandbox):
    own_sandbox.client("ec2").describe_vpcs()
    assert own_sandbox.stop() == 0
    own_sandbox.start()
    assert [row["operation"] for row in own_sandbox.audit()] == ["DescribeVpcs"]


def test_the_card_is_private_and_the_log_tells_no_secret(own_sandbox):
    card = own_sandbox.state / "sandbox.json"
    assert card.stat().st_mode & 0o777 == 0o600
    assert json.loads(card.read_text())["environment"] == own_sandbox.variables
    code_of(own_sandbox.client("sts", keys={"AccessKeyId": "AKIDEXAMPLE", "SecretAccessKey": "x"}).get_caller_identity)
    own_sandbox.stop()
    assert own_sandbox.variables["AWS_SECRET_ACCESS_KEY"] not in own_sandbox.log.read_text()


def test_events_are_found_page_by_page(own_sandbox):
    for number in range(7):
        make_role(own_sandbox, f"paged-{number}")
    pages = own_sandbox.client("cloudtrail").get_paginator("lookup_events").paginate(
        LookupAttributes=[{"AttributeKey": "EventName", "AttributeValue": "CreateRole"}],
        PaginationConfig={"PageSize": 3},
    )
    sizes, names = [], []
    for page in pages:
        sizes.append(len(page["Events"]))
        names += [json.loads(event["CloudTrailEvent"])["requestParameters"]["roleName"] for event in page["Events"]]
    assert sizes == [3, 3, 1]
    assert names == [f"paged-{number}" for number in reversed(range(7))]
