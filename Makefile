# From a fresh clone: `make demo` or `make test`. Needs only Python >= 3.11 and make.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
INSTALLED := $(VENV)/.installed

.DEFAULT_GOAL := help
.PHONY: help setup check test test-slow demo bench clean

help: ## show this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-10s %s\n", $$1, $$2 }' Makefile

setup: $(INSTALLED) ## create .venv with everything that demo and tests need

$(INSTALLED): pyproject.toml constraints.txt
	@$(PYTHON) -c 'import sys; sys.version_info >= (3, 11) or sys.exit("nmt needs Python 3.11 or newer, but $(PYTHON) is " + sys.version.split()[0] + ": try make setup PYTHON=python3.12")'
	@$(BIN)/python -m pip --version >/dev/null 2>&1 || $(PYTHON) -m venv --clear $(VENV) || \
		{ echo "$(PYTHON) can not create an environment (on Debian and Ubuntu: apt install python3-venv)" >&2; exit 1; }
	@echo "Installing nmt and what demo and tests need into $(VENV); the first time takes some minutes."
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt -e '.[tatoeba,opencc,formats,plots,entmax,dev]'
	@touch $@

check: setup ## style, types and layers
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports

test: setup ## all tests but the slow ones
	$(BIN)/python -m pytest -n 2 --dist loadfile

test-slow: setup ## every test, with newly generated cases
	HYPOTHESIS_PROFILE=search $(BIN)/python -m pytest -m 'slow or not slow'

demo: setup ## the whole main job on real text: prepare, train (6 minutes), evaluate, translate, align
	@bash scripts/demo.sh

bench: setup ## training speed beside other toolkits, and how much of the machine it uses (15 minutes, nothing else running)
	$(BIN)/nmt prepare data=tatoeba text.vocab_size_en=8000 text.vocab_size_zh=8000 output=prepared/bench
	$(BIN)/python scripts/bench/train_speed.py
	$(BIN)/python scripts/bench/utilisation.py
	$(BIN)/python scripts/bench/choices.py

clean: ## remove what tools left behind; keeps .venv, prepared and runs
	rm -rf build dist .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache outputs multirun
	find nmt tests scripts -name __pycache__ -type d -prune -exec rm -rf {} +
