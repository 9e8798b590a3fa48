"""A server of the product for one test: its own state directory, a free port, ended by its own process id."""

import dataclasses
import json
import os
import pathlib
import subprocess
import time
import urllib.error
import urllib.request

BINARY = os.environ.get("INSTANTSTART", "build/dev/src/instantstart")


@dataclasses.dataclass
class Answer:
    status: int
    headers: dict
    body: object


class Server:
    """`with Server(tmp_path) as server:`; restartable, so that a test may kill it."""

    def __init__(self, state: pathlib.Path, *arguments: str, environment: dict[str, str] | None = None):
        self.state = pathlib.Path(state)
        self.environment = environment
        self.arguments = list(arguments)
        self.process: subprocess.Popen | None = None
        self.url = ""
        self.token = ""

    def __enter__(self):
        self.start()
        return self

    def __exit__(self, *_):
        self.stop()

    def start(self, *more_arguments: str, seconds: float = 20) -> None:
        card = self.state / "server.json"
        card.unlink(missing_ok=True)
        self.log = open(self.state.parent / f"{self.state.name}.log", "ab")
        command = [BINARY, "serve", "--state-dir", str(self.state), "--port", "0", *self.arguments]
        command += more_arguments
        self.process = subprocess.Popen(command, stdout=self.log, stderr=self.log, env=self.environment)
        end = time.monotonic() + seconds
        while not card.exists():
            if self.process.poll() is not None:
                raise RuntimeError(f"the server ended with {self.process.returncode}: {self.output()}")
            if time.monotonic() > end:
                raise RuntimeError(f"the server was not ready in {seconds} s: {self.output()}")
            time.sleep(0.005)
        self.url = json.loads(card.read_text())["url"]
        self.token = (self.state / "token").read_text()

    def output(self) -> str:
        return (self.state.parent / f"{self.state.name}.log").read_text(errors="replace")

    def kill(self) -> None:
        self.process.kill()
        self.process.wait()
        self.log.close()

    def stop(self, seconds: float = 20) -> int:
        if self.process.poll() is None:
            self.process.terminate()
        code = self.process.wait(seconds)
        self.log.close()
        return code

    def call(self, method: str, path: str, body: object = None, headers: dict | None = None) -> Answer:
        """`body` is sent as JSON, or as it is when it is bytes. Headers given here win; None takes one away."""
        sent = {"Authorization": f"Bearer {self.token}"}
        data = None
        if body is not None:
            data = body if isinstance(body, bytes) else json.dumps(body).encode()
            sent["Content-Type"] = "application/json"
        for name, value in (headers or {}).items():
            sent.pop(name, None)
            if value is not None:
                sent[name] = value
        request = urllib.request.Request(self.url + path, data=data, headers=sent, method=method)
        try:
            with urllib.request.urlopen(request, timeout=90) as response:
                return self._answer(response.status, response)
        except urllib.error.HTTPError as error:
            return self._answer(error.code, error)

    @staticmethod
    def _answer(status, response) -> Answer:
        text = response.read()
        is_json = "json" in (response.headers.get("Content-Type") or "")
        return Answer(status, dict(response.headers), json.loads(text) if is_json and text else text)

    def cli(self, *arguments: str) -> subprocess.CompletedProcess:
        command = [BINARY, *arguments, "--state-dir", str(self.state)]
        return subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)
