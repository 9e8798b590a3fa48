#!/usr/bin/env python3
"""`make run`: the server on port 3099 with a simulated AWS beside it, and the main job in it, told step by step; until Ctrl-C.

With CI=true everything uses free ports and a folder of its own, and the program exits 0 after the job.
"""

import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import time


def wait_for(card: pathlib.Path, server: subprocess.Popen) -> None:
    """The server writes its card when it can be called."""
    while not card.exists():
        if server.poll() is not None:
            print((card.parent / "server.log").read_text(errors="replace"), file=sys.stderr)
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
    log = open(state / "server.log", "wb")  # pylint: disable=consider-using-with
    server = subprocess.Popen([program, "serve", "--sandbox", *port, "--state-dir", str(state)], stderr=log)
    try:
        wait_for(card, server)
        told = subprocess.run([program, "demo", "--state-dir", str(state)], check=False)
        if is_ci or told.returncode != 0:
            if told.returncode != 0:
                print((state / "server.log").read_text(errors="replace"), file=sys.stderr)
            return told.returncode
        print(f"\nThe server runs until Ctrl-C; its log is {log.name}.", flush=True)
        return server.wait()
    except KeyboardInterrupt:
        return 0
    finally:
        if server.poll() is None:
            server.terminate()
        server.wait()
        log.close()
        if is_ci:
            shutil.rmtree(state)


if __name__ == "__main__":
    sys.exit(main())
