#!/usr/bin/env python3
"""Compares our SigV4 signer with botocore's over seeded random requests: botocore signs the exact bytes and
date of ours.

    sigv4_differential.py --driver BUILD/tests/aws/sigv4_driver [--count 2000] [--seed 1]

Signed and presigned, for S3 and for others, plus EKS tokens. Not compared: requests with a Date header,
which we never send.
"""

import argparse
import base64
import datetime
import random
import urllib.parse
from unittest import mock

import botocore.auth
from botocore.awsrequest import AWSRequest
from botocore.config import Config
from botocore.credentials import Credentials

from oracle import Count, Driver

UTC = datetime.UTC
TEXTS = [
    "a",
    "Z9",
    "-_.~",
    "é",
    "日本",
    "🙂",
    " ",
    "  ",
    "%",
    "+",
    "&",
    "=",
    "/",
    "?",
    "#",
    ":",
    "@",
    "'",
    "(",
    "!",
    "*",
    ",",
    ";",
    '"',
]
SERVICES = ["s3", "s3", "ec2", "eks", "sts", "iam", "sagemaker"]
HEADERS = [
    "x-amz-meta-a",
    "Content-Type",
    "X-Amz-Target",
    "accept",
    "X-K8s-Aws-Id",
    "If-None-Match",
    "amz-sdk-request",
    "User-Agent",
    "Connection",
    "Expect",
    "X-Amzn-Trace-Id",
    "traceparent",
    "TE",
    "Content-MD5",
    "x-amz-acl",
]
UNENCODED_IN_PATHS = "/~:@!$&'()*+,=;"


class Requests:
    def __init__(self, seed):
        self.rng = random.Random(seed)

    def text(self, longest=4):
        return "".join(self.rng.choice(TEXTS) for _ in range(self.rng.randint(0, longest)))

    def path(self):
        segments = []
        for _ in range(self.rng.randint(0, 5)):
            segments.append(
                self.rng.choice([".", "..", "", self.text(), "arn:aws:eks:us-west-2:1:cluster/a", "%2e"])
            )
        raw = "/" + "/".join(segments) + self.rng.choice(["", "/"])
        return urllib.parse.quote(raw, safe=self.rng.choice(["/", "/", "/~", UNENCODED_IN_PATHS]))

    def query(self):
        pairs = []
        for _ in range(self.rng.choice([0, 0, 1, 2, 5])):
            name = urllib.parse.quote(
                self.rng.choice(["a", "A", "a-", "aa", "X-Amz-Meta", self.text()]), safe="-_.~"
            )
            value = urllib.parse.quote(self.text(), safe="-_.~")
            pairs.append(name if self.rng.random() < 0.1 else f"{name}={value}")
        if pairs and self.rng.random() < 0.3:
            pairs.append(pairs[0])  # the same twice
            pairs.append(pairs[0].partition("=")[0] + "=0")
        self.rng.shuffle(pairs)
        return "&".join(pairs)

    def headers(self):
        fields = []
        for _ in range(self.rng.randint(0, 6)):
            name = self.rng.choice(HEADERS)
            name = self.rng.choice([name, name.lower(), name.upper()])
            value = "".join(
                self.rng.choice(["x", "  ", " ", "\t", "y,z", "=", '"q  q"', "1"])
                for _ in range(self.rng.randint(0, 5))
            )
            fields.append([name, value])
        return fields

    def one(self):
        service = self.rng.choice(SERVICES)
        moment = datetime.datetime(2026, 1, 1, tzinfo=UTC) + datetime.timedelta(
            seconds=self.rng.randint(0, 10**9)
        )
        body = self.rng.choice(
            [
                b"",
                b"Action=A&Version=1",
                self.text(40).encode(),
                bytes(self.rng.randrange(256) for _ in range(50)),
            ]
        )
        host = self.rng.choice(
            ["example.amazonaws.com", "bucket.s3.us-west-2.amazonaws.com", "127.0.0.1:4566", "[::1]:8080"]
        )
        return {
            "method": self.rng.choice(["GET", "POST", "PUT", "DELETE", "HEAD"]),
            "host": host,
            "path": self.path(),
            "query": self.query(),
            "headers": self.headers(),
            "body_base64": base64.b64encode(body).decode(),
            "access_key": "AKIDEXAMPLE",
            "secret_key": self.rng.choice(["wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY", "s"]),
            "token": self.rng.choice(["", "", "FwoGZXIvYXdz//token+with/=="]),
            "region": self.rng.choice(["us-east-1", "cn-north-1", "us-gov-west-1"]),
            "service": service,
            "time_ms": int(moment.timestamp() * 1000),
            "unsigned": self.rng.random() < 0.15,
        }


def aws_request(line, query=None):
    query = line["query"] if query is None else query
    url = f"https://{line['host']}{line['path']}" + (f"?{query}" if query else "")
    request = AWSRequest(method=line["method"], url=url, data=base64.b64decode(line["body_base64"]))
    for name, value in line["headers"]:
        request.headers[name] = value  # HTTPHeaders adds
    request.context["payload_signing_enabled"] = not line["unsigned"]
    request.context["client_config"] = Config(s3={"payload_signing_enabled": not line["unsigned"]})
    return request


def keys_of(line):
    return Credentials(line["access_key"], line["secret_key"], line["token"] or None)


def moment_of(line):
    return datetime.datetime.fromtimestamp(line["time_ms"] / 1000, UTC).replace(tzinfo=None)


def watch_canonical_request(signer):
    """The canonical request that the signer makes on its way."""
    seen = []
    original = signer.canonical_request
    signer.canonical_request = lambda request: seen.append(original(request)) or seen[-1]
    return seen


def check_signed(driver, count, line):
    ours = driver.ask(mode="sign", **line)
    kind = botocore.auth.S3SigV4Auth if line["service"] == "s3" else botocore.auth.SigV4Auth
    signer = kind(keys_of(line), line["service"], line["region"])
    canonical = watch_canonical_request(signer)
    request = aws_request(line)
    with mock.patch("botocore.auth.get_current_datetime", lambda: moment_of(line)):
        signer.add_auth(request)
    count.equal(ours["canonical_request"], canonical[0], f"canonical request of {line}")
    names = ["Authorization", "X-Amz-Date", "X-Amz-Security-Token", "X-Amz-Content-SHA256"]
    count.equal(
        {name: value for name, value in ours["headers"]},
        {name: request.headers[name] for name in names if name in request.headers},
        f"headers of {line}",
    )


def check_presigned(driver, count, line, rng):
    line = dict(
        line, unsigned=line["unsigned"] and line["service"] == "s3", expires=rng.choice([1, 60, 604800])
    )
    ours = driver.ask(mode="presign", **line)
    kind = botocore.auth.S3SigV4QueryAuth if line["service"] == "s3" else botocore.auth.SigV4QueryAuth
    signer = kind(keys_of(line), line["service"], line["region"], expires=line["expires"])
    unsigned_query, _, signature = ours["query"].rpartition("&X-Amz-Signature=")
    request = aws_request(line, unsigned_query)
    request.context["timestamp"] = moment_of(line).strftime(botocore.auth.SIGV4_TIMESTAMP)
    canonical = signer.canonical_request(request)
    count.equal(ours["canonical_request"], canonical, f"canonical request of presigned {line}")
    count.equal(
        signature, signer.signature(signer.string_to_sign(request, canonical), request), f"presigned {line}"
    )


def check_whole_presigned_url(driver, count, line):
    """Where botocore keeps the query as it is, the whole URL is equal. It moves a body into the query, so
    there is none."""
    line = dict(
        line,
        query="Action=GetCallerIdentity&Version=2011-06-15&n=%20x%2F",
        body_base64="",
        unsigned=False,
        expires=900,
    )
    ours = driver.ask(mode="presign", **line)
    kind = botocore.auth.S3SigV4QueryAuth if line["service"] == "s3" else botocore.auth.SigV4QueryAuth
    request = aws_request(line)
    with mock.patch("botocore.auth.get_current_datetime", lambda: moment_of(line)):
        kind(keys_of(line), line["service"], line["region"], expires=900).add_auth(request)
    count.equal(ours["query"], urllib.parse.urlsplit(request.url).query, f"presigned URL of {line}")


def check_eks_token(driver, count, line):
    """As awscli's customizations/eks/get_token.py makes it."""
    endpoint = f"https://sts.{line['region']}.amazonaws.com"
    keys = {name: line[name] for name in ("access_key", "secret_key", "token", "region", "time_ms")}
    ours = driver.ask(mode="eks_token", cluster="my-cluster", endpoint=endpoint, **keys)
    request = AWSRequest(method="GET", url=endpoint + "/?Action=GetCallerIdentity&Version=2011-06-15")
    request.headers["x-k8s-aws-id"] = "my-cluster"
    with mock.patch("botocore.auth.get_current_datetime", lambda: moment_of(line)):
        botocore.auth.SigV4QueryAuth(keys_of(line), "sts", line["region"], expires=60).add_auth(request)
    token = "k8s-aws-v1." + base64.urlsafe_b64encode(request.url.encode()).decode().rstrip("=")
    count.equal(ours["token"], token, f"EKS token of {line}")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--driver", required=True)
    parser.add_argument("--count", type=int, default=2000)
    parser.add_argument("--seed", type=int, default=1)
    arguments = parser.parse_args()
    driver, count, requests = Driver(arguments.driver), Count("sigv4"), Requests(arguments.seed)
    for number in range(arguments.count):
        line = requests.one()
        check_signed(driver, count, line)
        check_presigned(driver, count, line, requests.rng)
        if number % 10 == 0:
            check_whole_presigned_url(driver, count, line)
            check_eks_token(driver, count, line)
    driver.close()
    count.finish()


if __name__ == "__main__":
    main()
