# labgen: `make build` builds the shipped sample directory, `make test` passes the tests; each sets up what it needs.
.DEFAULT_GOAL := help
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
STAMP := $(VENV)/.installed
EXTRAS := brotli images parquet publish serve sql xlsx yaml zstandard
PACKAGES := labgen tests docs

# Tests that start browsers, servers, programs or many builds; `make quick` leaves them out, and takes a minute.
LONG := audit browser budget clients cloud_hosts cloudflare damaged_lists deployment designations determinism docs documents embed filter frames front_end \
	full_disk guard host_builds hostile hosts images import_database import_service import_tables incremental interruptions kills kit kit_python links \
	memory metadata neighbours new_section openapi output packaging packs page_layout pages planted_faults proposed public_pages publish publishers \
	reference removals rollback sample search search_answers search_page search_use serve serve_hosts streams sync tables torture verify whole_imports \
	whole_sources words workflow
QUICK := $(filter-out $(LONG:%=tests/test_%.py),$(wildcard tests/test_*.py))

# The extras that a build in CI may need.
LOCKED := brotli images publish xlsx yaml zstandard
# What every lock has in common: digests, and the versions that are tested.
LOCK := --quiet --no-header --no-annotate --generate-hashes --constraint .ci/constraints.txt

.PHONY: help build test quick check lint format words lock bench torture hosts docs notes dist try-dist try-tests clean

help: ## Show the targets
	@sed -nE 's/^([a-z-]+):.*## (.*)/  make \1\t\2/p' Makefile | expand -t 16

$(STAMP): pyproject.toml .ci/constraints.txt
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { echo "labgen needs Python 3.11 or newer: make PYTHON=python3.12 ..." >&2; exit 1; }
	@$(PYTHON) -m venv $(VENV) || { echo "Python has no venv: on Debian or Ubuntu, apt install python3-venv" >&2; exit 1; }
	$(BIN)/pip install --quiet --disable-pip-version-check --constraint .ci/constraints.txt --editable '.[dev]'
	@touch $@

build: $(STAMP) ## Build the sample directory in data/ to out/
	$(BIN)/labgen build

test: $(STAMP) ## Run the tests
	$(BIN)/pytest -n auto --dist worksteal

quick: $(STAMP) ## Run the tests that need no browser and no server: a minute
	$(BIN)/pytest -q -n auto --dist worksteal $(QUICK)

check: lint test ## Format, lint, types, layers, tests: what CI runs

lint: $(STAMP) ## Format, lint, types, layers
	$(BIN)/ruff format --check $(PACKAGES)
	$(BIN)/ruff check $(PACKAGES)
	$(BIN)/mypy
	$(BIN)/lint-imports --no-cache

format: $(STAMP) ## Format the code
	$(BIN)/ruff check --fix-only --quiet $(PACKAGES)
	$(BIN)/ruff format $(PACKAGES)

words: $(STAMP) ## Write new texts of messages and helps into the catalogues of other languages
	LABGEN_LANG=en $(BIN)/python tests/words.py

lock: $(STAMP) ## Write what the action installs beside labgen (requirements.lock), and what releases are tried with
	$(BIN)/uv pip compile $(LOCK) --python-version 3.12 --python-platform linux $(LOCKED:%=--extra %) --output-file requirements.lock pyproject.toml
	$(BIN)/uv pip compile $(LOCK) --universal $(EXTRAS:%=--extra %) --output-file tests/release/requirements.lock pyproject.toml

bench: $(STAMP) ## Measure builds against the floor (BENCH="--laboratories 10000 --rounds 5")
	$(BIN)/python tests/bench/run.py $(BENCH)

torture: $(STAMP) ## Try to break labgen with random cases, each kind for MINUTES (2)
	$(BIN)/python tests/torture $(NAMES) --minutes $(or $(MINUTES),2) $(if $(SEED),--seed $(SEED))

hosts: $(STAMP) ## Try all hosts again, and record in the documentation what they pass
	LABGEN_RECORD=1 $(BIN)/pytest -q tests/test_hosts.py tests/test_cloudflare.py tests/test_cloud_hosts.py
	$(BIN)/python tests/generated.py

docs: $(STAMP) ## Write the generated parts of docs/, and build it as a site to .site/
	$(BIN)/python tests/generated.py
	$(BIN)/properdocs build --quiet

notes: $(STAMP) ## Write the changelog's part for TAG (v1.2.3) to notes.md, if the tag fits the version
	$(BIN)/python tests/release/notes.py "$$TAG" > notes.md || { rm notes.md; exit 1; }

dist: $(STAMP) ## Build the packages of the last commit to dist/, twice, and compare them
	$(BIN)/python tests/release/dist.py dist

try-dist: ## Install the packages in dist/ in empty environments, without and with each extra, and use them
	$(PYTHON) tests/release/try_dist.py dist

try-tests: ## Run the tests of `make quick` with the wheel in dist/, without the repository
	$(PYTHON) tests/release/try_tests.py dist $(QUICK)

clean: ## Remove the environment, the caches and the built site
	rm -rf $(VENV) .site out .labgen .mypy_cache .pytest_cache .ruff_cache .hypothesis
