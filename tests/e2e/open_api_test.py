"""The served OpenAPI document: sound by itself, and true of the server."""

import json
import pathlib
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
CHECKS = "not_a_server_error,status_code_conformance,content_type_conformance,response_schema_conformance"


def test_the_document_is_valid_and_its_examples_fit_its_schemas(server, tmp_path):
    document = server.call("GET", "/api/v1/openapi.json").body
    file = tmp_path / "openapi.json"
    file.write_text(json.dumps(document))
    done = subprocess.run(
        [sys.executable, ROOT / "tests" / "contract" / "open_api_check.py", file], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr


def test_generated_requests_get_documented_answers_only(server, tmp_path):
    """Operations alone: the other paths ask AWS, which this test does not have."""
    command = [
        pathlib.Path(sys.executable).parent / "schemathesis",
        "run",
        f"{server.url}/api/v1/openapi.json",
        "--header", f"Authorization: Bearer {server.token}",
        "--include-path-regex", "/operations",
        "--checks", CHECKS,
        "--phases", "examples,coverage,fuzzing",
        "--max-examples", "15",
        "--seed", "1",
        "--no-color",
    ]
    done = subprocess.run(command, capture_output=True, text=True, cwd=tmp_path, timeout=240, check=False)
    assert done.returncode == 0, done.stdout[-6000:] + done.stderr[-2000:]
    assert server.call("GET", "/healthz").status == 200
