"""Every kind of change in an order in which each finds what it needs, asked so that its server may die over the answer."""

import collections
import dataclasses
import http.client

from support.house import House, is_repeated

API = "/api/v1"
DEMO = f"{API}/clusters/demo"
GROUP = {"name": "workers", "instance_type": "ml.g5.8xlarge", "count": 2}


@dataclasses.dataclass(frozen=True)
class Change:
    kind: str
    method: str
    path: str
    body: dict | None = None

    def request(self, house: House, token: str) -> "Request":
        """With what confirms it, when it destroys something."""
        if self.method != "DELETE":
            return Request(self.method, self.path, (self.body or {}) | {"client_token": token})
        asked = house.server.call(self.method, self.path)
        assert asked.status == 409 and asked.body["status"] == "confirm_required", (self.kind, asked.body)
        return Request(self.method, f"{self.path}?confirm_token={asked.body['confirm_token']}&client_token={token}")


@dataclasses.dataclass(frozen=True)
class Request:
    """The same at each sending: it has a client token."""

    method: str
    path: str
    body: dict | None = None

    def send(self, house: House) -> str | None:
        """The id of the operation, or None when the server died over it."""
        try:
            answer = house.server.call(self.method, self.path, self.body)
        except (OSError, http.client.HTTPException):
            return None
        assert answer.status == 202, answer.body
        return answer.body["operation_id"]


def environment(name: str) -> Change:
    storage = {"name": "shared", "bucket": f"{name}-data-1", "create": True}
    body = {"name": name, "region": "us-west-2", "group": GROUP, "storage": storage}
    return Change("environment_create", "POST", f"{API}/environments", body)


TRAINING = Change(
    "training_submit",
    "POST",
    f"{DEMO}/jobs",
    {"name": "train", "image": "pytorch:2.7.1", "script": "/data/train.py", "nodes": 1},
)
DEPLOYMENT = Change(
    "model_deploy",
    "POST",
    f"{DEMO}/deployments",
    {
        "name": "qwen",
        "model": "Qwen/Qwen2.5-0.5B-Instruct",
        "instance_type": "ml.g5.8xlarge",
        "max_model_len": 4096,
    },
)
MAIN_JOB = [environment("demo"), TRAINING, DEPLOYMENT]
CONTROL_PLANE = {"name": "demo", "region": "us-west-2"}
STORAGE = {"name": "shared", "bucket": "mount-data-1", "create": True}
LIFE = [
    Change("control_plane_create", "POST", f"{API}/control-planes", CONTROL_PLANE),
    Change("cluster_import", "POST", f"{API}/clusters", CONTROL_PLANE),
    Change("dependency_reconcile", "POST", f"{DEMO}/dependencies"),
    Change("hyperpod_create", "POST", f"{DEMO}/hyperpod", {"group": GROUP}),
    Change("storage_mount", "POST", f"{DEMO}/storage", STORAGE),
    TRAINING,
    Change("job_delete", "DELETE", f"{DEMO}/jobs/train"),
    DEPLOYMENT,
    Change("deployment_delete", "DELETE", f"{DEMO}/deployments/qwen"),
    Change("storage_unmount", "DELETE", f"{DEMO}/storage/shared"),
    Change("hyperpod_delete", "DELETE", f"{DEMO}/hyperpod"),
    Change("control_plane_delete", "DELETE", f"{API}/control-planes/demo"),
    environment("second"),
    Change("environment_delete", "DELETE", f"{API}/environments/second"),
]


def prepare(house: House, change: Change) -> None:
    """What no operation of the list does: a cluster is imported only when it is not known."""
    if change.kind == "cluster_import":
        answer = house.server.call("DELETE", DEMO)
        if answer.status == 409:
            answer = house.server.call("DELETE", f"{DEMO}?confirm_token={answer.body['confirm_token']}")
        assert answer.status == 200, answer.body


def restart(house: House, *arguments: str) -> None:
    house.server.stop()
    house.server.start(*arguments)


def end_well(house: House, change: Change, operation_id: str, before: int) -> collections.Counter:
    """It succeeds, and what changed since `before` changed once; how often each call was made."""
    operation = house.wait_for_end(operation_id)
    assert (operation["kind"], operation["state"]) == (change.kind, "succeeded"), operation
    rows = house.mutations()[before:]
    assert not is_repeated(rows), change.kind
    return collections.Counter(f"{row['service']}:{row['operation']}" for row in rows)


def undisturbed(house: House, changes: list[Change]) -> dict[str, collections.Counter]:
    """The calls that each kind of change makes when nothing goes wrong."""
    calls = {}
    for change in changes:
        prepare(house, change)
        before = len(house.mutations())
        operation_id = change.request(house, f"clean-{change.kind}").send(house)
        calls[change.kind] = end_well(house, change, operation_id, before)
    return calls
