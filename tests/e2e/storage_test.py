"""storage_* against the simulated AWS: what a person does with a bucket and its mount, judged by boto3."""

import json

import pytest

from support.house import House, is_repeated

CLUSTER = "/api/v1/clusters/demo"
MOUNT = {"name": "shared", "bucket": "demo-data-1", "create": True}


@pytest.fixture(scope="module")
def house(tmp_path_factory):
    """A house with a cluster that has neither driver nor bucket, and its mount."""
    with House(tmp_path_factory.mktemp("storage")) as running:
        running.run("POST", "/api/v1/control-planes", {"name": "demo", "region": "us-west-2"})
        running.before = len(running.mutations())
        running.operation = running.run("POST", f"{CLUSTER}/storage", MOUNT)
        yield running


def get(house, path):
    answer = house.server.call("GET", f"{CLUSTER}{path}")
    assert answer.status == 200, answer.body
    return answer.body


def test_each_call_was_made_once(house):
    made = house.mutations()[house.before :]
    assert not is_repeated(made)
    assert {"CreateBucket", "CreateRole", "PutRolePolicy", "CreatePodIdentityAssociation", "CreateAddon"} <= {
        row["operation"] for row in made
    }


def test_the_bucket_is_tagged_and_closed(house):
    s3 = house.sandbox.client("s3")
    tags = {tag["Key"]: tag["Value"] for tag in s3.get_bucket_tagging(Bucket="demo-data-1")["TagSet"]}
    assert tags["instantstart:operation"] == house.operation["id"]
    assert tags["instantstart:cluster"].startswith("demo.us-west-2.")
    closed = s3.get_public_access_block(Bucket="demo-data-1")["PublicAccessBlockConfiguration"]
    assert all(closed.values()) and len(closed) == 4


def test_the_drivers_role_may_use_this_bucket_and_no_other(house):
    iam = house.sandbox.client("iam")
    role = iam.get_role(RoleName="demo-us-west-2-s3-csi")["Role"]
    assert role["Path"] == "/instantstart/"
    document = iam.get_role_policy(RoleName=role["RoleName"], PolicyName="mount.default.shared")["PolicyDocument"]
    resources = [statement["Resource"] for statement in document["Statement"]]
    assert resources == ["arn:aws:s3:::demo-data-1", "arn:aws:s3:::demo-data-1/*"]

    def allowed(action, resource):
        answer = iam.simulate_principal_policy(
            PolicySourceArn=role["Arn"], ActionNames=[action], ResourceArns=[resource]
        )
        return answer["EvaluationResults"][0]["EvalDecision"] == "allowed"

    assert allowed("s3:PutObject", "arn:aws:s3:::demo-data-1/a")
    assert not allowed("s3:PutObject", "arn:aws:s3:::another/a")
    assert not allowed("s3:DeleteBucket", "arn:aws:s3:::demo-data-1")


def test_it_is_listed_as_ready_and_shared(house):
    (one,) = get(house, "/storage")["storage"]
    assert (one["state"], one["bucket"], one["path"], one["shared"]) == ("ready", "demo-data-1", "/data", True)


def test_asked_again_nothing_is_sent(house):
    before = len(house.mutations())
    operation = house.run("POST", f"{CLUSTER}/storage", MOUNT)
    assert operation["steps"] == []
    assert len(house.mutations()) == before


def test_what_aws_s3_put_there_is_browsed(house):
    s3 = house.sandbox.client("s3")
    for key in ("runs/1/loss.csv", "runs/2/loss.csv", "读我.txt"):
        s3.put_object(Bucket="demo-data-1", Key=key, Body=b"12345")
    top = get(house, "/storage/shared/entries")["entries"]
    assert [(one["name"], one["folder"]) for one in top] == [("runs", True), ("读我.txt", False)]
    first = get(house, "/storage/shared/entries?folder=runs/1")["entries"]
    assert [(one["name"], one["bytes"]) for one in first] == [("loss.csv", 5)]
    page = get(house, "/storage/shared/entries?folder=runs&limit=1")
    assert [one["name"] for one in page["entries"]] == ["1"]
    rest = get(house, f"/storage/shared/entries?folder=runs&limit=1&cursor={page['next_cursor']}")
    assert [one["name"] for one in rest["entries"]] == ["2"]


def test_a_bucket_of_another_region_is_mounted_from_there(house):
    far = house.sandbox.client("s3", region="eu-west-1")
    far.create_bucket(Bucket="demo-far", CreateBucketConfiguration={"LocationConstraint": "eu-west-1"})
    house.run("POST", f"{CLUSTER}/storage", {"name": "far", "bucket": "demo-far", "path": "/far", "read_only": True})
    far.put_object(Bucket="demo-far", Key="a", Body=b"1")
    assert [one["name"] for one in get(house, "/storage/far/entries")["entries"]] == ["a"]
    assert get(house, "/storage/far")["storage"]["region"] == "eu-west-1"


def test_another_bucket_under_the_same_name_is_refused(house):
    answer = house.server.call("POST", f"{CLUSTER}/storage", {"name": "shared", "bucket": "demo-far"})
    assert answer.status == 409 and answer.body["code"] == "name_taken", answer.body
    assert "demo-data-1" in json.dumps(answer.body)


def test_unmounted_the_bucket_stays(house):
    answer = house.server.call("DELETE", f"{CLUSTER}/storage/shared")
    assert answer.status == 409 and answer.body["status"] == "confirm_required", answer.body
    token = answer.body["confirm_token"]
    operation = house.run("DELETE", f"{CLUSTER}/storage/shared?confirm_token={token}")
    assert [step["id"] for step in operation["steps"]] == ["volume", "access"]
    assert [one["name"] for one in get(house, "/storage")["storage"]] == ["far"]
    assert house.sandbox.client("s3").head_bucket(Bucket="demo-data-1")
    policies = house.sandbox.client("iam").list_role_policies(RoleName="demo-us-west-2-s3-csi")["PolicyNames"]
    assert policies == ["mount.default.far"]
