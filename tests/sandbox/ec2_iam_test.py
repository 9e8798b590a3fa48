"""Simulated EC2 and IAM as boto3 and `aws` see them: every operation with its main errors, a whole network from
nothing to nothing, and a power failure in the middle of one."""

import json
import pathlib
import tomllib
import uuid

import botocore.exceptions
import pytest
from sandbox_process import Sandbox, wait_until

ACCOUNT = "123456789012"
FAST = ("--scale", "300")  # A NAT gateway takes 0.2 s.
OPERATIONS = tomllib.loads(
    (pathlib.Path(__file__).resolve().parents[2] / "tools" / "aws_shapes" / "operations.toml").read_text()
)


@pytest.fixture(scope="module")
def cloud(tmp_path_factory):
    """Shared by the module's tests: each looks only at what it made itself."""
    shared = Sandbox(tmp_path_factory.mktemp("ec2_iam") / "state").start(*FAST)
    raise_quota(shared, "vpc", "L-F678F1CE")
    raise_quota(shared, "vpc", "L-A4707A72")
    raise_quota(shared, "ec2", "L-0263D0A3")
    yield shared
    assert shared.stop() == 0, shared.log.read_text()


def raise_quota(cloud: Sandbox, service: str, quota: str) -> None:
    change = {"region": "us-west-2", "service_code": service, "quota_code": quota, "value": 500}
    cloud.control("PUT", "quotas", change)


@pytest.fixture(scope="module")
def ec2(cloud):
    return cloud.client("ec2")


@pytest.fixture(scope="module")
def iam(cloud):
    return cloud.client("iam")


@pytest.fixture
def vpc(ec2):
    return ec2.create_vpc(CidrBlock="10.0.0.0/16")["Vpc"]["VpcId"]


def error_of(call, *arguments, **named) -> dict:
    with pytest.raises(botocore.exceptions.ClientError) as refused:
        call(*arguments, **named)
    return refused.value.response["Error"]


def code_of(call, *arguments, **named) -> str:
    return error_of(call, *arguments, **named)["Code"]


def unique(prefix: str) -> str:
    return f"{prefix}-{uuid.uuid4().hex[:8]}"


def by(**filters) -> list[dict]:
    return [{"Name": name.replace("_", "-"), "Values": [value]} for name, value in filters.items()]


def tagged(kind: str, **tags) -> list[dict]:
    return [{"ResourceType": kind, "Tags": [{"Key": key, "Value": value} for key, value in tags.items()]}]


def subnet_in(ec2, vpc: str, block: str, zone: str = "us-west-2a") -> str:
    return ec2.create_subnet(VpcId=vpc, CidrBlock=block, AvailabilityZone=zone)["Subnet"]["SubnetId"]


def attached_gateway(ec2, vpc: str) -> str:
    gateway = ec2.create_internet_gateway()["InternetGateway"]["InternetGatewayId"]
    ec2.attach_internet_gateway(InternetGatewayId=gateway, VpcId=vpc)
    return gateway


def nat_state(ec2, gateway: str) -> str:
    return ec2.describe_nat_gateways(NatGatewayIds=[gateway])["NatGateways"][0]["State"]


# -- all operations


def dummy(shape):
    """The least value that the model lets pass."""
    if shape.type_name == "structure":
        return {name: dummy(shape.members[name]) for name in shape.required_members}
    if shape.type_name == "list":
        return [dummy(shape.member)]
    if shape.type_name in ("integer", "long"):
        return int(shape.metadata.get("min", 1))
    if shape.type_name == "boolean":
        return False
    least = max(1, int(shape.metadata.get("min", 1)))
    return shape.enum[0] if getattr(shape, "enum", None) else "x" * least


@pytest.mark.parametrize("service", ["ec2", "iam"])
def test_no_listed_operation_is_unknown(cloud, service):
    client = cloud.client(service)
    unknown = []
    for operation in OPERATIONS[service]["operations"]:
        shape = client.meta.service_model.operation_model(operation).input_shape
        try:
            client._make_api_call(operation, dummy(shape) if shape else {})
        except botocore.exceptions.ClientError as refused:
            if refused.response["Error"]["Code"] == "InvalidAction":
                unknown.append(operation)
            assert refused.response["ResponseMetadata"]["HTTPStatusCode"] < 500, operation
    assert unknown == []


# -- what every account begins with


def test_zones(cloud, ec2):
    zones = ec2.describe_availability_zones(Filters=by(zone_type="availability-zone"))["AvailabilityZones"]
    assert [(zone["ZoneName"], zone["ZoneId"]) for zone in zones] == [
        ("us-west-2a", "usw2-az2"),
        ("us-west-2b", "usw2-az1"),
        ("us-west-2c", "usw2-az3"),
        ("us-west-2d", "usw2-az4"),
    ]
    everything = ec2.describe_availability_zones()["AvailabilityZones"]
    assert [zone["ZoneName"] for zone in everything if zone["ZoneType"] == "local-zone"] == ["us-west-2-lax-1a"]
    assert code_of(ec2.describe_availability_zones, ZoneNames=["us-west-2z"]) == "InvalidParameterValue"
    by_cli = cloud.aws_json("ec2", "describe-availability-zones", "--region", "eu-west-1")
    assert [zone["ZoneId"] for zone in by_cli["AvailabilityZones"]] == ["euw1-az3", "euw1-az1", "euw1-az2"]


def test_instance_types_and_where_they_are(cloud, ec2):
    kind = ec2.describe_instance_types(InstanceTypes=["p5.48xlarge"])["InstanceTypes"][0]
    assert kind["GpuInfo"]["Gpus"][0] | {"Workloads": None} == {
        "Name": "H100",
        "Manufacturer": "NVIDIA",
        "Count": 8,
        "LogicalGpuCount": 8,
        "GpuPartitionSize": 1.0,
        "Workloads": None,
        "MemoryInfo": {"SizeInMiB": 81920},
    }
    assert kind["NetworkInfo"]["EfaInfo"]["MaximumEfaInterfaces"] == 32
    assert code_of(ec2.describe_instance_types, InstanceTypes=["x9.huge"]) == "InvalidInstanceType"
    pages = ec2.get_paginator("describe_instance_type_offerings").paginate(
        LocationType="availability-zone", Filters=by(instance_type="p5e.*"), PaginationConfig={"PageSize": 5}
    )
    found = [offering["Location"] for page in pages for offering in page["InstanceTypeOfferings"]]
    assert found == ["us-west-2c"]
    all_types = [
        kind["InstanceType"]
        for page in ec2.get_paginator("describe_instance_types").paginate(PaginationConfig={"PageSize": 7})
        for kind in page["InstanceTypes"]
    ]
    assert len(all_types) == len(set(all_types)) > 30
    answer = cloud.aws_json(
        "ec2",
        "describe-instance-types",
        "--filters",
        "Name=instance-type,Values=trn1*",
        "--query",
        "InstanceTypes[].InstanceType",
    )
    assert sorted(answer) == ["trn1.2xlarge", "trn1.32xlarge"]


def test_a_region_has_its_own_default_network(cloud):
    elsewhere = cloud.client("ec2", region="ap-northeast-1")
    network = elsewhere.describe_vpcs(Filters=by(is_default="true"))["Vpcs"]
    assert [one["CidrBlock"] for one in network] == ["172.31.0.0/16"]
    zones = {one["AvailabilityZone"] for one in elsewhere.describe_subnets()["Subnets"]}
    assert zones == {"ap-northeast-1a", "ap-northeast-1c", "ap-northeast-1d"}
    assert code_of(cloud.client("ec2").describe_vpcs, VpcIds=[network[0]["VpcId"]]) == "InvalidVpcID.NotFound"


# -- the network


def test_vpcs(cloud, ec2, vpc):
    assert code_of(ec2.create_vpc, CidrBlock="10.0.0.0/8") == "InvalidVpc.Range"
    assert code_of(ec2.create_vpc, CidrBlock="10.0.0.0") == "InvalidParameterValue"
    assert error_of(ec2.describe_vpcs, VpcIds=["vpc-0"]) == {
        "Code": "InvalidVpcID.NotFound",
        "Message": "The vpc ID 'vpc-0' does not exist",
    }
    assert code_of(ec2.describe_vpcs, Filters=by(nonsense="a")) == "InvalidParameterValue"
    ec2.modify_vpc_attribute(VpcId=vpc, EnableDnsHostnames={"Value": True})
    dry = error_of(ec2.create_vpc, CidrBlock="10.0.0.0/16", DryRun=True)
    assert dry["Code"] == "DryRunOperation"
    done = cloud.aws("ec2", "create-vpc", "--cidr-block", "10.0.0.0/16", "--dry-run")
    assert "(DryRunOperation)" in done.stderr

    second = ec2.associate_vpc_cidr_block(VpcId=vpc, CidrBlock="100.64.0.0/16")["CidrBlockAssociation"]
    assert code_of(ec2.associate_vpc_cidr_block, VpcId=vpc, CidrBlock="100.64.9.0/24") == "CidrConflict"
    assert code_of(ec2.associate_vpc_cidr_block, VpcId=vpc, CidrBlock="192.168.0.0/16") == "InvalidVpc.Range"
    wait = ec2.describe_vpcs(VpcIds=[vpc])["Vpcs"][0]["CidrBlockAssociationSet"]
    assert [one["CidrBlockState"]["State"] for one in wait] == ["associated", "associated"]
    ec2.disassociate_vpc_cidr_block(AssociationId=second["AssociationId"])
    assert code_of(ec2.disassociate_vpc_cidr_block, AssociationId=wait[0]["AssociationId"]) == "OperationNotPermitted"
    assert ec2.describe_vpc_peering_connections()["VpcPeeringConnections"] == []
    ec2.delete_vpc(VpcId=vpc)
    assert code_of(ec2.delete_vpc, VpcId=vpc) == "InvalidVpcID.NotFound"


def test_subnets(ec2, vpc):
    one = subnet_in(ec2, vpc, "10.0.0.0/24")
    assert code_of(subnet_in, ec2, vpc, "10.0.0.128/25") == "InvalidSubnet.Conflict"
    assert code_of(subnet_in, ec2, vpc, "10.1.0.0/24") == "InvalidSubnet.Range"
    refused = error_of(subnet_in, ec2, vpc, "10.0.1.0/24", "us-west-2z")
    assert refused["Code"] == "InvalidParameterValue"
    assert "us-west-2a, us-west-2b, us-west-2c, us-west-2d" in refused["Message"]
    ec2.modify_subnet_attribute(SubnetId=one, MapPublicIpOnLaunch={"Value": True})
    shown = ec2.describe_subnets(SubnetIds=[one])["Subnets"][0]
    assert (shown["AvailableIpAddressCount"], shown["MapPublicIpOnLaunch"]) == (251, True)
    assert code_of(ec2.delete_vpc, VpcId=vpc) == "DependencyViolation"
    ec2.delete_subnet(SubnetId=one)
    assert code_of(ec2.delete_subnet, SubnetId=one) == "InvalidSubnetID.NotFound"


def test_addresses_and_nat_gateways(ec2, vpc):
    place = subnet_in(ec2, vpc, "10.0.0.0/24")
    gateway = attached_gateway(ec2, vpc)
    address = ec2.allocate_address(Domain="vpc")["AllocationId"]
    token = unique("token")
    nat = ec2.create_nat_gateway(SubnetId=place, AllocationId=address, ClientToken=token)["NatGateway"]
    again = ec2.create_nat_gateway(SubnetId=place, AllocationId=address, ClientToken=token)["NatGateway"]
    assert (nat["State"], again["NatGatewayId"]) == ("pending", nat["NatGatewayId"])
    mismatch = {"SubnetId": place, "ClientToken": token, "ConnectivityType": "private"}
    assert code_of(ec2.create_nat_gateway, **mismatch) == "IdempotentParameterMismatch"
    assert code_of(ec2.create_nat_gateway, SubnetId=place, AllocationId=address) == "Resource.AlreadyAssociated"
    ec2.get_waiter("nat_gateway_available").wait(
        NatGatewayIds=[nat["NatGatewayId"]], WaiterConfig={"Delay": 1, "MaxAttempts": 30}
    )
    interface = ec2.describe_network_interfaces(Filters=by(subnet_id=place))["NetworkInterfaces"]
    assert [one["InterfaceType"] for one in interface] == ["nat_gateway"]
    assert ec2.describe_subnets(SubnetIds=[place])["Subnets"][0]["AvailableIpAddressCount"] == 250
    assert code_of(ec2.release_address, AllocationId=address) == "InvalidIPAddress.InUse"
    assert code_of(ec2.detach_internet_gateway, InternetGatewayId=gateway, VpcId=vpc) == "DependencyViolation"
    assert code_of(ec2.delete_subnet, SubnetId=place) == "DependencyViolation"
    ec2.delete_nat_gateway(NatGatewayId=nat["NatGatewayId"])
    wait_until(lambda: nat_state(ec2, nat["NatGatewayId"]) == "deleted")
    shown = ec2.describe_addresses(AllocationIds=[address])["Addresses"][0]
    assert "AssociationId" not in shown
    ec2.release_address(AllocationId=address)
    assert code_of(ec2.describe_addresses, AllocationIds=[address]) == "InvalidAllocationID.NotFound"
    assert code_of(ec2.delete_nat_gateway, NatGatewayId="nat-0") == "NatGatewayNotFound"


def test_routing(ec2, vpc):
    place = subnet_in(ec2, vpc, "10.0.0.0/24")
    gateway = attached_gateway(ec2, vpc)
    assert code_of(ec2.attach_internet_gateway, InternetGatewayId=gateway, VpcId=vpc) == "Resource.AlreadyAssociated"
    assert code_of(ec2.delete_internet_gateway, InternetGatewayId=gateway) == "DependencyViolation"
    table = ec2.create_route_table(VpcId=vpc)["RouteTable"]["RouteTableId"]
    route = {"RouteTableId": table, "DestinationCidrBlock": "0.0.0.0/0", "GatewayId": gateway}
    assert ec2.create_route(**route)["Return"] is True
    assert error_of(ec2.create_route, **route) == {
        "Code": "RouteAlreadyExists",
        "Message": "The route identified by 0.0.0.0/0 already exists.",
    }
    association = ec2.associate_route_table(RouteTableId=table, SubnetId=place)["AssociationId"]
    shown = ec2.describe_route_tables(Filters=by(**{"association.subnet-id": place}))["RouteTables"][0]
    assert [one["GatewayId"] for one in shown["Routes"]] == ["local", gateway]
    assert code_of(ec2.delete_route_table, RouteTableId=table) == "DependencyViolation"
    ec2.disassociate_route_table(AssociationId=association)
    assert code_of(ec2.disassociate_route_table, AssociationId=association) == "InvalidAssociationID.NotFound"
    ec2.detach_internet_gateway(InternetGatewayId=gateway, VpcId=vpc)
    assert ec2.describe_route_tables(RouteTableIds=[table])["RouteTables"][0]["Routes"][1]["State"] == "blackhole"
    ec2.delete_route_table(RouteTableId=table)
    ec2.delete_internet_gateway(InternetGatewayId=gateway)
    assert code_of(ec2.describe_internet_gateways, InternetGatewayIds=[gateway]) == "InvalidInternetGatewayID.NotFound"


def test_security_groups(cloud, ec2, vpc):
    name = unique("efa")
    group = ec2.create_security_group(GroupName=name, Description="d", VpcId=vpc)["GroupId"]
    assert code_of(ec2.create_security_group, GroupName=name, Description="d", VpcId=vpc) == "InvalidGroup.Duplicate"
    itself = [{"IpProtocol": "-1", "UserIdGroupPairs": [{"GroupId": group}]}]
    ec2.authorize_security_group_egress(GroupId=group, IpPermissions=itself)
    made = ec2.authorize_security_group_ingress(
        GroupId=group, IpPermissions=itself, TagSpecifications=tagged("security-group-rule", why="efa")
    )
    rule = made["SecurityGroupRules"][0]
    assert rule["ReferencedGroupInfo"]["GroupId"] == group
    assert error_of(ec2.authorize_security_group_ingress, GroupId=group, IpPermissions=itself) == {
        "Code": "InvalidPermission.Duplicate",
        "Message": f'the specified rule "peer: {group}, ALL, ALLOW" already exists',
    }
    shown = ec2.describe_security_groups(Filters=by(group_name=name))["SecurityGroups"][0]
    assert len(shown["IpPermissions"]) == len(shown["IpPermissionsEgress"]) == 1
    rules = ec2.describe_security_group_rules(Filters=by(group_id=group))["SecurityGroupRules"]
    assert len(rules) == 3
    cli = ["--group-id", group, "--protocol", "tcp", "--port", "22", "--cidr", "10.0.0.0/8"]
    assert cloud.aws_json("ec2", "authorize-security-group-ingress", *cli)["Return"] is True
    assert cloud.aws_json("ec2", "revoke-security-group-ingress", *cli)["Return"] is True
    ec2.revoke_security_group_ingress(GroupId=group, SecurityGroupRuleIds=[rule["SecurityGroupRuleId"]])
    assert (
        code_of(ec2.revoke_security_group_ingress, GroupId=group, IpPermissions=itself) == "InvalidPermission.NotFound"
    )
    ec2.revoke_security_group_egress(GroupId=group, IpPermissions=itself)
    other = ec2.create_security_group(GroupName=unique("o"), Description="d", VpcId=vpc)["GroupId"]
    ec2.authorize_security_group_ingress(
        GroupId=other, IpPermissions=[{"IpProtocol": "-1", "UserIdGroupPairs": [{"GroupId": group}]}]
    )
    assert code_of(ec2.delete_security_group, GroupId=group) == "DependencyViolation"
    ec2.delete_security_group(GroupId=other)
    ec2.delete_security_group(GroupId=group)
    assert code_of(ec2.describe_security_groups, GroupIds=[group]) == "InvalidGroup.NotFound"


def test_vpc_endpoints(ec2, vpc):
    place = subnet_in(ec2, vpc, "10.0.0.0/24")
    table = ec2.describe_route_tables(Filters=by(vpc_id=vpc))["RouteTables"][0]["RouteTableId"]
    s3 = {"VpcId": vpc, "ServiceName": "com.amazonaws.us-west-2.s3", "RouteTableIds": [table]}
    gateway = ec2.create_vpc_endpoint(**s3)["VpcEndpoint"]["VpcEndpointId"]
    routes = ec2.describe_route_tables(RouteTableIds=[table])["RouteTables"][0]["Routes"]
    assert [one.get("GatewayId") for one in routes] == ["local", gateway]
    assert code_of(ec2.create_vpc_endpoint, **s3) == "RouteAlreadyExists"
    private = {
        "VpcId": vpc,
        "VpcEndpointType": "Interface",
        "ServiceName": "com.amazonaws.us-west-2.ecr.dkr",
        "SubnetIds": [place],
    }
    assert code_of(ec2.create_vpc_endpoint, **private) == "InvalidParameter"  # private DNS needs host names
    ec2.modify_vpc_attribute(VpcId=vpc, EnableDnsHostnames={"Value": True})
    made = ec2.create_vpc_endpoint(**private)["VpcEndpoint"]
    assert made["State"] == "pending"

    def shown():
        return ec2.describe_vpc_endpoints(VpcEndpointIds=[made["VpcEndpointId"]])["VpcEndpoints"][0]

    wait_until(lambda: shown()["State"] == "available")
    assert "ecr.dkr.us-west-2.amazonaws.com" in [entry["DnsName"] for entry in shown()["DnsEntries"]]
    group = ec2.create_security_group(GroupName=unique("e"), Description="d", VpcId=vpc)["GroupId"]
    ec2.modify_vpc_endpoint(VpcEndpointId=made["VpcEndpointId"], AddSecurityGroupIds=[group])
    assert group in [one["GroupId"] for one in shown()["Groups"]]
    answer = ec2.delete_vpc_endpoints(VpcEndpointIds=[gateway, made["VpcEndpointId"], "vpce-0"])
    assert [one["Error"]["Code"] for one in answer["Unsuccessful"]] == ["InvalidVpcEndpointId.NotFound"]
    wait_until(lambda: not ec2.describe_vpc_endpoints(Filters=by(vpc_id=vpc))["VpcEndpoints"])
    bad = {"VpcId": vpc, "ServiceName": "com.amazonaws.us-west-2.nothing"}
    assert code_of(ec2.create_vpc_endpoint, **bad) == "InvalidServiceName"


def test_tags_and_filters(cloud, ec2, vpc):
    cluster = unique("c")
    place = subnet_in(ec2, vpc, "10.0.0.0/24")
    ec2.create_tags(Resources=[vpc, place], Tags=[{"Key": "cluster", "Value": cluster}, {"Key": "Name", "Value": "a"}])
    found = ec2.describe_subnets(Filters=by(**{"tag:cluster": cluster[:6] + "*", "vpc-id": vpc}))["Subnets"]
    assert [one["SubnetId"] for one in found] == [place]
    listed = ec2.describe_tags(Filters=by(value=cluster))["Tags"]
    assert sorted(one["ResourceType"] for one in listed) == ["subnet", "vpc"]
    ec2.delete_tags(Resources=[place], Tags=[{"Key": "cluster"}])
    assert not ec2.describe_subnets(Filters=by(**{"tag:cluster": cluster}))["Subnets"]
    assert code_of(ec2.create_tags, Resources=["vpc-0"], Tags=[{"Key": "a", "Value": "b"}]) == "InvalidVpcID.NotFound"
    assert code_of(ec2.create_tags, Resources=[vpc], Tags=[{"Key": "aws:a", "Value": "b"}]) == "InvalidParameterValue"
    answer = cloud.aws_json(
        "ec2",
        "describe-vpcs",
        "--filters",
        f"Name=tag:cluster,Values={cluster}",
        "--query",
        "Vpcs[0].Tags[?Key=='Name'].Value",
    )
    assert answer == ["a"]


def test_pages(ec2, vpc):
    for number in range(12):
        subnet_in(ec2, vpc, f"10.0.{number}.0/24")
    pages = ec2.get_paginator("describe_subnets").paginate(Filters=by(vpc_id=vpc), PaginationConfig={"PageSize": 5})
    sizes, seen = [], set()
    for page in pages:
        sizes.append(len(page["Subnets"]))
        seen |= {one["SubnetId"] for one in page["Subnets"]}
    assert (sizes, len(seen)) == ([5, 5, 2], 12)
    assert code_of(ec2.describe_subnets, NextToken="nonsense") == "InvalidNextToken"


# -- a whole network


def build_network(ec2) -> dict:
    """As a HyperPod network is: public and private subnets, one NAT gateway, S3 without it, a group for EFA."""
    made = {"vpc": ec2.create_vpc(CidrBlock="10.0.0.0/16", TagSpecifications=tagged("vpc", Name="hp"))["Vpc"]["VpcId"]}
    made["gateway"] = attached_gateway(ec2, made["vpc"])
    made["public"] = subnet_in(ec2, made["vpc"], "10.0.0.0/24")
    made["private"] = subnet_in(ec2, made["vpc"], "10.0.16.0/20", "us-west-2b")
    for name in ("public", "private"):
        table = ec2.create_route_table(VpcId=made["vpc"])["RouteTable"]["RouteTableId"]
        made[f"{name}_table"] = table
        made[f"{name}_association"] = ec2.associate_route_table(RouteTableId=table, SubnetId=made[name])[
            "AssociationId"
        ]
    made["address"] = ec2.allocate_address(Domain="vpc")["AllocationId"]
    nat = ec2.create_nat_gateway(SubnetId=made["public"], AllocationId=made["address"])["NatGateway"]
    made["nat"] = nat["NatGatewayId"]
    default = {"DestinationCidrBlock": "0.0.0.0/0"}
    ec2.create_route(RouteTableId=made["public_table"], GatewayId=made["gateway"], **default)
    ec2.create_route(RouteTableId=made["private_table"], NatGatewayId=made["nat"], **default)
    made["endpoint"] = ec2.create_vpc_endpoint(
        VpcId=made["vpc"], ServiceName="com.amazonaws.us-west-2.s3", RouteTableIds=[made["private_table"]]
    )["VpcEndpoint"]["VpcEndpointId"]
    made["group"] = ec2.create_security_group(GroupName="efa", Description="EFA", VpcId=made["vpc"])["GroupId"]
    itself = [{"IpProtocol": "-1", "UserIdGroupPairs": [{"GroupId": made["group"]}]}]
    ec2.authorize_security_group_ingress(GroupId=made["group"], IpPermissions=itself)
    ec2.authorize_security_group_egress(GroupId=made["group"], IpPermissions=itself)
    return made


def tear_down_network(ec2, made: dict) -> None:
    ec2.delete_nat_gateway(NatGatewayId=made["nat"])
    wait_until(lambda: nat_state(ec2, made["nat"]) == "deleted")
    ec2.delete_vpc_endpoints(VpcEndpointIds=[made["endpoint"]])
    ec2.delete_security_group(GroupId=made["group"])
    for name in ("public", "private"):
        ec2.disassociate_route_table(AssociationId=made[f"{name}_association"])
        ec2.delete_route_table(RouteTableId=made[f"{name}_table"])
        ec2.delete_subnet(SubnetId=made[name])
    ec2.release_address(AllocationId=made["address"])
    ec2.detach_internet_gateway(InternetGatewayId=made["gateway"], VpcId=made["vpc"])
    ec2.delete_internet_gateway(InternetGatewayId=made["gateway"])
    ec2.delete_vpc(VpcId=made["vpc"])


DESCRIBES = (
    "vpcs subnets route_tables internet_gateways addresses security_groups security_group_rules vpc_endpoints "
    "network_interfaces tags"
)


def everything(ec2) -> dict:
    answers = {name: getattr(ec2, f"describe_{name}")() for name in DESCRIBES.split()}
    for answer in answers.values():
        answer.pop("ResponseMetadata")
    return answers


def test_a_network_comes_and_goes_without_a_trace(own_sandbox):
    own_sandbox.stop()
    own_sandbox.start(*FAST)
    ec2 = own_sandbox.client("ec2")
    before = everything(ec2)
    made = build_network(ec2)
    wait_until(lambda: nat_state(ec2, made["nat"]) == "available")
    tear_down_network(ec2, made)
    assert everything(ec2) == before


def test_a_power_failure_in_the_middle_keeps_everything(own_sandbox):
    made = build_network(own_sandbox.client("ec2"))
    before = everything(own_sandbox.client("ec2"))
    assert nat_state(own_sandbox.client("ec2"), made["nat"]) == "pending"
    own_sandbox.kill()
    own_sandbox.start(*FAST)
    ec2 = own_sandbox.client("ec2")
    assert everything(ec2) == before
    tear_down_network(ec2, made)
    assert code_of(ec2.describe_vpcs, VpcIds=[made["vpc"]]) == "InvalidVpcID.NotFound"


# -- IAM


def trust(service: str = "sagemaker.amazonaws.com") -> str:
    statement = {"Effect": "Allow", "Principal": {"Service": service}, "Action": "sts:AssumeRole"}
    return json.dumps({"Version": "2012-10-17", "Statement": [statement]})


def allow(action: str, resource: str = "*") -> str:
    statement = {"Effect": "Allow", "Action": action, "Resource": resource}
    return json.dumps({"Version": "2012-10-17", "Statement": [statement]})


def test_roles(cloud, iam):
    name = unique("role")
    made = iam.create_role(
        RoleName=name, Path="/hp/", AssumeRolePolicyDocument=trust(), Tags=[{"Key": "a", "Value": "b"}]
    )["Role"]
    assert made["Arn"] == f"arn:aws:iam::{ACCOUNT}:role/hp/{name}"
    assert made["AssumeRolePolicyDocument"] == json.loads(trust())
    assert error_of(iam.create_role, RoleName=name, AssumeRolePolicyDocument=trust()) | {"Type": ""} == {
        "Type": "",
        "Code": "EntityAlreadyExists",
        "Message": f"Role with name {name} already exists.",
    }
    bad = {"RoleName": unique("bad"), "AssumeRolePolicyDocument": "{}"}
    assert code_of(iam.create_role, **bad) == "MalformedPolicyDocument"
    iam.update_assume_role_policy(RoleName=name, PolicyDocument=trust("eks.amazonaws.com"))
    assert iam.get_role(RoleName=name)["Role"]["AssumeRolePolicyDocument"] == json.loads(trust("eks.amazonaws.com"))
    iam.tag_role(RoleName=name, Tags=[{"Key": "c", "Value": "d"}])
    assert len(iam.list_role_tags(RoleName=name)["Tags"]) == 2
    pages = iam.get_paginator("list_roles").paginate(PathPrefix="/hp/", PaginationConfig={"PageSize": 1})
    assert name in [role["RoleName"] for page in pages for role in page["Roles"]]
    assert iam.list_instance_profiles_for_role(RoleName=name)["InstanceProfiles"] == []
    assert cloud.aws_json("iam", "get-role", "--role-name", name)["Role"]["RoleId"] == made["RoleId"]
    with pytest.raises(iam.exceptions.NoSuchEntityException):
        iam.get_role(RoleName=unique("none"))
    iam.delete_role(RoleName=name)
    assert code_of(iam.delete_role, RoleName=name) == "NoSuchEntity"


def test_policies_of_a_role(iam):
    name = unique("role")
    iam.create_role(RoleName=name, AssumeRolePolicyDocument=trust())
    iam.put_role_policy(RoleName=name, PolicyName="p", PolicyDocument=allow("ec2:*"))
    assert iam.get_role_policy(RoleName=name, PolicyName="p")["PolicyDocument"] == json.loads(allow("ec2:*"))
    assert iam.list_role_policies(RoleName=name)["PolicyNames"] == ["p"]
    bad = {"RoleName": name, "PolicyName": "q", "PolicyDocument": allow("CreateVpc")}
    assert code_of(iam.put_role_policy, **bad) == "MalformedPolicyDocument"
    arn = "arn:aws:iam::aws:policy/AmazonSageMakerClusterInstanceRolePolicy"
    iam.attach_role_policy(RoleName=name, PolicyArn=arn)
    assert iam.list_attached_role_policies(RoleName=name)["AttachedPolicies"] == [
        {"PolicyName": "AmazonSageMakerClusterInstanceRolePolicy", "PolicyArn": arn}
    ]
    assert iam.get_policy(PolicyArn=arn)["Policy"]["AttachmentCount"] == 1
    unknown = "arn:aws:iam::aws:policy/NoSuchPolicyAtAll"
    assert code_of(iam.attach_role_policy, RoleName=name, PolicyArn=unknown) == "NoSuchEntity"
    assert code_of(iam.get_policy, PolicyArn=unknown) == "NoSuchEntity"
    assert code_of(iam.delete_role, RoleName=name) == "DeleteConflict"
    iam.detach_role_policy(RoleName=name, PolicyArn=arn)
    assert code_of(iam.detach_role_policy, RoleName=name, PolicyArn=arn) == "NoSuchEntity"
    assert code_of(iam.delete_role, RoleName=name) == "DeleteConflict"
    iam.delete_role_policy(RoleName=name, PolicyName="p")
    assert code_of(iam.get_role_policy, RoleName=name, PolicyName="p") == "NoSuchEntity"
    iam.delete_role(RoleName=name)


def test_service_linked_roles(iam):
    made = iam.create_service_linked_role(AWSServiceName="spot.amazonaws.com")["Role"]
    assert made["RoleName"] == "AWSServiceRoleForEC2Spot"
    assert code_of(iam.create_service_linked_role, AWSServiceName="spot.amazonaws.com") == "InvalidInput"
    assert code_of(iam.delete_role, RoleName="AWSServiceRoleForEC2Spot") == "UnmodifiableEntity"


def test_oidc_providers(iam):
    url = f"https://oidc.eks.us-west-2.amazonaws.com/id/{uuid.uuid4().hex.upper()}"
    arn = iam.create_open_id_connect_provider(Url=url, ClientIDList=["sts.amazonaws.com"])["OpenIDConnectProviderArn"]
    assert code_of(iam.create_open_id_connect_provider, Url=url) == "EntityAlreadyExists"
    assert iam.get_open_id_connect_provider(OpenIDConnectProviderArn=arn)["ClientIDList"] == ["sts.amazonaws.com"]
    assert {"Arn": arn} in iam.list_open_id_connect_providers()["OpenIDConnectProviderList"]
    iam.delete_open_id_connect_provider(OpenIDConnectProviderArn=arn)
    assert code_of(iam.get_open_id_connect_provider, OpenIDConnectProviderArn=arn) == "NoSuchEntity"


def test_simulation_of_policies(cloud, iam):
    own = f"arn:aws:iam::{ACCOUNT}:user/sandbox"
    answer = cloud.aws_json(
        "iam", "simulate-principal-policy", "--policy-source-arn", own, "--action-names", "ec2:CreateVpc"
    )
    assert answer["EvaluationResults"][0]["EvalDecision"] == "allowed"
    name = unique("role")
    arn = iam.create_role(RoleName=name, AssumeRolePolicyDocument=trust())["Role"]["Arn"]
    document = {
        "Version": "2012-10-17",
        "Statement": [
            {"Effect": "Allow", "Action": "s3:*", "Resource": "arn:aws:s3:::data/*"},
            {"Effect": "Deny", "Action": "s3:Delete*", "Resource": "*"},
        ],
    }
    iam.put_role_policy(RoleName=name, PolicyName="p", PolicyDocument=json.dumps(document))
    results = iam.simulate_principal_policy(
        PolicySourceArn=arn,
        ActionNames=["s3:GetObject", "s3:DeleteObject", "ec2:CreateVpc"],
        ResourceArns=["arn:aws:s3:::data/a"],
    )["EvaluationResults"]
    assert [one["EvalDecision"] for one in results] == ["allowed", "explicitDeny", "implicitDeny"]
    nobody = {"PolicySourceArn": f"arn:aws:iam::{ACCOUNT}:role/none", "ActionNames": ["a:B"]}
    assert code_of(iam.simulate_principal_policy, **nobody) == "NoSuchEntity"


def test_iam_survives_a_power_failure(own_sandbox):
    iam = own_sandbox.client("iam")
    iam.create_role(RoleName="exec", AssumeRolePolicyDocument=trust())
    iam.put_role_policy(RoleName="exec", PolicyName="p", PolicyDocument=allow("s3:*"))
    iam.attach_role_policy(RoleName="exec", PolicyArn="arn:aws:iam::aws:policy/AmazonEKS_CNI_Policy")
    iam.create_open_id_connect_provider(Url="https://a.example/id")
    look = [
        lambda client: client.get_role(RoleName="exec")["Role"],
        lambda client: client.get_role_policy(RoleName="exec", PolicyName="p")["PolicyDocument"],
        lambda client: client.list_attached_role_policies(RoleName="exec")["AttachedPolicies"],
        lambda client: client.list_open_id_connect_providers()["OpenIDConnectProviderList"],
    ]
    before = [one(iam) for one in look]
    own_sandbox.kill()
    own_sandbox.start()
    iam = own_sandbox.client("iam")
    assert [one(iam) for one in look] == before
