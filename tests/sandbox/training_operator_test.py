"""The simulated training operator with kubectl as the judge: a job from its manifest to its end, a crash, a hang."""

import base64
import json
import subprocess

import pytest
from kubernetes_tools import tools_folder
from sagemaker_test import Ground
from sandbox_process import AWS, Sandbox, wait_until

SCALE = ("--scale", "200")  # A training run of ten minutes takes three seconds.
AGENT = ("--nnodes=$(NNODES)", "--nproc-per-node=1", "--tee=3", "--log-dir=/tmp/hyperpod")
ADDON = "amazon-sagemaker-hyperpod-training-operator"


def manifest(name: str, run_policy: dict | None = None, *arguments: str) -> str:
    container = {
        "name": "pytorch",
        "image": "registry/pytorch-training:2.7",
        "command": ["hyperpodrun"],
        "args": [*AGENT, "/app/train.py", *arguments],
        "resources": {"limits": {"nvidia.com/gpu": 1}},
    }
    job = {
        "apiVersion": "sagemaker.amazonaws.com/v1",
        "kind": "HyperPodPyTorchJob",
        "metadata": {"name": name},
        "spec": {
            "replicaSpecs": [{"name": "pods", "replicas": 2, "template": {"spec": {"containers": [container]}}}],
            "runPolicy": {"cleanPodPolicy": "None", "ttlSecondsAfterFinished": -1} | (run_policy or {}),
        },
    }
    return json.dumps(job)


class Cluster:
    def __init__(self, folder):
        self.cloud = Sandbox(folder / "state").start(*SCALE)
        self.ground = Ground(self.cloud)
        self.eks_name = self.ground.make("train")
        self.ground.eks.create_addon(clusterName=self.eks_name, addonName=ADDON)
        described = self.ground.eks.describe_cluster(name=self.eks_name)["cluster"]
        authority = folder / "ca.pem"
        authority.write_bytes(base64.b64decode(described["certificateAuthority"]["data"]))
        words = ["eks", "get-token", "--cluster-name", self.eks_name, "--output", "json"]
        user = {
            "exec": {
                "apiVersion": "client.authentication.k8s.io/v1beta1",
                "command": str(AWS),
                "args": words,
                "interactiveMode": "Never",
            }
        }
        config = {
            "apiVersion": "v1",
            "kind": "Config",
            "clusters": [
                {"name": "c", "cluster": {"server": described["endpoint"], "certificate-authority": str(authority)}}
            ],
            "users": [{"name": "u", "user": user}],
            "contexts": [{"name": "x", "context": {"cluster": "c", "user": "u"}}],
            "current-context": "x",
        }
        self.config = folder / "kubeconfig"
        self.config.write_text(json.dumps(config))
        self.tool = tools_folder() / "kubectl"
        self.home = folder

    def run(self, *words: str, stdin: str | None = None) -> subprocess.CompletedProcess:
        environment = self.cloud.environment(KUBECONFIG=str(self.config), HOME=str(self.home))
        return subprocess.run(
            [str(self.tool), *words], input=stdin, env=environment, capture_output=True, text=True, timeout=120
        )

    def kubectl(self, *words: str, stdin: str | None = None) -> str:
        done = self.run(*words, stdin=stdin)
        assert done.returncode == 0, f"{words}: {done.stderr}"
        return done.stdout

    def job(self, name: str) -> dict:
        return json.loads(self.kubectl("get", "hyperpodpytorchjob", name, "-o", "json"))

    def wait_for(self, name: str, condition: str) -> None:
        self.kubectl("wait", f"hyperpodpytorchjob/{name}", f"--for=condition={condition}", "--timeout=60s")

    def break_pod(self, pod: str, kind: str, **more) -> None:
        fault = {"cluster": self.eks_name, "namespace": "default", "pod": pod, "kind": kind} | more
        self.cloud.control("POST", "pod-fault", fault)

    def steps_in_log(self, pod: str) -> bool:
        return "'loss'" in self.run("logs", pod).stdout


@pytest.fixture(scope="module")
def cluster(tmp_path_factory):
    made = Cluster(tmp_path_factory.mktemp("training"))
    definition = "crd/hyperpodpytorchjobs.sagemaker.amazonaws.com"
    wait_until(lambda: made.run("wait", "--for=condition=Established", definition).returncode == 0)
    yield made
    assert made.cloud.stop() == 0, made.cloud.log.read_text()


@pytest.fixture
def cleaned(cluster):
    yield cluster
    cluster.kubectl("delete", "hyperpodpytorchjobs", "--all", "--timeout=60s")
    wait_until(lambda: "-pods-" not in cluster.kubectl("get", "pods"))


def test_a_job_runs_to_its_end(cleaned):
    cleaned.kubectl("apply", "--validate=strict", "-f", "-", stdin=manifest("first"))
    cleaned.wait_for("first", "Running")
    shown = cleaned.kubectl("get", "nodes,pods,hyperpodpytorchjobs", "-A")
    for part in ("hyperpod-i-", "first-pods-0", "first-pods-1", "hp-training-operator-controller-manager"):
        assert part in shown
    log = cleaned.kubectl("logs", "-f", "first-pods-0")
    assert "Transitioned from READY to RUNNING" in log
    assert "[default0]:{'loss': '" in log
    assert "120/120" in log
    cleaned.wait_for("first", "Completed")
    assert "Completed" in cleaned.kubectl("get", "hyperpodpytorchjobs", "first")
    assert cleaned.job("first")["status"]["restartCount"] == 0


def test_a_field_that_does_not_exist_is_refused(cluster):
    wrong = json.loads(manifest("wrong"))
    wrong["spec"]["runPolicy"]["maxRetries"] = 1
    done = cluster.run("apply", "--validate=strict", "-f", "-", stdin=json.dumps(wrong))
    assert done.returncode != 0 and "maxRetries" in done.stderr


def test_a_crash_is_repaired_in_place_and_then_fails_the_job(cleaned):
    cleaned.kubectl("apply", "-f", "-", stdin=manifest("fragile", {"jobMaxRetryCount": 1}, "--max-steps=100000"))
    cleaned.wait_for("fragile", "Running")
    wait_until(lambda: cleaned.steps_in_log("fragile-pods-1"))
    uid = json.loads(cleaned.kubectl("get", "pod", "fragile-pods-1", "-o", "json"))["metadata"]["uid"]
    cleaned.break_pod("fragile-pods-1", "crash", exit_code=137, lines=["CUDA out of memory"])
    wait_until(lambda: cleaned.job("fragile")["status"]["restartCount"] == 1)
    cleaned.wait_for("fragile", "Running")
    pod = json.loads(cleaned.kubectl("get", "pod", "fragile-pods-1", "-o", "json"))
    assert pod["metadata"]["uid"] == uid
    assert pod["status"]["containerStatuses"][0]["lastState"]["terminated"]["exitCode"] == 137
    assert "CUDA out of memory" in cleaned.kubectl("logs", "--previous", "fragile-pods-1")
    cleaned.break_pod("fragile-pods-0", "crash", lines=["again"])
    cleaned.wait_for("fragile", "Failed")
    failed = next(one for one in cleaned.job("fragile")["status"]["conditions"] if one["type"] == "Failed")
    assert failed["reason"] == "JobMaxRetryCountExceeded"


def test_a_hang_is_found_by_a_log_rule(cleaned):
    rule = {"name": "loss", "logPattern": ".*'loss'.*", "expectedRecurringFrequencyInSeconds": 1200}
    policy = {"jobMaxRetryCount": 2, "logMonitoringConfiguration": [rule]}
    cleaned.kubectl("apply", "-f", "-", stdin=manifest("quiet", policy, "--max-steps=4000"))
    cleaned.wait_for("quiet", "Running")
    wait_until(lambda: cleaned.steps_in_log("quiet-pods-1"))
    cleaned.break_pod("quiet-pods-1", "silence")
    wait_until(lambda: cleaned.job("quiet")["status"]["restartCount"] == 1)
    cleaned.wait_for("quiet", "Running")
    events = cleaned.kubectl("get", "events", "--field-selector", "involvedObject.name=quiet")
    assert "LogHang_loss" in events


def test_a_run_survives_a_power_failure(cleaned):
    cleaned.kubectl("apply", "-f", "-", stdin=manifest("lasting"))
    cleaned.wait_for("lasting", "Running")
    cleaned.cloud.kill()
    cleaned.cloud.start(*SCALE)
    wait_until(lambda: cleaned.run("get", "hyperpodpytorchjob", "lasting").returncode == 0)
    cleaned.wait_for("lasting", "Completed")
    assert cleaned.job("lasting")["status"]["restartCount"] == 0
