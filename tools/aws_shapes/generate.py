#!/usr/bin/env python3
"""Generates the typed AWS shapes: generate.py --models BOTOCORE_DATA --output BUILD_FOLDER [--list]

Writes aws/shapes/<service>.h and .cpp for each service of operations.toml, and aws/shapes/services.h with all
of them. A file that would not change is left alone, so that one new operation recompiles one service.
"""

import argparse
import pathlib
import sys
import tomllib

import emit
import model


def write_if_changed(path, text):
    path.parent.mkdir(parents=True, exist_ok=True)
    if not path.exists() or path.read_text(encoding="utf-8") != text:
        path.write_text(text, encoding="utf-8")


def read_settings(path):
    """The services of an operations.toml, by name."""
    return tomllib.loads(path.read_text(encoding="utf-8"))


def generate(models, settings, output, with_index=True):
    for name, service_settings in settings.items():
        service = model.Service(
            name,
            service_settings,
            model.load(models, name, "service-2"),
            model.load(models, name, "paginators-1"),
        )
        emitter = emit.Emitter(service)
        base = output / "aws" / "shapes" / emitter.namespace
        write_if_changed(base.with_suffix(".h"), emitter.header())
        write_if_changed(base.with_suffix(".cpp"), emitter.source())
    if with_index:
        header, source = emit.index(settings)
        write_if_changed(output / "aws" / "shapes" / "services.h", header)
        write_if_changed(output / "aws" / "shapes" / "services.cpp", source)


def main():
    here = pathlib.Path(__file__).parent
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--models", type=pathlib.Path, help="botocore's data folder")
    parser.add_argument("--output", type=pathlib.Path, help="folder that gets aws/shapes/")
    parser.add_argument("--operations", type=pathlib.Path, default=here / "operations.toml")
    parser.add_argument("--without-index", action="store_true", help="write no services.h and services.cpp")
    parser.add_argument("--list", action="store_true", help="print the services, one a line, and stop")
    arguments = parser.parse_args()
    settings = read_settings(arguments.operations)
    if arguments.list:
        print("\n".join(settings))
        return 0
    if not arguments.models or not arguments.output:
        parser.error("--models and --output are needed")
    try:
        generate(arguments.models, settings, arguments.output, not arguments.without_index)
    except (model.Unsupported, ValueError) as problem:
        print(f"generate.py: {problem}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
