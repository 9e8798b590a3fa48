#!/usr/bin/env python3
"""Generates the table of partitions and endpoints: generate_endpoints.py --models BOTOCORE_DATA --output
FILE

For the services of operations.toml; src/aws/endpoint_table.h says the table's form.

Each service's rule set is evaluated for each partition and combination of FIPS and dual-stack: once for a
region that AWS does not have yet, which gives the general rule, and once for each known region, where what
differs becomes a row of its own.
"""

import argparse
import gzip
import itertools
import json
import pathlib
import re
import tomllib

from endpoint_rules import NoEndpoint, RuleSet


def load(path):
    opener = gzip.open if path.suffix == ".gz" else open
    with opener(path, "rt", encoding="utf-8") as file:
        return json.load(file)


def latest(models, service, name):
    found = sorted((models / service).glob(f"*/{name}"))
    if not found:
        raise SystemExit(f"{models} has no {name} of {service}")
    return found[-1]


def unknown_region(partition):
    """A region that fits the partition's pattern and that no rule knows."""
    for region in partition["regions"]:
        invented = re.sub(r"\d+$", "99", region)
        if invented != region and re.match(partition["regionRegex"], invented):
            return invented
    raise SystemExit(f"Partition {partition['id']} has no region to derive from")


def resolve(rules, region, fips, dual_stack):
    """-> (url, signing region, signing name, error), with {region} in place of the region."""
    try:
        endpoint = rules.resolve(Region=region, UseFIPS=fips, UseDualStack=dual_stack)
    except NoEndpoint as refusal:
        return ("", "", "", str(refusal))
    schemes = endpoint["properties"].get("authSchemes", [])
    scheme = next((scheme for scheme in schemes if scheme["name"] == "sigv4"), {})
    signing_region = scheme.get("signingRegion", "")
    url = endpoint["url"]
    if not re.fullmatch(r"https://[a-z0-9.-]+", url):
        raise SystemExit(f"Unexpected endpoint {url}")
    return (
        re.sub(rf"(?<=\.){re.escape(region)}(?=\.)", "{region}", url),
        "" if signing_region == region else signing_region,
        scheme.get("signingName", ""),
        "",
    )


def in_region(row, region):
    """What a row means in one region, so that two spellings of one endpoint count as equal."""
    url, signing_region, signing_name, error = row
    return (url.replace("{region}", region), signing_region or region, signing_name, error)


def rows_of(rules, partitions):
    for partition, fips, dual_stack in itertools.product(partitions, (False, True), (False, True)):
        general = resolve(rules, unknown_region(partition), fips, dual_stack)
        key = (partition["id"], fips, dual_stack)
        yield (key, "", general)
        for region in sorted(partition["regions"]):
            own = resolve(rules, region, fips, dual_stack)
            if in_region(own, region) != in_region(general, region):
                yield (key, region, own)


def quoted(text):
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'


def boolean(value):
    return "true" if value else "false"


def identifier(name):
    return "k_" + re.sub(r"\W", "_", name)


def table(services, partitions, models):
    lines = [
        "// Written by tools/aws_shapes/generate_endpoints.py from the data of the botocore wheel.",
        '#include "aws/endpoint_table.h"',
        "",
        "namespace instantstart::aws {",
        "namespace {",
        "",
    ]
    for partition in partitions["partitions"]:
        regions = ", ".join(quoted(region) for region in sorted(partition["regions"]))
        lines.append(f"constexpr std::string_view {identifier(partition['id'])}_regions[] = {{{regions}}};")
    lines.append("constexpr PartitionInfo k_partitions[] = {")
    for partition in partitions["partitions"]:
        outputs = partition["outputs"]
        fields = [
            quoted(partition["id"]),
            quoted(outputs["dnsSuffix"]),
            quoted(outputs["dualStackDnsSuffix"]),
            quoted(outputs["implicitGlobalRegion"]),
            quoted(partition["regionRegex"]),
            identifier(partition["id"]) + "_regions",
        ]
        lines.append(f"    {{{', '.join(fields)}}},")
    lines += ["};", ""]
    ids = {}
    for service in services:
        ids[service] = load(latest(models, service, "service-2.json.gz"))["metadata"]["serviceId"]
        rules = RuleSet(load(latest(models, service, "endpoint-rule-set-1.json.gz")), partitions)
        lines.append(f"constexpr EndpointRule {identifier(service)}[] = {{")
        for (partition, fips, dual_stack), region, row in rows_of(rules, partitions["partitions"]):
            fields = [
                quoted(partition),
                quoted(region),
                boolean(fips),
                boolean(dual_stack),
                *map(quoted, row),
            ]
            lines.append(f"    {{{', '.join(fields)}}},")
        lines += ["};", ""]
    lines.append("constexpr ServiceEndpoints k_services[] = {")
    lines += [
        f"    {{{quoted(service)}, {quoted(ids[service])}, {identifier(service)}}}," for service in services
    ]
    lines += [
        "};",
        "",
        "}  // namespace",
        "",
        "std::span<const PartitionInfo> partition_table() { return k_partitions; }",
        "std::span<const ServiceEndpoints> endpoint_table() { return k_services; }",
        "",
        "}  // namespace instantstart::aws",
        "",
    ]
    return "\n".join(lines)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--models", type=pathlib.Path, required=True, help="botocore's data folder")
    parser.add_argument("--output", type=pathlib.Path, required=True)
    parser.add_argument(
        "--operations", type=pathlib.Path, default=pathlib.Path(__file__).with_name("operations.toml")
    )
    arguments = parser.parse_args()
    services = sorted(tomllib.loads(arguments.operations.read_text(encoding="utf-8")))
    text = table(services, load(arguments.models / "partitions.json"), arguments.models)
    if not arguments.output.exists() or arguments.output.read_text(encoding="utf-8") != text:
        arguments.output.parent.mkdir(parents=True, exist_ok=True)
        arguments.output.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
