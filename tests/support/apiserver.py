"""A real Kubernetes API server with its etcd, on loopback and for one test session."""

import json
import os
import pathlib
import secrets
import socket
import ssl
import subprocess
import time
import urllib.error
import urllib.request

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
SERVICE_ACCOUNTS = "https://kubernetes.default.svc"


class Unavailable(Exception):
    """The programs can't be had on this machine."""


def programs() -> pathlib.Path:
    """The folder with kube-apiserver and etcd. Builds them unless INSTANTSTART_APISERVER_BUILD is 0."""
    look = ["--look"] if os.environ.get("INSTANTSTART_APISERVER_BUILD") == "0" else []
    done = subprocess.run([ROOT / "tools" / "build_apiserver", *look], stdout=subprocess.PIPE, text=True, check=False)
    if done.returncode != 0:
        raise Unavailable("kube-apiserver is not built and can't be, see tools/build_apiserver")
    return pathlib.Path(done.stdout.strip())


def free_ports(count: int) -> list[int]:
    held = [socket.create_server(("127.0.0.1", 0)) for _ in range(count)]
    ports = [one.getsockname()[1] for one in held]
    for one in held:
        one.close()
    return ports


class ApiServer:
    """`with ApiServer(folder) as server:` gives url, ca_pem, token (an administrator) and stranger (no rights)."""

    def __init__(self, folder: pathlib.Path, *more_flags: str):
        self.folder = pathlib.Path(folder)
        self.more_flags = more_flags
        self.processes: list[subprocess.Popen] = []

    def __enter__(self):
        try:
            self.start()
        except BaseException:
            self.stop()
            raise
        return self

    def __exit__(self, *_):
        self.stop()

    def start(self) -> None:
        binaries = programs()
        self.folder.mkdir(parents=True, exist_ok=True)
        self.make_identity()
        self.port, etcd_port, etcd_peer_port = free_ports(3)
        self.url = f"https://127.0.0.1:{self.port}"
        self.etcd_url = f"http://127.0.0.1:{etcd_port}"
        peer_url = f"http://127.0.0.1:{etcd_peer_port}"
        self.run(binaries / "etcd", "--name=test", f"--data-dir={self.folder}/etcd", "--unsafe-no-fsync",
                 "--log-level=warn", f"--listen-client-urls={self.etcd_url}",
                 f"--advertise-client-urls={self.etcd_url}", f"--listen-peer-urls={peer_url}",
                 f"--initial-advertise-peer-urls={peer_url}", f"--initial-cluster=test={peer_url}")  # fmt: skip
        self.run(binaries / "kube-apiserver", f"--etcd-servers={self.etcd_url}", "--bind-address=127.0.0.1",
                 f"--secure-port={self.port}", "--advertise-address=127.0.0.1", "--endpoint-reconciler-type=none",
                 "--tls-cert-file=server.crt", "--tls-private-key-file=server.key", "--client-ca-file=ca.crt",
                 "--token-auth-file=tokens.csv", "--authorization-mode=RBAC",
                 f"--service-account-issuer={SERVICE_ACCOUNTS}", "--service-account-key-file=accounts.pub",
                 "--service-account-signing-key-file=accounts.key", "--service-cluster-ip-range=10.96.0.0/16",
                 # Without a controller manager nothing makes service accounts, and pods would be refused.
                 "--disable-admission-plugins=ServiceAccount", *self.more_flags)  # fmt: skip
        self.wait_until_ready()

    def run(self, program: pathlib.Path, *arguments: str) -> None:
        with open(self.folder / f"{program.name}.log", "ab") as log:
            self.processes.append(subprocess.Popen([program, *arguments], cwd=self.folder, stdout=log, stderr=log))

    def stop(self) -> None:
        for process in reversed(self.processes):
            process.kill()  # throw-away data: nothing to end in order
            process.wait(20)
        self.processes.clear()

    def wait_until_ready(self, limit: float = 120) -> None:
        end = time.monotonic() + limit
        while True:
            try:
                if self.call("GET", "/readyz", parse=False) == "ok":
                    return
            except OSError:
                pass
            dead = any(process.poll() is not None for process in self.processes)
            if dead or time.monotonic() > end:
                log = (self.folder / "kube-apiserver.log").read_text(errors="replace")[-2000:]
                raise RuntimeError(f"the API server was not ready: {log}")
            time.sleep(0.05)

    def make_identity(self) -> None:
        names = "subjectAltName=DNS:localhost,IP:127.0.0.1\nextendedKeyUsage=serverAuth\n"
        (self.folder / "names.cnf").write_text(names)
        curve = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes"]
        self.openssl("req", "-x509", *curve, "-keyout", "ca.key", "-out", "ca.crt", "-days", "2", "-subj", "/CN=test-ca")
        self.openssl("req", *curve, "-keyout", "server.key", "-out", "server.csr", "-subj", "/CN=kube-apiserver")
        self.openssl("x509", "-req", "-in", "server.csr", "-CA", "ca.crt", "-CAkey", "ca.key", "-CAcreateserial",
                     "-days", "2", "-out", "server.crt", "-extfile", "names.cnf")  # fmt: skip
        self.openssl("genrsa", "-out", "accounts.key", "2048")
        self.openssl("rsa", "-in", "accounts.key", "-pubout", "-out", "accounts.pub")
        self.token, self.stranger = secrets.token_hex(16), secrets.token_hex(16)
        (self.folder / "tokens.csv").write_text(
            f'{self.token},admin,admin-uid,"system:masters"\n{self.stranger},stranger,stranger-uid,"nobody"\n'
        )
        self.ca_pem = (self.folder / "ca.crt").read_text()

    def openssl(self, *arguments: str) -> None:
        subprocess.run(["openssl", *arguments], cwd=self.folder, check=True, capture_output=True)

    def call(self, method: str, path: str, body: object = None, kind: str = "application/json", parse: bool = True):
        """Past the client under test."""
        request = urllib.request.Request(self.url + path, method=method)
        request.add_header("Authorization", f"Bearer {self.token}")
        if body is not None:
            request.data = json.dumps(body).encode()
            request.add_header("Content-Type", kind)
        trust = ssl.create_default_context(cadata=self.ca_pem)
        with urllib.request.urlopen(request, context=trust, timeout=30) as answer:
            text = answer.read().decode()
        return json.loads(text) if parse else text

    def forget_history(self) -> None:
        """Compacts etcd up to now: what was before can't be watched or listed any more."""

        def etcd(path: str, body: dict) -> dict:
            request = urllib.request.Request(self.etcd_url + path, data=json.dumps(body).encode(), method="POST")
            with urllib.request.urlopen(request, timeout=30) as answer:
                return json.load(answer)

        revision = etcd("/v3/kv/range", {"key": "AA=="})["header"]["revision"]
        etcd("/v3/kv/compaction", {"revision": revision, "physical": True})
