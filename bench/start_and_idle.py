"""Start to ready, and memory while idle, beside Python's own http.server: the least that a server in that language takes."""

import os
import pathlib
import socket
import statistics
import subprocess
import tempfile
import time
import urllib.request

RUNS = 15


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def measured(command: list[str], url: str) -> tuple[float, float]:
    """Milliseconds until the first answer, and resident MiB a second later."""
    begin = time.perf_counter()
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        while True:
            try:
                urllib.request.urlopen(url, timeout=5).read()
                break
            except OSError:
                if process.poll() is not None or time.perf_counter() - begin > 30:
                    raise
                time.sleep(0.0005)
        ready = (time.perf_counter() - begin) * 1000
        time.sleep(1)
        pages = int(pathlib.Path(f"/proc/{process.pid}/statm").read_text().split()[1])
        return ready, pages * os.sysconf("SC_PAGE_SIZE") / 2**20
    finally:
        process.terminate()
        process.wait()


def ours(program: pathlib.Path) -> tuple[float, float]:
    with tempfile.TemporaryDirectory() as folder:
        port = free_port()
        command = [str(program), "serve", "--state-dir", f"{folder}/state", "--port", str(port)]
        return measured(command, f"http://127.0.0.1:{port}/healthz")


def others() -> tuple[float, float]:
    with tempfile.TemporaryDirectory() as folder:
        port = free_port()
        command = ["/usr/bin/python3", "-m", "http.server", str(port), "--bind", "127.0.0.1", "--directory", folder]
        return measured(command, f"http://127.0.0.1:{port}/")


def run(program: pathlib.Path) -> None:
    pairs = [(ours(program), others()) for _ in range(RUNS)]  # in turns, so that noise hits both
    for index, (name, unit) in enumerate([("start to ready", "ms"), ("idle memory", "MiB")]):
        mine = statistics.median(pair[0][index] for pair in pairs)
        theirs = statistics.median(pair[1][index] for pair in pairs)
        print(f"{name}: {mine:.1f} {unit}, python http.server {theirs:.1f} {unit}, ratio {mine / theirs:.2f}")
    with tempfile.NamedTemporaryFile() as stripped:
        subprocess.run(["strip", "-o", stripped.name, str(program)], check=True)
        print(f"stripped binary: {os.path.getsize(stripped.name) / 2**20:.1f} MiB")
