# The two commands: `make demo` and `make test`. Both set up what they need, once, into .venv.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
READY := $(VENV)/.ready
export PATH := $(CURDIR)/$(BIN):$(PATH)
# pyright fetches itself on first use; it is kept with the rest, and does not tell of newer versions.
export PYRIGHT_PYTHON_CACHE_DIR := $(CURDIR)/$(VENV)/pyright
export PYRIGHT_PYTHON_IGNORE_WARNINGS := 1
export NO_MKDOCS_2_WARNING := 1
VERSIONS := 3.11 3.12 3.13

.PHONY: help demo test setup lint types generated layers unit others docs benchmark trials mutants clean

help:
	@echo "make demo       run the operations against the stub server, sync and async"
	@echo "make test       run every check"
	@echo "make docs       build the documentation into site/"
	@echo "make benchmark  measure the SDK beside raw httpx"
	@echo "make mutants    run the contract suite on every broken service, of which make test runs a sample"
	@echo "make trials     kill bulk runs 240 times and workers 6 times, and compare the journal with the service"
	@echo "make clean      remove what the other targets made"

setup: $(READY)

$(READY): requirements.lock pyproject.toml
	@command -v $(PYTHON) >/dev/null || { echo "There is no $(PYTHON): install Python 3.11 or newer, or say which with make PYTHON=..."; exit 1; }
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { echo "$(PYTHON) is older than 3.11: install a newer one, or say which with make PYTHON=..."; exit 1; }
	@$(PYTHON) -c 'import ensurepip, venv' 2>/dev/null || { echo "$(PYTHON) has no venv: install it (on Debian: apt-get install python3-venv)"; exit 1; }
	@echo "Setting up $(VENV) (once; takes about a minute) ..."
	@test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	@$(BIN)/python -m pip install -qq --disable-pip-version-check --require-hashes -r requirements.lock || { echo "The packages could not be installed: is the package index reachable? Run make again when it is."; exit 1; }
	@$(BIN)/python -m pip install -qq --disable-pip-version-check --no-deps --no-build-isolation --editable .
	@$(BIN)/pyright --version >/dev/null || { echo "pyright could not fetch itself: is the npm registry reachable? Run make again when it is."; exit 1; }
	@touch $@

demo: $(READY)
	@$(BIN)/python examples/demo.py

test: $(READY) lint types generated layers others unit

lint: $(READY)
	@echo "== lint"
	@ruff check --quiet .
	@ruff format --quiet --check . || { echo "run: .venv/bin/ruff format ."; exit 1; }

types: $(READY)
	@echo "== types"
	@mypy --no-error-summary sdk server_stub examples tests/typing benchmarks
	@pyright
	@pyright --ignoreexternal --verifytypes project_platform | grep --quiet 'completeness score: 100%' || { pyright --ignoreexternal --verifytypes project_platform; exit 1; }

generated: $(READY)
	@echo "== generated code and pages are current"
	@python -m codegen --check

layers: $(READY)
	@echo "== import layers"
	@lint-imports --no-logo >$(VENV)/layers.txt 2>&1 || { cat $(VENV)/layers.txt; exit 1; }

# The newest summary line is the last one printed.
unit: $(READY)
	@echo "== tests on $$(python --version)"
	@python -m pytest --quiet --numprocesses 2 --dist loadfile --no-loadscope-reorder

# The same tests under the other Pythons that are present, on the PATH or from pyenv, each in an environment of its own, except
# those that run the contract suite on many broken servers, which takes minutes and depends on no version of Python.
others: $(READY)
	@own=$$($(BIN)/python -c 'import sys; print("%d.%d" % sys.version_info[:2])'); \
	for version in $(VERSIONS); do \
	  [ $$version != $$own ] || continue; \
	  python=$$(python$$version -c 'import ensurepip, venv, sys; print(sys.executable)' 2>/dev/null \
	    || ls $$(pyenv root 2>/dev/null)/versions/$$version.*/bin/python 2>/dev/null | tail -n 1); \
	  if [ -n "$$python" ]; then \
	    echo "== tests on $$($$python --version)"; \
	    venv=$(VENV)/$$version; \
	    if [ ! -e $$venv/.ready ] || [ requirements.lock -nt $$venv/.ready ] || [ pyproject.toml -nt $$venv/.ready ]; then \
	      $$python -m venv $$venv \
	      && $$venv/bin/python -m pip install -qq --disable-pip-version-check --require-hashes -r requirements.lock \
	      && $$venv/bin/python -m pip install -qq --disable-pip-version-check --no-deps --no-build-isolation --editable . \
	      && touch $$venv/.ready || exit 1; \
	    fi; \
	    PATH=$(CURDIR)/$$venv/bin:$$PATH $$venv/bin/python -m pytest --quiet --numprocesses 2 --dist loadfile --no-loadscope-reorder -m 'not one_python' || exit 1; \
	  else \
	    echo "== Python $$version is not present: the tests are not run on it"; \
	  fi; \
	done

docs: $(READY)
	@mkdocs build --strict

benchmark: $(READY)
	@python -m benchmarks

# The tests run a tenth of it. It takes about seven minutes.
trials: $(READY)
	@python tests/sdk/bulk/trials.py creates --rows 20000 --kills 200
	@python tests/sdk/bulk/trials.py changes --rows 4000 --kills 40 --probe
	@python tests/sdk/bulk/trials.py dask --rows 3000 --kills 6

mutants: $(READY)
	@MUTANTS=all python -m pytest --quiet tests/contract/suite/test_mutations.py tests/contract/second/test_mutants.py

clean:
	rm -rf $(VENV) site dist .pytest_cache .mypy_cache .ruff_cache .hypothesis .import_linter_cache labels.pdf
