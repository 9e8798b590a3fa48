"""environment_create and environment_delete against the simulated AWS, with aws as judge."""

import collections
import json

import pytest

from sandbox_process import wait_until
from support.house import House, is_repeated

PATH = "/api/v1/environments"
REQUEST = {
    "name": "demo",
    "region": "us-west-2",
    "group": {"name": "workers", "instance_type": "ml.g5.8xlarge", "count": 2},
    "storage": {"name": "shared", "bucket": "demo-data-1", "create": True},
}
STAGES = ["control_plane", "select", "dependencies", "hyperpod", "storage"]
BY_CLOUDFORMATION = "cloudformation.amazonaws.com"


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    """A house with an environment that is not changed."""
    with House(tmp_path_factory.mktemp("environment")) as running:
        running.operation = running.run("POST", PATH, REQUEST)
        yield running


@pytest.fixture
def house(tmp_path):
    with House(tmp_path) as running:
        yield running


def plan_of(house, request):
    answer = house.server.call("POST", PATH, request | {"dry_run": True})
    assert answer.status == 200, answer.body
    return answer.body["plan"]


def planned_calls(plan):
    return collections.Counter(call["call"] for step in plan["steps"] for call in step["calls"])


def made_calls(rows):
    """As plans name calls: whatever is done to an object of Kubernetes is an apply."""

    def name(row):
        return "kubernetes:apply" if "kubernetes" in row["service"] else f"{row['service']}:{row['operation']}"

    return collections.Counter(name(row) for row in rows)


def states(operation):
    return {step["id"]: step["state"] for step in operation["steps"]}


def steps(operation):
    return {step["id"]: step for step in operation["steps"]}


def confirmed(house, path):
    asked = house.server.call("DELETE", path)
    assert asked.status == 409 and asked.body["status"] == "confirm_required", asked.body
    return asked.body, f"{path}?confirm_token={asked.body['confirm_token']}"


# --- created ------------------------------------------------------------------------------------------------


def test_aws_sees_the_whole_environment(made):
    cluster = made.sandbox.aws_json("sagemaker", "describe-cluster", "--cluster-name", "demo")
    assert (cluster["ClusterStatus"], cluster["NodeRecovery"], cluster["NodeProvisioningMode"]) == (
        "InService",
        "Automatic",
        "Continuous",
    )
    assert cluster["InstanceGroups"][0]["CurrentCount"] == 2
    assert made.sandbox.aws_json("eks", "list-clusters")["clusters"] == ["demo"]
    assert "demo-data-1" in [bucket["Name"] for bucket in made.sandbox.client("s3").list_buckets()["Buckets"]]
    (mount,) = made.server.call("GET", "/api/v1/clusters/demo/storage").body["storage"]
    assert (mount["state"], mount["shared"]) == ("ready", True)


def test_each_stage_has_its_own_status_and_operation(made):
    assert states(made.operation) == dict.fromkeys(STAGES, "done")
    for stage in ("control_plane", "dependencies", "hyperpod", "storage"):
        child = made.server.call("GET", f"/api/v1/operations/{steps(made.operation)[stage]['child_operation_id']}").body
        assert (child["state"], child["parent_id"]) == ("succeeded", made.operation["id"])
    assert not is_repeated(made.mutations())


def test_its_starter_has_it_selected(made):
    """A request without a cluster means it."""
    answer = made.server.call("GET", "/api/v1/clusters/-")
    assert answer.status == 200, answer.body
    assert answer.body["summary"]["name"] == "demo"


def test_asked_again_with_the_same_values_nothing_is_changed(made):
    before = made.mutations()
    plan = plan_of(made, REQUEST)
    assert planned_calls(plan) == {}
    assert {step["effect"] for step in plan["steps"]} == {"none"}, plan
    again = made.run("POST", PATH, REQUEST)
    assert again["id"] != made.operation["id"]
    assert made.mutations() == before


@pytest.mark.parametrize(
    "change, problem",
    [
        ({"group": {"name": "workers", "instance_type": "ml.p5.48xlarge", "count": 2}}, "/group/instance_type"),
        ({"group": {"name": "workers", "instance_type": "ml.g5.8xlarge", "count": 1}}, "/group/count"),
        ({"vpc_cidr": "10.99.0.0/16"}, "/vpc_cidr"),
    ],
)
def test_what_cannot_be_changed_is_refused_in_the_dry_run(made, change, problem):
    before = made.mutations()
    answer = made.server.call("POST", PATH, REQUEST | change | {"dry_run": True})
    assert answer.status == 422, answer.body
    assert problem in json.dumps(answer.body)
    assert made.mutations() == before


# --- one field changed --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "change, stage, some_call",
    [
        ({"group": {"name": "workers", "instance_type": "ml.g5.8xlarge", "count": 3}}, "hyperpod", "sagemaker:UpdateCluster"),
        ({"storage": {"name": "more", "bucket": "demo-data-2", "create": True, "path": "/more"}}, "storage", "s3:CreateBucket"),
        ({"kubernetes_version": None, "endpoint_access": "public_and_private"}, None, None),
    ],
)
def test_with_one_field_changed_exactly_the_planned_calls_are_made(house, change, stage, some_call):
    house.run("POST", PATH, REQUEST)
    request = REQUEST | change
    plan = plan_of(house, request)
    assert {step["id"] for step in plan["steps"] if step["calls"]} == ({stage} if stage else set()), plan
    before = len(house.mutations())
    house.run("POST", PATH, request)
    made = made_calls(house.mutations()[before:])
    assert made == planned_calls(plan)
    assert some_call is None or made[some_call] == 1


def test_an_added_component_is_brought_in_place_with_the_planned_calls(house):
    some = REQUEST | {"components": ["health_agent"]}
    house.run("POST", PATH, some)
    more = REQUEST | {"components": ["health_agent", "cert_manager"]}
    plan = plan_of(house, more)
    assert {step["id"] for step in plan["steps"] if step["calls"]} == {"dependencies"}, plan
    before = len(house.mutations())
    house.run("POST", PATH, more)
    assert made_calls(house.mutations()[before:]) == planned_calls(plan)


# --- refused before anything is made ------------------------------------------------------------------------


@pytest.mark.parametrize(
    "change, words",
    [
        ({"group": {"instance_type": "ml.g5.999xlarge"}}, "/group/instance_type"),
        ({"group": {"instance_type": "ml.g5.8xlarge", "count": 5000}}, "quota"),
        ({"group": {"instance_type": "ml.g5.8xlarge", "zone": "us-west-2z"}}, "/group/zone"),
        ({"group": {"instance_type": "ml.g5.8xlarge", "cuont": 2}}, "count"),
        ({"storage": {"bucket": "there-is-no-such-bucket"}}, "there-is-no-such-bucket"),
        ({"vpc_cidr": "10.0.0.0/30"}, "/vpc_cidr"),
        ({"components": ["helth_agent"]}, "health_agent"),
    ],
)
@pytest.mark.parametrize("dry_run", [True, False])
def test_what_is_wrong_with_a_later_stage_is_told_at_once(made, change, words, dry_run):
    before = made.mutations()
    answer = made.server.call("POST", PATH, REQUEST | {"name": "other"} | change | {"dry_run": dry_run})
    assert 400 <= answer.status < 500, answer.body
    assert words in json.dumps(answer.body), answer.body
    assert made.mutations() == before


def test_the_plan_of_a_new_environment_lists_what_is_known_and_says_what_is_not(house):
    plan = plan_of(house, REQUEST)
    assert [step["id"] for step in plan["steps"]] == STAGES
    assert planned_calls(plan) == {"cloudformation:CreateStack": 1}
    assert any("planned when" in warning for warning in plan["warnings"])
    assert house.mutations() == []


def test_names_that_somebody_else_has_are_left_alone(house):
    template = '{"Resources":{"V":{"Type":"AWS::EC2::VPC","Properties":{"CidrBlock":"10.0.0.0/16"}}}}'
    client = house.sandbox.client("cloudformation")
    client.create_stack(StackName="instantstart-demo", TemplateBody=template)
    wait_until(lambda: client.describe_stacks(StackName="instantstart-demo")["Stacks"][0]["StackStatus"] == "CREATE_COMPLETE")
    house.sandbox.client("s3").create_bucket(
        Bucket="other-data-1", CreateBucketConfiguration={"LocationConstraint": "us-west-2"}
    )
    before = house.mutations()
    for request in (REQUEST, REQUEST | {"name": "free", "storage": {"bucket": "other-data-1", "create": True}}):
        answer = house.server.call("POST", PATH, request)
        assert (answer.status, answer.body["code"]) == (409, "name_taken"), answer.body
    assert house.mutations() == before


# --- failures -----------------------------------------------------------------------------------------------

FAULTS = {
    "control_plane": {
        "service": "ec2",
        "operation": "CreateNatGateway",
        "kind": "error",
        "code": "NatGatewayLimitExceeded",
        "message": "The maximum number of NAT gateways has been reached.",
        "invoked_by": BY_CLOUDFORMATION,
    },
    "dependencies": {"service": "eks", "operation": "CreateAddon", "kind": "error", "code": "InvalidRequestException"},
    "hyperpod": {"service": "sagemaker", "operation": "CreateCluster", "kind": "error", "code": "ResourceLimitExceeded"},
    "storage": {"service": "s3", "operation": "CreateBucket", "kind": "error", "code": "TooManyBuckets", "contains": "demo-data-1"},
}


def retry_by_rest(house, operation_id, step_id):
    answer = house.server.call("POST", f"/api/v1/operations/{operation_id}/retry", {"step_id": step_id} if step_id else {})
    assert answer.status == 200, answer.body


def retry_by_cli(house, operation_id, step_id):
    step = ["--step-id", step_id] if step_id else []
    done = house.server.cli("operation", "retry", "--operation-id", operation_id, *step, "--output", "json")
    assert done.returncode == 0, done.stderr


def retry_by_mcp(house, operation_id, step_id):
    accept = {"Accept": "application/json, text/event-stream"}

    def send(method, params, headers):
        message = {"jsonrpc": "2.0", "id": 1, "method": method, "params": params}
        answer = house.server.call("POST", "/mcp", message, accept | headers)
        assert answer.status == 200, answer.body
        return answer

    hello = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "test", "version": "1"}}
    session = {"Mcp-Session-Id": send("initialize", hello, {}).headers["Mcp-Session-Id"]}
    arguments = {"operation_id": operation_id} | ({"step_id": step_id} if step_id else {})
    answer = send("tools/call", {"name": "operation_retry", "arguments": arguments}, session).body
    assert not answer["result"].get("isError"), answer


@pytest.mark.parametrize("names_step", [False, True])
def test_a_stage_that_fails_is_retried_without_the_others_running_again(house, names_step):
    retries = [retry_by_rest, retry_by_cli, retry_by_mcp, retry_by_rest]
    house.sandbox.faults(*(rule | {"times": 0} for rule in FAULTS.values()))
    left = dict(FAULTS)
    operation_id = house.start("POST", PATH, REQUEST)
    for (stage, _), retry in zip(FAULTS.items(), retries, strict=True):
        operation = house.wait_for_end(operation_id)
        assert (operation["state"], states(operation)[stage]) == ("failed", "failed"), operation
        assert operation["error"]["message"]
        before = {one: states(operation)[one] for one in STAGES if states(operation)[one] == "done"}
        acts = {one: steps(operation)[one]["acts"] for one in before}
        children = {one: steps(operation)[one].get("child_operation_id") for one in before}
        del left[stage]
        house.sandbox.faults(*(rule | {"times": 0} for rule in left.values()))
        retry(house, operation_id, stage if names_step else None)
        after = house.wait_for_end(operation_id)
        assert {one: steps(after)[one]["acts"] for one in before} == acts
        assert {one: steps(after)[one].get("child_operation_id") for one in before} == children
    assert house.wait_for_end(operation_id)["state"] == "succeeded"
    rows = house.mutations()
    # The stack that failed was deleted and made again; all else happened once.
    rest = [row for row in rows if row["service"] != "cloudformation"]
    assert not is_repeated(rest)
    assert [row["operation"] for row in rows if row["service"] == "cloudformation"].count("CreateStack") == 2


def ask(house, token=None):
    return house.start("POST", PATH, REQUEST | ({"client_token": token} if token else {}))


@pytest.mark.parametrize("service, call", [("cloudformation", "CreateStack"), ("eks", "CreateAddon"), ("sagemaker", "CreateCluster")])
def test_killed_after_a_call_the_same_request_finds_the_same_operation(tmp_path, service, call):
    with House(tmp_path, scale=150) as house:  # Long enough to come back to while it runs.
        first = ask(house, "token-1")
        wait_until(lambda: any((row["service"], row["operation"]) == (service, call) for row in house.mutations()), 60)
        house.server.kill()
        before = house.mutations()
        house.server.start()
        assert ask(house, "token-1") == first
        assert ask(house) == first
        assert house.mutations()[: len(before)] == before
        assert house.wait_for_end(first)["state"] == "succeeded"
        rows = house.mutations()
        assert not is_repeated(rows)
        assert [row["operation"] for row in rows].count("CreateStack") == 1
        assert [(row["service"], row["operation"]) for row in rows].count(("sagemaker", "CreateCluster")) == 1
        assert ask(house, "token-1") == first
        assert house.mutations() == rows


@pytest.mark.parametrize("point", ["after_accept", "after_intent", "after_receipt", "after_receipt:2", "after_receipt:9"])
def test_killed_before_the_first_poll_nothing_is_sent_twice(tmp_path, point):
    with House(tmp_path, scale=600) as house:
        house.server.stop()
        house.server.start("--die-at", point)
        first = None
        try:
            first = ask(house, "token-1")
        except OSError:
            pass  # It died over the answer.
        assert house.server.process.wait(60) == -9
        house.server.log.close()
        before = house.mutations()
        house.server.start()
        again = ask(house, "token-1")
        assert first in (None, again)
        assert ask(house) == again
        assert house.mutations()[: len(before)] == before
        assert house.wait_for_end(again)["state"] == "succeeded"
        assert not is_repeated(house.mutations())


# --- several, and undone ------------------------------------------------------------------------------------


def test_two_at_once_do_not_disturb_each_other(house):
    ids = [
        house.start("POST", PATH, REQUEST | {"name": name, "storage": {"bucket": f"{name}-data-1", "create": True}})
        for name in ("one", "two")
    ]
    for operation_id in ids:
        assert house.wait_for_end(operation_id)["state"] == "succeeded"
    assert not is_repeated(house.mutations())
    stacks = [row for row in house.mutations() if row["operation"] == "CreateStack"]
    assert len(stacks) == 2
    vpcs = house.sandbox.aws_json("ec2", "describe-vpcs", "--filters", "Name=tag-key,Values=instantstart:cluster")["Vpcs"]
    assert len({vpc["CidrBlock"] for vpc in vpcs}) == 2
    for name in ("one", "two"):
        cluster = house.sandbox.aws_json("sagemaker", "describe-cluster", "--cluster-name", name)
        assert cluster["Orchestrator"]["Eks"]["ClusterArn"].endswith(f"cluster/{name}")


def what_remains(house):
    """Of all that AWS could still hold of the cluster demo."""
    aws = house.sandbox.aws_json
    tagged = aws("ec2", "describe-tags", "--filters", "Name=key,Values=instantstart:cluster")["Tags"]
    return {
        "eks": aws("eks", "list-clusters")["clusters"],
        "hyperpod": aws("sagemaker", "list-clusters")["ClusterSummaries"],
        "stacks": [one for one in aws("cloudformation", "list-stacks")["StackSummaries"] if one["StackStatus"] != "DELETE_COMPLETE"],
        # A deleted NAT gateway is shown for an hour.
        "ec2": {tag["ResourceType"] for tag in tagged} - {"natgateway"},
        "roles": [one["RoleName"] for one in aws("iam", "list-roles", "--path-prefix", "/instantstart/")["Roles"]],
        "oidc": aws("iam", "list-open-id-connect-providers")["OpenIDConnectProviderList"],
        "buckets": [one["Name"] for one in house.sandbox.client("s3").list_buckets()["Buckets"]],
    }


NOTHING = {"eks": [], "hyperpod": [], "stacks": [], "ec2": set(), "roles": [], "oidc": [], "buckets": []}


@pytest.mark.parametrize("service, call", [("cloudformation", "CreateStack"), ("sagemaker", "CreateCluster")])
def test_cancelled_with_rollback_only_what_it_made_goes(tmp_path, service, call):
    with House(tmp_path, scale=300) as house:
        house.sandbox.client("s3").create_bucket(
            Bucket="not-ours-1", CreateBucketConfiguration={"LocationConstraint": "us-west-2"}
        )
        operation_id = ask(house)
        wait_until(lambda: any((row["service"], row["operation"]) == (service, call) for row in house.mutations()), 60)
        cancelled = house.server.call("POST", f"/api/v1/operations/{operation_id}/cancel", {"rollback": True})
        assert cancelled.status == 200, cancelled.body
        operation = house.wait_for_end(operation_id)
        assert operation["state"] == "cancelled", operation
        assert [one for one in operation["resources"] if one["state"] != "removed"] == []
        assert what_remains(house) == NOTHING | {"buckets": ["not-ours-1"]}


def test_deleting_leaves_nothing_but_what_it_lists(house):
    house.run("POST", PATH, REQUEST)
    asked, path = confirmed(house, f"{PATH}/demo")
    plan = asked["plan"]
    assert [step["id"] for step in plan["steps"]] == ["storage/default/shared", "hyperpod", "dependencies", "control_plane"]
    assert {step["effect"] for step in plan["steps"]} == {"remove"}
    assert any("demo-data-1" in warning and "stay" in warning for warning in plan["warnings"]), plan
    before = len(house.mutations())
    house.run("DELETE", path)
    assert what_remains(house) == NOTHING | {"buckets": ["demo-data-1"]}
    assert house.server.call("GET", "/api/v1/clusters/demo").status == 404
    assert not is_repeated(house.mutations()[before:])


def test_what_was_deleted_can_be_made_anew_under_its_name_at_once(house):
    """Another cluster answers at another address: nothing that was known of the old one may be believed."""
    house.run("POST", PATH, REQUEST)
    house.run("DELETE", confirmed(house, f"{PATH}/demo")[1])
    house.run("POST", PATH, REQUEST)
    assert len(house.server.call("GET", "/api/v1/clusters/demo/nodes").body["nodes"]) == 2


def test_deleting_stops_before_the_control_plane_of_somebody_elses_things(house):
    house.run("POST", PATH, REQUEST)
    ec2 = house.sandbox.client("ec2")
    vpc = house.sandbox.aws_json("ec2", "describe-vpcs", "--filters", "Name=tag-key,Values=instantstart:cluster")["Vpcs"][0]
    group = ec2.create_security_group(GroupName="theirs", Description="theirs", VpcId=vpc["VpcId"])["GroupId"]
    before = house.mutations()
    answer = house.server.call("DELETE", f"{PATH}/demo")
    assert (answer.status, answer.body["code"]) == (409, "blocked"), answer.body
    assert group in json.dumps(answer.body)
    assert house.mutations() == before
