# Everything runs in .venv. Each target installs what it needs and no more; a larger
# installation counts as the smaller ones, so that nothing is installed twice.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
APP := $(VENV)/.app
TEST := $(VENV)/.test
DEV := $(VENV)/.dev
ALL := $(VENV)/.all
LAB := $(VENV)/.lab
DOCS := $(VENV)/.docs
# Python in docs only: examples on its pages are set by hand.
CODE := src tests benchmarks examples release docs/*.py docs/_reference
ASKED := pyproject.toml constraints.txt
PIP := $(BIN)/python -m pip install --quiet --disable-pip-version-check --constraint constraints.txt --editable
RELEASE := build/release
# What needs no torch, no browser and no server.
CORE := tests/knowledge tests/methods/likewise tests/session tests/exports tests/test_arrays.py
# One thread per process: the tests already run on every core.
ONE_THREAD := OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1 MKL_NUM_THREADS=1
# One process more than there are cores: browser tests wait as often as they work.
PYTEST = $(ONE_THREAD) $(BIN)/python -m pytest --dist worksteal \
  -n $(shell $(PYTHON) -c "import os; print((os.cpu_count() or 1) + 1)")

.PHONY: install demo test test-all check format bench docs dist extras lowest newest changelog clean

install: $(ALL)

$(BIN)/python:
	$(PYTHON) -m venv $(VENV)

$(APP): $(ASKED) | $(BIN)/python
	$(PIP) ".[app]"
	@touch $(APP)

$(TEST): $(ASKED) | $(BIN)/python
	$(PIP) ".[test]"
	@touch $(APP) $(TEST) $(DOCS)

# Types are checked against the packages that the tests use.
$(DEV): $(ASKED) | $(BIN)/python
	$(PIP) ".[dev,test]"
	@touch $(APP) $(TEST) $(DEV) $(DOCS)

# JupyterLab, which slow tests drive.
$(LAB): $(ASKED) | $(BIN)/python
	$(PIP) ".[notebook-test]"
	@touch $(APP) $(TEST) $(DOCS) $(LAB)

$(DOCS): $(ASKED) | $(BIN)/python
	$(PIP) ".[docs]"
	@touch $(APP) $(DOCS)

$(ALL): $(ASKED) | $(BIN)/python
	$(PIP) ".[all,dev,test]"
	@touch $(APP) $(TEST) $(DEV) $(DOCS) $(ALL)

demo: $(APP)
	$(BIN)/likewise demo

test: $(TEST)
	$(PYTEST) -m "not slow"

# Every test, and the share of the code that they reach, of which 95 % is the least.
test-all: $(LAB)
	$(PYTEST) --hypothesis-profile=search --cov --cov-report=term

check: $(DEV)
	$(BIN)/ruff format --check $(CODE)
	$(BIN)/ruff check $(CODE)
	$(BIN)/mypy
	$(BIN)/lint-imports

format: $(DEV)
	$(BIN)/ruff format $(CODE)
	$(BIN)/ruff check --fix $(CODE)

bench: $(TEST)
	$(ONE_THREAD) $(BIN)/python -m benchmarks.iteration
	$(ONE_THREAD) $(BIN)/python -m benchmarks.peers --sets wine iris breast_cancer digits --systems likewise urasc+n
	$(ONE_THREAD) $(BIN)/python benchmarks/questions.py --quick

# The site, in build/site: nothing is fetched, and a warning is an error.
docs: $(DOCS)
	$(ONE_THREAD) $(BIN)/python -m sphinx -W --keep-going -q -d build/doctrees docs build/site
	$(BIN)/python -m docs.check build/site

# What is released, built and tried in environments of its own.
$(RELEASE)/.made: constraints.txt
	$(PYTHON) -m venv $(RELEASE)
	$(RELEASE)/bin/python -m pip install --quiet --disable-pip-version-check --constraint constraints.txt build towncrier twine
	@touch $@

dist: $(RELEASE)/.made
	rm -rf dist
	$(RELEASE)/bin/python -m build --outdir dist
	$(RELEASE)/bin/python -m twine check --strict dist/*
	$(RELEASE)/bin/python -m release.dist dist

# Each extra alone, once `make dist` has made the wheel: make extras EXTRAS="app tables"
EXTRAS ?= app dask formats map model notebook plots polars postgres scale tables text
extras:
	$(PYTHON) -m release.extras dist $(EXTRAS)

# The core with the lowest versions that pyproject.toml allows, and with the newest there are.
lowest newest:
	rm -rf build/$@
	$(PYTHON) -m venv build/$@
	$(PYTHON) release/lowest.py app postgres tables > build/lowest.txt && : > build/newest.txt
	build/$@/bin/python -m pip install --quiet --disable-pip-version-check ".[app,postgres,tables]" -r build/$@.txt hypothesis pytest
	build/$@/bin/python release/session.py
	$(ONE_THREAD) build/$@/bin/python -m pytest -q -o filterwarnings=default -m "not slow" $(CORE)

# What stands in changes/ becomes the version's part of CHANGELOG.md: make changelog VERSION=0.3.0
changelog: $(RELEASE)/.made
	$(RELEASE)/bin/towncrier build --yes --version $(VERSION)

clean:
	rm -rf build dist $(VENV) .mypy_cache .pytest_cache .ruff_cache .import_linter_cache .coverage*
