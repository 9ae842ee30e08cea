# Everything runs in .venv. Each target installs what it needs and no more; a larger
# installation counts as the smaller ones, so that nothing is installed twice.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
APP := $(VENV)/.app
TEST := $(VENV)/.test
DEV := $(VENV)/.dev
ALL := $(VENV)/.all
DOCS := $(VENV)/.docs
# Python in docs only: examples on its pages are set by hand.
CODE := src tests benchmarks examples docs/*.py docs/_reference
ASKED := pyproject.toml constraints.txt
PIP := $(BIN)/python -m pip install --quiet --disable-pip-version-check --constraint constraints.txt --editable
# One thread per process: the tests already run on every core.
ONE_THREAD := OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1 MKL_NUM_THREADS=1
# One process more than there are cores: browser tests wait as often as they work.
PYTEST = $(ONE_THREAD) $(BIN)/python -m pytest --dist worksteal \
  -n $(shell $(PYTHON) -c "import os; print((os.cpu_count() or 1) + 1)")

.PHONY: install demo test test-all check format bench docs clean

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
test-all: $(TEST)
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
	$(ONE_THREAD) $(BIN)/python benchmarks/peers.py
	$(ONE_THREAD) $(BIN)/python benchmarks/questions.py --quick

# The site, in build/site: nothing is fetched, and a warning is an error.
docs: $(DOCS)
	$(ONE_THREAD) $(BIN)/python -m sphinx -W --keep-going -q -d build/doctrees docs build/site
	$(BIN)/python -m docs.check build/site

clean:
	rm -rf $(VENV) build .mypy_cache .pytest_cache .ruff_cache .import_linter_cache .coverage*
