#!/usr/bin/env python3
"""No two rooms define the same function: check_symbols.py BUILD_FOLDER

Several rooms share a namespace, and each links only what it needs, so the linker would take either of two `describe` functions
of equal name and say nothing.
"""

import collections
import pathlib
import subprocess
import sys


def definitions(library: pathlib.Path) -> set[str]:
    command = ["nm", "--demangle", "--defined-only", str(library)]
    listed = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    rows = (line.split(" ", 2) for line in listed.splitlines())
    return {row[2] for row in rows if len(row) == 3 and row[1] == "T" and "instantstart::" in row[2]}


def main() -> int:
    build = pathlib.Path(sys.argv[1])
    libraries = [one for folder in ("src", "sandbox") for one in (build / folder).glob("lib*.a")]
    owners = collections.defaultdict(list)
    for library in libraries:
        for name in definitions(library):
            owners[name].append(library.name)
    faults = {name: rooms for name, rooms in owners.items() if len(rooms) > 1}
    for name, rooms in sorted(faults.items()):
        print(f"{name}: {', '.join(sorted(rooms))}")
    print(f"symbols: {len(libraries)} libraries, {len(faults)} faults")
    return 1 if faults or not libraries else 0


if __name__ == "__main__":
    sys.exit(main())
