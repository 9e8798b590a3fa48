#!/usr/bin/env python3
"""Brings Kubernetes' type definitions into the cache and prints their file: fetch_definitions.py --cache FOLDER

pip downloads the wheel that requirements.txt pins by hash; the definitions of one Kubernetes release are unpacked from it
into FOLDER/kubernetes, and the wheel, which holds all releases, is dropped. What is there is used without a network.
"""

import argparse
import hashlib
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import zipfile

RELEASE = "v1.36.0"
MEMBER = f"kubernetes_validate/kubernetes-json-schema/{RELEASE}-local/_definitions.json"


class FetchError(Exception):
    """Says what is missing and what would help."""


def pinned(requirements):
    """(version, sha256 digest) of the package in a requirements file."""
    text = requirements.read_text(encoding="utf-8")
    line = re.search(r"^kubernetes-validate==(\S+) --hash=sha256:([0-9a-f]{64})$", text, re.MULTILINE)
    if not line:
        raise FetchError(f"{requirements} has no line kubernetes-validate==VERSION --hash=sha256:…")
    return line[1], line[2]


def download(requirements, folder):
    command = [sys.executable, "-m", "pip", "download", "--quiet", "--disable-pip-version-check", "--no-deps"]
    command += ["--require-hashes", "--only-binary", ":all:", "--dest", folder, "--requirement", str(requirements)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise FetchError(f"pip could not download it: {done.stderr.strip() or done.stdout.strip()}")
    return next(pathlib.Path(folder).glob("*.whl"))


def fetch(cache, requirements):
    version, digest = pinned(requirements)
    # The wheel's digest is in the name: another pin never meets definitions of the one before.
    target = cache / "kubernetes" / f"definitions-{RELEASE}-{version}-{digest[:12]}.json"
    if target.is_file():
        return target
    target.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=target.parent) as folder:
        wheel = download(requirements, folder)
        if hashlib.sha256(wheel.read_bytes()).hexdigest() != digest:
            raise FetchError(f"{wheel.name} has another hash than {requirements.name} lists")
        with zipfile.ZipFile(wheel) as archive:
            fresh = pathlib.Path(folder) / "definitions.json"
            fresh.write_bytes(archive.read(MEMBER))
        # In one step, so that a build that runs at the same time never sees half of it.
        os.replace(fresh, target)
    return target


def main():
    here = pathlib.Path(__file__).parent
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--cache", type=pathlib.Path, required=True)
    parser.add_argument("--requirements", type=pathlib.Path, default=here / "requirements.txt")
    arguments = parser.parse_args()
    try:
        print(fetch(arguments.cache.resolve(), arguments.requirements))
    except (FetchError, OSError, KeyError, zipfile.BadZipFile) as problem:
        print(f"fetch_definitions.py: {problem}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
