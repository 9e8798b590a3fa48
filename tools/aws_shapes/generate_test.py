#!/usr/bin/env python3
"""Tests of the generator, on made-up models (testdata/). With --accept it rewrites the golden files."""

import copy
import hashlib
import pathlib
import sys
import tempfile
import unittest
import zipfile

import emit
import fetch_models
import generate
import model
import names

HERE = pathlib.Path(__file__).parent
MODELS = HERE / "testdata" / "models"
GOLDEN = HERE / "testdata" / "golden"
JSON_OPERATIONS = {"operations": ["PlantTree", "ListTrees", "GetPhoto"]}


def orchard(change=lambda _: None, service="orchard-json", settings=None):
    document = copy.deepcopy(model.load(MODELS, service, "service-2"))
    change(document)
    return model.Service(
        service, settings or JSON_OPERATIONS, document, model.load(MODELS, service, "paginators-1")
    )


class Names(unittest.TestCase):
    def test_snake_case_keeps_acronyms_together(self):
        for api, cpp in {
            "VpcId": "vpc_id",
            "clientRequestToken": "client_request_token",
            "SSECustomerKeyMD5": "sse_customer_key_md5",
            "NotificationARNs": "notification_arns",
            "Ipv6CidrBlockAssociationSet": "ipv6_cidr_block_association_set",
            "ETag": "e_tag",
            "GPUsPerNode": "gpus_per_node",
            "Delete": "delete_",
        }.items():
            self.assertEqual(names.snake(api), cpp)

    def test_a_literal_is_printable_and_ends_its_escapes(self):
        self.assertEqual(names.literal('a"b\\?\n'), '"a\\"b\\\\\\?\\n"')
        self.assertEqual(names.literal("é1"), '"\\xc3""\\xa9""1"')

    def test_a_sentence_is_the_first_one_without_markup(self):
        self.assertEqual(names.sentence("<p>A <i>tree</i>. It grows.</p>"), "A tree.")
        self.assertEqual(names.sentence("<p>Use e.g. wood, &lt;b&gt;</p>"), "Use e.g. wood, <b>")
        self.assertLessEqual(len(names.sentence("word " * 100)), 160)
        self.assertEqual(names.sentence(None), "")


class Model(unittest.TestCase):
    def test_only_what_the_operations_reach_is_made(self):
        service = orchard()
        self.assertNotIn("FellTreeRequest", service.reached)
        self.assertIn("TooManyTrees", service.reached)

    def test_cbor_is_passed_over(self):
        self.assertEqual(orchard().protocol, "rest-json")
        with self.assertRaisesRegex(model.Unsupported, "speaks only smithy-rpc-v2-cbor"):
            orchard(lambda m: m["metadata"].update(protocols=["smithy-rpc-v2-cbor"]))

    def test_extras_are_merged(self):
        self.assertEqual(orchard().shapes["Height"]["max"], 150)

    def test_a_use_wins_over_its_shape(self):
        service = orchard()
        reference = service.shapes["Tree"]["members"]["watered"]
        self.assertEqual(service.reference(reference)["timestampFormat"], "rfc822")

    def test_only_direct_recursion_is_boxed(self):
        self.assertEqual(orchard().recursive, {("Tree", "graft")})

    def test_what_is_not_supported_is_refused_by_name(self):
        def changed(path, **attributes):
            def change(document):
                place = document
                for key in path:
                    place = place[key]
                place.update(attributes)

            return change

        shapes = ("shapes",)
        cases = {
            "event streams": changed((*shapes, "Tree"), eventstream=True),
            "free-form documents": changed((*shapes, "Fruit"), document=True),
            "keys are not strings": changed((*shapes, "TextMap", "key"), shape="Integer"),
            "list of booleans": changed((*shapes, "TreeList", "member"), shape="Boolean"),
            "host prefix": changed(("operations", "PlantTree"), endpoint={"hostPrefix": "x."}),
            "host labels": changed((*shapes, "Tree", "members", "kind"), hostLabel=True),
            "part of a segment": changed(("operations", "GetPhoto", "http"), requestUri="/{orchard}.png"),
            "JSON in a header": changed((*shapes, "PlantTreeRequest", "members", "token"), jsonvalue=True),
            "times in a header": changed((*shapes, "WordList", "member"), shape="Time"),
        }
        for complaint, change in cases.items():
            with self.assertRaisesRegex(model.Unsupported, complaint):
                orchard(change)

    def test_an_unknown_operation_or_override_is_refused(self):
        with self.assertRaisesRegex(model.Unsupported, "no operation Fly"):
            orchard(settings={"operations": ["Fly"]})
        with self.assertRaisesRegex(model.Unsupported, "overrides"):
            orchard(settings={"operations": ["GetPhoto"], "overrides": {"Fly": {}}})

    def test_a_page_token_that_is_no_plain_path_is_refused(self):
        service = orchard()
        service.pages = {
            "ListTrees": {"input_token": "a", "output_token": "b || c[-1]", "result_key": "trees"}
        }
        with self.assertRaisesRegex(model.Unsupported, "plain path"):
            service.pagination("ListTrees")


class Emitter(unittest.TestCase):
    def test_two_members_with_one_name_are_refused(self):
        def change(document):
            document["shapes"]["Tree"]["members"]["Kind"] = {"shape": "String"}

        with self.assertRaisesRegex(ValueError, "two members are called kind"):
            emit.Emitter(orchard(change))

    def test_an_operation_and_a_structure_with_one_name_are_refused(self):
        def change(document):
            document["operations"]["Tree"] = document["operations"].pop("GetPhoto")

        with self.assertRaisesRegex(ValueError, "have one C\\+\\+ name"):
            emit.Emitter(orchard(change, settings={"operations": ["PlantTree", "Tree"]}))

    def test_the_output_is_the_golden_one(self):
        for service, settings in generate.read_settings(HERE / "testdata" / "operations.toml").items():
            emitter = emit.Emitter(orchard(service=service, settings=settings))
            header, source = emitter.header(), emitter.source()
            for suffix, text in ((".h", header), (".cpp", source)):
                golden = GOLDEN / f"{emitter.namespace}{suffix}.golden"
                self.assertEqual(text, golden.read_text(encoding="utf-8"), f"{golden.name}: see --accept")

    def test_a_file_that_would_not_change_keeps_its_time(self):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "a" / "b.h"
            generate.write_if_changed(path, "x")
            before = path.stat().st_mtime_ns
            generate.write_if_changed(path, "x")
            self.assertEqual(path.stat().st_mtime_ns, before)
            generate.write_if_changed(path, "y")
            self.assertEqual(path.read_text(encoding="utf-8"), "y")


class Fetch(unittest.TestCase):
    """A made-up wheel stands in the cache, so that pip is never asked."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.cache = pathlib.Path(folder.name)
        (self.cache / "wheels").mkdir()
        self.wheel = self.cache / "wheels" / "botocore-9.9.9-py3-none-any.whl"
        with zipfile.ZipFile(self.wheel, "w") as archive:
            for name in fetch_models.SHARED:
                archive.writestr(f"botocore/data/{name}", "{}")
            archive.writestr("botocore/data/a/2020-01-01/service-2.json", "{}")
            archive.writestr("botocore/data/ab/2020-01-01/service-2.json", "{}")
            archive.writestr("botocore/args.py", "")
        digest = hashlib.sha256(self.wheel.read_bytes()).hexdigest()
        self.requirements = self.cache / "requirements.txt"
        self.requirements.write_text(f"# c\nbotocore==9.9.9 --hash=sha256:{digest}\n", encoding="utf-8")

    def test_the_listed_services_alone_are_unpacked(self):
        models = fetch_models.fetch(self.cache, self.requirements, ["a"])
        self.assertEqual(sorted(p.name for p in models.iterdir()), sorted(["a", *fetch_models.SHARED]))

    def test_what_is_there_is_used_without_the_wheel(self):
        models = fetch_models.fetch(self.cache, self.requirements, ["a"])
        self.wheel.unlink()
        self.assertEqual(fetch_models.fetch(self.cache, self.requirements, ["a"]), models)

    def test_a_new_service_is_added(self):
        fetch_models.fetch(self.cache, self.requirements, ["a"])
        models = fetch_models.fetch(self.cache, self.requirements, ["a", "ab"])
        self.assertTrue((models / "ab").is_dir())
        self.assertEqual([p.name for p in models.parent.iterdir()], ["9.9.9"])

    def test_a_service_that_the_wheel_lacks_is_refused(self):
        with self.assertRaisesRegex(fetch_models.FetchError, "no service zz"):
            fetch_models.fetch(self.cache, self.requirements, ["zz"])

    def test_a_wheel_with_another_hash_is_not_used(self):
        self.assertIsNone(fetch_models.find_wheel(self.cache / "wheels", "9.9.9", ["0" * 64]))

    def test_a_requirement_without_a_hash_is_refused(self):
        self.requirements.write_text("botocore==9.9.9\n", encoding="utf-8")
        with self.assertRaisesRegex(fetch_models.FetchError, "has no line"):
            fetch_models.pinned(self.requirements)


def accept():
    GOLDEN.mkdir(exist_ok=True)
    for service, settings in generate.read_settings(HERE / "testdata" / "operations.toml").items():
        emitter = emit.Emitter(orchard(service=service, settings=settings))
        (GOLDEN / f"{emitter.namespace}.h.golden").write_text(emitter.header(), encoding="utf-8")
        (GOLDEN / f"{emitter.namespace}.cpp.golden").write_text(emitter.source(), encoding="utf-8")


if __name__ == "__main__":
    if "--accept" in sys.argv:
        accept()
    else:
        unittest.main()
