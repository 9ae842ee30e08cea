# Everything runs in .venv. Each target installs what it needs and no more; a larger
# installation counts as the smaller ones, so that nothing is installed twice.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
APP := $(VENV)/.app
TEST := $(VENV)/.test
DEV := $(VENV)/.dev
ALL := $(VENV)/.all
ASKED := pyproject.toml constraints.txt
PIP := $(BIN)/python -m pip install --quiet --disable-pip-version-check --constraint constraints.txt --editable
# One thread per process: the tests already run on every core.
ONE_THREAD := OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1 MKL_NUM_THREADS=1
# One process more than there are cores: browser tests wait as often as they work.
PYTEST = $(ONE_THREAD) $(BIN)/python -m pytest --dist worksteal \
  -n $(shell $(PYTHON) -c "import os; print((os.cpu_count() or 1) + 1)")

.PHONY: install demo test test-all check format bench clean

install: $(ALL)

$(BIN)/python:
	$(PYTHON) -m venv $(VENV)

$(APP): $(ASKED) | $(BIN)/python
	$(PIP) ".[app]"
	@touch $(APP)

$(TEST): $(ASKED) | $(BIN)/python
	$(PIP) ".[test]"
	@touch $(APP) $(TEST)

# Types are checked against the packages that the tests use.
$(DEV): $(ASKED) | $(BIN)/python
	$(PIP) ".[dev,test]"
	@touch $(APP) $(TEST) $(DEV)

$(ALL): $(ASKED) | $(BIN)/python
	$(PIP) ".[all,dev,test]"
	@touch $(APP) $(TEST) $(DEV) $(ALL)

demo: $(APP)
	$(BIN)/likewise demo

test: $(TEST)
	$(PYTEST) -m "not slow"

# Every test, and the share of the code that they reach, of which 95 % is the least.
test-all: $(TEST)
	$(PYTEST) --hypothesis-profile=search --cov --cov-report=term

check: $(DEV)
	$(BIN)/ruff format --check src tests benchmarks examples
	$(BIN)/ruff check src tests benchmarks examples
	$(BIN)/mypy
	$(BIN)/lint-imports

format: $(DEV)
	$(BIN)/ruff format src tests benchmarks examples
	$(BIN)/ruff check --fix src tests benchmarks examples

bench: $(TEST)
	$(ONE_THREAD) $(BIN)/python -m benchmarks.iteration
	$(ONE_THREAD) $(BIN)/python benchmarks/peers.py
	$(ONE_THREAD) $(BIN)/python benchmarks/questions.py --quick

clean:
	rm -rf $(VENV) .mypy_cache .pytest_cache .ruff_cache .import_linter_cache .coverage*
