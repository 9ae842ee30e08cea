# Everything runs in .venv, which the first target that needs it creates.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
READY := $(VENV)/.ready
# One thread per process: the tests already run on every core.
ONE_THREAD := OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1 MKL_NUM_THREADS=1

.PHONY: install demo test test-all check format bench clean

install: $(READY)

$(READY): pyproject.toml constraints.txt
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --constraint constraints.txt --editable ".[test]"
	@touch $(READY)

demo: $(READY)
	$(BIN)/likewise demo

test: $(READY)
	$(ONE_THREAD) $(BIN)/python -m pytest -n auto -m "not slow" --cov --cov-report=term

test-all: $(READY)
	$(ONE_THREAD) $(BIN)/python -m pytest -n auto --cov --cov-report=term

check: $(READY)
	$(BIN)/ruff format --check src tests benchmarks examples
	$(BIN)/ruff check src tests benchmarks examples
	$(BIN)/mypy
	$(BIN)/lint-imports

format: $(READY)
	$(BIN)/ruff format src tests benchmarks examples
	$(BIN)/ruff check --fix src tests benchmarks examples

bench: $(READY)
	$(ONE_THREAD) $(BIN)/python -m benchmarks.iteration
	$(ONE_THREAD) $(BIN)/python benchmarks/peers.py
	$(ONE_THREAD) $(BIN)/python benchmarks/questions.py --quick

clean:
	rm -rf $(VENV) .mypy_cache .pytest_cache .ruff_cache .import_linter_cache .coverage*
