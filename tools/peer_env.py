#!/usr/bin/env python3
"""Makes the environment of a peer and prints its folder: peer_env.py NAME

NAME is a file of tests/peers, NAME.txt (Python packages, every line pinned by version and hash), or a folder there with a
package.json and its lock (Node packages; `bin/node` of the environment runs them). Environments live in a cache outside the
checkout (INSTANTSTART_CACHE, or ~/.cache/instantstart), under the hash of what pins them, so they are made once a machine.
"""

import hashlib
import os
import pathlib
import shutil
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
PEERS = ROOT / "tests" / "peers"


def cache_folder() -> pathlib.Path:
    return pathlib.Path(os.environ.get("INSTANTSTART_CACHE") or pathlib.Path.home() / ".cache" / "instantstart")


def made(kind: str, name: str, pins: list[pathlib.Path], make) -> pathlib.Path:
    digest = hashlib.sha256(b"".join(pin.read_bytes() for pin in pins)).hexdigest()[:16]
    folder = cache_folder() / kind / f"{name}-{digest}"
    if not (folder / ".complete").exists():
        shutil.rmtree(folder, ignore_errors=True)
        make(folder)
        (folder / ".complete").touch()
    return folder


def python_environment(name: str) -> pathlib.Path:
    requirements = PEERS / f"{name}.txt"

    def make(folder: pathlib.Path) -> None:
        subprocess.run(["/usr/bin/python3", "-m", "venv", str(folder)], check=True)
        pip = [str(folder / "bin" / "python"), "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
        subprocess.run([*pip, "--require-hashes", "--no-deps", "-r", str(requirements)], check=True, stdout=sys.stderr)

    return made("python", name, [requirements], make)


def node_environment(name: str) -> pathlib.Path:
    pins = [PEERS / name / "package.json", PEERS / name / "package-lock.json", PEERS / "node.txt"]

    def make(folder: pathlib.Path) -> None:
        node = python_environment("node") / "bin"
        (folder / "bin").mkdir(parents=True)
        (folder / "bin" / "node").symlink_to(node / "node")
        for pin in pins[:2]:
            shutil.copy(pin, folder)
        command = [str(node / "npm"), "ci", "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error"]
        path = f"{node}:{os.environ.get('PATH', '')}"
        subprocess.run(command, cwd=folder, check=True, stdout=sys.stderr, env={**os.environ, "PATH": path})

    return made("node", name, pins, make)


def environment(name: str) -> pathlib.Path:
    return node_environment(name) if (PEERS / name / "package.json").exists() else python_environment(name)


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    print(environment(sys.argv[1]))
