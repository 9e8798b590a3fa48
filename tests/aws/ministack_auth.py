#!/usr/bin/env python3
"""Asks ministack, which checks signatures, whether it accepts what our client signs.

    ministack_auth.py --driver BUILD/tests/aws/account_driver --ministack VENV/bin/ministack

The right key is accepted, the right key with a wrong secret and an unknown key are refused, on each
service; the URL inside an EKS token is answered with the identity when it is fetched with its header, and
with nothing else.
"""

import argparse
import os
import pathlib
import signal
import socket
import subprocess
import tempfile
import time
import urllib.error
import urllib.request

import botocore.session

from oracle import Count, Driver

CALLS = [
    ("sts", "GetCallerIdentity", {}),
    ("ec2", "DescribeVpcs", {}),
    (
        "ec2",
        "DescribeAvailabilityZones",
        {"Filters": [{"Name": "zone-name", "Values": ["us-west-2a", "é + /"]}]},
    ),
    ("s3", "ListBuckets", {}),
    ("s3", "HeadBucket", {"Bucket": "my-bucket"}),
    ("s3", "PutObject", {"Bucket": "my-bucket", "Key": "folder/a b+c/é~!'().txt", "Body": "aGVsbG8="}),
    ("s3", "ListObjectsV2", {"Bucket": "my-bucket", "Prefix": "folder/a b+c/é"}),
    ("eks", "ListClusters", {}),
    ("eks", "ListTagsForResource", {"resourceArn": "arn:aws:eks:us-west-2:123456789012:cluster/my-cluster"}),
    ("cloudformation", "DescribeStacks", {}),
    ("iam", "ListRoles", {"PathPrefix": "/instantstart/"}),
]
REFUSALS = {
    "SignatureDoesNotMatch",
    "InvalidSignatureException",
    "InvalidClientTokenId",
    "InvalidAccessKeyId",
    "UnrecognizedClientException",
    "AuthFailure",
}
# EC2 does not tell a wrong secret from an unknown key.
WRONG_SECRET = {"ec2": ("AuthFailure",)}


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


class Ministack:
    def __init__(self, program, folder):
        self._port = free_port()
        self._log = open(pathlib.Path(folder) / "log", "wb")
        environment = {
            **os.environ,
            "AUTH": "true",
            "BIND_HOST": "127.0.0.1",
            "GATEWAY_PORT": str(self._port),
            "MINISTACK_REGION": "us-west-2",
            "MINISTACK_ACCOUNT_ID": "123456789012",
        }
        self._process = subprocess.Popen(
            [program], env=environment, stdout=self._log, stderr=subprocess.STDOUT, stdin=subprocess.DEVNULL
        )
        self.url = f"http://127.0.0.1:{self._port}"

    def wait(self):
        deadline = time.monotonic() + 60
        while time.monotonic() < deadline:
            if self._process.poll() is not None:
                raise SystemExit(f"ministack ended: {pathlib.Path(self._log.name).read_text()[-2000:]}")
            try:
                urllib.request.urlopen(self.url + "/_ministack/health", timeout=1)
                return
            except OSError:
                time.sleep(0.1)
        raise SystemExit("ministack does not answer")

    def stop(self):
        self._process.send_signal(signal.SIGTERM)
        self._process.wait(timeout=30)
        self._log.close()


def real_key(url):
    """A user with all rights, made with the account's root key as ministack documents it."""
    iam = botocore.session.get_session().create_client(
        "iam",
        region_name="us-west-2",
        endpoint_url=url,
        aws_access_key_id="test",
        aws_secret_access_key="test",
    )
    iam.create_user(UserName="tester")
    document = '{"Version": "2012-10-17", "Statement": [{"Effect": "Allow", "Action": "*", "Resource": "*"}]}'
    iam.put_user_policy(UserName="tester", PolicyName="all", PolicyDocument=document)
    key = iam.create_access_key(UserName="tester")["AccessKey"]
    return key["AccessKeyId"], key["SecretAccessKey"]


def prepare(url, key, secret):
    session = botocore.session.get_session()
    keys = {
        "region_name": "us-west-2",
        "endpoint_url": url,
        "aws_access_key_id": key,
        "aws_secret_access_key": secret,
    }
    session.create_client("s3", **keys).create_bucket(
        Bucket="my-bucket", CreateBucketConfiguration={"LocationConstraint": "us-west-2"}
    )


def variables(url, key, secret):
    return {
        "HOME": "/nowhere",
        "AWS_REGION": "us-west-2",
        "AWS_ENDPOINT_URL": url,
        "AWS_ACCESS_KEY_ID": key,
        "AWS_SECRET_ACCESS_KEY": secret,
        "AWS_EC2_METADATA_DISABLED": "true",
    }


def refusal(answer):
    return answer.get("error", {}).get("detail", {}).get("aws_code")


def check_calls(driver, count, url, key, secret):
    for service, operation, params in CALLS:
        call = {"mode": "call", "service": service, "operation": operation, "params": params}
        accepted = driver.ask(**call, variables=variables(url, key, secret))
        # A refusal for another reason than the signature is an acceptance of it: ministack may not know the
        # resource.
        count.check(
            "output" in accepted
            or (refusal(accepted) not in REFUSALS | {None, "AccessDenied", "AccessDeniedException", "403"}),
            f"{service} {operation} with the right key: {accepted}",
        )
        wrong_secret = driver.ask(
            **call, variables=variables(url, key, secret[:-1] + ("x" if secret[-1] != "x" else "y"))
        )
        unknown_key = driver.ask(**call, variables=variables(url, "AKIAIOSFODNN7EXAMPLE", secret))
        if operation.startswith("Head"):  # without a body there is only the status
            count.equal(
                (refusal(wrong_secret), refusal(unknown_key)),
                ("403", "403"),
                f"{service} {operation} refused",
            )
            continue
        count.check(
            refusal(wrong_secret)
            in WRONG_SECRET.get(service, ("SignatureDoesNotMatch", "InvalidSignatureException")),
            f"{service} {operation} with a wrong secret: {wrong_secret}",
        )
        count.equal(
            wrong_secret.get("error", {}).get("code"),
            "credentials_invalid",
            f"{service} {operation} with a wrong secret",
        )
        count.check(
            refusal(unknown_key) in REFUSALS - {"SignatureDoesNotMatch", "InvalidSignatureException"},
            f"{service} {operation} with an unknown key: {unknown_key}",
        )
        count.equal(
            unknown_key.get("error", {}).get("code"),
            "credentials_invalid",
            f"{service} {operation} with an unknown key",
        )


def fetch(url, headers):
    try:
        with urllib.request.urlopen(urllib.request.Request(url, headers=headers), timeout=10) as answer:
            return answer.status, answer.read().decode()
    except urllib.error.HTTPError as refused:
        return refused.code, refused.read().decode()


def check_eks_token(driver, count, url, key, secret):
    answer = driver.ask(mode="eks_token", cluster="my-cluster", variables=variables(url, key, secret))
    count.check("url" in answer, f"a token: {answer}")
    status, body = fetch(answer["url"], {"x-k8s-aws-id": "my-cluster"})
    count.check(status == 200 and "user/tester" in body, f"the token's URL: {status} {body[:300]}")
    for headers in ({"x-k8s-aws-id": "another-cluster"}, {}):
        status, body = fetch(answer["url"], headers)
        count.check(
            status == 403 and "SignatureDoesNotMatch" in body,
            f"the token's URL with {headers}: {status} {body[:300]}",
        )
    wrong = driver.ask(mode="eks_token", cluster="my-cluster", variables=variables(url, key, "wrong"))
    status, body = fetch(wrong["url"], {"x-k8s-aws-id": "my-cluster"})
    count.check(status == 403, f"a token by a wrong secret: {status} {body[:300]}")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--driver", required=True)
    parser.add_argument("--ministack", required=True, help="the program")
    arguments = parser.parse_args()
    driver, count = Driver(arguments.driver), Count("ministack_auth")
    with tempfile.TemporaryDirectory() as folder:
        ministack = Ministack(arguments.ministack, folder)
        try:
            ministack.wait()
            key, secret = real_key(ministack.url)
            prepare(ministack.url, key, secret)
            check_calls(driver, count, ministack.url, key, secret)
            check_eks_token(driver, count, ministack.url, key, secret)
        finally:
            ministack.stop()
    driver.close()
    count.finish()


if __name__ == "__main__":
    main()
