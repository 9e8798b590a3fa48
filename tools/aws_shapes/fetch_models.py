#!/usr/bin/env python3
"""Brings AWS's service models into the cache and prints their folder: fetch_models.py --cache FOLDER

pip downloads the botocore wheel that requirements.txt pins by hash into FOLDER/wheels; the listed services, the
endpoints and the partitions are unpacked into FOLDER/models/VERSION. What is there is used without a network.
"""

import argparse
import hashlib
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import tomllib
import zipfile

SHARED = ("endpoints.json", "partitions.json", "_retry.json", "sdk-default-configuration.json")


class FetchError(Exception):
    """Says what is missing and what would help."""


def pinned(requirements):
    """(version, sha256 digests) of botocore in a requirements file."""
    text = requirements.read_text(encoding="utf-8")
    line = re.search(r"^botocore==(\S+)((?:\s+(?:\\\n)?\s*--hash=sha256:[0-9a-f]{64})+)", text, re.MULTILINE)
    if not line:
        raise FetchError(f"{requirements} has no line botocore==VERSION --hash=sha256:…")
    return line[1], re.findall(r"sha256:([0-9a-f]{64})", line[2])


def find_wheel(folder, version, digests):
    for wheel in sorted(folder.glob(f"botocore-{version}-*.whl")):
        if hashlib.sha256(wheel.read_bytes()).hexdigest() in digests:
            return wheel
    return None


def download(requirements, folder):
    folder.mkdir(parents=True, exist_ok=True)
    command = [sys.executable, "-m", "pip", "download", "--quiet", "--disable-pip-version-check", "--no-deps"]
    command += [
        "--require-hashes",
        "--only-binary",
        ":all:",
        "--dest",
        str(folder),
        "--requirement",
        str(requirements),
    ]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise FetchError(f"pip could not download botocore: {done.stderr.strip() or done.stdout.strip()}")


def complete(models, services):
    return all((models / name).is_file() for name in SHARED) and all(
        (models / name).is_dir() for name in services
    )


def unpack(wheel, services, models):
    """Into a folder beside it first, so that a build that runs at the same time never sees half of it."""
    models.parent.mkdir(parents=True, exist_ok=True)
    fresh = pathlib.Path(tempfile.mkdtemp(prefix=f"{models.name}.", dir=models.parent))
    wanted = tuple(f"botocore/data/{name}/" for name in services) + tuple(
        f"botocore/data/{name}" for name in SHARED
    )
    try:
        with zipfile.ZipFile(wheel) as archive:
            for name in archive.namelist():
                if name.startswith(wanted) and not name.endswith("/"):
                    target = fresh / pathlib.PurePosixPath(name).relative_to("botocore/data")
                    target.parent.mkdir(parents=True, exist_ok=True)
                    target.write_bytes(archive.read(name))
        missing = [name for name in services if not (fresh / name).is_dir()]
        if missing:
            raise FetchError(f"{wheel.name} has no service {', '.join(missing)}")
        fresh.chmod(0o755)
        if models.exists():
            os.rename(models, f"{fresh}.old")
        os.rename(fresh, models)
    finally:
        shutil.rmtree(fresh, ignore_errors=True)
        shutil.rmtree(f"{fresh}.old", ignore_errors=True)


def fetch(cache, requirements, services):
    version, digests = pinned(requirements)
    models = cache / "models" / version
    if complete(models, services):
        return models
    wheels = cache / "wheels"
    wheel = find_wheel(wheels, version, digests)
    if wheel is None:
        download(requirements, wheels)
        wheel = find_wheel(wheels, version, digests)
    if wheel is None:
        raise FetchError(f"{wheels} has no wheel of botocore {version} with a listed hash")
    unpack(wheel, services, models)
    return models


def main():
    here = pathlib.Path(__file__).parent
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--cache", type=pathlib.Path, required=True)
    parser.add_argument("--requirements", type=pathlib.Path, default=here / "requirements.txt")
    arguments = parser.parse_args()
    services = list(tomllib.loads((here / "operations.toml").read_text(encoding="utf-8")))
    try:
        print(fetch(arguments.cache.resolve(), arguments.requirements, services))
    except (FetchError, OSError) as problem:
        print(f"fetch_models.py: {problem}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
