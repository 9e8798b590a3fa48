"""Simulated S3 as the aws command line and boto3 see it."""

import os
import urllib.request

import pytest

from sandbox_process import Sandbox

REGION = "us-west-2"


@pytest.fixture(scope="module")
def cloud(tmp_path_factory):
    shared = Sandbox(tmp_path_factory.mktemp("s3") / "state").start()
    shared.client("s3").create_bucket(Bucket="data", CreateBucketConfiguration={"LocationConstraint": REGION})
    yield shared
    assert shared.stop() == 0


@pytest.fixture
def s3(cloud):
    return cloud.client("s3")


def test_the_command_line_copies_files_to_and_fro(cloud, tmp_path):
    source = tmp_path / "source"
    source.mkdir()
    contents = {"a.txt": b"hello\n", "deep/b.bin": bytes(range(256)) * 40, "with space é": b""}
    for name, content in contents.items():
        (source / name).parent.mkdir(exist_ok=True)
        (source / name).write_bytes(content)
        os.utime(source / name, (1_700_000_000, 1_700_000_000))  # before S3's time of it, whatever the second
    assert cloud.aws("s3", "cp", "--recursive", str(source), "s3://data/tree/").returncode == 0
    listed = cloud.aws("s3", "ls", "--recursive", "s3://data/tree/")
    assert [line.split(maxsplit=3)[3] for line in listed.stdout.splitlines()] == [
        "tree/a.txt",
        "tree/deep/b.bin",
        "tree/with space é",
    ]
    target = tmp_path / "target"
    assert cloud.aws("s3", "sync", "s3://data/tree/", str(target)).returncode == 0
    assert {str(file.relative_to(target)): file.read_bytes() for file in target.rglob("*") if file.is_file()} == contents
    assert cloud.aws("s3", "sync", str(source), "s3://data/tree/").stdout == "", "nothing has changed"


def test_the_command_line_moves_and_removes(cloud, tmp_path):
    (tmp_path / "x").write_text("x")
    assert cloud.aws("s3", "cp", str(tmp_path / "x"), "s3://data/move/x").returncode == 0
    assert cloud.aws("s3", "mv", "s3://data/move/x", "s3://data/move/y").returncode == 0
    assert "y" in cloud.aws("s3", "ls", "s3://data/move/").stdout
    assert cloud.aws("s3", "rm", "--recursive", "s3://data/move/").returncode == 0
    assert cloud.aws("s3", "ls", "s3://data/move/").returncode == 1


def test_a_large_file_travels_in_parts_and_comes_back_in_ranges(cloud, s3, tmp_path):
    large = os.urandom(18 * 1024 * 1024 + 1)
    (tmp_path / "large").write_bytes(large)
    s3.upload_file(str(tmp_path / "large"), "data", "large", ExtraArgs={"Metadata": {"who": "ann"}})
    head = s3.head_object(Bucket="data", Key="large")
    assert head["ContentLength"] == len(large)
    assert head["ETag"].endswith('-3"')
    assert head["Metadata"] == {"who": "ann"}
    s3.download_file("data", "large", str(tmp_path / "back"))
    assert (tmp_path / "back").read_bytes() == large


def test_ranges_checksums_and_conditions(s3):
    s3.put_object(Bucket="data", Key="r", Body=b"0123456789", ContentType="text/plain")
    part = s3.get_object(Bucket="data", Key="r", Range="bytes=2-4")
    assert part["Body"].read() == b"234"
    assert part["ResponseMetadata"]["HTTPStatusCode"] == 206
    assert part["ContentRange"] == "bytes 2-4/10"
    whole = s3.get_object(Bucket="data", Key="r", ChecksumMode="ENABLED")
    assert whole["ChecksumCRC32"] and whole["Body"].read() == b"0123456789"
    with pytest.raises(s3.exceptions.ClientError) as refused:
        s3.put_object(Bucket="data", Key="r", Body=b"x", IfNoneMatch="*")
    assert refused.value.response["ResponseMetadata"]["HTTPStatusCode"] == 412
    with pytest.raises(s3.exceptions.ClientError) as refused:
        s3.get_object(Bucket="data", Key="r", IfNoneMatch=whole["ETag"])
    assert refused.value.response["ResponseMetadata"]["HTTPStatusCode"] == 304


def test_presigned_urls_work(cloud):
    s3 = cloud.client("s3", signature_version="s3v4")
    s3.put_object(Bucket="data", Key="presigned", Body=b"hello")
    url = s3.generate_presigned_url("get_object", Params={"Bucket": "data", "Key": "presigned"}, ExpiresIn=60)
    with urllib.request.urlopen(url, timeout=30) as answer:
        assert answer.read() == b"hello"


def test_errors_have_the_codes_that_clients_know(s3):
    with pytest.raises(s3.exceptions.NoSuchKey):
        s3.get_object(Bucket="data", Key="none")
    with pytest.raises(s3.exceptions.NoSuchBucket):
        s3.list_objects_v2(Bucket="none")
    with pytest.raises(s3.exceptions.BucketAlreadyOwnedByYou):
        s3.create_bucket(Bucket="data", CreateBucketConfiguration={"LocationConstraint": REGION})
    with pytest.raises(s3.exceptions.ClientError) as refused:
        s3.head_object(Bucket="data", Key="none")
    assert refused.value.response["Error"]["Code"] == "404"
    with pytest.raises(s3.exceptions.ClientError) as refused:
        s3.delete_bucket(Bucket="data")
    assert refused.value.response["Error"]["Code"] == "BucketNotEmpty"


def test_a_client_of_another_region_is_led_to_the_right_one(cloud):
    elsewhere = cloud.client("s3", region="eu-west-1", retries={"mode": "standard"})
    assert elsewhere.list_objects_v2(Bucket="data")["Name"] == "data"


def test_pages_and_folders(s3):
    for i in range(5):
        s3.put_object(Bucket="data", Key=f"pages/{i}/x", Body=b"")
    pages = s3.get_paginator("list_objects_v2").paginate(
        Bucket="data", Prefix="pages/", Delimiter="/", PaginationConfig={"PageSize": 2}
    )
    prefixes = [prefix["Prefix"] for page in pages for prefix in page.get("CommonPrefixes", [])]
    assert prefixes == [f"pages/{i}/" for i in range(5)]


def test_objects_are_there_after_the_power_failed(tmp_path):
    cloud = Sandbox(tmp_path / "state").start()
    client = cloud.client("s3")
    client.create_bucket(Bucket="kept", CreateBucketConfiguration={"LocationConstraint": REGION})
    client.put_object(Bucket="kept", Key="a", Body=b"hello")
    cloud.kill()
    cloud.start()
    assert cloud.client("s3").get_object(Bucket="kept", Key="a")["Body"].read() == b"hello"
    cloud.stop()
