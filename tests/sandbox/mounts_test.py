"""Buckets in simulated pods: what `aws s3` wrote a pod reads, what it writes `aws s3` sees. Static provisioning as the
documentation of the Mountpoint for Amazon S3 CSI driver has it."""

import json

import pytest
from cluster_tools import KubeCluster
from sandbox_process import wait_until

BUCKET = "mounted-data"


@pytest.fixture(scope="module")
def cluster(tmp_path_factory):
    made = KubeCluster(tmp_path_factory.mktemp("mounts"), 200, "mounts")
    location = {"LocationConstraint": "us-west-2"}
    made.cloud.client("s3").create_bucket(Bucket=BUCKET, CreateBucketConfiguration=location)
    made.ground.eks.create_addon(clusterName=made.eks_name, addonName="aws-mountpoint-s3-csi-driver")
    wait_until(lambda: made.run("get", "csidriver", "s3.csi.aws.com").returncode == 0)
    yield made
    made.stop()


def volume(name: str, bucket: str = BUCKET, **attributes: str) -> list[dict]:
    csi = {
        "driver": "s3.csi.aws.com",
        "volumeHandle": f"handle-{name}",
        "volumeAttributes": {"bucketName": bucket} | attributes,
    }
    spec = {
        "capacity": {"storage": "1200Gi"},
        "accessModes": ["ReadWriteMany"],
        "storageClassName": "",
        "claimRef": {"namespace": "default", "name": name},
        "mountOptions": ["allow-delete", "region us-west-2", "prefix runs/"],
        "csi": csi,
    }
    claim = {
        "accessModes": ["ReadWriteMany"],
        "storageClassName": "",
        "resources": {"requests": {"storage": "1200Gi"}},
        "volumeName": name,
    }
    return [
        {"apiVersion": "v1", "kind": "PersistentVolume", "metadata": {"name": name}, "spec": spec},
        {"apiVersion": "v1", "kind": "PersistentVolumeClaim", "metadata": {"name": name}, "spec": claim},
    ]


def pod(name: str, script: str, claim: str) -> dict:
    container = {
        "name": "app",
        "image": "busybox",
        "command": ["sh", "-c", script],
        "volumeMounts": [{"name": "data", "mountPath": "/data"}],
    }
    volumes = [{"name": "data", "persistentVolumeClaim": {"claimName": claim}}]
    spec = {"restartPolicy": "Never", "containers": [container], "volumes": volumes}
    return {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": name}, "spec": spec}


def wait_for_mount_failure(cluster: KubeCluster, name: str, words: str) -> None:
    wait_until(lambda: "FailedMount" in cluster.kubectl("describe", "pod", name))
    assert words in cluster.kubectl("describe", "pod", name)
    assert "ContainerCreating" in cluster.kubectl("get", "pod", name)


def test_a_pod_reads_and_writes_a_bucket(cluster, tmp_path):
    given = tmp_path / "in.txt"
    given.write_text("from outside\n")
    assert cluster.cloud.aws("s3", "cp", str(given), f"s3://{BUCKET}/runs/in.txt").returncode == 0
    cluster.apply(*volume("data"), pod("reader", "cat /data/in.txt; ls /data; echo from inside > /data/out/o.txt", "data"))
    cluster.kubectl("wait", "pod/reader", "--for=jsonpath={.status.phase}=Succeeded", "--timeout=60s")
    assert cluster.kubectl("logs", "reader") == "from outside\nin.txt\n"
    assert "o.txt" in cluster.cloud.aws("s3", "ls", f"s3://{BUCKET}/runs/out/").stdout
    assert cluster.cloud.aws("s3", "cp", f"s3://{BUCKET}/runs/out/o.txt", "-").stdout == "from inside\n"


def test_a_bucket_that_is_not_there_fails_the_mount(cluster):
    cluster.apply(*volume("none", "no-such-bucket"), pod("lost", "ls /data", "none"))
    wait_for_mount_failure(cluster, "lost", "The bucket does not exist")


def test_a_pods_own_role_must_be_allowed(cluster):
    iam = cluster.cloud.client("iam")
    statement = {
        "Effect": "Allow",
        "Principal": {"Service": "pods.eks.amazonaws.com"},
        "Action": ["sts:AssumeRole", "sts:TagSession"],
    }
    trust = json.dumps({"Version": "2012-10-17", "Statement": [statement]})
    role = iam.create_role(RoleName="pod-role", AssumeRolePolicyDocument=trust)["Role"]["Arn"]
    cluster.ground.eks.create_pod_identity_association(
        clusterName=cluster.eks_name, namespace="default", serviceAccount="default", roleArn=role
    )
    cluster.apply(*volume("own", authenticationSource="pod"), pod("guarded", "ls /data", "own"))
    wait_for_mount_failure(cluster, "guarded", "not authorized to perform: s3:ListBucket")
    iam.attach_role_policy(RoleName="pod-role", PolicyArn="arn:aws:iam::aws:policy/AmazonS3ReadOnlyAccess")
    cluster.kubectl("wait", "pod/guarded", "--for=jsonpath={.status.phase}=Succeeded", "--timeout=60s")
