#!/usr/bin/env python3
"""`make run`: a simulated AWS, the server on port 3099 against it, and what it can do shown by the command line; until Ctrl-C.

With CI=true everything uses free ports and a folder of its own, and the program exits 0 after the commands.
"""

import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import time

GROUP = '{"name": "workers", "instance_type": "ml.g5.8xlarge", "count": 2}'
SHOWN = [
    ["instance-type", "list", "--contains", "p5.48"],
    ["control-plane", "create", "--name", "demo", "--wait"],
    ["dependency", "reconcile", "--cluster", "demo", "--wait"],
    ["hyperpod", "create", "--cluster", "demo", "--group", GROUP, "--wait"],
    ["dependency", "list", "--cluster", "demo"],
    ["node", "list", "--cluster", "demo"],
    "storage mount --cluster demo --name shared --bucket sagemaker-demo-data --create true --wait".split(),
    ["operation", "list"],
]


def wait_for(card: pathlib.Path, server: subprocess.Popen) -> None:
    """The server writes its card when it can be called."""
    while not card.exists():
        if server.poll() is not None:
            sys.exit(f"run: the server ended with {server.returncode}")
        time.sleep(0.02)


def main() -> int:
    program = sys.argv[1]
    is_ci = os.environ.get("CI") == "true"
    # Elsewhere the server's default, so that commands in another terminal find it.
    state = pathlib.Path(tempfile.mkdtemp()) if is_ci else pathlib.Path.home() / ".local" / "state" / "instantstart"
    state.mkdir(parents=True, exist_ok=True, mode=0o700)
    card = state / "server.json"
    card.unlink(missing_ok=True)
    port = ["--port", "0"] if is_ci else []
    server = subprocess.Popen([program, "serve", "--sandbox", *port, "--state-dir", str(state)])
    try:
        wait_for(card, server)
        for command in SHOWN:
            print(f"\n$ instantstart {' '.join(command)}", flush=True)
            subprocess.run([program, *command, "--state-dir", str(state)], check=True)
        if is_ci:
            print("\nrun: the control plane, its dependencies, two nodes and the storage are there.")
            return 0
        print("\nThe server runs until Ctrl-C.", flush=True)
        return server.wait()
    except KeyboardInterrupt:
        return 0
    finally:
        if server.poll() is None:
            server.terminate()
        server.wait()
        if is_ci:
            shutil.rmtree(state)


if __name__ == "__main__":
    sys.exit(main())
