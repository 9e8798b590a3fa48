#!/usr/bin/env python3
"""Compares where we find credentials with botocore: the same variables and files give the same credentials,
or fail likewise.

    credentials_differential.py --driver BUILD/tests/aws/account_driver

The cases are in credential_cases.py. «Likewise» means: botocore finds nothing ↔ our `credentials_missing`;
botocore raises ↔ another of our errors. Not compared: the name of a role session that nobody chose, and the
texts of errors.
"""

import argparse
import os
import pathlib
import tempfile
from unittest import mock

import botocore.session

from credential_cases import CASES
from metadata_server import MetadataServer
from oracle import Count, Driver

# What the cases use as secrets; no error may show one.
SECRETS = ["env-secret", "AKIDA-secret", "AKIDB-secret", "oidc-token", "Basic abc"]


def filled(value, **places):
    """{home} and {server} in a text; doubled braces are single ones."""
    return value.format(**places) if isinstance(value, str) else value


def set_up(home, case, server):
    """Writes the case's files; -> (variables, the profile that is asked for, what ours is meant to be)"""
    _, variables, config, credentials, *more = case
    more = more[0] if more else {}
    places = {"home": home, "server": server}
    files = {
        ".aws/config": config.replace("{home}", str(home)).replace("{server}", server),
        ".aws/credentials": credentials,
        **more.get("files", {}),
    }
    for name, content in files.items():
        path = home / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
    base = {
        "HOME": str(home),
        "AWS_EC2_METADATA_DISABLED": "true",
        "AWS_DEFAULT_REGION": "us-west-2",
        "AWS_REGION": "us-west-2",
        "AWS_ENDPOINT_URL_STS": f"{server}/sts",
        "no_proxy": "*",
        "PATH": "/usr/bin:/bin",
    }
    return (
        {**base, **{name: filled(value, **places) for name, value in variables.items()}},
        more.get("profile"),
        more.get("ours"),
    )


def by_botocore(variables, profile):
    with (
        mock.patch.dict(os.environ, variables, clear=True),
        mock.patch("time.sleep"),
    ):
        try:
            credentials = botocore.session.Session(profile=profile).get_credentials()
            if credentials is None:
                return "credentials_missing"
            frozen = credentials.get_frozen_credentials()
            return (
                frozen.access_key,
                frozen.secret_key,
                frozen.token or "",
                frozen.account_id or "",
                credentials.method,
            )
        except Exception as problem:  # noqa: BLE001 whatever it raises is its answer
            return f"fails: {type(problem).__name__}: {problem}"


def by_us(driver, variables, profile):
    answer = driver.ask(mode="credentials", variables=variables, profile=profile)
    if "error" in answer:
        return answer["error"]["code"], answer["error"]["message"]
    found = answer["credentials"]
    return (
        found["access_key"],
        found["secret_key"],
        found["token"],
        found["account_id"],
        found["source"],
    ), ""


def check(driver, count, case, server):
    with tempfile.TemporaryDirectory() as folder:
        variables, profile, wanted = set_up(pathlib.Path(folder), case, server)
        ours, message = by_us(driver, variables, profile)
        theirs = by_botocore(variables, profile) if wanted is None else None
    what = f"{case[0]} ({message})"
    for secret in SECRETS:
        count.check(secret not in message, f"{what} shows {secret}")
    if wanted is not None:
        count.equal(ours, wanted, what)
    elif isinstance(theirs, str) and theirs.startswith("fails: "):
        count.check(
            isinstance(ours, str) and ours != "credentials_missing",
            f"{what}: ours {ours!r}, botocore {theirs}",
        )
    else:
        count.equal(ours, theirs, what)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--driver", required=True)
    arguments = parser.parse_args()
    driver, count = Driver(arguments.driver), Count("credentials")
    with MetadataServer() as server:
        for case in CASES:
            check(driver, count, case, server)
    driver.close()
    count.finish()


if __name__ == "__main__":
    main()
