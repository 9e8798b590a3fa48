"""Simulated CloudFormation as boto3 and `aws` see it: stacks of a whole network, their events, failures, updates,
change sets, and a power failure in the middle of one."""

import json
import pathlib
import tomllib
import uuid

import botocore.exceptions
import pytest
from sandbox_process import Sandbox, wait_until

FAST = ("--scale", "300")  # A stack with a NAT gateway takes 0.6 s.
OPERATIONS = tomllib.loads(
    (pathlib.Path(__file__).resolve().parents[2] / "tools" / "aws_shapes" / "operations.toml").read_text()
)
WAIT = {"Delay": 1, "MaxAttempts": 60}
NAMED_IAM = ["CAPABILITY_NAMED_IAM"]


@pytest.fixture(scope="module")
def cloud(tmp_path_factory):
    """Shared by the module's tests: each looks only at what it made itself."""
    shared = Sandbox(tmp_path_factory.mktemp("cloudformation") / "state").start(*FAST)
    for service, quota in (("vpc", "L-F678F1CE"), ("vpc", "L-A4707A72"), ("ec2", "L-0263D0A3")):
        change = {"region": "us-west-2", "service_code": service, "quota_code": quota, "value": 500}
        shared.control("PUT", "quotas", change)
    yield shared
    assert shared.stop() == 0, shared.log.read_text()


@pytest.fixture
def own_sandbox(tmp_path):
    sandbox = Sandbox(tmp_path / "state")
    sandbox.start(*FAST)
    yield sandbox
    sandbox.stop()


@pytest.fixture(scope="module")
def cfn(cloud):
    return cloud.client("cloudformation")


@pytest.fixture(scope="module")
def ec2(cloud):
    return cloud.client("ec2")


@pytest.fixture
def name():
    return f"stack-{uuid.uuid4().hex[:8]}"


def error_of(call, *arguments, **named) -> dict:
    with pytest.raises(botocore.exceptions.ClientError) as refused:
        call(*arguments, **named)
    return refused.value.response["Error"]


# -- templates


def vpc(block: str = "10.0.0.0/16", **more) -> dict:
    resources = {"Vpc": {"Type": "AWS::EC2::VPC", "Properties": {"CidrBlock": block}}}
    return {"Resources": resources | more, "Outputs": {"VpcId": {"Value": {"Ref": "Vpc"}}}}


def part_of_vpc(index: int) -> dict:
    blocks = {"Fn::Cidr": [{"Fn::GetAtt": ["Vpc", "CidrBlock"]}, 4, 8]}
    return {
        "Type": "AWS::EC2::Subnet",
        "Properties": {
            "VpcId": {"Ref": "Vpc"},
            "CidrBlock": {"Fn::Select": [index, blocks]},
            "AvailabilityZone": {"Fn::Select": [index, {"Fn::GetAZs": ""}]},
        },
    }


def network(private_subnets: int = 2) -> dict:
    """A VPC with a public subnet, private ones behind a NAT gateway, and a role."""
    template = vpc()
    resources = template["Resources"]
    resources["Gateway"] = {"Type": "AWS::EC2::InternetGateway"}
    resources["Attachment"] = {
        "Type": "AWS::EC2::VPCGatewayAttachment",
        "Properties": {"VpcId": {"Ref": "Vpc"}, "InternetGatewayId": {"Ref": "Gateway"}},
    }
    resources["Public"] = part_of_vpc(0)
    resources["Address"] = {"Type": "AWS::EC2::EIP", "DependsOn": "Attachment", "Properties": {"Domain": "vpc"}}
    resources["Nat"] = {
        "Type": "AWS::EC2::NatGateway",
        "Properties": {
            "SubnetId": {"Ref": "Public"},
            "AllocationId": {"Fn::GetAtt": ["Address", "AllocationId"]},
        },
    }
    resources["Table"] = {"Type": "AWS::EC2::RouteTable", "Properties": {"VpcId": {"Ref": "Vpc"}}}
    resources["Route"] = {
        "Type": "AWS::EC2::Route",
        "Properties": {
            "RouteTableId": {"Ref": "Table"},
            "DestinationCidrBlock": "0.0.0.0/0",
            "NatGatewayId": {"Ref": "Nat"},
        },
    }
    for index in range(1, private_subnets + 1):
        resources[f"Private{index}"] = part_of_vpc(index)
        resources[f"Place{index}"] = {
            "Type": "AWS::EC2::SubnetRouteTableAssociation",
            "Properties": {"SubnetId": {"Ref": f"Private{index}"}, "RouteTableId": {"Ref": "Table"}},
        }
    trust = {"Effect": "Allow", "Principal": {"Service": "eks.amazonaws.com"}, "Action": "sts:AssumeRole"}
    resources["Role"] = {
        "Type": "AWS::IAM::Role",
        "Properties": {
            "RoleName": {"Fn::Sub": "${AWS::StackName}-role"},
            "AssumeRolePolicyDocument": {"Version": "2012-10-17", "Statement": [trust]},
            "ManagedPolicyArns": ["arn:aws:iam::aws:policy/AmazonEKSClusterPolicy"],
        },
    }
    template["Outputs"]["RoleArn"] = {"Value": {"Fn::GetAtt": ["Role", "Arn"]}}
    return template


# -- short forms


def create(cfn, name: str, template: dict, wait: bool = True, **named) -> str:
    named.setdefault("Capabilities", NAMED_IAM)
    made = cfn.create_stack(StackName=name, TemplateBody=json.dumps(template), **named)["StackId"]
    if wait:
        cfn.get_waiter("stack_create_complete").wait(StackName=name, WaiterConfig=WAIT)
    return made


def update(cfn, name: str, template: dict, **named) -> None:
    cfn.update_stack(StackName=name, TemplateBody=json.dumps(template), Capabilities=NAMED_IAM, **named)
    cfn.get_waiter("stack_update_complete").wait(StackName=name, WaiterConfig=WAIT)


def delete(cfn, name: str) -> None:
    cfn.delete_stack(StackName=name)
    cfn.get_waiter("stack_delete_complete").wait(StackName=name, WaiterConfig=WAIT)


def outputs(cfn, name: str) -> dict:
    shown = cfn.describe_stacks(StackName=name)["Stacks"][0].get("Outputs", [])
    return {output["OutputKey"]: output["OutputValue"] for output in shown}


def events(cfn, name: str) -> list[tuple[str, str]]:
    """Oldest first."""
    pages = cfn.get_paginator("describe_stack_events").paginate(StackName=name)
    newest_first = [event for page in pages for event in page["StackEvents"]]
    return [(event["LogicalResourceId"], event["ResourceStatus"]) for event in reversed(newest_first)]


def of_stack(ec2, stack_id: str) -> dict[str, list[str]]:
    """The network that carries the stack's tag, but for gateways that are gone."""
    by_stack = [{"Name": "tag:aws:cloudformation:stack-id", "Values": [stack_id]}]
    nats = ec2.describe_nat_gateways(Filters=by_stack)["NatGateways"]
    return {
        "vpcs": [one["VpcId"] for one in ec2.describe_vpcs(Filters=by_stack)["Vpcs"]],
        "subnets": [one["SubnetId"] for one in ec2.describe_subnets(Filters=by_stack)["Subnets"]],
        "addresses": [one["AllocationId"] for one in ec2.describe_addresses(Filters=by_stack)["Addresses"]],
        "nats": [one["NatGatewayId"] for one in nats if one["State"] not in ("deleted", "failed")],
    }


NOTHING = {"vpcs": [], "subnets": [], "addresses": [], "nats": []}


# -- all operations


def dummy(shape):
    """The least value that the model lets pass."""
    if shape.type_name == "structure":
        return {name: dummy(shape.members[name]) for name in shape.required_members}
    if shape.type_name == "boolean":
        return False
    return "x" * max(1, int(shape.metadata.get("min", 1)))


def test_no_listed_operation_is_unknown(cfn):
    for operation in OPERATIONS["cloudformation"]["operations"]:
        shape = cfn.meta.service_model.operation_model(operation).input_shape
        try:
            cfn._make_api_call(operation, dummy(shape) if shape else {})
        except botocore.exceptions.ClientError as refused:
            assert refused.response["Error"]["Code"] != "InvalidAction", operation
            assert refused.response["ResponseMetadata"]["HTTPStatusCode"] < 500, operation


# -- the life of a stack


def test_a_network_comes_and_goes(cfn, ec2, name):
    made = create(cfn, name, network())
    assert outputs(cfn, name)["RoleArn"].endswith(f":role/{name}-role")
    network_of_stack = of_stack(ec2, made)
    assert {kind: len(ids) for kind, ids in network_of_stack.items()} == {
        "vpcs": 1,
        "subnets": 3,
        "addresses": 1,
        "nats": 1,
    }
    seen = events(cfn, name)
    assert seen[0] == (name, "CREATE_IN_PROGRESS") and seen[-1] == (name, "CREATE_COMPLETE")
    assert seen.index(("Nat", "CREATE_COMPLETE")) < seen.index(("Route", "CREATE_IN_PROGRESS"))
    resources = cfn.describe_stack_resources(StackName=name)["StackResources"]
    assert {resource["ResourceStatus"] for resource in resources} == {"CREATE_COMPLETE"}
    delete(cfn, made)
    assert of_stack(ec2, made) == NOTHING
    assert cfn.describe_stacks(StackName=made)["Stacks"][0]["StackStatus"] == "DELETE_COMPLETE"
    assert error_of(cfn.describe_stacks, StackName=name)["Message"] == f"Stack with id {name} does not exist"


def test_a_failure_rolls_back_and_leaves_nothing(own_sandbox):
    rule = {
        "service": "ec2",
        "operation": "CreateNatGateway",
        "kind": "resource_failure",
        "code": "InternalError",
        "message": "it was planned",
        "invoked_by": "cloudformation.amazonaws.com",
    }
    own_sandbox.faults(rule)
    cfn, ec2 = own_sandbox.client("cloudformation"), own_sandbox.client("ec2")
    made = create(cfn, "net", network(), wait=False)
    wait_until(lambda: cfn.describe_stacks(StackName="net")["Stacks"][0]["StackStatus"] == "ROLLBACK_COMPLETE")
    assert of_stack(ec2, made) == NOTHING
    shown = cfn.describe_stack_events(StackName="net")["StackEvents"]
    failed = [event for event in shown if event["ResourceStatus"] == "CREATE_FAILED"]
    assert "it was planned" in failed[-1]["ResourceStatusReason"]
    assert failed[-1]["LogicalResourceId"] == "Nat"


def test_an_update_replaces_and_cleans_up(cfn, ec2, name):
    made = create(cfn, name, vpc("10.0.0.0/16", Subnet=part_of_vpc(0)))
    before = outputs(cfn, name)["VpcId"]
    update(cfn, name, vpc("10.5.0.0/16", Subnet=part_of_vpc(0)))
    after = outputs(cfn, name)["VpcId"]
    assert after != before
    assert of_stack(ec2, made)["vpcs"] == [after]
    assert len(of_stack(ec2, made)["subnets"]) == 1
    refused = error_of(update, cfn, name, vpc("10.5.0.0/16", Subnet=part_of_vpc(0)))
    assert (refused["Code"], refused["Message"]) == ("ValidationError", "No updates are to be performed.")
    delete(cfn, made)
    assert of_stack(ec2, made) == NOTHING


def test_a_change_set_is_told_and_carried_out(cfn, name):
    body = json.dumps(vpc())
    named = {"StackName": name, "ChangeSetName": "first"}
    cfn.create_change_set(**named, TemplateBody=body, ChangeSetType="CREATE")
    cfn.get_waiter("change_set_create_complete").wait(**named, WaiterConfig=WAIT)
    assert cfn.describe_stacks(StackName=name)["Stacks"][0]["StackStatus"] == "REVIEW_IN_PROGRESS"
    (change,) = cfn.describe_change_set(**named)["Changes"]
    assert change["ResourceChange"]["Action"] == "Add"
    cfn.execute_change_set(**named)
    cfn.get_waiter("stack_create_complete").wait(StackName=name, WaiterConfig=WAIT)
    delete(cfn, cfn.describe_stacks(StackName=name)["Stacks"][0]["StackId"])


def test_requests_are_refused_as_aws_words_it(cfn, name):
    refused = error_of(create, cfn, name, network(), Capabilities=[])
    assert refused["Code"] == "InsufficientCapabilitiesException"
    assert refused["Message"] == "Requires capabilities : [CAPABILITY_NAMED_IAM]"
    bad = {"Resources": {"A": {"Type": "AWS::Nope::Nope"}}}
    assert error_of(create, cfn, name, bad)["Message"] == (
        "Template format error: Unrecognized resource types: [AWS::Nope::Nope]"
    )
    create(cfn, name, vpc())
    assert error_of(create, cfn, name, vpc())["Code"] == "AlreadyExistsException"
    delete(cfn, cfn.describe_stacks(StackName=name)["Stacks"][0]["StackId"])


def test_a_power_failure_in_the_middle_makes_everything_once(own_sandbox):
    cfn = own_sandbox.client("cloudformation")
    made = create(cfn, "net", network(), wait=False)
    for _ in range(4):
        own_sandbox.kill()
        own_sandbox.start(*FAST)
    cfn, ec2 = own_sandbox.client("cloudformation"), own_sandbox.client("ec2")
    cfn.get_waiter("stack_create_complete").wait(StackName="net", WaiterConfig=WAIT)
    assert {kind: len(ids) for kind, ids in of_stack(ec2, made).items()} == {
        "vpcs": 1,
        "subnets": 3,
        "addresses": 1,
        "nats": 1,
    }
    assert own_sandbox.stop() == 0


# -- the command line


def test_aws_deploy_makes_updates_and_recognises_no_change(cloud, tmp_path, name):
    template = tmp_path / "template.json"
    deploy = ["cloudformation", "deploy", "--stack-name", name, "--template-file", str(template)]
    template.write_text(json.dumps(vpc()))
    assert cloud.aws(*deploy).returncode == 0
    template.write_text(json.dumps(vpc(Gateway={"Type": "AWS::EC2::InternetGateway"})))
    assert cloud.aws(*deploy).returncode == 0
    again = cloud.aws(*deploy, "--no-fail-on-empty-changeset")
    assert again.returncode == 0 and "No changes to deploy" in again.stdout
    found = cloud.aws_json("cloudformation", "describe-stack-resources", "--stack-name", name)
    assert {resource["LogicalResourceId"] for resource in found["StackResources"]} == {"Vpc", "Gateway"}
    assert cloud.aws("cloudformation", "delete-stack", "--stack-name", name).returncode == 0
