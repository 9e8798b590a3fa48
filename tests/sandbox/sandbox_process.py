"""Starts the sandbox as a process of its own, for tests with clients that we did not write."""

import json
import os
import pathlib
import signal
import subprocess
import sys
import threading
import time
import urllib.request

BINARY = os.environ.get("INSTANTSTART", "build/dev/src/instantstart")
AWS = pathlib.Path(sys.executable).with_name("aws")
READY_SECONDS = 60


class Sandbox:
    """One simulated account. `start` may be called again after `kill`: the state stays."""

    def __init__(self, state: pathlib.Path):
        self.state = state
        self.process = None
        self.url = ""
        self.variables = {}
        self.log = state.parent / f"{state.name}.log"

    def start(self, *options: str) -> "Sandbox":
        command = [BINARY, "sandbox", "--state-dir", str(self.state), "--port", "0", *options]
        with self.log.open("ab") as log:
            self.process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=log, text=True)
        watchdog = threading.Timer(READY_SECONDS, self.process.kill)
        watchdog.start()
        first = self.process.stdout.readline()
        lines = [self.process.stdout.readline() for _ in range(5)]
        watchdog.cancel()
        assert first.startswith("sandbox ready at http://127.0.0.1:"), first + self.log.read_text()
        self.url = first.split()[-1]
        self.variables = dict(line.strip().split("=", 1) for line in lines)
        return self

    def kill(self) -> None:
        """As a power failure would."""
        self.process.send_signal(signal.SIGKILL)
        self.process.wait()

    def stop(self) -> int:
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGTERM)
        return self.process.wait(timeout=30)

    # -- clients

    def environment(self, **changes: str) -> dict[str, str]:
        """Nothing of the caller's own AWS configuration."""
        base = {name: value for name, value in os.environ.items() if not name.startswith("AWS_")}
        nowhere = str(self.state / "none")
        return (
            base
            | self.variables
            | {
                "AWS_CONFIG_FILE": nowhere,
                "AWS_SHARED_CREDENTIALS_FILE": nowhere,
                "AWS_EC2_METADATA_DISABLED": "true",
                "AWS_PAGER": "",
            }
            | changes
        )

    def aws(self, *arguments: str, **changes: str) -> subprocess.CompletedProcess:
        """The aws command line, with JSON output."""
        return subprocess.run(
            [str(AWS), *arguments, "--output", "json"],
            env=self.environment(**changes),
            capture_output=True,
            text=True,
            timeout=120,
        )

    def aws_json(self, *arguments: str, **changes: str):
        done = self.aws(*arguments, **changes)
        assert done.returncode == 0, done.stderr
        return json.loads(done.stdout)

    def client(self, service: str, region: str = "us-west-2", keys: dict | None = None, **config):
        import boto3
        import botocore.config

        keys = keys or {
            "AccessKeyId": self.variables["AWS_ACCESS_KEY_ID"],
            "SecretAccessKey": self.variables["AWS_SECRET_ACCESS_KEY"],
        }
        config.setdefault("retries", {"mode": "standard", "total_max_attempts": 1})
        return boto3.session.Session().client(
            service,
            region_name=region,
            endpoint_url=self.url,
            aws_access_key_id=keys["AccessKeyId"],
            aws_secret_access_key=keys["SecretAccessKey"],
            aws_session_token=keys.get("SessionToken"),
            config=botocore.config.Config(**config),
        )

    # -- control

    def control(self, method: str, name: str, body=None):
        request = urllib.request.Request(f"{self.url}/_sandbox/{name}", method=method)
        if body is not None:
            request.data = json.dumps(body).encode()
            request.add_header("Content-Type", "application/json")
        with urllib.request.urlopen(request, timeout=60) as answer:
            return json.load(answer)

    def faults(self, *rules: dict) -> None:
        self.control("PUT", "faults", {"rules": list(rules)})

    def audit(self) -> list[dict]:
        """Every row, read in pages."""
        rows, last = [], 0
        while page := self.control("GET", f"audit?after={last}&limit=1000")["entries"]:
            rows += page
            last = page[-1]["sequence"]
        return rows

    def mutations(self, operation: str) -> list[dict]:
        """The carried out calls of one operation."""
        return [row for row in self.audit() if row["operation"] == operation and not row["error_code"]]


def wait_until(condition, seconds: float = 30.0) -> None:
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline, "it did not happen in time"
        time.sleep(0.02)
