#!/usr/bin/env python3
"""Compares our AWS codec with botocore's, both ways, over seeded random values of every generated operation.

    protocols_differential.py --driver BUILD/tests/aws/protocol_driver --python PYTHON_WITH_BOTOCORE

* requests: our encoded request and botocore's serialised one are equal (method, path, query, headers; JSON
  bodies after parsing, forms byte for byte, XML too but for the blank in "<a />"), and our server reads the same
  values and operation out of it;
* answers: botocore's parser and our decoder read out of our server's answer what was put in;
* errors: code, message and typed fields, of all that the models name and of answers that no service wrote.

The made-up services of tools/aws_shapes/testdata are compared too: they have what no listed AWS operation has.

The last line is "protocols: N passed, M failed".
"""

import argparse
import base64
import datetime
import io
import json
import os
import pathlib
import random
import subprocess
import sys
import urllib.parse

ROOT = pathlib.Path(__file__).resolve().parents[2]
UTC = datetime.timezone.utc
PIECES = list("aZ9-_.~/+ %&<>'\"=?#é日🙂\\;")
PLAIN = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_."


def load_service(loader, name):
    """The model under the protocol that we speak: the first of its list that is not CBOR."""
    from botocore.model import ServiceModel

    model = ServiceModel(loader.load_service_model(name, "service-2"), service_name=name)
    protocols = model.metadata.get("protocols", [model.metadata["protocol"]])
    return model, next(protocol for protocol in protocols if protocol != "smithy-rpc-v2-cbor")


class Values:
    """Random values of a shape: as botocore takes them."""

    def __init__(self, rng, protocol, answer):
        self.rng = rng
        self.protocol = protocol
        self.answer = answer  # values of outputs, which only our own server writes

    def of(self, shape, depth=0):
        location = shape.serialization.get("location")
        return getattr(self, f"_{shape.type_name}")(shape, depth, location)

    def _structure(self, shape, depth, _):
        members = list(shape.members.items())
        if shape.is_tagged_union:
            members = [self.rng.choice(members)] if members else []
            return {name: self.of(member, depth + 1) for name, member in members}
        value = {}
        for name, member in members:
            needed = (
                name in shape.metadata.get("required", []) or member.serialization.get("location") == "uri"
            )
            if needed or self.rng.random() < (0.7 if depth < 3 else 0.4 if depth < 6 else 0.15):
                # In attributes botocore escapes one character more than it must.
                plain = member.serialization.get("xmlAttribute")
                value[name] = self.text(member, True, 1) if plain else self.of(member, depth + 1)
        return value

    def _list(self, shape, depth, location):
        least = max(shape.metadata.get("min", 0), 1 if location else 0)
        size = max(least, self.rng.choice([0, 1, 1, 2, 3] if depth < 4 else [0, 1]))
        if location == "header":  # botocore's parser does not unquote items
            return [self.text(shape.member, True, 1) for _ in range(size)]
        return [self.of(shape.member, depth + 1) for _ in range(size)]

    def _map(self, shape, depth, location):
        size = self.rng.choice([1, 2] if location else [0, 1, 2, 3])
        keys = {self.text(shape.key, location is not None, 1) for _ in range(size)}
        value = (
            (lambda: self.text(shape.value, True, 1))
            if location
            else (lambda: self.of(shape.value, depth + 1))
        )
        # Our maps are sorted, botocore's are in the order in which they were made.
        return {key: value() for key in sorted(keys, key=lambda key: key.encode())}

    def text(self, shape, plain, least):
        if shape.enum:
            return self.rng.choice(shape.enum)
        least = max(least, shape.metadata.get("min", 0))
        size = least + self.rng.choice([0, 1, 3, 8, 20])
        letters = PLAIN if plain else PIECES
        return "".join(self.rng.choice(letters) for _ in range(size))

    def _string(self, shape, _, location):
        if location == "uri":
            return self.text(shape, False, 1)
        return self.text(shape, location in ("header", "headers"), 1 if location else 0)

    _character = _string

    def _integer(self, shape, _, location):
        if location == "statusCode":
            return 201
        low = int(shape.metadata.get("min", -1000))
        return self.rng.choice([low, low + 1, low + self.rng.randrange(10**6)])

    def _long(self, shape, *_):
        low = int(shape.metadata.get("min", -(2**40)))
        return low + self.rng.randrange(2**41)

    def _double(self, shape, *_):
        low = float(shape.metadata.get("min", -1000))
        return self.rng.choice(
            [low + 0.5, low + self.rng.random(), low + self.rng.random() * 1e18, low + 1e-7]
        )

    _float = _double

    def _boolean(self, *_):
        return self.rng.random() < 0.5

    def _timestamp(self, shape, _, location):
        micros = self.rng.choice([0, 0, 123000, self.rng.randrange(10**6)])
        form = shape.serialization.get("timestampFormat")
        if location == "header" or form == "rfc822":
            micros = 0
        seconds = self.rng.randrange(0, 4102444800)
        return datetime.datetime(1970, 1, 1, tzinfo=UTC) + datetime.timedelta(
            seconds=seconds, microseconds=micros
        )

    def _blob(self, *_):
        return bytes(self.rng.randrange(256) for _ in range(self.rng.choice([1, 2, 3, 50])))


def to_api(value):
    """A botocore value as the driver's JSON."""
    if isinstance(value, dict):
        return {key: to_api(item) for key, item in value.items() if key != "ResponseMetadata"}
    if isinstance(value, (list, tuple)):
        return [to_api(item) for item in value]
    if isinstance(value, datetime.datetime):
        value = value.astimezone(UTC)
        return (
            value.strftime("%Y-%m-%dT%H:%M:%S")
            + (f".{value.microsecond:06}" if value.microsecond else "")
            + "Z"
        )
    if isinstance(value, bytes):
        return base64.b64encode(value).decode()
    if hasattr(value, "read"):
        return base64.b64encode(value.read()).decode()
    return value


def without_empty(value):
    """Drops what forms, headers and flattened lists can't say: empty lists, maps and structures."""
    if isinstance(value, dict):
        kept = {key: without_empty(item) for key, item in value.items()}
        return {key: item for key, item in kept.items() if item not in ({}, [])}
    if isinstance(value, list):
        return [item for item in (without_empty(item) for item in value) if item not in ({}, [])]
    return value


class Driver:
    def __init__(self, path):
        self.path = path

    def ask(self, lines):
        text = "".join(json.dumps(line) + "\n" for line in lines)
        done = subprocess.run([self.path], input=text, capture_output=True, text=True, check=True)
        answers = [json.loads(line) for line in done.stdout.splitlines()]
        assert len(answers) == len(lines), done.stderr
        return answers


class Comparison:
    def __init__(self, driver, loader, seed, rounds):
        self.driver = driver
        self.loader = loader
        self.seed = seed
        self.rounds = rounds
        self.passed = {}
        self.failures = []

    def check(self, kind, name, ours, theirs, what):
        if ours == theirs:
            self.passed[kind] = self.passed.get(kind, 0) + 1
            return
        self.failures.append(
            f"{kind} {name}: {what}\n    ours   {shorten(ours)}\n    theirs {shorten(theirs)}"
        )

    def operations(self, services):
        for name, settings in services.items():
            model, protocol = load_service(self.loader, name)
            for operation in settings["operations"]:
                yield name, protocol, model, model.operation_model(operation)

    # -- requests --

    def requests(self, services):
        cases = []
        for name, protocol, _, operation in self.operations(services):
            for turn in range(self.rounds):
                rng = random.Random(f"{self.seed} request {name} {operation.name} {turn}")
                params = (
                    Values(rng, protocol, False).of(operation.input_shape) if operation.input_shape else {}
                )
                cases.append(
                    (name, protocol, operation, params, self.serialised(protocol, operation, params))
                )
        ours = self.driver.ask(
            [
                {"mode": "encode", "service": n, "operation": o.name, "params": to_api(p)}
                for n, _, o, p, _ in cases
            ]
        )
        sent = [(case, answer["request"]) for case, answer in zip(cases, ours) if "request" in answer]
        for (name, protocol, operation, _, theirs), answer in zip(cases, ours):
            label = f"{name}.{operation.name}"
            if "request" not in answer:
                self.check("request", label, answer, theirs, "we refused to encode it")
                continue
            self.check(
                "request", label, *comparable(protocol, answer["request"], theirs), "the requests differ"
            )
        received = self.driver.ask(
            [{"mode": "receive", "service": case[0], "request": request} for case, request in sent]
        )
        for (case, _), answer in zip(sent, received):
            name, protocol, operation, params, _ = case
            expected = with_raw_payload(operation.input_shape, to_api(params))
            if protocol in ("query", "ec2", "rest-xml"):
                expected, answer["value"] = without_empty(expected), without_empty(answer.get("value"))
            wanted = {"operation": operation.name, "value": expected}
            self.check(
                "received", f"{name}.{operation.name}", answer, wanted, "the server read something else"
            )

    @staticmethod
    def serialised(protocol, operation, params):
        from botocore.awsrequest import create_request_object, prepare_request_dict
        from botocore.serialize import create_serializer

        serialised = create_serializer(protocol).serialize_to_request(params, operation)
        headers = dict(serialised["headers"])
        prepare_request_dict(serialised, endpoint_url="https://aws.test", user_agent="test")
        prepared = create_request_object(serialised).prepare()
        url = urllib.parse.urlsplit(prepared.url)
        body = prepared.body or b""
        return {
            "method": prepared.method,
            "path": url.path,
            "query": [list(pair) for pair in urllib.parse.parse_qsl(url.query, keep_blank_values=True)],
            "headers": [list(pair) for pair in headers.items()],
            "body": body.encode() if isinstance(body, str) else bytes(body),
        }

    # -- answers --

    def answers(self, services):
        cases = []
        for name, protocol, _, operation in self.operations(services):
            for turn in range(self.rounds):
                rng = random.Random(f"{self.seed} answer {name} {operation.name} {turn}")
                value = (
                    Values(rng, protocol, True).of(operation.output_shape) if operation.output_shape else {}
                )
                cases.append((name, protocol, operation, to_api(value)))
        made = self.driver.ask(
            [{"mode": "respond", "service": n, "operation": o.name, "value": v} for n, _, o, v in cases]
        )
        read = self.driver.ask(
            [
                {
                    "mode": "decode",
                    "service": n,
                    "operation": o.name,
                    "response": answer.get("response", EMPTY),
                }
                for (n, _, o, _), answer in zip(cases, made)
            ]
        )
        for (name, protocol, operation, value), answer, ours in zip(cases, made, read):
            label = f"{name}.{operation.name}"
            if "response" not in answer:
                self.check("answer", label, answer, value, "our server refused to encode it")
                continue
            theirs = to_api(self.parsed(protocol, operation, answer["response"]))
            value = as_answered(operation, value)
            ours = as_answered(operation, ours.get("value", ours))
            theirs = as_answered(operation, theirs)
            if protocol == "rest-xml" or name == "orchard-query":  # they have flattened lists
                value, ours, theirs = without_empty(value), without_empty(ours), without_empty(theirs)
            self.check("answer", label, ours, theirs, "botocore and we read the answer differently")
            self.check("answered value", label, ours, value, "we read something else than the server meant")

    @staticmethod
    def parsed(protocol, operation, response):
        from botocore.awsrequest import HeadersDict
        from botocore.parsers import create_parser

        body = base64.b64decode(response["body_base64"])
        if (
            operation.name == "GetBucketLocation" and response["status"] == 200
        ):  # botocore reads it in a handler
            from botocore.compat import ETree

            return {"LocationConstraint": ETree.fromstring(body).text} if ETree.fromstring(body).text else {}
        answer = {
            "headers": HeadersDict(response["headers"]),
            "status_code": response["status"],
            "body": body,
        }
        if operation.has_streaming_output and response["status"] < 300:
            answer["body"] = io.BytesIO(body)
        return create_parser(protocol).parse(answer, operation.output_shape)

    # -- errors --

    def errors(self, services):
        cases = []
        for name, settings in services.items():
            model, protocol = load_service(self.loader, name)
            for operation_name in settings["operations"]:
                operation = model.operation_model(operation_name)
                shapes = list(operation.error_shapes) if operation.name != "HeadBucket" else []
                for shape in shapes or [None]:
                    rng = random.Random(f"{self.seed} error {name} {operation_name} {shape and shape.name}")
                    fields = to_api(Values(rng, protocol, True).of(shape)) if shape else {}
                    fields = {
                        key: item for key, item in fields.items() if key.lower() not in ("message", "code")
                    }
                    code = (shape.error_code or shape.name) if shape else "Made.UpError"
                    error = {
                        "code": code,
                        "message": f'no <{rng.randrange(1000)}> "here" é',
                        "fields": fields,
                    }
                    cases.append((name, protocol, model, operation, error))
        lines = [
            {"mode": "refuse", "service": n, "operation": o.name, "service_error": e}
            for n, _, _, o, e in cases
        ]
        self.compare_errors(cases, [answer["response"] for answer in self.driver.ask(lines)], "error")

    def strange_errors(self, services):
        """Answers that are no service's: proxies, empty bodies, other spellings."""
        cases, responses = [], []
        for name, settings in services.items():
            model, protocol = load_service(self.loader, name)
            operation = model.operation_model(settings["operations"][0])
            for status, headers, body in STRANGE[
                "xml" if protocol in ("query", "ec2", "rest-xml") else "json"
            ]:
                if protocol != "rest-xml" and body == "" and status < 500 and protocol in ("query", "ec2"):
                    continue  # botocore raises there
                cases.append((name, protocol, model, operation, None))
                encoded = base64.b64encode(body.encode()).decode()
                responses.append({"status": status, "headers": headers, "body_base64": encoded})
        self.compare_errors(cases, responses, "strange error")

    def compare_errors(self, cases, responses, kind):
        read = self.driver.ask(
            [
                {"mode": "decode", "service": n, "operation": o.name, "response": response}
                for (n, _, _, o, _), response in zip(cases, responses)
            ]
        )
        for (name, protocol, model, operation, meant), response, answer in zip(cases, responses, read):
            label = f"{name}.{operation.name}"
            ours = answer.get("service_error", answer)
            parsed = self.parsed(protocol, operation, response)
            error = parsed.get("Error", {})
            theirs = {"code": str(error.get("Code", "")), "message": error.get("Message") or ""}
            shape = model.shape_for_error_code(theirs["code"])
            fields = (
                to_api(self.parsed_fields(protocol, shape, response))
                if shape and ours.get("modelled")
                else {}
            )
            theirs["fields"] = fields
            seen = {key: ours.get(key) for key in ("code", "message", "fields")}
            self.check(kind, label, seen, theirs, "botocore and we read the error differently")
            if meant and operation.http["method"] != "HEAD":
                kept = {
                    key: item
                    for key, item in ours["fields"].items()
                    if key.lower() not in ("message", "code")
                }
                seen = {"code": ours["code"], "message": ours["message"], "fields": without_empty(kept)}
                wanted = {**meant, "fields": without_empty(meant["fields"])}
                self.check("meant error", label, seen, wanted, "we read something else than was meant")

    @staticmethod
    def parsed_fields(protocol, shape, response):
        from botocore.awsrequest import HeadersDict
        from botocore.parsers import create_parser

        body = base64.b64decode(response["body_base64"])
        answer = {
            "headers": HeadersDict(response["headers"]),
            "status_code": response["status"],
            "body": body,
        }
        return create_parser(protocol).parse(answer, shape)


EMPTY = {"status": 200, "headers": [], "body_base64": ""}
STRANGE = {
    "json": [
        (503, [], "<html><body>Service Unavailable</body></html>"),
        (502, [], ""),
        (500, [], "  \n"),
        (400, [], '{"__type":"com.amazonaws.x#ThrottlingException","message":"slow"}'),
        (400, [], '{"__type":"ThrottlingException:http://internal/coral","Message":"slow"}'),
        (403, [["x-amzn-ErrorType", "AccessDeniedException:http://internal/"]], '{"Message":"no"}'),
        (404, [], '{"code":"ResourceNotFoundException","message":"gone"}'),
        (400, [], '{"message":"no code"}'),
        (400, [], "{}"),
        (413, [], "not json at all"),
        (429, [], ""),
        (400, [["x-amzn-query-error", "Old.Code;Sender"]], '{"__type":"New","message":"m"}'),
    ],
    "xml": [
        (503, [], "<html><body>Service Unavailable</body></html>"),
        (502, [], ""),
        (500, [], " \n "),
        (404, [], ""),
        (
            400,
            [],
            "<ErrorResponse><Error><Type>Sender</Type><Code>Throttling</Code><Message>slow</Message></Error>"
            "<RequestId>r</RequestId></ErrorResponse>",
        ),
        (
            400,
            [],
            "<?xml version='1.0'?><a:ErrorResponse xmlns:a='u'><a:Error><a:Code>X</a:Code>"
            "<a:Message>m &amp; n</a:Message></a:Error></a:ErrorResponse>",
        ),
        (400, [], "<ErrorResponse><Error><Code>X</Code><Message/></Error></ErrorResponse>"),
    ],
}


def with_raw_payload(shape, value):
    """HTTP has no difference between no body and an empty one."""
    payload = shape.serialization.get("payload") if shape else None
    raw = payload and shape.members[payload].type_name in ("string", "blob")
    return {payload: "", **value} if raw else value


def as_answered(operation, value):
    """With what an answer always has for botocore: a payload, a map of headers, the status."""
    shape = operation.output_shape
    if not isinstance(value, dict) or shape is None:
        return value
    value = with_raw_payload(shape, value)
    for name, member in shape.members.items():
        if member.serialization.get("location") == "headers":
            value = {name: {}, **value}
        if member.serialization.get("location") == "statusCode":
            value = {**value, name: operation.http.get("responseCode", 200)}
    return value


def comparable(protocol, ours, theirs):
    ours = {**ours, "body": base64.b64decode(ours["body_base64"])}
    del ours["body_base64"]
    for request in (ours, theirs):
        request["headers"] = sorted(request["headers"])
        if protocol in ("json", "rest-json") and request["body"]:
            request["body"] = json.loads(request["body"])
        if protocol == "rest-xml":  # "<a />" and "<a/>": text has no ">" of its own
            request["body"] = request["body"].replace(b" />", b"/>")
    return ours, theirs


def shorten(value):
    text = repr(value)
    return text if len(text) < 1500 else text[:1500] + "…"


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--driver", required=True)
    parser.add_argument(
        "--python", help="a Python that has the botocore of tools/aws_shapes/requirements.txt"
    )
    parser.add_argument("--seed", default="1")
    parser.add_argument("--rounds", type=int, default=4, help="random values an operation and direction")
    arguments = parser.parse_args()
    if arguments.python and os.path.abspath(arguments.python) != sys.executable:
        os.execv(arguments.python, [arguments.python, "-B", *sys.argv])

    import tomllib

    import botocore
    from botocore.loaders import Loader

    pinned = (ROOT / "tools/aws_shapes/requirements.txt").read_text(encoding="utf-8")
    assert (
        f"botocore=={botocore.__version__} " in pinned
    ), f"botocore {botocore.__version__} is not the pinned one"
    tool = ROOT / "tools/aws_shapes"
    services = {}
    for listed in (tool / "operations.toml", tool / "testdata/operations.toml"):
        services |= tomllib.loads(listed.read_text(encoding="utf-8"))
    loader = Loader(extra_search_paths=[str(tool / "testdata/models")])
    comparison = Comparison(Driver(arguments.driver), loader, arguments.seed, arguments.rounds)
    comparison.requests(services)
    comparison.answers(services)
    comparison.errors(services)
    comparison.strange_errors(services)
    for failure in comparison.failures[:40]:
        print(failure)
    for kind, count in comparison.passed.items():
        print(f"  {kind}: {count} equal")
    print(f"protocols: {sum(comparison.passed.values())} passed, {len(comparison.failures)} failed")
    return 1 if comparison.failures else 0


if __name__ == "__main__":
    sys.exit(main())
