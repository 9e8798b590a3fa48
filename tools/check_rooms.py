#!/usr/bin/env python3
"""Holds every #include of the tree to rooms.toml, and files to their size limit.

Prints one line a fault (path:line: reason) and exits 1 when there is any.
"""

import pathlib
import re
import sys
import tomllib

INCLUDE = re.compile(r'^\s*#\s*include\s*([<"])([^>"]+)[>"]')
MAX_LINES = 600


class House:
    """The rooms, looked up by the folder of a file or the path of an include."""

    def __init__(self, root: pathlib.Path):
        self.root = root
        data = tomllib.loads((root / "rooms.toml").read_text())
        self.everywhere = data["everywhere"]["headers"]
        self.in_tests = data["tests"]["headers"]
        # Longest folder first, so that aws/shapes is found before aws.
        self.rooms = sorted(data["room"], key=lambda room: -len(room["folder"]))
        self.standing = [room["name"] for room in data["room"]]

    def room_of(self, path: str) -> dict | None:
        return next((r for r in self.rooms if path.startswith(r["folder"] + "/")), None)

    def room_of_include(self, include: str) -> dict | None:
        for prefix in ("src/", ""):
            if found := self.room_of(prefix + include):
                return found
        return None

    def order_faults(self) -> list[str]:
        """A room may only use rooms that stand before it: so there is no cycle."""
        faults = []
        for room in self.rooms:
            for used in room["uses"]:
                if used == "*":
                    continue
                if used not in self.standing:
                    faults.append(f"rooms.toml: {room['name']} uses {used}, which is no room")
                elif self.standing.index(used) >= self.standing.index(room["name"]):
                    faults.append(f"rooms.toml: {room['name']} uses {used}, which does not stand before it")
        return faults


def is_test(path: str) -> bool:
    return path.endswith(("_test.cpp", "_fuzz.cpp")) or "/testing/" in path


def include_fault(house: House, room: dict, path: str, bracket: str, include: str) -> str | None:
    if bracket == "<":
        if "." not in include and "/" not in include:
            return None  # the standard library
        allowed = house.everywhere + room["headers"] + (house.in_tests if is_test(path) else [])
        if include.startswith(tuple(allowed)):
            return None
        return f"{room['name']} may not include <{include}>"
    target = house.room_of_include(include)
    if target is None:
        return f'"{include}" is in no room; includes are written from src/'
    if "/testing/" in include and not is_test(path):
        return f'"{include}" is for tests only'
    if target is room or target["name"] in room["uses"] or room["uses"] == ["*"]:
        return None
    if is_test(path) and target["name"] in room.get("tests_use", []):
        return None
    return f"{room['name']} may not include {target['name']} (\"{include}\")"


def file_faults(house: House, path: pathlib.Path) -> list[str]:
    name = path.relative_to(house.root).as_posix()
    room = house.room_of(name)
    if room is None:
        return [f"{name}: is in no room of rooms.toml"]
    lines = path.read_text().splitlines()
    faults = []
    if len(lines) > MAX_LINES:
        faults.append(f"{name}: {len(lines)} lines; {MAX_LINES} at most")
    if path.suffix == ".h" and "#pragma once" not in lines:
        faults.append(f"{name}: no #pragma once")
    for number, line in enumerate(lines, 1):
        if match := INCLUDE.match(line):
            if fault := include_fault(house, room, name, match[1], match[2]):
                faults.append(f"{name}:{number}: {fault}")
    return faults


def main() -> int:
    root = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else ".").resolve()
    house = House(root)
    faults = house.order_faults()
    files = [
        path
        for folder in ("src", "sandbox", "tests/mcp_fixtures")
        for path in sorted((root / folder).rglob("*"))
        if path.suffix in (".h", ".cpp")
    ]
    for path in files:
        faults += file_faults(house, path)
    for fault in faults:
        print(fault)
    print(f"rooms: {len(files)} files, {len(faults)} faults")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
