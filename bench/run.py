#!/usr/bin/env python3
"""All benchmarks, each beside what it is compared with: bench/run.py BUILD_FOLDER

Prints one line a figure: name, ours, the other's, the ratio. Nothing here can fail a build.
"""

import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).parent))

import start_and_idle  # noqa: E402  (the path is set above)


def main() -> int:
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    start_and_idle.run(pathlib.Path(sys.argv[1]) / "src" / "instantstart")
    return 0


if __name__ == "__main__":
    sys.exit(main())
