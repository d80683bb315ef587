# Needs Python 3.11 or later with venv, nothing else. PYTHON and VENV may be set.
PYTHON ?= python3
VENV ?= .venv
BIN = $(VENV)/bin
INSTALLED = $(VENV)/.installed
# compiled Python is kept whatever the shell says: otherwise each worker and each server would compile it anew
export PYTHONDONTWRITEBYTECODE =

.PHONY: demo test golden lint docs bench bench-games screenshots clean

demo: $(INSTALLED)  ## a game of Cross over real SMTP, every mail shown
	$(BIN)/pbm demo

test: $(INSTALLED)  ## neighbouring tests in one process, which keeps what they share
	$(BIN)/python -m pytest -n auto --dist worksteal

golden: $(INSTALLED)  ## renews all golden files: conversations, headers, mails, boards; then read git diff
	PBM_UPDATE_GOLDEN=1 $(BIN)/python -m pytest -n auto -m golden

lint: $(INSTALLED)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports

docs: $(INSTALLED)  ## the pages of docs/ as a website, in build/docs
	$(BIN)/python -m sphinx -W --keep-going -q -b html -c docs/site docs build/docs
	cp build/docs/README.html build/docs/index.html

bench: $(INSTALLED)  ## the server, some three minutes; python -m bench --full takes half an hour
	$(BIN)/python -m bench

bench-games: $(INSTALLED)  ## the rules and drawings alone
	$(BIN)/python -m bench.compose
	$(BIN)/python -m bench.playouts
	$(BIN)/python -m bench.luddit_turn
	$(BIN)/python -m bench.polygon_long

screenshots: $(INSTALLED)  ## every kind of board in its mail, by Chromium, in build/screenshots: look at them
	$(BIN)/python -m bench.screenshots

$(INSTALLED): pyproject.toml
	$(PYTHON) -m venv $(VENV)
	$(BIN)/pip install --quiet --disable-pip-version-check --use-pep517 --editable '.[dev]'
	touch $@

clean:
	rm -rf $(VENV) build dist .mypy_cache .ruff_cache .pytest_cache .hypothesis
