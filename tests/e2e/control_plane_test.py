"""control_plane_create and control_plane_delete against the simulated AWS, with the aws command line as judge."""

import pytest

from support.house import House

PATH = "/api/v1/control-planes"
REQUEST = {"name": "demo", "region": "us-west-2"}
BY_CLOUDFORMATION = "cloudformation.amazonaws.com"


@pytest.fixture
def house(tmp_path):
    with House(tmp_path) as running:
        yield running


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    """A house with a control plane; tests leave it as it is."""
    with House(tmp_path_factory.mktemp("control_plane")) as running:
        running.operation = running.run("POST", PATH, REQUEST)
        yield running


def outputs(operation):
    return operation["outputs"]["stack"]


def test_the_aws_command_line_sees_what_was_made(made):
    aws = made.sandbox.aws_json
    cluster = aws("eks", "describe-cluster", "--name", "demo")["cluster"]
    assert cluster["status"] == "ACTIVE"
    assert cluster["accessConfig"]["authenticationMode"] in ("API", "API_AND_CONFIG_MAP")
    assert cluster["endpoint"] == outputs(made.operation)["ClusterEndpoint"]
    addons = aws("eks", "list-addons", "--cluster-name", "demo")["addons"]
    assert {"vpc-cni", "kube-proxy", "coredns", "eks-pod-identity-agent"} <= set(addons)
    vpc = outputs(made.operation)["VpcId"]
    subnets = aws("ec2", "describe-subnets", "--filters", f"Name=vpc-id,Values={vpc}")["Subnets"]
    assert len({subnet["AvailabilityZone"] for subnet in subnets}) == 2
    gateways = aws("ec2", "describe-nat-gateways", "--filter", f"Name=vpc-id,Values={vpc}")["NatGateways"]
    assert [gateway["State"] for gateway in gateways] == ["available"]


def test_the_stack_tells_its_events_in_order(made):
    events = made.sandbox.aws_json("cloudformation", "describe-stack-events", "--stack-name", "instantstart-demo")
    told = [(event["LogicalResourceId"], event["ResourceStatus"]) for event in reversed(events["StackEvents"])]
    assert told[0] == ("instantstart-demo", "CREATE_IN_PROGRESS")
    assert told[-1] == ("instantstart-demo", "CREATE_COMPLETE")
    assert all(status in ("CREATE_IN_PROGRESS", "CREATE_COMPLETE") for _, status in told)


def test_the_security_group_lets_efa_in_and_out_to_itself(made):
    group = outputs(made.operation)["SecurityGroupId"]
    found = made.sandbox.aws_json("ec2", "describe-security-groups", "--group-ids", group)["SecurityGroups"][0]
    for direction in ("IpPermissions", "IpPermissionsEgress"):
        to_itself = [
            rule
            for rule in found[direction]
            if rule["IpProtocol"] == "-1" and any(pair["GroupId"] == group for pair in rule["UserIdGroupPairs"])
        ]
        assert to_itself, direction


def test_asked_again_nothing_is_changed_and_with_another_value_exactly_what_the_plan_says(made):
    before = made.mutations()
    made.run("POST", PATH, REQUEST)
    assert made.mutations() == before
    changed = REQUEST | {"administrators": ["arn:aws:iam::123456789012:role/ops"]}
    plan = made.server.call("POST", PATH, changed | {"dry_run": True}).body["plan"]
    planned = [call["call"] for step in plan["steps"] for call in step["calls"]]
    assert planned == ["cloudformation:UpdateStack"]
    made.sandbox.client("iam").create_role(
        RoleName="ops",
        AssumeRolePolicyDocument='{"Version":"2012-10-17","Statement":[{"Effect":"Allow",'
        '"Principal":{"AWS":"123456789012"},"Action":"sts:AssumeRole"}]}',
    )
    before = len(made.mutations())
    made.run("POST", PATH, changed)
    assert [f"{row['service']}:{row['operation']}" for row in made.mutations()[before:]] == planned
    entries = made.sandbox.aws_json("eks", "list-access-entries", "--cluster-name", "demo")["accessEntries"]
    assert "arn:aws:iam::123456789012:role/ops" in entries


def test_a_resource_that_fails_is_explained_and_retry_finishes_the_work(house):
    house.sandbox.faults(
        {
            "service": "ec2",
            "operation": "CreateNatGateway",
            "kind": "error",
            "code": "NatGatewayLimitExceeded",
            "message": "The maximum number of NAT gateways has been reached.",
            "invoked_by": BY_CLOUDFORMATION,
        }
    )
    operation = house.wait_for_end(house.start("POST", PATH, REQUEST))
    assert operation["state"] == "failed", operation
    error = next(step["error"] for step in operation["steps"] if step.get("error"))
    assert error["code"] == "quota_exceeded", error
    assert "NAT" in error["message"]
    assert house.sandbox.aws_json("ec2", "describe-subnets", "--filters", "Name=tag-key,Values=instantstart:cluster")[
        "Subnets"
    ] == [], "the failed stack was rolled back"
    retried = house.server.cli("operation", "retry", "--operation-id", operation["id"], "--output", "json")
    assert retried.returncode == 0, retried.stderr
    assert house.wait_for_end(operation["id"])["state"] == "succeeded"


def test_a_lost_reply_makes_nothing_twice(house):
    house.sandbox.faults({"service": "cloudformation", "operation": "CreateStack", "kind": "drop_reply"})
    house.run("POST", PATH, REQUEST)
    assert [row["operation"] for row in house.mutations()] == ["CreateStack"]


def test_a_name_that_somebody_else_has_is_left_alone(house):
    template = '{"Resources":{"V":{"Type":"AWS::EC2::VPC","Properties":{"CidrBlock":"10.0.0.0/16"}}}}'
    client = house.sandbox.client("cloudformation")
    client.create_stack(StackName="instantstart-demo", TemplateBody=template)
    client.get_waiter("stack_create_complete").wait(
        StackName="instantstart-demo", WaiterConfig={"Delay": 1, "MaxAttempts": 30}
    )
    before = house.mutations()
    answer = house.server.call("POST", PATH, REQUEST)
    assert answer.status == 409, answer.body
    assert answer.body["code"] == "name_taken"
    assert house.mutations() == before


def test_cancel_with_rollback_removes_what_was_made(tmp_path):
    with House(tmp_path, scale=300) as house:
        operation_id = house.start("POST", PATH, REQUEST)
        cancelled = house.server.call("POST", f"/api/v1/operations/{operation_id}/cancel", {"rollback": True})
        assert cancelled.status in (200, 409), cancelled.body
        if cancelled.status == 409:
            assert cancelled.body["status"] == "confirm_required", cancelled.body
        operation = house.wait_for_end(operation_id)
        assert operation["state"] == "cancelled", operation
        stacks = house.sandbox.aws_json("cloudformation", "list-stacks")["StackSummaries"]
        assert all(stack["StackStatus"] == "DELETE_COMPLETE" for stack in stacks)
        assert house.sandbox.aws_json("eks", "list-clusters")["clusters"] == []


def test_deleting_wants_a_confirmation_and_leaves_nothing(house):
    house.run("POST", PATH, REQUEST)
    asked = house.server.call("DELETE", f"{PATH}/demo")
    assert asked.status == 409 and asked.body["status"] == "confirm_required", asked.body
    assert house.sandbox.aws_json("eks", "list-clusters")["clusters"] == ["demo"]
    house.run("DELETE", f"{PATH}/demo?confirm_token={asked.body['confirm_token']}")
    assert house.sandbox.aws_json("eks", "list-clusters")["clusters"] == []
    tagged = house.sandbox.aws_json("ec2", "describe-tags", "--filters", "Name=key,Values=instantstart:cluster")["Tags"]
    # A deleted NAT gateway is shown for an hour.
    assert {tag["ResourceType"] for tag in tagged} <= {"natgateway"}
    gateways = house.sandbox.aws_json("ec2", "describe-nat-gateways")["NatGateways"]
    assert {gateway["State"] for gateway in gateways} <= {"deleted"}
    roles = house.sandbox.aws_json("iam", "list-roles", "--path-prefix", "/instantstart/")["Roles"]
    assert roles == []


def test_two_at_once_do_not_disturb_each_other(house):
    ids = [house.start("POST", PATH, {"name": name, "region": "us-west-2"}) for name in ("one", "two")]
    operations = [house.wait_for_end(operation_id) for operation_id in ids]
    assert [operation["state"] for operation in operations] == ["succeeded", "succeeded"], operations
    vpcs = house.sandbox.aws_json("ec2", "describe-vpcs", "--filters", "Name=tag-key,Values=instantstart:cluster")["Vpcs"]
    assert len({vpc["CidrBlock"] for vpc in vpcs}) == 2


def test_another_request_for_the_same_cluster_is_told_who_works_on_it(tmp_path):
    with House(tmp_path, scale=300) as house:
        first = house.start("POST", PATH, REQUEST)
        other = house.server.call("POST", PATH, REQUEST | {"nat": "per_zone"})
        assert other.status == 409, other.body
        assert other.body["code"] == "operation_conflict"
        assert other.body["context"]["operation_id"] == first
        assert house.wait_for_end(first)["state"] == "succeeded"


@pytest.mark.parametrize(
    "change, pointer",
    [
        ({"name": "-bad-"}, "/name"),
        ({"vpc_cidr": "10.0.0.0/8"}, "/vpc_cidr"),
        ({"zones": ["us-west-2a", "us-west-2z"]}, "/zones/1"),
        ({"kubernetes_version": "1.2"}, "/kubernetes_version"),
        ({"nat": "some"}, "/nat"),
        ({"zone": ["us-west-2a"]}, "/zone"),
        ({"name": "x" * 101}, "/name"),
    ],
)
def test_bad_input_is_one_problem_at_its_place_and_changes_nothing(made, change, pointer):
    before = made.mutations()
    answer = made.server.call("POST", PATH, REQUEST | {"name": "other"} | change)
    assert answer.status == 422, answer.body
    assert answer.body["code"] == "invalid_request"
    assert [problem["pointer"] for problem in answer.body["problems"]] == [pointer]
    assert made.mutations() == before
