#!/usr/bin/env python3
"""`make run`: a simulated AWS, the server on port 3099 against it, and the command line shown; until Ctrl-C.

With CI=true everything uses free ports and a folder of its own, and the program exits 0 after the commands.
"""

import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import time

SHOWN = [
    ["zone", "list", "--instance-type", "p5.48xlarge"],
    ["instance-type", "list", "--contains", "p5"],
    ["operation", "list"],
]


def wait_for(card: pathlib.Path, process: subprocess.Popen) -> dict:
    """A process writes its card when it can be called."""
    while not card.exists():
        if process.poll() is not None:
            sys.exit(f"run: {process.args[1]} ended with {process.returncode}")
        time.sleep(0.02)
    return json.loads(card.read_text())


def start(program: str, arguments: list[str], env: dict, state: pathlib.Path, card: str, show: bool):
    (state / card).unlink(missing_ok=True)
    output = None if show else subprocess.DEVNULL
    process = subprocess.Popen([program, *arguments, "--state-dir", str(state)], env={**os.environ, **env}, stdout=output)
    return process, wait_for(state / card, process)


def main() -> int:
    program = sys.argv[1]
    is_ci = os.environ.get("CI") == "true"
    # Elsewhere the server's default, so that commands in another terminal find it.
    state = pathlib.Path(tempfile.mkdtemp()) if is_ci else pathlib.Path.home() / ".local" / "state" / "instantstart"
    state.mkdir(parents=True, exist_ok=True, mode=0o700)
    processes = []
    try:
        cloud, card = start(program, ["sandbox"], {}, state / "sandbox", "sandbox.json", show=False)
        processes.append(cloud)
        port = ["--port", "0"] if is_ci else []
        server, _ = start(program, ["serve", *port], card["environment"], state, "server.json", show=True)
        processes.append(server)
        for command in SHOWN:
            print(f"\n$ instantstart {' '.join(command)}", flush=True)
            subprocess.run([program, *command, "--state-dir", str(state)], check=True)
        if is_ci:
            print("\nrun: the simulated AWS and the server started and answered.")
            return 0
        print("\nThe server runs until Ctrl-C.", flush=True)
        return server.wait()
    except KeyboardInterrupt:
        return 0
    finally:
        for process in reversed(processes):
            if process.poll() is None:
                process.terminate()
            process.wait()
        if is_ci:
            shutil.rmtree(state)


if __name__ == "__main__":
    sys.exit(main())
