#!/usr/bin/env python3
"""Compares our retry decisions with botocore's standard mode: the same answers, the same random numbers,
one quota.

    retry_differential.py --driver BUILD/tests/aws/retry_driver [--calls 3000] [--seed 1]

The differences that we want (src/aws/retries.h lists them) are in `expected_difference`, and nowhere else.
"""

import argparse
import random

import botocore.session
from botocore.awsrequest import AWSResponse
from botocore.exceptions import (
    ConnectionClosedError,
    ConnectTimeoutError,
    EndpointConnectionError,
    ReadTimeoutError,
)
from botocore.retries import quota, standard

from oracle import Count, Driver

OPERATIONS = [
    ("ec2", "DescribeVpcs"),
    ("ec2", "CreateVpc"),
    ("iam", "CreateRole"),
    ("iam", "GetRole"),
    ("sts", "AssumeRoleWithWebIdentity"),
    ("sagemaker", "CreateCluster"),
    ("sagemaker", "DescribeCluster"),
    ("eks", "CreateCluster"),
    ("logs", "CreateLogGroup"),
    ("s3", "PutObject"),
    ("s3", "GetObject"),
    ("cloudformation", "CreateStack"),
    ("service-quotas", "GetServiceQuota"),
    ("pricing", "GetProducts"),
]
CODES = [
    "Throttling",
    "ThrottlingException",
    "ThrottledException",
    "RequestThrottledException",
    "TooManyRequestsException",
    "ProvisionedThroughputExceededException",
    "TransactionInProgressException",
    "RequestLimitExceeded",
    "BandwidthLimitExceeded",
    "LimitExceededException",
    "RequestThrottled",
    "SlowDown",
    "PriorRequestNotComplete",
    "EC2ThrottledException",
    "RequestTimeout",
    "RequestTimeoutException",
    "IDPCommunicationError",
    "InternalFailure",
    "InternalError",
    "ServiceUnavailable",
    "ValidationException",
    "AccessDenied",
    "ResourceLimitExceeded",
    "LimitExceeded",
    "ExpiredToken",
    "ExpiredTokenException",
    "RequestExpired",
    "InvalidParameterValue",
    "ServerException",
    "ConflictException",
    "",
]
RETRY_AFTER = ["", "", "0", "10", "1500", "7000", "120000", "-5", "soon", "1.5"]
STATUSES = [400, 400, 403, 404, 409, 429, 429, 500, 501, 502, 503, 503, 504, 505]
EXPIRED = {"ExpiredToken", "ExpiredTokenException", "RequestExpired", "TokenRefreshRequired"}
NOT_SENT = [EndpointConnectionError(endpoint_url="u"), ConnectTimeoutError(endpoint_url="u")]
LOST = [ReadTimeoutError(endpoint_url="u"), ConnectionClosedError(endpoint_url="u")]


class Botocore:
    """The pieces that `register_retry_handler` puts together, with a random number that is given."""

    def __init__(self):
        self.adapter = standard.RetryEventAdapter()
        self.detector = standard.ThrottlingErrorDetector(self.adapter)
        self.quota = quota.RetryQuota()
        self.quota_checker = standard.RetryQuotaChecker(self.quota, self.detector)
        self.number = 0.0

    def handler(self, service, max_attempts):
        backoff = standard.ExponentialBackoff(
            random=lambda: self.number, service_name=service, throttling_detector=self.detector
        )
        policy = standard.RetryPolicy(standard.StandardRetryConditions(max_attempts=max_attempts), backoff)
        return standard.RetryHandler(policy, self.adapter, self.quota_checker, service_name=service)


def event_of(operation, failure, attempt, context):
    response = exception = None
    if failure["kind"] == "answered":
        headers = {"x-amz-retry-after": failure["retry_after"]} if failure["retry_after"] else {}
        http = AWSResponse("u", failure["status"], headers, None)
        response = (http, {"Error": {"Code": failure["code"]}} if failure["code"] else {"Error": {}})
    else:
        exception = (NOT_SENT if failure["kind"] == "not_sent" else LOST)[attempt % 2]
    return {
        "response": response,
        "caught_exception": exception,
        "attempts": attempt,
        "operation": operation,
        "request_dict": {"context": context},
    }


def codes_of(operation):
    return [shape.metadata.get("error", {}).get("code") or shape.name for shape in operation.error_shapes]


def throttled_by_model(operation, code):
    for shape in operation.error_shapes:
        if code == (shape.metadata.get("error", {}).get("code") or shape.name):
            return bool(shape.metadata.get("retryable", {}).get("throttling"))
    return False


def did_not_run(botocore, event, failure):
    """What proves it: never sent, throttled, or refused with a status that is the caller's fault."""
    if failure["kind"] != "answered":
        return failure["kind"] == "not_sent"
    if botocore.detector.is_throttling_error(**event):
        return True
    if failure["code"] in ("RequestTimeout", "RequestTimeoutException"):
        return False
    return failure["status"] < 500 or failure["status"] in (501, 505)


def expected_difference(botocore, operation, event, failure, call, renewed):
    """What we decide where botocore decides something else; None where both agree."""
    # 3. Expired credentials are renewed, once a call.
    if failure["code"] in EXPIRED and failure["kind"] == "answered" and not renewed:
        return "renew_credentials"
    # 2. LimitExceededException is a quota unless the model calls it throttling; then only its status and
    # model count.
    if failure["code"] == "LimitExceededException" and not throttled_by_model(operation, failure["code"]):
        transient = failure["status"] in (500, 502, 503, 504)
        modelled = failure["code"] in codes_of(operation)
        throttling = failure["status"] == 429 and not modelled
        if throttling:
            return None
        if failure["status"] >= 500 and failure["status"] not in (501, 505) and not call["harmless"]:
            return "outcome_unknown"
        return "as transient" if transient else "give_up"
    # 1. What may have run is repeated only where that is harmless.
    if not call["harmless"] and not did_not_run(botocore, event, failure):
        return "outcome_unknown"
    return None


def random_call(rng, services):
    service, name = rng.choice(OPERATIONS)
    operation = services[service].operation_model(name)
    failures = []
    for _ in range(rng.choice([0, 1, 1, 2, 3, 4])):
        kind = rng.choice(["answered", "answered", "answered", "not_sent", "lost"])
        failures.append(
            {
                "kind": kind,
                "status": rng.choice(STATUSES) if kind == "answered" else 0,
                "code": rng.choice(CODES + codes_of(operation)) if kind == "answered" else "",
                "retry_after": rng.choice(RETRY_AFTER) if kind == "answered" else "",
                "random": rng.randrange(2**53),
            }
        )
    return operation, {
        "service": service,
        "operation": name,
        "max_attempts": rng.choice([1, 2, 3, 3, 3, 5]),
        "harmless": rng.random() < 0.6,
        "failures": failures,
        "succeeds": rng.random() < 0.8,
    }


def check(botocore, driver, count, operation, call):
    """Walks botocore through the call beside our decisions. A difference that is wanted ends the comparison
    of this call, and both quotas are set to ours, so that the next call begins equal."""
    ours = driver.ask(**call)
    handler = botocore.handler(operation.service_model.service_name, call["max_attempts"])
    context, attempt, renewed = {}, 1, False
    for decision, failure in zip(ours["decisions"], call["failures"]):
        event = event_of(operation, failure, attempt, context)
        wanted = expected_difference(botocore, operation, event, failure, call, renewed)
        botocore.number = failure["random"] / 2**53
        what = f"{call}, attempt {attempt}"
        if wanted == "renew_credentials":
            count.equal(decision["then"], wanted, what)
            renewed = True
            continue
        if wanted is not None and wanted != "as transient":
            count.equal(decision["then"], wanted, what)
            botocore.quota._available_capacity = ours["tokens"]
            return
        if wanted == "as transient":
            event["response"][1]["Error"]["Code"] = "InternalFailure"
        delay = handler.needs_retry(**event)
        count.equal(decision["then"], "give_up" if delay is None else "repeat", what)
        count.equal(decision["tokens"], botocore.quota.available_capacity, f"tokens of {what}")
        if delay is None:
            return
        count.check(
            abs(decision["delay_ms"] - delay * 1000) <= 1,
            f"delay of {what}: {decision['delay_ms']} ms, {delay} s",
        )
        attempt += 1
    if len(ours["decisions"]) == len(call["failures"]) and call["succeeds"]:
        botocore.quota_checker.release_retry_quota(context, http_response=AWSResponse("u", 200, {}, None))
    count.equal(ours["tokens"], botocore.quota.available_capacity, f"tokens after {call}")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--driver", required=True)
    parser.add_argument("--calls", type=int, default=3000)
    parser.add_argument("--seed", type=int, default=1)
    arguments = parser.parse_args()
    session = botocore.session.get_session()
    services = {service: session.get_service_model(service) for service, _ in OPERATIONS}
    driver, count, botocore_side = Driver(arguments.driver), Count("retry"), Botocore()
    rng = random.Random(arguments.seed)
    for number in range(arguments.calls):
        operation, call = random_call(rng, services)
        call["fresh"] = number % 40 == 0  # a full quota again, so that most calls find some
        if call["fresh"]:
            botocore_side.quota._available_capacity = standard.quota.RetryQuota.INITIAL_CAPACITY
        check(botocore_side, driver, count, operation, call)
    driver.close()
    count.finish()


if __name__ == "__main__":
    main()
