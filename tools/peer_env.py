#!/usr/bin/env python3
"""Makes the Python environment of a peer and prints its folder: peer_env.py NAME

NAME is a file of tests/peers: NAME.txt, every line pinned by version and hash. Environments live in a cache outside the
checkout (INSTANTSTART_CACHE, or ~/.cache/instantstart), under the hash of that file, so they are made once a machine.
"""

import hashlib
import os
import pathlib
import shutil
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent


def cache_folder() -> pathlib.Path:
    return pathlib.Path(os.environ.get("INSTANTSTART_CACHE") or pathlib.Path.home() / ".cache" / "instantstart")


def environment(name: str) -> pathlib.Path:
    requirements = ROOT / "tests" / "peers" / f"{name}.txt"
    digest = hashlib.sha256(requirements.read_bytes()).hexdigest()[:16]
    folder = cache_folder() / "python" / f"{name}-{digest}"
    if (folder / ".complete").exists():
        return folder
    shutil.rmtree(folder, ignore_errors=True)
    subprocess.run(["/usr/bin/python3", "-m", "venv", str(folder)], check=True)
    pip = [str(folder / "bin" / "python"), "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
    subprocess.run([*pip, "--require-hashes", "--no-deps", "-r", str(requirements)], check=True, stdout=sys.stderr)
    (folder / ".complete").touch()
    return folder


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    print(environment(sys.argv[1]))
