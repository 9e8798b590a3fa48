"""Reads botocore's service models and works out what the listed operations need of them.

What can't be generated yet (event streams, documents, host prefixes, CBOR without an alternative) is refused by
name here, so that no operation is ever encoded half right.
"""

import gzip
import json
import pathlib
import re

PROTOCOLS = ("json", "rest-json", "query", "ec2", "rest-xml")
SCALARS = {
    "string": "string",
    "character": "string",
    "integer": "integer",
    "long": "integer",
    "float": "number",
    "double": "number",
    "boolean": "boolean",
    "timestamp": "timestamp",
    "blob": "blob",
}
# Attributes of a reference to a shape that win over the shape's own (botocore.model.Shape.SERIALIZED_ATTRS).
MERGED = (
    "locationName",
    "queryName",
    "flattened",
    "location",
    "streaming",
    "timestampFormat",
    "xmlNamespace",
    "xmlAttribute",
    "jsonvalue",
    "idempotencyToken",
    "document",
    "eventstream",
    "hostLabel",
    "sensitive",
)


class Unsupported(Exception):
    """The model asks for something that the generator does not know."""


def read_json(path):
    if path.exists():
        return json.loads(path.read_text(encoding="utf-8"))
    packed = path.with_name(path.name + ".gz")
    if packed.exists():
        return json.loads(gzip.decompress(packed.read_bytes()))
    return None


def merge(base, extra):
    """Deep merge, as botocore's loader applies *.sdk-extras.json."""
    for key, value in extra.items():
        if isinstance(value, dict) and isinstance(base.get(key), dict):
            merge(base[key], value)
        else:
            base[key] = value


def load(models, service, kind):
    """The newest version of `kind` ("service-2", "paginators-1") with its extras; None when there is none."""
    folder = pathlib.Path(models) / service
    if not folder.is_dir():
        raise Unsupported(f"the models in {models} have no service {service!r}")
    versions = sorted(
        (v for v in folder.iterdir() if read_json(v / "service-2.json") is not None), reverse=True
    )
    if not versions:
        raise Unsupported(f"{folder} has no service-2.json")
    document = read_json(versions[0] / f"{kind}.json")
    extras = read_json(versions[0] / f"{kind}.sdk-extras.json")
    if document is not None and extras is not None:
        merge(document, extras["merge"])
    return document


class Service:
    """One service's model, cut down to the listed operations."""

    def __init__(self, name, settings, model, paginators):
        self.name = name
        self.metadata = model["metadata"]
        self.shapes = model["shapes"]
        self.overrides = settings.get("overrides", {})
        self.xml_namespace = settings.get("xml_namespace", self.metadata.get("xmlNamespace", ""))
        self.pages = (paginators or {}).get("pagination", {})
        self.protocol = self._choose_protocol()
        self.operations = {}
        for operation in sorted(settings["operations"]):
            if operation not in model["operations"]:
                raise Unsupported(f"{name} has no operation {operation}")
            self.operations[operation] = model["operations"][operation]
        unknown = set(self.overrides) - set(self.operations)
        if unknown:
            raise Unsupported(f"{name}: overrides for unlisted operations: {', '.join(sorted(unknown))}")
        self.reached = {}
        self._reach_all()
        self.recursive = self._recursive_members()
        self.order = self._declaration_order()

    def _choose_protocol(self):
        offered = self.metadata.get("protocols") or [self.metadata["protocol"]]
        for protocol in offered:
            if protocol in PROTOCOLS:
                return protocol
        raise Unsupported(f"{self.name} speaks only {', '.join(offered)}")

    # -- shapes --

    def kind(self, name):
        kind = self.shapes[name]["type"]
        return SCALARS.get(kind, kind)

    def reference(self, reference):
        """The attributes of a use of a shape: the shape's, overlaid with the reference's."""
        shape = self.shapes[reference["shape"]]
        return {key: source[key] for source in (shape, reference) for key in MERGED if key in source}

    def references(self, name):
        """(role, reference) of all shapes that `name` uses directly."""
        shape = self.shapes[name]
        uses = list(shape.get("members", {}).items())
        return uses + [(role, shape[role]) for role in ("member", "key", "value") if role in shape]

    def structures(self):
        return [name for name in self.order if self.kind(name) == "structure"]

    def _reach_all(self):
        for name, operation in self.operations.items():
            self._check_operation(name, operation)
            for part in [operation.get("input"), operation.get("output"), *operation.get("errors", [])]:
                if part:
                    self._reach(part["shape"])

    def _check_operation(self, name, operation):
        where = f"{self.name} {name}"
        if "hostPrefix" in operation.get("endpoint", {}):
            raise Unsupported(f"{where}: a host prefix is not supported")
        for segment in operation["http"]["requestUri"].split("?")[0].split("/"):
            if "{" in segment and not re.fullmatch(r"\{[A-Za-z0-9_]+\+?\}", segment):
                raise Unsupported(f"{where}: a label that is a part of a segment is not supported")
        if operation.get("endpointdiscovery", {}).get("required"):
            raise Unsupported(f"{where}: endpoint discovery is not supported")

    def _reach(self, name):
        if name in self.reached:
            return
        self.reached[name] = True
        self._check_shape(name)
        for _, reference in self.references(name):
            self._reach(reference["shape"])

    def _check_shape(self, name):
        shape = self.shapes[name]
        where = f"{self.name} {name}"
        if shape.get("eventstream") or shape.get("event"):
            raise Unsupported(f"{where}: event streams are not supported")
        if shape.get("document"):
            raise Unsupported(f"{where}: free-form documents are not supported")
        if shape["type"] == "map" and self.kind(shape["key"]["shape"]) != "string":
            raise Unsupported(f"{where}: a map whose keys are not strings is not supported")
        if shape["type"] == "list" and self.kind(shape["member"]["shape"]) == "boolean":
            raise Unsupported(f"{where}: a list of booleans is not supported")
        for role, reference in self.references(name):
            merged = self.reference(reference)
            if merged.get("jsonvalue") and merged.get("location") == "header":
                raise Unsupported(f"{where}.{role}: JSON in a header is not supported")
            self._check_list(where, role, reference, merged)
            if merged.get("hostLabel"):
                raise Unsupported(f"{where}.{role}: host labels are not supported")

    def _check_list(self, where, role, reference, merged):
        shape = self.shapes[reference["shape"]]
        if shape["type"] != "list":
            return
        item = self.reference(shape["member"])
        if self.protocol == "rest-xml" and merged.get("flattened") and "locationName" in item:
            # botocore writes the list's name and reads the item's.
            raise Unsupported(
                f"{where}.{role}: a flattened list with named items is not supported in rest-xml"
            )
        if merged.get("location") == "header" and self.kind(shape["member"]["shape"]) == "timestamp":
            raise Unsupported(f"{where}.{role}: a list of times in a header is not supported")

    # -- order and recursion --

    def _closure(self, name):
        seen = set()
        todo = [reference["shape"] for _, reference in self.references(name)]
        while todo:
            shape = todo.pop()
            if shape not in seen:
                seen.add(shape)
                todo += [reference["shape"] for _, reference in self.references(shape)]
        return seen

    def _recursive_members(self):
        """(structure, member) where a structure holds, in no list or map, what leads back to itself."""
        found = set()
        for name in self.reached:
            if self.kind(name) == "structure" and name in self._closure(name):
                for member, reference in self.references(name):
                    target = reference["shape"]
                    if self.kind(target) == "structure" and name in self._closure(target) | {target}:
                        found.add((name, member))
        return found

    def _declaration_order(self):
        """Used before user; the members in a cycle stand as they are met."""
        order, state = [], {}

        def visit(name):
            if name in state:
                return
            state[name] = "open"
            for _, reference in self.references(name):
                visit(reference["shape"])
            order.append(name)

        for name in sorted(self.reached):
            visit(name)
        return order

    # -- errors and pages --

    def errors(self):
        """Names of the error shapes of all listed operations, by wire code."""
        operations = self.operations.values()
        names = {error["shape"] for operation in operations for error in operation.get("errors", [])}
        return sorted(names, key=lambda name: (self.error_code(name), name))

    def error_code(self, name):
        return self.shapes[name].get("error", {}).get("code", name)

    def pagination(self, operation):
        """Lists of input tokens, output tokens and result keys, limit key, more results; None without pages."""
        page = self.pages.get(operation)
        if not page:
            return None

        def names(value):
            found = value if isinstance(value, list) else [value]
            for name in found:
                if not re.fullmatch(r"[A-Za-z0-9_]+(\.[A-Za-z0-9_]+)*", name):
                    raise Unsupported(f"{self.name} {operation}: the page token {name!r} is not a plain path")
            return found

        tokens = names(page["input_token"]), names(page["output_token"])
        if len(tokens[0]) != len(tokens[1]):
            raise Unsupported(f"{self.name} {operation}: input and output page tokens differ in number")
        return (
            *tokens,
            names(page.get("result_key", [])),
            page.get("limit_key", ""),
            page.get("more_results", ""),
        )
