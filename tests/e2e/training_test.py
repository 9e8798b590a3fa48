"""training_submit, job_get and job_delete against the simulated AWS, with kubectl and boto3 as judges."""

import pytest

from dependencies_test import kubectl_json, path, reconcile
from sandbox_process import wait_until
from support.house import House, is_repeated

JOBS = "/api/v1/clusters/demo/jobs"
GROUP = {"name": "workers", "instance_type": "ml.g5.8xlarge", "count": 2}
SCRIPT = "import torch\nprint('training')\n"
TRAIN = {"image": "123456789012.dkr.ecr.us-west-2.amazonaws.com/train:1", "script": "/data/train.py", "nodes": 2}
# What HyperPod needs; the training operator is not among it.
NEEDED = [
    "health_agent",
    "deep_health_check",
    "job_auto_restart",
    "hyperpod_patching",
    "nvidia_device_plugin",
    "efa_device_plugin",
]


@pytest.fixture(scope="module")
def house(tmp_path_factory):
    """A house whose cluster has two nodes of one GPU each and a bucket at /data, and ran a first job."""
    folder = tmp_path_factory.mktemp("training")
    with House(folder, scale=1000) as running:
        running.folder = folder
        running.run("POST", "/api/v1/control-planes", {"name": "demo", "region": "us-west-2"})
        reconcile(running, components=NEEDED)
        method, route = path(running, "hyperpod_create")
        running.run(method, route, {"group": GROUP})
        running.run(
            "POST", "/api/v1/clusters/demo/storage", {"name": "shared", "bucket": "demo-data-7", "create": True}
        )
        running.sandbox.client("s3").put_object(Bucket="demo-data-7", Key="train.py", Body=SCRIPT.encode())
        running.before = len(running.mutations())
        running.operation = running.run("POST", JOBS, job("first", "--max_steps=50"))
        yield running


def job(name, *arguments, **more):
    return TRAIN | {"name": name, "script_arguments": list(arguments)} | more


def get(house, name):
    answer = house.server.call("GET", f"{JOBS}/{name}")
    assert answer.status == 200, answer.body
    return answer.body["job"]


def wait_for_state(house, name, *states):
    wait_until(lambda: get(house, name)["state"] in states)
    return get(house, name)


def fault(house, pod, kind, **more):
    house.sandbox.control("POST", "pod-fault", {"cluster": "demo", "pod": pod, "kind": kind} | more)


def delete(house, name):
    answer = house.server.call("DELETE", f"{JOBS}/{name}")
    assert answer.status == 409 and answer.body["status"] == "confirm_required", answer.body
    return house.run("DELETE", f"{JOBS}/{name}?confirm_token={answer.body['confirm_token']}")


def test_the_operator_came_first_and_each_call_was_made_once(house):
    made = house.mutations()[house.before :]
    operations = [row["operation"] for row in made]
    assert operations[-1] == "create hyperpodpytorchjobs", operations
    assert {"CreateAddon", "CreateRole", "AttachRolePolicy", "CreatePodIdentityAssociation"} <= set(operations)
    assert not is_repeated(made)


def test_the_operator_may_do_what_aws_says_it_needs(house):
    iam = house.sandbox.client("iam")
    attached = iam.list_attached_role_policies(RoleName="demo-us-west-2-training")["AttachedPolicies"]
    assert [one["PolicyName"] for one in attached] == ["AmazonSageMakerHyperPodTrainingOperatorAccess"]
    cluster = house.sandbox.aws_json("sagemaker", "describe-cluster", "--cluster-name", "demo")["ClusterArn"]
    tags = house.sandbox.aws_json("sagemaker", "list-tags", "--resource-arn", cluster)["Tags"]
    assert {"Key": "SageMaker", "Value": "true"} in tags


def test_it_ran_to_its_end_and_what_it_wrote_is_in_the_bucket(house):
    ended = wait_for_state(house, "first", "succeeded", "failed")
    assert ended["state"] == "succeeded", ended
    assert ended["restarts"] | {"limit": 10, "used": 0, "left": 10} == ended["restarts"]
    keys = [one["Key"] for one in house.sandbox.client("s3").list_objects_v2(Bucket="demo-data-7")["Contents"]]
    assert any(key.startswith("output/first/") for key in keys), keys


def test_kubectl_sees_a_plain_job_with_its_proof(house):
    seen = kubectl_json(house, "get", "hyperpodpytorchjobs", "first")
    assert seen["metadata"]["annotations"]["instantstart/operation"] == house.operation["id"]
    pod = seen["spec"]["replicaSpecs"][0]["template"]["spec"]
    assert pod["nodeSelector"] == {"node.kubernetes.io/instance-type": "ml.g5.8xlarge"}
    container = pod["containers"][0]
    assert container["command"][:6] == [
        "hyperpodrun",
        "--nnodes=2",
        "--nproc-per-node=1",
        "--tee=3",
        "--log-dir=/tmp/hyperpod",
        "/data/train.py",
    ]
    assert container["resources"]["requests"] == container["resources"]["limits"]
    assert container["resources"]["limits"]["nvidia.com/gpu"] == "1"
    assert {"name": "data", "mountPath": "/data"} in container["volumeMounts"]


def test_asked_again_nothing_is_sent_and_other_content_is_refused(house):
    before = len(house.mutations())
    assert house.run("POST", JOBS, job("first", "--max_steps=50"))["steps"] == []
    answer = house.server.call("POST", JOBS, job("first", "--max_steps=51"))
    assert answer.status == 409 and answer.body["code"] == "name_taken", answer.body
    assert len(house.mutations()) == before


def test_what_the_nodes_cant_give_is_told_at_once(house):
    before = len(house.mutations())
    answer = house.server.call("POST", JOBS, job("big", nodes=3, gpus_per_node=8, memory="4Ti"))
    assert answer.status == 400 or answer.status == 422, answer.body
    pointers = {problem["pointer"] for problem in answer.body["problems"]}
    assert pointers == {"/nodes", "/gpus_per_node", "/memory"}
    assert len(house.mutations()) == before


def test_each_crash_lowers_the_budget_and_none_left_ends_the_job(house):
    house.run("POST", JOBS, job("crashing", "--max_steps=200000", max_restarts=2))
    for used in (1, 2):
        wait_for_state(house, "crashing", "running")
        fault(house, "crashing-pods-1", "crash")
        wait_until(lambda used=used: get(house, "crashing")["restarts"]["used"] == used)
        assert get(house, "crashing")["restarts"]["left"] == 2 - used
        assert get(house, "crashing")["latest_fault"]["pods"] == ["crashing-pods-1"]
    wait_for_state(house, "crashing", "running")
    fault(house, "crashing-pods-1", "crash")
    ended = wait_for_state(house, "crashing", "failed")
    assert ended["failure"], ended
    assert "The budget is used up: 2 of 2 restarts." in ended["reasons"]
    delete(house, "crashing")


def test_silence_is_found_as_a_hang_and_answered(house):
    rule = {"name": "steps", "pattern": ".*'loss'", "expected_start_seconds": 600, "expected_recurring_seconds": 900}
    house.run("POST", JOBS, job("silent", "--max_steps=200000", log_monitoring=[rule]))
    wait_for_state(house, "silent", "running")
    fault(house, "silent-pods-0", "silence")
    wait_until(lambda: get(house, "silent")["restarts"]["used"] >= 1)
    found = get(house, "silent")
    assert found["log_finding"] == {"kind": "hang", "rule": "steps"}, found
    delete(house, "silent")


def test_a_busy_cluster_is_told_in_words_and_a_rollback_takes_the_job_away(house):
    house.run("POST", JOBS, job("busy", "--max_steps=200000"))
    planned = house.server.call("POST", JOBS, job("waiting", dry_run=True)).body["plan"]
    assert any("free now" in warning for warning in planned["warnings"]), planned
    operation_id = house.start("POST", JOBS, job("waiting"))
    wait_until(lambda: house.server.call("GET", f"{JOBS}/waiting").status == 200)
    wait_until(lambda: any("nvidia.com/gpu" in reason for reason in get(house, "waiting")["reasons"]))
    assert get(house, "waiting")["state"] == "pending"
    cancelled = house.server.call("POST", f"/api/v1/operations/{operation_id}/cancel", {"rollback": True})
    if cancelled.status == 409:
        cancelled = house.server.call(
            "POST",
            f"/api/v1/operations/{operation_id}/cancel",
            {"rollback": True, "confirm_token": cancelled.body["confirm_token"]},
        )
    assert house.wait_for_end(operation_id)["state"] == "cancelled"
    assert house.server.call("GET", f"{JOBS}/waiting").status == 404
    delete(house, "busy")


def test_deleted_it_is_gone_with_its_pods_and_its_files_stay(house):
    house.run("POST", JOBS, job("going", "--max_steps=200000"))
    delete(house, "going")
    assert house.server.call("GET", f"{JOBS}/going").status == 404
    pods = kubectl_json(house, "get", "pods", "-l", "instantstart/job=going")["items"]
    assert pods == []
    listed = [one["name"] for one in house.server.call("GET", JOBS).body["jobs"]]
    assert "first" in listed and "going" not in listed
