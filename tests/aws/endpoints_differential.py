#!/usr/bin/env python3
"""Compares our endpoints with botocore's: every service that we use, in every region, with and without FIPS
and dual-stack; buckets in host names; configured endpoints.

    endpoints_differential.py --driver BUILD/tests/aws/endpoints_driver

Not as botocore: S3 in us-east-1 is asked at its regional address (botocore's `us_east_1_regional_endpoint =
regional`; its default is the legacy global one), and a custom endpoint together with FIPS or dual-stack is
refused where botocore drops the flag.
"""

import argparse
import itertools
import os
import pathlib
import tempfile
import tomllib
from unittest import mock

import botocore.session
from botocore.configprovider import ConfiguredEndpointProvider
from botocore.endpoint_provider import EndpointProvider
from botocore.exceptions import EndpointProviderError

from oracle import Count, Driver

ROOT = pathlib.Path(__file__).resolve().parents[2]
MORE_REGIONS = ["us-east-99", "eu-nowhere-1", "cn-south-7", "us-gov-south-3", "us-iso-west-9", "moon-base-1"]
BUCKETS = [
    "bucket",
    "my-bucket-1",
    "with.dots",
    "UPPER",
    "ab",
    "192.168.1.1",
    "under_score",
    "a" * 63,
    "a" * 64,
    "-x-",
]


class Botocore:
    def __init__(self):
        loader = botocore.session.get_session().get_component("data_loader")
        self.loader = loader
        self.partitions = loader.load_data("partitions")
        self.providers = {}

    def regions(self):
        return (
            sorted(region for partition in self.partitions["partitions"] for region in partition["regions"])
            + MORE_REGIONS
        )

    def resolve(self, service, **parameters):
        """-> (url, signing region, signing name) or None"""
        if service not in self.providers:
            rules = self.loader.load_service_model(service, "endpoint-rule-set-1")
            self.providers[service] = EndpointProvider(rules, self.partitions)
        try:
            endpoint = self.providers[service].resolve_endpoint(**parameters)
        except EndpointProviderError:
            return None
        schemes = [
            scheme for scheme in endpoint.properties.get("authSchemes", []) if scheme["name"] == "sigv4"
        ]
        scheme = schemes[0] if schemes else {}
        return endpoint.url, scheme.get("signingRegion", parameters["Region"]), scheme.get("signingName", "")


def check_all(driver, count, theirs, services):
    for service, region, fips, dual_stack in itertools.product(
        services, theirs.regions(), (False, True), (False, True)
    ):
        answer = driver.ask(mode="aws", service=service, region=region, fips=fips, dual_stack=dual_stack)
        ours = (
            None if "error" in answer else (answer["url"], answer["signing_region"], answer["signing_name"])
        )
        count.equal(
            ours,
            theirs.resolve(service, Region=region, UseFIPS=fips, UseDualStack=dual_stack),
            (service, region, fips, dual_stack),
        )


def check_buckets(driver, count, theirs):
    for bucket, region, fips, dual_stack in itertools.product(
        BUCKETS, ("us-west-2", "cn-north-1", "us-gov-west-1"), (False, True), (False, True)
    ):
        path = f"/{bucket}/key"
        answer = driver.ask(
            mode="address", service="s3", region=region, fips=fips, dual_stack=dual_stack, path=path
        )
        endpoint = theirs.resolve("s3", Region=region, UseFIPS=fips, UseDualStack=dual_stack, Bucket=bucket)
        if "error" in answer or endpoint is None:
            count.equal("error" in answer, endpoint is None, (bucket, region, fips, dual_stack))
            continue
        ours = answer["origin"] + ("" if answer["bucket_in_host"] else f"/{bucket}")
        count.equal(ours, endpoint[0], (bucket, region, fips, dual_stack))


def check_clients(driver, count, services):
    """A few through the whole of botocore."""
    session = botocore.session.Session()
    session.set_credentials("AKIDEXAMPLE", "secret")
    for service, region in itertools.product(services, ("us-west-2", "cn-north-1", "us-gov-east-1")):
        client = session.create_client(service, region_name=region)
        answer = driver.ask(mode="aws", service=service, region=region, fips=False, dual_stack=False)
        count.equal(answer["url"], client.meta.endpoint_url, (service, region, "client"))


def check_configured(driver, count, services):
    """Variables and `services` sections, each service against the others' names."""
    cases = []
    for service in services:
        probe = ConfiguredEndpointProvider({}, {}, service)
        variable, block = probe._get_service_env_var_name(), probe._transformed_service_id.lower()
        cases.append((service, {variable: "http://own:1"}, ""))
        cases.append((service, {variable: "http://own:1", "AWS_ENDPOINT_URL": "http://all:1"}, ""))
        cases.append(
            (service, {"AWS_ENDPOINT_URL": "http://all:1"}, "[default]\nendpoint_url=http://profile:1\n")
        )
        cases.append(
            (
                service,
                {},
                f"[default]\nservices=s\n[services s]\n{block} =\n  endpoint_url = http://section:1\n",
            )
        )
        cases.append(
            (
                service,
                {},
                "[default]\nendpoint_url=http://profile:1\nservices=s\n"
                + "[services s]\nnone =\n  endpoint_url = http://x:1\n",
            )
        )
        cases.append((service, {variable: "http://own:1", "AWS_IGNORE_CONFIGURED_ENDPOINT_URLS": "TRUE"}, ""))
        cases.append((service, {}, "[default]\nservices=gone\n"))
    for service, variables, config in cases:
        answer = driver.ask(
            mode="configured", service=service, region="us-west-2", variables=variables, config=config
        )
        count.equal(
            answer.get("url"),
            configured_by_botocore(service, variables, config),
            (service, variables, config),
        )


def configured_by_botocore(service, variables, config):
    with tempfile.NamedTemporaryFile("w", suffix=".ini") as file:
        file.write(config)
        file.flush()
        with mock.patch.dict(os.environ, {**variables, "AWS_CONFIG_FILE": file.name}, clear=True):
            session = botocore.session.Session()
            session.set_credentials("AKIDEXAMPLE", "secret")
            try:
                return session.create_client(service, region_name="us-west-2").meta.endpoint_url
            except botocore.exceptions.InvalidConfigError:
                return None


def check_partitions(driver, count, theirs):
    library = next(iter(theirs.providers.values())).ruleset.rule_lib
    for region in theirs.regions():
        answer = driver.ask(mode="partition", region=region)
        partition = library.aws_partition(region)
        count.equal(
            (answer["partition"], answer["dns_suffix"]), (partition["name"], partition["dnsSuffix"]), region
        )


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--driver", required=True)
    arguments = parser.parse_args()
    services = sorted(tomllib.loads((ROOT / "tools/aws_shapes/operations.toml").read_text()))
    driver, count, theirs = Driver(arguments.driver), Count("endpoints"), Botocore()
    with mock.patch.dict(
        os.environ,
        {"AWS_CONFIG_FILE": "/nowhere", "AWS_S3_US_EAST_1_REGIONAL_ENDPOINT": "regional"},
        clear=True,
    ):
        check_all(driver, count, theirs, services)
        check_buckets(driver, count, theirs)
        check_partitions(driver, count, theirs)
        check_clients(driver, count, services)
        check_configured(driver, count, services)
    driver.close()
    count.finish()


if __name__ == "__main__":
    main()
