#!/usr/bin/env python3
"""Makes the embedded resource of Kubernetes types: generate.py --definitions FILE --output FILE.cpp

Keeps what the kinds of SERVED group versions reach, turns it back into OpenAPI v3 form (the source is JSON Schema with
nulls added), and writes two compressed JSON documents: the bare types, and the types with their descriptions.
"""

import argparse
import json
import pathlib
import sys
import zlib

SERVED = {
    ("", "v1"),
    ("admissionregistration.k8s.io", "v1"),
    ("apiextensions.k8s.io", "v1"),
    ("apiregistration.k8s.io", "v1"),
    ("apps", "v1"),
    ("authentication.k8s.io", "v1"),
    ("authorization.k8s.io", "v1"),
    ("autoscaling", "v1"),
    ("autoscaling", "v2"),
    ("batch", "v1"),
    ("coordination.k8s.io", "v1"),
    ("discovery.k8s.io", "v1"),
    ("events.k8s.io", "v1"),
    ("networking.k8s.io", "v1"),
    ("node.k8s.io", "v1"),
    ("policy", "v1"),
    ("rbac.authorization.k8s.io", "v1"),
    ("scheduling.k8s.io", "v1"),
    ("storage.k8s.io", "v1"),
}

# What Go types of their own are in OpenAPI, which JSON Schema could not say.
SPECIAL = {
    "io.k8s.apimachinery.pkg.util.intstr.IntOrString": {"type": "string", "format": "int-or-string"},
    "io.k8s.apimachinery.pkg.api.resource.Quantity": {"type": "string", "format": "quantity"},
}

# Keys of associative lists that have a default (the `default` of OpenAPI v3): an item without it has this one.
DEFAULTS = {
    ("io.k8s.api.core.v1.ContainerPort", "protocol"): "TCP",
    ("io.k8s.api.core.v1.ServicePort", "protocol"): "TCP",
}

OLD_REFERENCE = "#/$defs/"
REFERENCE = "#/components/schemas/"


def convert(node):
    """One schema in OpenAPI v3 form."""
    if "$ref" in node:
        reference = {"$ref": REFERENCE + node["$ref"].removeprefix(OLD_REFERENCE)}
        extra = {key: value for key, value in node.items() if key != "$ref" and key != "description"}
        if not extra and "description" not in node:
            return reference
        out = {"allOf": [reference], **extra}
        if "description" in node:
            out["description"] = node["description"]
        return out
    out = {}
    for key, value in node.items():
        if key == "type":
            kinds = [kind for kind in (value if isinstance(value, list) else [value]) if kind != "null"]
            if len(kinds) == 1:
                out["type"] = kinds[0]
        elif key == "properties":
            out[key] = {name: convert(child) for name, child in value.items()}
        elif key in ("items", "additionalProperties") and isinstance(value, dict):
            out[key] = convert(value)
        elif key in ("enum",):
            out[key] = [choice for choice in value if choice is not None]
        else:
            out[key] = value
    return out


def converted(definitions):
    types = {}
    for name, definition in definitions.items():
        if name in SPECIAL:
            types[name] = {**SPECIAL[name], **{k: definition[k] for k in ("description",) if k in definition}}
            continue
        types[name] = convert(definition)
        if "x-kubernetes-group-version-kind" in definition:
            # The source narrows these two to the one value; OpenAPI does not.
            for field in ("apiVersion", "kind"):
                types[name].get("properties", {}).get(field, {}).pop("enum", None)
    for (name, field), value in DEFAULTS.items():
        types[name]["properties"][field]["default"] = value
    return types


def references(node):
    if isinstance(node, dict):
        for key, value in node.items():
            if key == "$ref" and isinstance(value, str):
                yield value.removeprefix(REFERENCE)
            else:
                yield from references(value)
    elif isinstance(node, list):
        for value in node:
            yield from references(value)


def served(definition):
    kinds = definition.get("x-kubernetes-group-version-kind", [])
    return any((kind["group"], kind["version"]) in SERVED for kind in kinds)


def reachable(types):
    kept = set()
    waiting = [name for name, definition in types.items() if served(definition)]
    while waiting:
        name = waiting.pop()
        if name not in kept:
            kept.add(name)
            waiting.extend(references(types[name]))
    return {name: types[name] for name in sorted(kept)}


def without_descriptions(node):
    """Descriptions are texts beside a type; a property may be called so too."""
    if isinstance(node, list):
        return [without_descriptions(value) for value in node]
    if not isinstance(node, dict):
        return node
    out = {}
    for key, value in node.items():
        if key == "properties":
            out[key] = {name: without_descriptions(child) for name, child in value.items()}
        elif key != "description":
            out[key] = without_descriptions(value)
    return out


def literal(data):
    lines = []
    for start in range(0, len(data), 32):
        lines.append('"' + "".join(f"\\{byte:03o}" for byte in data[start : start + 32]) + '"')
    return "\n    ".join(lines)


def array(name, document):
    text = json.dumps(document, ensure_ascii=False, separators=(",", ":"), sort_keys=True).encode()
    packed = zlib.compress(text, 9)
    return (
        f"const char k_{name}_bytes[] =\n    {literal(packed)};\n"
        f"const PackedText k_{name}{{{{k_{name}_bytes, {len(packed)}}}, {len(text)}}};\n"
    )


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--definitions", type=pathlib.Path, required=True)
    parser.add_argument("--output", type=pathlib.Path, required=True)
    arguments = parser.parse_args()
    definitions = json.loads(arguments.definitions.read_text(encoding="utf-8"))["$defs"]
    types = reachable(converted(definitions))
    text = (
        "// Generated by tools/kubernetes_schemas/generate.py.\n"
        '#include "sandbox/kubernetes/objects/packed_text.h"\n\n'
        '#pragma clang diagnostic ignored "-Woverlength-strings"\n\n'
        "namespace instantstart::sandbox::kubernetes {\nnamespace {\n\n"
        + array("types", without_descriptions(types))
        + "\n"
        + array("documents", types)
        + "\n}  // namespace\n\n"
        "const PackedText& packed_types() { return k_types; }\n"
        "const PackedText& packed_documents() { return k_documents; }\n\n"
        "}  // namespace instantstart::sandbox::kubernetes\n"
    )
    arguments.output.parent.mkdir(parents=True, exist_ok=True)
    arguments.output.write_text(text, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
