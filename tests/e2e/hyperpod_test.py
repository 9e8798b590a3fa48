"""hyperpod_create, hyperpod_delete and what tells of nodes, against the simulated AWS, with aws and kubectl as judges."""

import json

import pytest

from dependencies_test import kubectl_json, path, reconcile
from support.house import House, is_repeated

REQUEST = {"name": "demo", "region": "us-west-2"}
GROUP = {"name": "workers", "instance_type": "ml.g5.8xlarge", "count": 2}


def prepare(folder, **how):
    house = House(folder, **how)
    house.folder = folder
    return house


def create(house, group=GROUP):
    method, route = path(house, "hyperpod_create")
    return house.run(method, route, {"group": group})


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    with prepare(tmp_path_factory.mktemp("hyperpod")) as running:
        running.run("POST", "/api/v1/control-planes", REQUEST)
        reconcile(running)
        running.operation = create(running)
        yield running


def test_aws_sees_a_cluster_that_recovers_and_provisions_continuously(made):
    cluster = made.sandbox.aws_json("sagemaker", "describe-cluster", "--cluster-name", "demo")
    assert cluster["ClusterStatus"] == "InService"
    assert cluster["NodeRecovery"] == "Automatic"
    assert cluster["NodeProvisioningMode"] == "Continuous"
    group = cluster["InstanceGroups"][0]
    assert (group["InstanceGroupName"], group["CurrentCount"]) == ("workers", 2)
    subnet = made.operation["outputs"]["subnet"]["subnet_id"]
    assert group.get("OverrideVpcConfig", cluster["VpcConfig"])["Subnets"] == [subnet]
    described = made.sandbox.aws_json("ec2", "describe-subnets", "--subnet-ids", subnet)["Subnets"][0]
    assert described["CidrBlock"].endswith("/20")


def test_the_role_of_the_nodes_has_no_wildcard_but_where_aws_has_nothing_narrower(made):
    role = made.operation["outputs"]["role"]["role_arn"].rsplit("/", 1)[-1]
    iam = made.sandbox.client("iam")
    assert iam.get_role(RoleName=role)["Role"]["Path"] == "/instantstart/"
    may_be_anywhere = {"ec2:Describe", "ecr:GetAuthorizationToken", "cloudwatch:", "eks-auth:", "logs:", "ssmmessages:"}
    for name in iam.list_role_policies(RoleName=role)["PolicyNames"]:
        document = iam.get_role_policy(RoleName=role, PolicyName=name)["PolicyDocument"]
        for statement in document["Statement"]:
            actions = statement["Action"] if isinstance(statement["Action"], list) else [statement["Action"]]
            assert "*" not in actions
            if statement["Resource"] in ("*", ["*"]):
                narrow = [one for one in actions if not any(one.startswith(prefix) for prefix in may_be_anywhere)]
                assert not narrow, statement


def test_kubectl_sees_ready_nodes_with_their_labels(made):
    nodes = kubectl_json(made, "get", "nodes")["items"]
    assert len(nodes) == 2
    for node in nodes:
        assert node["metadata"]["labels"]["node.kubernetes.io/instance-type"] == "ml.g5.8xlarge"
        ready = [one["status"] for one in node["status"]["conditions"] if one["type"] == "Ready"]
        assert ready == ["True"]
        assert node["status"]["allocatable"]["nvidia.com/gpu"] == "1"


def test_daemons_run_on_the_nodes_and_dependencies_are_ready(made):
    method, route = path(made, "dependency_list")
    states = {one["name"]: one["state"] for one in made.server.call(method, route).body["dependencies"]}
    assert set(states.values()) == {"ready"}, states
    pods = kubectl_json(made, "get", "pods", "-A")["items"]
    assert {pod["status"]["phase"] for pod in pods} == {"Running"}


def test_nodes_and_groups_are_told_as_aws_has_them(made):
    method, route = path(made, "node_list")
    nodes = made.server.call(method, route).body["nodes"]
    listed = made.sandbox.aws_json("sagemaker", "list-cluster-nodes", "--cluster-name", "demo")["ClusterNodeSummaries"]
    assert {node["instance_id"] for node in nodes} == {node["InstanceId"] for node in listed}
    method, route = path(made, "group_list")
    group = made.server.call(method, route).body["groups"][0]
    assert (group["name"], group["target"], group["current"]) == ("workers", 2, 2)


def test_asked_again_nothing_is_changed_and_nothing_was_done_twice(made):
    before = made.mutations()
    assert not is_repeated(before)
    create(made)
    assert made.mutations() == before


def test_a_quota_that_is_used_up_is_told_before_anything_is_made(tmp_path):
    with prepare(tmp_path) as house:
        house.run("POST", "/api/v1/control-planes", REQUEST)
        reconcile(house)
        before = house.mutations()
        method, route = path(house, "hyperpod_create")
        answer = house.server.call(method, route, {"group": GROUP | {"count": 5000}})
        assert answer.status >= 400, answer.body
        assert "ml.g5.8xlarge" in json.dumps(answer.body)
        assert house.mutations() == before


def test_the_server_dies_over_it_and_nothing_is_made_twice(tmp_path):
    with prepare(tmp_path, scale=600) as house:
        house.run("POST", "/api/v1/control-planes", REQUEST)
        reconcile(house)
        method, route = path(house, "hyperpod_create")
        operation_id = house.start(method, route, {"group": GROUP, "client_token": "t"})
        for _ in range(3):
            house.server.kill()
            house.server.start()
            assert house.start(method, route, {"group": GROUP, "client_token": "t"}) == operation_id
        assert house.wait_for_end(operation_id)["state"] == "succeeded"
        rows = house.mutations()
        assert not is_repeated(rows)
        operations = [row["operation"] for row in rows]
        assert operations.count("CreateBucket") == 1
        assert [row["service"] for row in rows if row["operation"] == "CreateCluster"].count("sagemaker") == 1


def test_deleting_takes_away_what_it_made(tmp_path):
    with prepare(tmp_path) as house:
        house.run("POST", "/api/v1/control-planes", REQUEST)
        reconcile(house)
        create(house)
        method, route = path(house, "hyperpod_delete")
        asked = house.server.call(method, route)
        assert asked.body["status"] == "confirm_required", asked.body
        house.run(method, f"{route}?confirm_token={asked.body['confirm_token']}")
        assert house.sandbox.aws_json("sagemaker", "list-clusters")["ClusterSummaries"] == []
        assert kubectl_json(house, "get", "nodes")["items"] == []
        asked = house.server.call("DELETE", "/api/v1/control-planes/demo")
        assert asked.body["status"] == "confirm_required", asked.body
