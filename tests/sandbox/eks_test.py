"""Simulated EKS as boto3 and `aws` see it: every operation with its main errors, a cluster from nothing to nothing,
tokens that STS believes, and a power failure while a cluster is made."""

import json
import pathlib
import tomllib
import uuid

import botocore.exceptions
import pytest
from sandbox_process import Sandbox, wait_until

ACCOUNT = "123456789012"
FAST = ("--scale", "600")  # A cluster takes 0.9 s.
OPERATIONS = tomllib.loads(
    (pathlib.Path(__file__).resolve().parents[2] / "tools" / "aws_shapes" / "operations.toml").read_text()
)["eks"]["operations"]


@pytest.fixture(scope="module")
def cloud(tmp_path_factory):
    """Shared by the module's tests: each looks only at what it made itself."""
    shared = Sandbox(tmp_path_factory.mktemp("eks") / "state").start(*FAST)
    yield shared
    assert shared.stop() == 0, shared.log.read_text()


@pytest.fixture(scope="module")
def eks(cloud):
    return cloud.client("eks")


def trust(*services: str) -> str:
    statement = {"Effect": "Allow", "Principal": {"Service": list(services)}, "Action": "sts:AssumeRole"}
    return json.dumps({"Version": "2012-10-17", "Statement": [statement]})


def unique(prefix: str) -> str:
    return f"{prefix}-{uuid.uuid4().hex[:8]}"


def error_of(call, *arguments, **named) -> dict:
    with pytest.raises(botocore.exceptions.ClientError) as refused:
        call(*arguments, **named)
    return refused.value.response["Error"]


def code_of(call, *arguments, **named) -> str:
    return error_of(call, *arguments, **named)["Code"]


def make_role(cloud: Sandbox, *services: str) -> str:
    role = cloud.client("iam").create_role(RoleName=unique("role"), AssumeRolePolicyDocument=trust(*services))
    return role["Role"]["Arn"]


def foundation(cloud: Sandbox) -> dict:
    """What CreateCluster needs: a role, a VPC, subnets in two zones."""
    ec2 = cloud.client("ec2")
    vpc = ec2.create_vpc(CidrBlock="10.0.0.0/16")["Vpc"]["VpcId"]
    subnets = [
        ec2.create_subnet(VpcId=vpc, CidrBlock=block, AvailabilityZone=zone)["Subnet"]["SubnetId"]
        for block, zone in (("10.0.1.0/24", "us-west-2a"), ("10.0.2.0/24", "us-west-2b"))
    ]
    return {"vpc": vpc, "subnets": subnets, "role": make_role(cloud, "eks.amazonaws.com")}


@pytest.fixture(scope="module")
def ground(cloud):
    return foundation(cloud)


def request(ground: dict, name: str, **changes) -> dict:
    return {
        "name": name,
        "roleArn": ground["role"],
        "resourcesVpcConfig": {"subnetIds": ground["subnets"]},
        "accessConfig": {"authenticationMode": "API_AND_CONFIG_MAP"},
    } | changes


def status(eks, name: str) -> str:
    return eks.describe_cluster(name=name)["cluster"]["status"]


def wait_for(eks, name: str) -> dict:
    eks.get_waiter("cluster_active").wait(name=name, WaiterConfig={"Delay": 1, "MaxAttempts": 30})
    return eks.describe_cluster(name=name)["cluster"]


@pytest.fixture(scope="module")
def cluster(eks, ground):
    """Active, for all that only needs one."""
    name = unique("shared")
    eks.create_cluster(**request(ground, name))
    return wait_for(eks, name)


def wait_for_update(eks, update: dict, **place) -> str:
    def state():
        return eks.describe_update(updateId=update["id"], **place)["update"]["status"]

    wait_until(lambda: state() != "InProgress")
    return state()


# -- all operations


def dummy(shape):
    """The least value that the model lets pass."""
    if shape.type_name == "structure":
        return {name: dummy(shape.members[name]) for name in shape.required_members}
    if shape.type_name == "list":
        return [dummy(shape.member)]
    if shape.type_name == "map":
        return {}
    if shape.type_name in ("integer", "long"):
        return int(shape.metadata.get("min", 1))
    if shape.type_name == "boolean":
        return False
    least = max(1, int(shape.metadata.get("min", 1)))
    return shape.enum[0] if getattr(shape, "enum", None) else "x" * least


def test_no_listed_operation_is_unknown(cloud):
    client = cloud.client("eks")
    for operation in OPERATIONS:
        shape = client.meta.service_model.operation_model(operation).input_shape
        try:
            client._make_api_call(operation, dummy(shape) if shape else {})
        except botocore.exceptions.ClientError as refused:
            assert refused.response["ResponseMetadata"]["HTTPStatusCode"] < 500, operation
            assert "does not simulate EKS's" not in refused.response["Error"]["Message"], operation


# -- clusters


def test_a_cluster_comes_and_goes_without_a_trace(cloud, eks):
    own = foundation(cloud)
    ec2 = cloud.client("ec2")
    name = unique("c")
    made = eks.create_cluster(**request(own, name, tags={"SageMaker": "true"}))["cluster"]
    assert (made["status"], made.get("endpoint")) == ("CREATING", None)
    assert code_of(eks.create_cluster, **request(own, name)) == "ResourceInUseException"
    assert code_of(eks.delete_cluster, name=name) == "ResourceInUseException"
    active = wait_for(eks, name)
    assert active["arn"] == f"arn:aws:eks:us-west-2:{ACCOUNT}:cluster/{name}"
    assert active["endpoint"].startswith("https://")
    assert active["certificateAuthority"]["data"]
    assert active["identity"]["oidc"]["issuer"].startswith("https://oidc.eks.us-west-2.amazonaws.com/id/")
    assert active["tags"] == {"SageMaker": "true"}
    group = active["resourcesVpcConfig"]["clusterSecurityGroupId"]
    shown = ec2.describe_security_groups(GroupIds=[group])["SecurityGroups"][0]
    assert shown["GroupName"].startswith(f"eks-cluster-sg-{name}-")
    interfaces = [{"Name": "vpc-id", "Values": [own["vpc"]]}]
    assert len(ec2.describe_network_interfaces(Filters=interfaces)["NetworkInterfaces"]) == 2
    assert code_of(ec2.delete_subnet, SubnetId=own["subnets"][0]) == "DependencyViolation"
    assert eks.delete_cluster(name=name)["cluster"]["status"] == "DELETING"
    eks.get_waiter("cluster_deleted").wait(name=name, WaiterConfig={"Delay": 1, "MaxAttempts": 30})
    assert error_of(eks.describe_cluster, name=name) == {
        "Code": "ResourceNotFoundException",
        "Message": f"No cluster found for name: {name}.",
    }
    for subnet in own["subnets"]:
        ec2.delete_subnet(SubnetId=subnet)
    ec2.delete_vpc(VpcId=own["vpc"])


def test_create_cluster_says_what_is_wrong(eks, ground):
    one = {"resourcesVpcConfig": {"subnetIds": ground["subnets"][:1]}}
    assert error_of(eks.create_cluster, **request(ground, "c1", **one)) == {
        "Code": "InvalidParameterException",
        "Message": "Subnets specified must be in at least two different AZs",
    }
    nobody = f"arn:aws:iam::{ACCOUNT}:role/nobody"
    assert "could not be assumed" in error_of(eks.create_cluster, **request(ground, "c1", roleArn=nobody))["Message"]
    assert error_of(eks.create_cluster, **request(ground, "c1", version="1.10"))["Message"] == (
        "unsupported Kubernetes version"
    )
    assert code_of(eks.create_cluster, **request(ground, "-c")) == "InvalidParameterException"


def test_a_planned_failure_is_a_failed_cluster(own_sandbox):
    own_sandbox.stop()
    own_sandbox.start(*FAST)
    eks = own_sandbox.client("eks")
    rule = {"service": "eks", "operation": "CreateCluster", "kind": "resource_failure", "code": "InternalFailure"}
    own_sandbox.faults(rule | {"message": "The control plane is broken."})
    eks.create_cluster(**request(foundation(own_sandbox), "c"))
    wait_until(lambda: status(eks, "c") == "FAILED")
    issue = eks.describe_cluster(name="c")["cluster"]["health"]["issues"][0]
    assert (issue["code"], issue["message"]) == ("InternalFailure", "The control plane is broken.")


def test_a_power_failure_in_the_middle_keeps_the_cluster(own_sandbox):
    own_sandbox.stop()
    own_sandbox.start(*FAST)
    eks = own_sandbox.client("eks")
    before = eks.create_cluster(**request(foundation(own_sandbox), "c"))["cluster"]
    own_sandbox.kill()
    own_sandbox.start(*FAST)
    eks = own_sandbox.client("eks")
    after = wait_for(eks, "c")
    assert after["resourcesVpcConfig"] == before["resourcesVpcConfig"]
    assert after["createdAt"] == before["createdAt"]


def test_updates(eks, ground):
    name = unique("u")
    eks.create_cluster(**request(ground, name))
    wait_for(eks, name)
    logging = {"clusterLogging": [{"types": ["api", "audit"], "enabled": True}]}
    update = eks.update_cluster_config(name=name, logging=logging)["update"]
    assert (update["type"], update["status"]) == ("LoggingUpdate", "InProgress")
    private = {"endpointPrivateAccess": True}
    assert code_of(eks.update_cluster_config, name=name, resourcesVpcConfig=private) == "ResourceInUseException"
    assert wait_for_update(eks, update, name=name) == "Successful"
    assert error_of(eks.update_cluster_config, name=name, logging=logging) == {
        "Code": "InvalidParameterException",
        "Message": "No changes needed for the logging config provided",
    }
    update = eks.update_cluster_config(name=name, accessConfig={"authenticationMode": "API"})["update"]
    assert wait_for_update(eks, update, name=name) == "Successful"
    assert eks.describe_cluster(name=name)["cluster"]["accessConfig"]["authenticationMode"] == "API"
    eks.delete_cluster(name=name)


def test_versions(cloud, eks):
    versions = eks.describe_cluster_versions()["clusterVersions"]
    assert [one["clusterVersion"] for one in versions if one["defaultVersion"]] == [versions[0]["clusterVersion"]]
    assert {one["versionStatus"] for one in versions} == {"STANDARD_SUPPORT", "EXTENDED_SUPPORT"}
    answer = cloud.aws_json("eks", "describe-cluster-versions", "--default-only")
    assert len(answer["clusterVersions"]) == 1


def test_tags(eks, cluster):
    arn = cluster["arn"]
    eks.tag_resource(resourceArn=arn, tags={"a": "1", "b": "2"})
    eks.untag_resource(resourceArn=arn, tagKeys=["a"])
    assert eks.list_tags_for_resource(resourceArn=arn)["tags"] == {"b": "2"}
    assert code_of(eks.list_tags_for_resource, resourceArn=arn + "x") == "NotFoundException"


def test_update_kubeconfig_reads_the_cluster(cloud, cluster, tmp_path):
    config = tmp_path / "config"
    done = cloud.aws("eks", "update-kubeconfig", "--name", cluster["name"], "--kubeconfig", str(config))
    assert done.returncode == 0, done.stderr
    assert cluster["endpoint"] in config.read_text()
    token = cloud.aws_json("eks", "get-token", "--cluster-name", cluster["name"])["status"]["token"]
    assert token.startswith("k8s-aws-v1.")


# -- access


def test_access_entries_and_policies(cloud, eks, cluster):
    name = cluster["name"]
    creator = f"arn:aws:iam::{ACCOUNT}:user/sandbox"
    assert creator in eks.list_access_entries(clusterName=name)["accessEntries"]
    role = make_role(cloud, "sagemaker.amazonaws.com")
    masters = {"clusterName": name, "principalArn": role, "kubernetesGroups": ["system:masters"]}
    assert error_of(eks.create_access_entry, **masters) == {
        "Code": "InvalidParameterException",
        "Message": "The kubernetes group name system:masters is invalid, it cannot start with system:",
    }
    place = {"clusterName": name, "principalArn": role}
    entry = eks.create_access_entry(**place)["accessEntry"]
    role_name = role.rsplit("/", 1)[1]
    assert entry["username"] == f"arn:aws:sts::{ACCOUNT}:assumed-role/{role_name}/{{{{SessionName}}}}"
    assert code_of(eks.create_access_entry, **place) == "ResourceInUseException"
    policy = "arn:aws:eks::aws:cluster-access-policy/AmazonEKSEditPolicy"
    scope = {"type": "namespace", "namespaces": ["team-a"]}
    made = eks.associate_access_policy(**place, policyArn=policy, accessScope=scope)["associatedAccessPolicy"]
    assert made["accessScope"] == scope
    listed = eks.list_associated_access_policies(**place)["associatedAccessPolicies"]
    assert [one["policyArn"] for one in listed] == [policy]
    assert eks.update_access_entry(**place, kubernetesGroups=["ops"])["accessEntry"]["kubernetesGroups"] == ["ops"]
    eks.disassociate_access_policy(**place, policyArn=policy)
    eks.delete_access_entry(**place)
    assert code_of(eks.describe_access_entry, **place) == "ResourceNotFoundException"
    node = eks.create_access_entry(**place, type="HYPERPOD_LINUX")["accessEntry"]
    assert node["kubernetesGroups"] == ["system:nodes"]
    eks.delete_access_entry(**place)


def test_pod_identities(cloud, eks, cluster):
    role = make_role(cloud, "pods.eks.amazonaws.com")
    place = {"clusterName": cluster["name"], "namespace": "ml", "serviceAccount": unique("sa")}
    made = eks.create_pod_identity_association(**place, roleArn=role)["association"]
    again = error_of(eks.create_pod_identity_association, **place, roleArn=role)
    assert again["Message"] == f"Association already exists: {made['associationId']}"
    listed = eks.list_pod_identity_associations(**place)["associations"]
    assert [one["associationArn"] for one in listed] == [made["associationArn"]]
    there = {"clusterName": cluster["name"], "associationId": made["associationId"]}
    other = make_role(cloud, "pods.eks.amazonaws.com")
    assert eks.update_pod_identity_association(**there, roleArn=other)["association"]["roleArn"] == other
    assert eks.describe_pod_identity_association(**there)["association"]["roleArn"] == other
    eks.delete_pod_identity_association(**there)
    assert code_of(eks.describe_pod_identity_association, **there) == "ResourceNotFoundException"


# -- add-ons


def test_addon_versions(eks):
    pages = eks.get_paginator("describe_addon_versions").paginate(
        kubernetesVersion="1.34", PaginationConfig={"PageSize": 4}
    )
    names = [addon["addonName"] for page in pages for addon in page["addons"]]
    assert len(names) == len(set(names)) >= 14
    found = eks.describe_addon_versions(addonName="vpc-cni", kubernetesVersion="1.34")["addons"][0]["addonVersions"]
    assert [one["compatibilities"][0]["defaultVersion"] for one in found].count(True) == 1


def test_addons(eks, cluster):
    place = {"clusterName": cluster["name"], "addonName": "eks-pod-identity-agent"}
    made = eks.create_addon(**place, resolveConflicts="OVERWRITE")["addon"]
    assert made["status"] == "CREATING"
    assert code_of(eks.create_addon, **place) == "ResourceInUseException"

    def settled():
        return eks.describe_addon(**place)["addon"]["status"] in ("ACTIVE", "DEGRADED")

    wait_until(settled)
    assert place["addonName"] in eks.list_addons(clusterName=cluster["name"])["addons"]
    versions = eks.describe_addon_versions(addonName=place["addonName"])["addons"][0]["addonVersions"]
    other = next(one["addonVersion"] for one in versions if one["addonVersion"] != made["addonVersion"])
    update = eks.update_addon(**place, addonVersion=other)["update"]
    where = {"name": cluster["name"], "addonName": place["addonName"]}
    assert wait_for_update(eks, update, **where) == "Successful"
    assert eks.describe_addon(**place)["addon"]["addonVersion"] == other
    eks.delete_addon(**place)
    wait_until(lambda: place["addonName"] not in eks.list_addons(clusterName=cluster["name"])["addons"])
    refused = error_of(eks.create_addon, clusterName=cluster["name"], addonName="coredns", configurationValues="[]")
    assert refused["Message"].startswith("ConfigurationValue provided in request is not supported")


# -- tokens


def test_a_token_of_nobody_is_refused(cloud, cluster):
    iam = cloud.client("iam")
    iam.create_open_id_connect_provider(Url=cluster["identity"]["oidc"]["issuer"], ClientIDList=["sts.amazonaws.com"])
    role = make_role(cloud, "ec2.amazonaws.com")
    named = {"RoleArn": role, "RoleSessionName": "app", "WebIdentityToken": "a.b.c"}
    assert code_of(cloud.client("sts").assume_role_with_web_identity, **named) == "InvalidIdentityToken"
