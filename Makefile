# Two commands for a newcomer: `make run` and `make test`. Everything they need they install (Debian 12, root or sudo).
PRESET ?= dev
BUILD = build/$(PRESET)
JOBS ?= $(shell nproc)

.PHONY: run test setup configure build lint format check-sanitizers check-main-job bench clean

setup:
	@tools/setup

configure: setup
	@cmake --preset $(PRESET) $(if $(wildcard $(BUILD)/build.ninja),>/dev/null,)

build: configure
	@cmake --build $(BUILD) -j $(JOBS)

run: configure
	@cmake --build $(BUILD) -j $(JOBS) --target instantstart
	@python3 tools/run.py $(BUILD)/src/instantstart

test: setup
	@python3 tools/run_tests.py

# The longer forms of what `make test` runs short.
check-sanitizers: setup
	@python3 tools/run_tests.py --only sanitizers --long

check-main-job: setup
	@python3 tools/run_tests.py --only main-job

bench: setup
	@cmake --preset release >/dev/null
	@cmake --build build/release -j $(JOBS)
	@python3 bench/run.py build/release

lint: setup
	@python3 tools/check_rooms.py
	@tools/check_format

format:
	@git ls-files -co --exclude-standard 'src/**/*.cpp' 'src/**/*.h' 'sandbox/**/*.cpp' 'sandbox/**/*.h' 'tests/**/*.cpp' \
	  | xargs clang-format-19 -i

clean:
	rm -rf build
