#!/usr/bin/env python3
"""Writes the files of a folder as C++: what src/faces/web/embedded_file.h declares.

  embed_files.py --output FILE.cpp FOLDER FILE…      paths are relative to the folder, and become URLs
"""

import argparse
import hashlib
import pathlib

HEAD = """// Made by tools/embed_files.py.
#include "faces/web/embedded_file.h"

#include <array>

namespace instantstart::faces {
namespace {

"""
BYTES_A_LINE = 24


def array(name: str, data: bytes) -> str:
    lines = [", ".join(str(byte) for byte in data[at : at + BYTES_A_LINE]) for at in range(0, len(data), BYTES_A_LINE)]
    body = ",\n    ".join(lines)
    return f"constexpr std::array<unsigned char, {len(data)}> {name}{{\n    {body}}};\n"


def row(name: str, path: str, data: bytes) -> str:
    url = "/" if path == "index.html" else f"/{path}"
    return f'    {{"{url}", {name}, "\\"{hashlib.sha256(data).hexdigest()[:32]}\\""}},\n'


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--output", type=pathlib.Path, required=True)
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("files", nargs="+")
    arguments = parser.parse_args()
    arrays, rows = "", ""
    for number, path in enumerate(sorted(arguments.files)):
        data = (arguments.folder / path).read_bytes()
        arrays += array(f"k_file_{number}", data)
        rows += row(f"k_file_{number}", path, data)
    count = len(arguments.files)
    text = f"{HEAD}{arrays}\nconstexpr std::array<EmbeddedFile, {count}> k_files{{{{\n{rows}}}}};\n\n}}  // namespace\n\n"
    text += "std::span<const EmbeddedFile> embedded_files() { return k_files; }\n\n}  // namespace instantstart::faces\n"
    arguments.output.parent.mkdir(parents=True, exist_ok=True)
    arguments.output.write_text(text)


if __name__ == "__main__":
    main()
