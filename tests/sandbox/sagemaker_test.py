"""Simulated HyperPod as boto3 and `aws` see it: a cluster from nothing to nothing, its nodes, groups, events and logs,
what breaks and is repaired, and a power failure while a cluster is made."""

import base64
import json
import ssl
import time
import urllib.request
import uuid

import botocore.exceptions
import pytest
from sandbox_process import Sandbox, wait_until

REGION = "us-west-2"
FAST = ("--scale", "600")  # A cluster takes a second or two.
SUBNETS = (("10.0.16.0/20", "us-west-2a"), ("10.0.32.0/20", "us-west-2b"))
AGENT_LABELS = {"app": "health-monitoring-agent"}
ROLES = ("deep-health-check-service-account-role", "job-auto-restart", "hyperpod-patching")


def trust(service: str) -> str:
    statement = {"Effect": "Allow", "Principal": {"Service": service}, "Action": "sts:AssumeRole"}
    return json.dumps({"Version": "2012-10-17", "Statement": [statement]})


def code_of(call, **named) -> str:
    with pytest.raises(botocore.exceptions.ClientError) as refused:
        call(**named)
    return refused.value.response["Error"]["Code"]


class Ground:
    """What a HyperPod cluster stands on, in a sandbox."""

    def __init__(self, cloud: Sandbox):
        self.cloud = cloud
        ec2, iam, s3 = cloud.client("ec2"), cloud.client("iam"), cloud.client("s3")
        self.eks, self.sagemaker, self.logs = (cloud.client(name) for name in ("eks", "sagemaker", "logs"))
        vpc = ec2.create_vpc(CidrBlock="10.0.0.0/16")["Vpc"]["VpcId"]
        self.subnets = [
            ec2.create_subnet(VpcId=vpc, CidrBlock=block, AvailabilityZone=zone)["Subnet"]["SubnetId"]
            for block, zone in SUBNETS
        ]
        self.group = ec2.create_security_group(GroupName="nodes", Description="nodes", VpcId=vpc)["GroupId"]
        self.let_members_through(ec2)
        self.role = iam.create_role(RoleName="nodes", AssumeRolePolicyDocument=trust("sagemaker.amazonaws.com"))[
            "Role"
        ]["Arn"]
        iam.attach_role_policy(
            RoleName="nodes", PolicyArn="arn:aws:iam::aws:policy/AmazonSageMakerClusterInstanceRolePolicy"
        )
        self.eks_role = iam.create_role(RoleName="eks", AssumeRolePolicyDocument=trust("eks.amazonaws.com"))["Role"][
            "Arn"
        ]
        s3.create_bucket(Bucket="sagemaker-scripts", CreateBucketConfiguration={"LocationConstraint": REGION})
        s3.put_object(Bucket="sagemaker-scripts", Key="v1/on_create.sh", Body=b"#!/bin/bash\n")

    def let_members_through(self, ec2) -> None:
        """As EFA needs it."""
        all_of_them = [{"IpProtocol": "-1", "UserIdGroupPairs": [{"GroupId": self.group}]}]
        ec2.authorize_security_group_ingress(GroupId=self.group, IpPermissions=all_of_them)
        ec2.authorize_security_group_egress(GroupId=self.group, IpPermissions=all_of_them)

    def make_eks(self) -> str:
        name = f"eks-{uuid.uuid4().hex[:8]}"
        self.eks.create_cluster(
            name=name,
            roleArn=self.eks_role,
            resourcesVpcConfig={"subnetIds": self.subnets},
            accessConfig={"authenticationMode": "API_AND_CONFIG_MAP", "bootstrapClusterCreatorAdminPermissions": True},
        )
        self.eks.get_waiter("cluster_active").wait(name=name, WaiterConfig={"Delay": 1, "MaxAttempts": 60})
        return name

    # -- Kubernetes, with a token as `aws eks get-token` makes it

    def kube(self, eks_name: str, method: str, path: str, body=None):
        cluster = self.eks.describe_cluster(name=eks_name)["cluster"]
        token = self.cloud.aws_json("eks", "get-token", "--cluster-name", eks_name)["status"]["token"]
        authority = base64.b64decode(cluster["certificateAuthority"]["data"]).decode()
        request = urllib.request.Request(cluster["endpoint"] + path, method=method)
        request.add_header("Authorization", f"Bearer {token}")
        if body is not None:
            request.data = json.dumps(body).encode()
            request.add_header("Content-Type", "application/json")
        context = ssl.create_default_context(cadata=authority)
        with urllib.request.urlopen(request, timeout=30, context=context) as answer:
            return json.load(answer)

    def install_dependencies(self, eks_name: str) -> None:
        """What HyperPod looks for before it makes a cluster, as its Helm chart has it."""
        namespaced = "/namespaces/aws-hyperpod"
        self.make_object(eks_name, "v1", "Namespace", "/namespaces", {"metadata": {"name": "aws-hyperpod"}})
        for name in ROLES:
            rules = {"metadata": {"name": name}, "rules": []}
            self.make_object(eks_name, "rbac.authorization.k8s.io/v1", "ClusterRole", "/clusterroles", rules)
        template = {
            "metadata": {"labels": AGENT_LABELS},
            "spec": {"containers": [{"name": "agent", "image": "example.invalid/health-monitoring-agent:1"}]},
        }
        agent = {
            "metadata": {"name": "health-monitoring-agent"},
            "spec": {"selector": {"matchLabels": AGENT_LABELS}, "template": template},
        }
        self.make_object(eks_name, "apps/v1", "DaemonSet", f"{namespaced}/daemonsets", agent)

    def make_object(self, eks_name: str, version: str, kind: str, path: str, body: dict) -> None:
        root = "/api/v1" if version == "v1" else f"/apis/{version}"
        self.kube(eks_name, "POST", root + path, {"apiVersion": version, "kind": kind} | body)

    # -- HyperPod

    def instance_group(self, name: str = "workers", count: int = 2, kind: str = "ml.g5.8xlarge", **more) -> dict:
        return {
            "InstanceGroupName": name,
            "InstanceCount": count,
            "InstanceType": kind,
            "ExecutionRole": self.role,
            "LifeCycleConfig": {"SourceS3Uri": "s3://sagemaker-scripts/v1", "OnCreate": "on_create.sh"},
        } | more

    def request(self, name: str, eks_name: str, *groups: dict, **more) -> dict:
        arn = self.eks.describe_cluster(name=eks_name)["cluster"]["arn"]
        return {
            "ClusterName": name,
            "Orchestrator": {"Eks": {"ClusterArn": arn}},
            "InstanceGroups": list(groups) or [self.instance_group()],
            "VpcConfig": {"SecurityGroupIds": [self.group], "Subnets": self.subnets[:1]},
            "NodeRecovery": "Automatic",
            "NodeProvisioningMode": "Continuous",
        } | more

    def make(self, name: str, *groups: dict, **more) -> str:
        eks_name = self.make_eks()
        self.install_dependencies(eks_name)
        self.sagemaker.create_cluster(**self.request(name, eks_name, *groups, **more))
        self.wait_for_nodes(name)
        return eks_name

    def nodes(self, name: str) -> list[dict]:
        pages = self.sagemaker.get_paginator("list_cluster_nodes").paginate(
            ClusterName=name, PaginationConfig={"PageSize": 2}
        )
        return [node for page in pages for node in page["ClusterNodeSummaries"]]

    def wait_for_nodes(self, name: str) -> None:
        def done() -> bool:
            cluster = self.sagemaker.describe_cluster(ClusterName=name)
            groups = cluster["InstanceGroups"]
            steady = all(group["CurrentCount"] == group["TargetCount"] for group in groups)
            running = all(node["InstanceStatus"]["Status"] == "Running" for node in self.nodes(name))
            return cluster["ClusterStatus"] == "InService" and steady and running

        wait_until(done, 60)

    def delete(self, name: str) -> None:
        self.sagemaker.delete_cluster(ClusterName=name)
        wait_until(lambda: name not in self.names(), 60)

    def names(self) -> list[str]:
        return [one["ClusterName"] for one in self.sagemaker.list_clusters()["ClusterSummaries"]]

    def break_node(self, cluster: str, node: str, kind: str) -> None:
        self.cloud.control("PUT", "node-fault", {"cluster": cluster, "node": node, "kind": kind})


@pytest.fixture(scope="module")
def ground(tmp_path_factory):
    cloud = Sandbox(tmp_path_factory.mktemp("sagemaker") / "state").start(*FAST)
    yield Ground(cloud)
    assert cloud.stop() == 0, cloud.log.read_text()


@pytest.fixture(scope="module")
def pod(ground):
    """A cluster whose nodes run; its name and that of its EKS cluster."""
    return "pod", ground.make("pod")


def test_a_cluster_without_its_dependencies_is_refused(ground):
    eks_name = ground.make_eks()
    with pytest.raises(botocore.exceptions.ClientError) as refused:
        ground.sagemaker.create_cluster(**ground.request("bare", eks_name))
    error = refused.value.response["Error"]
    assert error["Code"] == "ValidationException"
    assert "missing one or more required dependencies" in error["Message"]


def test_nodes_of_the_cluster_are_nodes_of_kubernetes(ground, pod):
    name, eks_name = pod
    joined = {node["metadata"]["name"]: node for node in ground.kube(eks_name, "GET", "/api/v1/nodes")["items"]}
    for node in ground.nodes(name):
        labels = joined[f"hyperpod-{node['InstanceId']}"]["metadata"]["labels"]
        assert labels["node.kubernetes.io/instance-type"] == "ml.g5.8xlarge"
        assert labels["sagemaker.amazonaws.com/node-health-status"] == "Schedulable"
        details = ground.sagemaker.describe_cluster_node(ClusterName=name, NodeId=node["InstanceId"])["NodeDetails"]
        assert details["PrivateDnsHostname"].startswith("ip-10-0-")


def test_the_command_line_describes_it(ground, pod):
    described = ground.cloud.aws_json("sagemaker", "describe-cluster", "--cluster-name", pod[0])
    assert described["NodeProvisioningMode"] == "Continuous"
    assert described["InstanceGroups"][0]["CurrentCount"] == 2


def test_events_and_lifecycle_logs(ground, pod):
    pages = ground.sagemaker.get_paginator("list_cluster_events").paginate(ClusterName=pod[0])
    events = [event for page in pages for event in page["Events"]]
    assert events[-1]["Description"] == "Cluster creation began"
    detail = ground.sagemaker.describe_cluster_event(ClusterName=pod[0], EventId=events[0]["EventId"])
    assert detail["EventDetails"]["EventId"] == events[0]["EventId"]
    arn = ground.sagemaker.describe_cluster(ClusterName=pod[0])["ClusterArn"]
    found = ground.logs.filter_log_events(
        logGroupName=f"/aws/sagemaker/Clusters/{pod[0]}/{arn.split('/')[-1]}", filterPattern='"exit code 0"'
    )
    assert len(found["events"]) >= 2


def test_a_group_comes_grows_and_goes(ground, pod):
    name, client = pod[0], ground.sagemaker
    client.update_cluster(ClusterName=name, InstanceGroups=[ground.instance_group("more", 1, "ml.m5.xlarge")])
    ground.wait_for_nodes(name)
    added = client.batch_add_cluster_nodes(
        ClusterName=name, NodesToAdd=[{"InstanceGroupName": "more", "IncrementTargetCountBy": 1}]
    )
    assert len(added["Successful"]) == 1 and not added["Failed"]
    ground.wait_for_nodes(name)
    victim = next(node for node in ground.nodes(name) if node["InstanceGroupName"] == "more")["InstanceId"]
    deleted = client.batch_delete_cluster_nodes(ClusterName=name, NodeIds=[victim, "i-00000000000000000"])
    assert deleted["Successful"] == [victim]
    assert deleted["Failed"][0]["Code"] == "NodeIdNotFound"
    client.update_cluster(ClusterName=name, InstanceGroupsToDelete=["more"])
    wait_until(lambda: len(client.describe_cluster(ClusterName=name)["InstanceGroups"]) == 1)


def test_a_broken_node_is_replaced_and_one_that_hangs_rebooted(ground, pod):
    name = pod[0]
    first, second = (node["InstanceId"] for node in ground.nodes(name))
    ground.break_node(name, first, "xid")
    ground.break_node(name, second, "hang")

    def replaced() -> bool:
        return first not in [node["InstanceId"] for node in ground.nodes(name)]

    wait_until(replaced, 60)
    ground.wait_for_nodes(name)
    assert second in [node["InstanceId"] for node in ground.nodes(name)]


def test_errors_have_the_codes_that_clients_know(ground, pod):
    client = ground.sagemaker
    with pytest.raises(client.exceptions.ResourceNotFound):
        client.describe_cluster(ClusterName="none")
    with pytest.raises(client.exceptions.ResourceInUse):
        client.create_cluster(**ground.request(pod[0], pod[1]))
    with pytest.raises(client.exceptions.ResourceLimitExceeded) as refused:
        client.update_cluster(ClusterName=pod[0], InstanceGroups=[ground.instance_group(count=40)])
    assert "ml.g5.8xlarge for cluster usage" in str(refused.value)
    changed = ground.instance_group(kind="ml.g5.12xlarge")
    assert code_of(client.update_cluster, ClusterName=pod[0], InstanceGroups=[changed]) == "ValidationException"


def test_tags_plans_and_offerings(ground, pod):
    client = ground.sagemaker
    arn = client.describe_cluster(ClusterName=pod[0])["ClusterArn"]
    client.add_tags(ResourceArn=arn, Tags=[{"Key": "team", "Value": "a"}])
    assert client.list_tags(ResourceArn=arn)["Tags"] == [{"Key": "team", "Value": "a"}]
    plans = client.list_training_plans(Filters=[{"Name": "Status", "Value": "Active"}])["TrainingPlanSummaries"]
    assert plans and "hyperpod-cluster" in plans[0]["TargetResources"]
    offerings = client.search_training_plan_offerings(
        InstanceType="ml.p5.48xlarge", InstanceCount=1, DurationHours=24, TargetResources=["hyperpod-cluster"]
    )
    assert offerings["TrainingPlanOfferings"]


def test_capacity_that_is_not_there_is_told(ground):
    eks_name = ground.make_eks()
    ground.install_dependencies(eks_name)
    ground.cloud.faults(
        {
            "service": "sagemaker",
            "operation": "CreateCluster",
            "kind": "resource_failure",
            "code": "InsufficientInstanceCapacity",
            "message": "We currently do not have sufficient capacity.",
        }
    )
    ground.sagemaker.create_cluster(**ground.request("scarce", eks_name))

    def told() -> bool:
        events = ground.sagemaker.list_cluster_events(ClusterName="scarce", MaxResults=100)["Events"]
        return any(event["EventLevel"] == "Error" for event in events)

    wait_until(told, 60)
    wait_until(lambda: ground.sagemaker.describe_cluster(ClusterName="scarce")["ClusterStatus"] == "InService", 60)
    ground.delete("scarce")


def test_software_is_updated(ground, pod):
    ground.sagemaker.update_cluster_software(ClusterName=pod[0])
    assert code_of(ground.sagemaker.delete_cluster, ClusterName=pod[0]) == "ConflictException"
    ground.wait_for_nodes(pod[0])


def test_a_power_failure_while_a_cluster_is_made(tmp_path):
    cloud = Sandbox(tmp_path / "state").start(*FAST)
    try:
        ground = Ground(cloud)
        eks_name = ground.make_eks()
        ground.install_dependencies(eks_name)
        ground.sagemaker.create_cluster(**ground.request("kept", eks_name))
        time.sleep(0.3)  # Wherever it is then, it goes on from there.
        cloud.kill()
        cloud.start(*FAST)
        ground.sagemaker = cloud.client("sagemaker")
        ground.wait_for_nodes("kept")
        assert len(ground.nodes("kept")) == 2
    finally:
        cloud.stop()
