#!/usr/bin/env python3
"""Everything that `make test` and CI run, stage by stage, with one closing line that counts.

  run_tests.py                 all stages, short forms
  run_tests.py --only STAGE    one of them; --long for the long form

A stage that fails does not stop the ones after it: a run shows all that is wrong.
"""

import argparse
import os
import pathlib
import re
import subprocess
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
JOBS = str(os.cpu_count() or 2)
# Rooms whose unit tests run under the sanitizers in every run; the rest under `make check-sanitizers`.
ASAN_ROOMS = ["base", "net", "store", "aws_protocols", "aws", "kube", "contract", "operations"]
TSAN_ROOMS = ["net", "store", "operations"]
FUZZ_SECONDS = {False: 20, True: 300}


class Run:
    """Counts over all stages."""

    def __init__(self, long: bool):
        self.long = long
        self.passed = 0
        self.failed = 0
        self.skipped: list[str] = []

    def count(self, passed: int, failed: int) -> None:
        self.passed += passed
        self.failed += failed

    def check(self, name: str, command: list[str], **how) -> bool:
        """A command that passes or fails as one."""
        done = self.command(command, **how)
        self.count(done.returncode == 0, done.returncode != 0)
        if done.returncode != 0:
            print(f"FAILED: {name}", flush=True)
        return done.returncode == 0

    def judge_skips(self) -> None:
        """Tells every test that skipped, and fails for one that is not expected to."""
        expected = [line.strip() for line in (ROOT / "tests" / "expected_skips.txt").read_text().splitlines()]
        patterns = [re.compile(line) for line in expected if line and not line.startswith("#")]
        for line in self.skipped:
            print(line)
            if not any(pattern.search(line) for pattern in patterns):
                print("FAILED: this one must not skip")
                self.count(0, 1)

    @staticmethod
    def command(command: list[str], env: dict | None = None, show: bool = True) -> subprocess.CompletedProcess:
        done = subprocess.run(
            [str(word) for word in command],
            cwd=ROOT,
            env={**os.environ, **(env or {})},
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            errors="replace",
            check=False,
        )
        if show or done.returncode != 0:
            print(done.stdout, end="", flush=True)
        return done


def build(run: Run, preset: str, targets: list[str]) -> bool:
    folder = ROOT / "build" / preset
    if not (folder / "build.ninja").exists():
        if not run.check(f"configure {preset}", ["cmake", "--preset", preset], show=False):
            return False
    command = ["cmake", "--build", folder, "-j", JOBS, "--target", *targets]
    return run.check(f"build {preset}", command, show=False)


def ctest(run: Run, preset: str, labels: list[str], env: dict | None = None) -> None:
    command = ["ctest", "--test-dir", ROOT / "build" / preset, "-j", JOBS, "--output-on-failure", "--no-tests=error"]
    if labels:
        command += ["-L", f"^({'|'.join(labels)})$"]
    done = run.command(command, env=env, show=False)
    found = re.search(r"(\d+) tests? failed out of (\d+)", done.stdout)
    if not found:
        print("FAILED: ctest printed no count")
        run.count(0, 1)
        return
    failed, total = int(found[1]), int(found[2])
    skipped = re.findall(r"^\s*\d+ - (.+) \(Skipped\)$", done.stdout, re.MULTILINE)
    run.skipped += [f"SKIPPED {name}" for name in skipped]
    run.count(total - failed - len(skipped), failed)
    print(f"ctest {preset}: {total - failed - len(skipped)} passed, {failed} failed, {len(skipped)} skipped")


def gtest(run: Run, name: str, command: list, env: dict) -> None:
    """A GoogleTest program, whole."""
    done = run.command(command, env=env, show=False)
    passed, failed = (re.search(rf"\[  {word}  \] (\d+) test", done.stdout) for word in ("PASSED", "FAILED"))
    run.count(int(passed[1]) if passed else 0, int(failed[1]) if failed else int(done.returncode != 0))
    print(f"{name}: {passed[1] if passed else 0} passed, {failed[1] if failed else 0} failed", flush=True)


def peer_python(name: str) -> pathlib.Path:
    done = subprocess.run(
        ["python3", ROOT / "tools" / "peer_env.py", name], cwd=ROOT, stdout=subprocess.PIPE, text=True, check=True
    )
    return pathlib.Path(done.stdout.strip()) / "bin" / "python"


def counted(run: Run, name: str, command: list, env: dict | None = None) -> None:
    """A program whose last line is `NAME: N passed, M failed`, or pytest's summary."""
    done = run.command(command, env=env, show=False)
    lines = done.stdout.strip().splitlines() or [""]
    passed = sum(int(n) for n in re.findall(r"(\d+) passed", lines[-1]))
    failed = sum(int(n) for n in re.findall(r"(\d+) (?:failed|error)", lines[-1]))
    if done.returncode != 0 and failed == 0:
        failed = 1
    if passed + failed == 0:
        print(f"FAILED: {name} counted nothing")
        failed = 1
    run.count(passed, failed)
    run.skipped += re.findall(r"^SKIPPED .*$", done.stdout, re.MULTILINE)
    if failed and done.returncode == 0:
        print(done.stdout, end="")
    print(f"{name}: {passed} passed, {failed} failed", flush=True)


# --- stages ----------------------------------------------------------------------------------------------------------


def checks(run: Run) -> None:
    run.check("rooms", ["python3", "tools/check_rooms.py"])
    run.check("format", ["tools/check_format"])


def unit(run: Run) -> None:
    if build(run, "dev", ["all", "check_headers"]):
        run.check("symbols", ["python3", "tools/check_symbols.py", "build/dev"])
        ctest(run, "dev", [])
    run.check("generator", ["python3", "-B", "-m", "unittest", "discover", "-q", "-s", "tools/aws_shapes", "-p", "*_test.py"])


def binary() -> pathlib.Path:
    return ROOT / "build" / "dev" / "src" / "instantstart"


def end_to_end(run: Run) -> None:
    if not build(run, "dev", ["instantstart", "api_server_driver"]):
        return
    for peer, suite in [("clients", "tests/e2e"), ("clients", "tests/sandbox"), ("clients", "tests/chaos"), *MCP_SUITES]:
        suite_of(run, peer, suite)


# Two lines of one SDK, so each in an environment of its own.
MCP_SUITES = [
    ("mcp", "tests/mcp/mcp_test.py"),
    ("mcp", "tests/mcp/parity_test.py"),
    ("mcp", "tests/mcp/follow_next_test.py"),
    ("mcp_legacy", "tests/mcp/legacy_sdk_test.py"),
    ("clients", "tests/mcp/conformance_test.py"),
]


def suite_of(run: Run, peer: str, suite: str, **env: str) -> None:
    """A pytest suite, in the environment of a peer."""
    command = [peer_python(peer), "-m", "pytest", "-q", "-rs", "-p", "no:cacheprovider", suite]
    counted(run, suite, command, {"INSTANTSTART": str(binary()), **env})


def main_job(run: Run) -> None:
    """The main job as it must hold: what the other stages run short, long, and by every face."""
    if not build(run, "dev", ["instantstart", "operations_test", "simulation_test"]):
        return
    ctest(run, "dev", ["operations"], {"RUNS": "1000"})
    # By itself: ctest's limit of a test is for short ones. 1,000 schedules of the largest kinds take hours.
    gtest(run, "simulation", [ROOT / "build" / "dev" / "tests" / "simulation" / "simulation_test"], {"RUNS": "100"})
    for suite in ["tests/e2e", "tests/sandbox"]:
        suite_of(run, "clients", suite)
    suite_of(run, "clients", "tests/chaos", RUNS="200", KINDS="all")
    for peer, suite in MCP_SUITES:
        suite_of(run, peer, suite)


def peers(run: Run) -> None:
    """Our AWS client and codecs beside botocore, an independent verifier of signatures, a linter of templates, and a
    real Kubernetes API server."""
    if not build(run, "dev", ["all"]):
        return
    clients = peer_python("clients")
    drivers = ROOT / "build" / "dev" / "tests" / "aws"
    for name, driver, more in PEER_PROGRAMS:
        counted(run, name, [clients, "-B", f"tests/aws/{name}.py", "--driver", drivers / driver, *more])
    ministack = peer_python("ministack").parent / "ministack"
    counted(run, "ministack_auth", [clients, "-B", "tests/aws/ministack_auth.py", "--driver", drivers / "account_driver",
                                    "--ministack", ministack])
    built = ROOT / "build" / "dev"
    env = {
        "KUBE_DRIVER": str(built / "tests" / "kube" / "kube_driver"),
        "DEPENDENCY_DRIVER": str(built / "tests" / "dependencies" / "dependency_driver"),
        "NETWORK_TEST": str(built / "src" / "capabilities_network_test"),
    }
    for suite in ["tests/network", "tests/kube", "tests/dependencies"]:
        counted(run, suite, [clients, "-m", "pytest", "-q", "-rs", "-p", "no:cacheprovider", suite], env)


PEER_PROGRAMS: list[tuple[str, str, list[str]]] = [
    ("protocols_differential", "protocol_driver", []),
    ("sigv4_differential", "sigv4_driver", []),
    ("retry_differential", "retry_driver", []),
    ("credentials_differential", "account_driver", []),
    ("endpoints_differential", "endpoints_driver", []),
]


def sanitizers(run: Run) -> None:
    everything = run.long
    asan = ["all"] if everything else [f"{room}_test" for room in ASAN_ROOMS]
    if build(run, "asan", asan):
        ctest(run, "asan", [] if everything else ASAN_ROOMS, {"RUNS": "100", "ASAN_OPTIONS": "detect_stack_use_after_return=0"})
    tsan = ["all"] if everything else [f"{room}_test" for room in TSAN_ROOMS]
    if build(run, "tsan", tsan):
        ctest(run, "tsan", [] if everything else TSAN_ROOMS, {"RUNS": "50"})


def fuzz(run: Run) -> None:
    if not build(run, "asan", ["fuzzers"]):
        return
    for fuzzer in sorted((ROOT / "build" / "asan" / "fuzz").iterdir()):
        corpus = ROOT / "build" / "asan" / "corpus" / fuzzer.name
        corpus.mkdir(parents=True, exist_ok=True)
        seconds = FUZZ_SECONDS[run.long]
        command = [fuzzer, f"-max_total_time={seconds}", "-max_len=16384", "-verbosity=0", "-print_final_stats=0",
                   f"-artifact_prefix={corpus.parent}/{fuzzer.name}-", corpus]
        if run.check(f"fuzz {fuzzer.name}", command, show=False):
            print(f"fuzz {fuzzer.name}: {seconds} s without a finding")


# Not part of a whole run: the stages have its short forms.
LONG_STAGES = {"main-job": main_job}

STAGES = {
    "checks": checks,
    "unit": unit,
    "end-to-end": end_to_end,
    "peers": peers,
    "sanitizers": sanitizers,
    "fuzz": fuzz,
}


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--only", choices=[*STAGES, *LONG_STAGES])
    parser.add_argument("--long", action="store_true")
    arguments = parser.parse_args()
    os.environ["PYTHONDONTWRITEBYTECODE"] = "1"
    run = Run(arguments.long)
    early = None
    if arguments.only is None:
        # On a new machine it takes minutes and is wanted late: it is built beside everything else.
        early = subprocess.Popen(
            ["nice", "-n", "19", ROOT / "tools" / "build_apiserver"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        )
    for name, stage in (STAGES | LONG_STAGES).items():
        if name == arguments.only or (arguments.only is None and name in STAGES):
            begin = time.monotonic()
            print(f"=== {name}", flush=True)
            stage(run)
            print(f"=== {name}: {time.monotonic() - begin:.0f} s", flush=True)
    if early:
        early.wait()
    run.judge_skips()
    print(f"{run.passed} passed, {run.failed} failed")
    return 1 if run.failed else 0


if __name__ == "__main__":
    sys.exit(main())
