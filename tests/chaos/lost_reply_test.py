"""The reply to every change is lost once, after it was carried out: it is not carried out again, and the work ends well."""

import json

import pytest

from support.house import House, is_repeated
from support.scenarios import environment, undisturbed

CHANGE = environment("demo")
NAMES = ["name", "addonName", "serviceAccount", "RoleName", "Bucket"]


@pytest.fixture(scope="module")
def clean(tmp_path_factory):
    """The changes that AWS and Kubernetes are asked for when no reply is lost."""
    with House(tmp_path_factory.mktemp("clean")) as house:
        undisturbed(house, [CHANGE])
        return house.mutations()


def rule(row: dict, rows: list[dict]) -> dict:
    """Of the one call; told from others of its operation by what it names."""
    others = [one["request"] for one in rows if one["operation"] == row["operation"] and one is not row]
    found = {"service": row["service"], "operation": row["operation"], "kind": "drop_reply", "times": 1}
    if not others:
        return found
    for name in NAMES:
        value = row["request"].get(name)
        if value and all(other.get(name) != value for other in others):
            return found | {"contains": f'"{name}":{json.dumps(value)}'}
    raise AssertionError(f"nothing tells this call from others: {row['operation']} {row['request']}")


def sent(row: dict) -> str:
    """All of a request, its token too: that a second one with the same token changes nothing is AWS's promise."""
    return json.dumps([row["service"], row["operation"], row["request"]], sort_keys=True)


def changes_nothing_again(row: dict) -> bool:
    """It is an overwrite with the same, or AWS knows it by its token."""
    is_apply = row["service"] == "kubernetes" and row["operation"].startswith("patch ")
    is_put = row["operation"] in ("PutRolePolicy", "PutObject")
    return is_apply or is_put or any("token" in name.lower() for name in row["request"])


def test_an_environment_is_made_though_every_reply_to_a_change_is_lost(tmp_path, clean):
    with House(tmp_path) as house:
        house.sandbox.faults(*(rule(row, clean) for row in clean))
        operation = house.wait_for_end(CHANGE.request(house, "token-1").send(house))
        assert operation["state"] == "succeeded", operation
        rows = house.mutations()
        assert house.sandbox.control("GET", "faults")["rules"] == []
    lost = [row for row in rows if row["fault"] == "drop_reply"]
    assert len(lost) == len(clean)
    assert not is_repeated([row for row in rows if not changes_nothing_again(row)])
    once = list({sent(row): row for row in rows}.values())
    assert not is_repeated(once), "sent again with another token"
    assert sorted(row["operation"] for row in once) == sorted(row["operation"] for row in clean)
