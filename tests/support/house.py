"""A server and its simulated AWS, two processes, so that tests may kill the one and count what the other was asked."""

import collections
import json
import pathlib

from sandbox_process import Sandbox
from support.server import Server

FAST = 3000  # An environment in less than a second.


class House:
    """`with House(tmp_path) as house:`; the server may be killed and started again."""

    def __init__(self, folder: pathlib.Path, scale: int = FAST):
        folder.mkdir(exist_ok=True)
        self.sandbox = Sandbox(folder / "cloud").start("--scale", str(scale))
        self.server = Server(folder / "state", "--pace", str(scale), environment=self.sandbox.environment())

    def __enter__(self):
        self.server.start()
        return self

    def __exit__(self, *_):
        if self.server.process.poll() is None:
            self.server.stop()
        self.sandbox.stop()

    def start(self, method: str, path: str, body: dict | None = None) -> str:
        """The id of the operation that a change starts or joins."""
        answer = self.server.call(method, path, body)
        assert answer.status == 202, answer.body
        return answer.body["operation_id"]

    def run(self, method: str, path: str, body: dict | None = None) -> dict:
        """A change to its end, which is a good one."""
        operation = self.wait_for_end(self.start(method, path, body))
        assert operation["state"] == "succeeded", operation
        return operation

    def wait_for_end(self, operation_id: str, seconds: int = 45) -> dict:
        """The operation when it has ended, or needs somebody."""
        answer = self.server.call("GET", f"/api/v1/operations/{operation_id}?wait_seconds={seconds}")
        assert answer.status == 200, answer.body
        return answer.body

    def mutations(self) -> list[dict]:
        """What our own calls changed, in order: not what AWS's services did for them."""
        return [row for row in self.sandbox.audit() if row["mutating"] and not row["error_code"] and not row["invoked_by"]]


def is_repeated(rows: list[dict]) -> list[str]:
    """Mutations that were carried out twice: equal but for their tokens."""

    def identity(row):
        request = {name: value for name, value in row["request"].items() if "token" not in name.lower()}
        return row["service"], row["operation"], row["region"], json.dumps(request, sort_keys=True)

    counts = collections.Counter(identity(row) for row in rows)
    return [" ".join(key[:2]) for key, count in counts.items() if count > 1]
