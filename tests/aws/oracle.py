"""What the differential tests here share: talking to a driver, and counting."""

import json
import subprocess
import sys


class Driver:
    """A program that answers one JSON object a line."""

    def __init__(self, path):
        self._process = subprocess.Popen([path], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    def ask(self, **question):
        self._process.stdin.write(json.dumps(question) + "\n")
        self._process.stdin.flush()
        line = self._process.stdout.readline()
        if not line:
            raise SystemExit(f"The driver ended while it was asked {question}")
        return json.loads(line)

    def close(self):
        self._process.stdin.close()
        self._process.wait(timeout=30)


class Count:
    """Passed and failed checks; failures are printed, the first twenty in full."""

    def __init__(self, name):
        self._name = name
        self.passed = 0
        self.failed = 0

    def check(self, good, what):
        if good:
            self.passed += 1
            return
        self.failed += 1
        if self.failed <= 20:
            print(f"FAILED: {what}", flush=True)

    def equal(self, ours, theirs, what):
        self.check(ours == theirs, f"{what}\n  ours:   {ours!r}\n  theirs: {theirs!r}")

    def finish(self):
        print(f"{self._name}: {self.passed} passed, {self.failed} failed", flush=True)
        sys.exit(1 if self.failed or not self.passed else 0)
