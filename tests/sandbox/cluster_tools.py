"""A simulated account with a HyperPod cluster that has nodes, and kubectl as its administrator."""

import base64
import json
import pathlib
import subprocess

from kubernetes_tools import tools_folder
from sagemaker_test import Ground
from sandbox_process import AWS, Sandbox


class KubeCluster:
    def __init__(self, folder: pathlib.Path, scale: int, name: str):
        self.cloud = Sandbox(folder / "state").start("--scale", str(scale))
        self.ground = Ground(self.cloud)
        self.eks_name = self.ground.make(name)
        described = self.ground.eks.describe_cluster(name=self.eks_name)["cluster"]
        authority = folder / "ca.pem"
        authority.write_bytes(base64.b64decode(described["certificateAuthority"]["data"]))
        login = {
            "apiVersion": "client.authentication.k8s.io/v1beta1",
            "command": str(AWS),
            "args": ["eks", "get-token", "--cluster-name", self.eks_name, "--output", "json"],
            "interactiveMode": "Never",
        }
        server = {"server": described["endpoint"], "certificate-authority": str(authority)}
        config = {
            "apiVersion": "v1",
            "kind": "Config",
            "clusters": [{"name": "c", "cluster": server}],
            "users": [{"name": "u", "user": {"exec": login}}],
            "contexts": [{"name": "x", "context": {"cluster": "c", "user": "u"}}],
            "current-context": "x",
        }
        self.config = folder / "kubeconfig"
        self.config.write_text(json.dumps(config))
        self.home = folder

    def run(self, *words: str, stdin: str | None = None) -> subprocess.CompletedProcess:
        environment = self.cloud.environment(KUBECONFIG=str(self.config), HOME=str(self.home))
        command = [str(tools_folder() / "kubectl"), *words]
        return subprocess.run(command, input=stdin, env=environment, capture_output=True, text=True, timeout=120)

    def kubectl(self, *words: str, stdin: str | None = None) -> str:
        """Its standard output; it must succeed."""
        done = self.run(*words, stdin=stdin)
        assert done.returncode == 0, f"{words}: {done.stderr}"
        return done.stdout

    def apply(self, *objects: dict) -> None:
        self.kubectl("apply", "-f", "-", stdin="\n---\n".join(json.dumps(one) for one in objects))

    def stop(self) -> None:
        assert self.cloud.stop() == 0, self.cloud.log.read_text()
