# Two commands are enough: `make demo` and `make test`. Both need Python 3.11+, make and pip's index.
# Everything is installed into .venv/ in this folder, nothing outside it.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
FOLDERS := journal indexer cli hooks templates
SOURCES := pyproject.toml $(shell find $(FOLDERS) -type f -not -path '*/__pycache__/*' | sed 's/ /\\ /g')

.PHONY: docs demo test lint types bench bench-false-positives bench-growth bench-hooks bench-kill bench-recall bench-repository bench-retrieval test-client test-whoosh3 wheel clean help

help:  ## Show this list
	@grep -hE '^[a-z0-9-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 18

$(BIN)/python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' \
	  || { echo "memjournal needs Python 3.11 or newer; try: make PYTHON=python3.12 $(MAKECMDGOALS)"; exit 1; }
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --upgrade pip

$(VENV)/installed: $(BIN)/python $(SOURCES)
	@rm -rf build/lib dist
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --force-reinstall --no-deps .
	$(BIN)/python -m pip install --quiet --disable-pip-version-check .
	@touch $@

$(VENV)/installed-dev: $(VENV)/installed
	$(BIN)/python -m pip install --quiet --disable-pip-version-check '.[dev]'
	@touch $@

demo: $(VENV)/installed  ## Install, then remember and recall on real sample data (no network)
	@PATH="$(CURDIR)/$(BIN):$$PATH" sh examples/demo.sh

test: $(VENV)/installed-dev  ## Run every test against the installed package
	$(BIN)/pytest -q -n auto

test-client: $(VENV)/installed-dev  ## Run the real Claude Code with our hooks, on a scripted model; needs npm's registry once
	$(BIN)/pytest -q -n auto tests/client

lint: $(VENV)/installed-dev  ## Check style
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

build/typing/memjournal:
	mkdir -p $@ && for f in $(FOLDERS); do ln -sfn ../../../$$f $@/$$f; done

# pyright is a program for node. Its package on PyPI takes the node that is in PATH, else one from PyPI's
# `nodeenv`, and fetches itself from npm's registry the first time it runs.
types: $(VENV)/installed-dev build/typing/memjournal  ## Check types, strictly; needs npm's registry once
	$(BIN)/mypy
	$(BIN)/pyright --pythonpath $(BIN)/python

bench: $(VENV)/installed-dev  ## Measure speed and memory; prints ratios and the machine
	$(BIN)/python tests/bench/speed.py

SIZES ?= 1000 10000 100000
bench-growth: $(VENV)/installed-dev  ## Measure growth, and plot it; SIZES=numbers of memories
	mkdir -p build
	$(BIN)/python tests/bench/growth.py $(SIZES) --json build/growth.json --plot docs/growth.svg

MEMORIES ?= 10000
bench-hooks: $(VENV)/installed-dev  ## Measure what assistants wait for; MEMORIES=how many to recall from
	$(BIN)/python tests/bench/hooks.py --memories $(MEMORIES)

KILLS ?= 1000
bench-kill: $(VENV)/installed-dev  ## Kill what writes, at random moments; KILLS=how often
	$(BIN)/python tests/bench/kill.py --kills $(KILLS)

bench-false-positives: $(VENV)/installed-dev  ## List the lines of ordinary source code that are taken for secrets
	$(BIN)/python tests/bench/false_positives.py

bench-repository: $(VENV)/installed-dev  ## Measure how a journal's repository grows; SIZES=numbers of events
	$(BIN)/python tests/bench/repository.py $(SIZES)

bench-recall: $(VENV)/installed-dev  ## Measure what is told with labelled prompts, and how much of it helps
	$(BIN)/python tests/bench/recall.py

EVAL ?= tests/bench/eval
bench-retrieval: $(VENV)/installed-dev  ## Measure retrieval; EVAL=folder with the evaluation sets
	$(BIN)/python tests/bench/retrieval.py --real --eval $(EVAL)

$(VENV)-whoosh3/bin/python: $(SOURCES)
	$(PYTHON) -m venv $(VENV)-whoosh3
	$@ -m pip install --quiet --disable-pip-version-check --upgrade pip
	$@ -m pip install --quiet --disable-pip-version-check '.[dev]'
	$@ -m pip uninstall --quiet --yes whoosh
	$@ -m pip install --quiet --disable-pip-version-check 'whoosh3>=3.50'

ON_WHOOSH := keyword posting_blocks index index_concurrency index_damage index_trust equivalence growth reconcile \
  search living living_trouble workers
test-whoosh3: $(VENV)-whoosh3/bin/python  ## Run the tests of what Whoosh keeps on its maintained fork
	$(VENV)-whoosh3/bin/pytest -q -n auto $(ON_WHOOSH:%=tests/indexer/test_%.py)

wheel: $(VENV)/installed-dev  ## Build sdist and wheel
	rm -rf dist build/lib && $(BIN)/python -m build

docs: $(VENV)/installed-dev  ## Write docs/cli.md from the program
	$(BIN)/python tests/docs/cli_page.py > docs/cli.md.new && mv docs/cli.md.new docs/cli.md

clean:  ## Remove everything that make made
	rm -rf $(VENV) $(VENV)-whoosh3 .demo build dist *.egg-info .pytest_cache .mypy_cache .ruff_cache .hypothesis
