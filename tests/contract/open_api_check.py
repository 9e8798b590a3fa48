"""Checks an OpenAPI document with code that the product doesn't share.

    open_api_check.py FILE

The document must be valid OpenAPI 3.1, every schema in it valid JSON Schema 2020-12, and every example and
default must fit its schema. Needs openapi-spec-validator and jsonschema. Exit status 1 names what is wrong.
"""

import json
import sys
from collections import Counter
from collections.abc import Iterator

from jsonschema import Draft202012Validator
from openapi_spec_validator import OpenAPIV31SpecValidator
from referencing import Registry
from referencing.jsonschema import DRAFT202012

DOCUMENT = "urn:document"
METHODS = ("get", "put", "post", "delete", "patch")


def escaped(key: str) -> str:
    """A key as a piece of a JSON Pointer in a URI fragment."""
    pointer = key.replace("~", "~0").replace("/", "~1")
    return pointer.replace("%", "%25").replace("{", "%7B").replace("}", "%7D")


def schemas_with_examples(node: object, at: str = "") -> Iterator[tuple[str, dict, list]]:
    """Each `schema` member of a parameter, header or body: (pointer, schema, the examples beside it)."""
    if isinstance(node, list):
        for index, item in enumerate(node):
            yield from schemas_with_examples(item, f"{at}/{index}")
    if not isinstance(node, dict):
        return
    if isinstance(node.get("schema"), dict):
        yield f"{at}/schema", node["schema"], [node["example"]] if "example" in node else []
        return
    for key, value in node.items():
        yield from schemas_with_examples(value, f"{at}/{escaped(key)}")


def with_parts(schema: dict, at: str) -> Iterator[tuple[str, dict]]:
    """A schema and all schemas within it."""
    yield at, schema
    for word in ("properties", "$defs"):
        for name, part in schema.get(word, {}).items():
            yield from with_parts(part, f"{at}/{word}/{escaped(name)}")
    for word in ("items", "additionalProperties"):
        if isinstance(schema.get(word), dict):
            yield from with_parts(schema[word], f"{at}/{word}")
    for word in ("oneOf", "anyOf", "allOf"):
        for index, part in enumerate(schema.get(word, [])):
            yield from with_parts(part, f"{at}/{word}/{index}")


class Checker:
    def __init__(self, document: dict) -> None:
        self.document = document
        self.registry = Registry().with_resource(DOCUMENT, DRAFT202012.create_resource(document))
        self.counts: Counter[str] = Counter()
        self.faults: list[str] = []

    def run(self) -> None:
        for error in OpenAPIV31SpecValidator(self.document).iter_errors():
            self.faults.append(f"OpenAPI: {'/'.join(map(str, error.absolute_path))}: {error.message}")
        for path in self.document["paths"].values():
            self.counts["operations"] += sum(method in path for method in METHODS)
        for name, schema in self.document["components"]["schemas"].items():
            self.check_schema(schema, f"/components/schemas/{escaped(name)}", [])
        for part in ("paths", "components"):
            for at, schema, examples in schemas_with_examples(self.document[part], f"/{part}"):
                self.check_schema(schema, at, examples)

    def check_schema(self, schema: dict, at: str, examples: list) -> None:
        for error in Draft202012Validator(Draft202012Validator.META_SCHEMA).iter_errors(schema):
            self.faults.append(f"{at}: not a schema: {error.message}")
        for part_at, part in with_parts(schema, at):
            self.counts["schemas"] += 1
            for value in part.get("examples", []):
                self.check_value("examples", value, part_at)
            if "default" in part:
                self.check_value("defaults", part["default"], part_at)
        for value in examples:
            self.check_value("examples", value, at)

    def check_value(self, kind: str, value: object, at: str) -> None:
        self.counts[kind] += 1
        validator = Draft202012Validator({"$ref": f"{DOCUMENT}#{at}"}, registry=self.registry)
        for error in validator.iter_errors(value):
            self.faults.append(f"{at}: of the {kind}, {json.dumps(value)}: {error.message}")


def main() -> int:
    if len(sys.argv) != 2:
        print(__doc__, file=sys.stderr)
        return 2
    with open(sys.argv[1], encoding="utf-8") as file:
        checker = Checker(json.load(file))
    checker.run()
    for fault in checker.faults:
        print(fault, file=sys.stderr)
    print(", ".join(f"{count} {what}" for what, count in sorted(checker.counts.items())))
    if not checker.counts["operations"] or not checker.counts["examples"]:
        print("There is nothing to check.", file=sys.stderr)
        return 1
    return 1 if checker.faults else 0


if __name__ == "__main__":
    sys.exit(main())
