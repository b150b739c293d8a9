# The two commands: `make demo` and `make test`. Both set up what they need, once, into .venv.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/$(if $(filter Windows_NT,$(OS)),Scripts,bin)
READY := $(VENV)/.ready
PYRIGHT := $(VENV)/.pyright
DEMO := $(VENV)/demo
DEMO_PYTHON := $(DEMO)/$(notdir $(BIN))/python
SEPARATOR := $(if $(filter Windows_NT,$(OS)),;,:)
export PATH := $(CURDIR)/$(BIN):$(PATH)
# pyright is downloaded on first use, into the environment, and does not warn about newer versions.
export PYRIGHT_PYTHON_CACHE_DIR := $(CURDIR)/$(VENV)/pyright
export PYRIGHT_PYTHON_IGNORE_WARNINGS := 1
export NO_MKDOCS_2_WARNING := 1
# Tests start Python some hundred times, and it would compile this package each time.
export PYTHONDONTWRITEBYTECODE :=
# As pip does: a company's index may have a certificate that only the system knows.
export UV_SYSTEM_CERTS := 1
VERSIONS := 3.11 3.12 3.13
CORES := $(shell nproc 2>/dev/null || sysctl -n hw.ncpu 2>/dev/null || echo 2)
# Tests wait for half of their time, so there are three processes for each core.
WORKERS := $(shell expr $(CORES) \* 3)
# What builds and checks a release has a separate environment, so that `make test` does not install it.
RELEASE := $(VENV)/release
# uv installs a lock in a third of pip's time, and pip installs it where uv cannot: uv does not read pip's configuration.
INSTALLER := sdk/release/installer.lock
install = $(BIN)/uv pip install --quiet --compile-bytecode --python $(1) --require-hashes --requirement $(2) 2>/dev/null \
  || $(1) -m pip install -qq --disable-pip-version-check --require-hashes --requirement $(2)
# The tests that use what an extra requires.
LOWEST := tests/sdk tests/stub tests/together tests/plugin tests/contract/test_cli.py
# `make test` runs it on one Python. On 3.13, the lowest version of distributed did not end its workers in time when a cluster was closed.
LOWEST_DASK := tests/sdk/bulk/test_trials.py -k dask
# The other packages that these tests need. Older versions of openapi-schema-validator do not work with this jsonschema,
# nor newer ones of python-dateutil with moto, nor of pyparsing with the lowest matplotlib.
LOWEST_TOOLS := duckdb flask flask-cors griffelib h2 hatchling httpx2 matplotlib 'moto[s3]' 'openapi-schema-validator>=0.6.3' \
  openapi-python-client opentelemetry-sdk pandas polars pyarrow respx trio trustme
RELEASING := PYTHONPATH=sdk $(RELEASE)/$(notdir $(BIN))/python -m release

.PHONY: help python demo test check checks near setup lint types generated layers unit others docs benchmark trials truth \
  mutants clean platforms release-check release core extras lowest audit api

help:
	@echo "make demo       run the operations against the stub server, sync and async"
	@echo "make test       run every check"
	@echo "make check      run lint, types, and the tests near what changed since main, in a minute"
	@echo "make docs       build the documentation into site/"
	@echo "make benchmark  measure the SDK beside raw httpx"
	@echo "make mutants    run the contract suite on every broken service, of which make test runs a sample"
	@echo "make trials     kill bulk runs 260 times and workers 6 times, and settle 20,000 lost writes; compare with the service"
	@echo "make truth      send 200,000 calls with faults over sockets, and compare each verdict with what the server did"
	@echo "make release-check  build the distribution into dist/ twice, and check it"
	@echo "make release    the same, and refuse it while pyproject.toml lacks the addresses of the project"
	@echo "make platforms  check the types as on Windows and macOS"
	@echo "make core       run the wheel without extras"
	@echo "make extras     run the wheel with each extra"
	@echo "make lowest     run the tests with the lowest versions that pyproject.toml allows"
	@echo "make audit      look for known vulnerabilities in the locked versions"
	@echo "make api        compare the public names with those of the last tag"
	@echo "make clean      remove what the other targets made"

setup: $(READY)

python:
	@command -v $(PYTHON) >/dev/null || { echo "There is no $(PYTHON): install Python 3.11 or newer, or say which with make PYTHON=..."; exit 1; }
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { echo "$(PYTHON) is older than 3.11: install a newer one, or say which with make PYTHON=..."; exit 1; }
	@$(PYTHON) -c 'import ensurepip, venv' 2>/dev/null || { echo "$(PYTHON) has no venv: install it (on Debian: apt-get install python3-venv)"; exit 1; }

$(READY): requirements.lock $(INSTALLER) pyproject.toml | python
	@echo "Setting up $(VENV) (once; takes one to three minutes) ..."
	@test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	@$(BIN)/python -m pip install -qq --disable-pip-version-check --require-hashes -r $(INSTALLER); \
	  $(call install,$(BIN)/python,requirements.lock) || { echo "The packages could not be installed: is the package index reachable? Run make again when it is."; exit 1; }
	@$(BIN)/python -m pip install -qq --disable-pip-version-check --no-deps --no-build-isolation --editable .
	@touch $@

$(PYRIGHT): $(READY)
	@pyright --version >/dev/null || { echo "pyright could not fetch itself: is the npm registry reachable? Run make again when it is."; exit 1; }
	@touch $@

# What the demonstration runs has a smaller environment, unless the whole one is there.
$(DEMO)/.ready: sdk/release/demo.lock | python
	@echo "Setting up $(DEMO) (once; takes about half a minute) ..."
	@test -x $(DEMO_PYTHON) || $(PYTHON) -m venv $(DEMO)
	@$(DEMO_PYTHON) -m pip install -qq --disable-pip-version-check --require-hashes -r $< \
	  || { echo "The packages could not be installed: is the package index reachable? Run make again when it is."; exit 1; }
	@touch $@

demo: $(if $(wildcard $(READY)),$(READY),$(DEMO)/.ready)
	@PYTHONPATH="sdk$(SEPARATOR)server_stub" $(if $(wildcard $(READY)),$(BIN)/python,$(DEMO_PYTHON)) examples/demo.py

# The checks use one core: they run while the other environments are set up.
test: $(READY)
	@$(MAKE) --no-print-directory --jobs 2 checks $(addprefix environment-,$(VERSIONS))
	@$(MAKE) --no-print-directory others unit

checks: lint types generated layers

lint: $(READY)
	@echo "== lint"
	@ruff check --quiet .
	@ruff format --quiet --check . || { echo "run: .venv/bin/ruff format ."; exit 1; }

types: $(PYRIGHT)
	@echo "== types"
	@mypy --no-error-summary sdk server_stub examples tests/typing benchmarks
	@pyright
	@pyright --ignoreexternal --verifytypes project_platform | grep --quiet 'completeness score: 100%' || { pyright --ignoreexternal --verifytypes project_platform; exit 1; }

# Finds attributes of `os`, `select` and other modules that Windows or macOS do not have.
platforms: $(READY)
	@echo "== types on Windows and macOS"
	@for platform in win32 darwin; do \
	  mypy --no-error-summary --platform $$platform sdk/project_platform sdk/project_platform_contract/run sdk/project_platform_contract/fuse \
	    server_stub/project_platform_pytest server_stub/project_platform_stub || exit 1; \
	done

generated: $(READY)
	@echo "== generated code and pages are current"
	@python -m codegen --check

layers: $(READY)
	@echo "== import layers"
	@lint-imports --no-logo >$(VENV)/layers.txt 2>&1 || { cat $(VENV)/layers.txt; exit 1; }

# What to run while you work. Near a changed file are the tests in the folder, or the module, of the same name; those that
# take minutes are for `make test`.
check: lint types layers generated near

near: $(READY)
	@echo "== tests near what changed since main"
	@since=$$(git merge-base HEAD origin/main 2>/dev/null || echo HEAD); \
	near=$$({ git diff --name-only $$since; git ls-files --others --exclude-standard; } | sed -nE \
	  -e 's,^sdk/project_platform/([^/.]+).*,tests/sdk/\1 tests/sdk/test_\1.py tests/together/test_\1.py tests/test_\1.py,p' \
	  -e 's,^sdk/project_platform_contract/([^/.]+).*,tests/contract/\1,p' \
	  -e 's,^server_stub/project_platform_stub/([^/.]+).*,tests/stub/\1 tests/stub/test_\1.py,p' \
	  -e 's,^server_stub/project_platform_pytest/.*,tests/plugin,p' \
	  -e 's,^tests/.*test_[^/]*\.py$$,&,p'); \
	near=$$(for path in $$near; do [ ! -e $$path ] || echo $$path; done | sort -u); \
	if [ -z "$$near" ]; then echo "None."; exit 0; fi; echo $$near; \
	python -m pytest --quiet --numprocesses $(WORKERS) --dist loadfile --no-loadscope-reorder -m 'not one_python' $$near || [ $$? = 5 ]

# The newest summary line is the last one printed.
unit: $(PYRIGHT)
	@echo "== tests on $$(python --version)"
	@python -m pytest --quiet --numprocesses $(WORKERS) --dist loadfile --no-loadscope-reorder

# An environment for each of the other Pythons that are present, on the PATH or from pyenv.
environment-%: $(READY)
	@own=$$($(BIN)/python -c 'import sys; print("%d.%d" % sys.version_info[:2])'); venv=$(VENV)/$*; \
	if [ $* = $$own ]; then :; \
	elif python=$$($(BIN)/python -m release python $*); then \
	  if [ ! -e $$venv/.ready ] || [ requirements.lock -nt $$venv/.ready ] || [ pyproject.toml -nt $$venv/.ready ]; then \
	    echo "Setting up $$venv (once; takes one to three minutes) ..."; \
	    $$python -m venv $$venv \
	    && { $(call install,$$venv/bin/python,requirements.lock); } \
	    && $$venv/bin/python -m pip install -qq --disable-pip-version-check --no-deps --no-build-isolation --editable . \
	    && touch $$venv/.ready; \
	  fi; \
	else \
	  echo "== Python $* is not present: the tests are not run on it"; rm -rf $$venv; \
	fi

# The same tests under the other Pythons, except those that depend on no version of Python (see `tests/conftest.py`), with a quarter of the runs over sockets.
others: $(addprefix environment-,$(VERSIONS))
	@for version in $(VERSIONS); do \
	  venv=$(VENV)/$$version; \
	  [ -e $$venv/.ready ] || continue; \
	  echo "== tests on $$($$venv/bin/python --version)"; \
	  PATH=$(CURDIR)/$$venv/bin:$$PATH TRUTH_RUNS=5000 $$venv/bin/python -m pytest --quiet --numprocesses $(WORKERS) --dist loadfile --no-loadscope-reorder -m 'not one_python' || exit 1; \
	done

docs: $(READY)
	@mkdocs build --strict

benchmark: $(READY)
	@python -m benchmarks

# The tests run a tenth of it. It takes about eight minutes.
trials: $(READY)
	@python tests/sdk/bulk/trials.py creates --rows 20000 --kills 200
	@python tests/sdk/bulk/trials.py changes --rows 4000 --kills 40 --settle
	@python tests/sdk/bulk/trials.py changes --rows 2000 --kills 20 --quota 100
	@python tests/sdk/bulk/trials.py creates --rows 2000 --kills 20 --signal TERM
	@python tests/sdk/bulk/trials.py creates --rows 300 --kills 20 --slow 0.05
	@python tests/sdk/bulk/trials.py creates --rows 2000 --kills 10 --without-boot-id
	@python tests/sdk/bulk/trials.py creates --rows 2000 --kills 0 --away 0.3
	@python tests/sdk/bulk/trials.py creates --rows 2000 --kills 0 --away 0.3 --away-hint 1
	@python tests/sdk/bulk/trials.py creates --rows 2000 --kills 0 --away 6 --away-as reset
	@python tests/sdk/bulk/trials.py dask --rows 3000 --kills 6
	@python tests/truth/settling/trials.py --runs 20000

# Over the connections of the SDK, plain and TLS, direct and by proxies, synchronous, under asyncio, trio and uvloop; most of an hour.
truth: $(READY)
	@python tests/truth/trials.py --runs 60000 --transport default --transport "http proxy" --transport "https proxy" \
	  --transport "socks5 proxy" --record tests/truth/measured.json

mutants: $(READY)
	@MUTANTS=all python -m pytest --quiet tests/contract/second/test_mutants.py

$(RELEASE)/.ready: sdk/release/release.lock $(INSTALLER) | $(READY)
	@echo "Setting up $(RELEASE) (once; takes about a minute) ..."
	@$(PYTHON) -m venv $(RELEASE)
	@$(RELEASE)/$(notdir $(BIN))/python -m pip install -qq --disable-pip-version-check --require-hashes -r $< -r $(INSTALLER)
	@touch $@

release-check: $(RELEASE)/.ready
	@$(RELEASING) check

release: $(RELEASE)/.ready
	@$(RELEASING) check --publish

# The wheel with what it requires and no extra, on a stub server that runs in $(VENV).
core: $(READY) $(RELEASE)/.ready
	@$(RELEASING) core $(VENV)/core
	@project-platform stub exec -- $(VENV)/core/$(notdir $(BIN))/python -W error tests/packaging/core_program.py

# The wheel with each extra and nothing else, on a stub server that runs in $(VENV). Jupyter is not part of an extra.
EXTRAS := pdf frames notebook rich otel socks stub stub,fonts contract dask
extras: $(READY)
	@for extra in $(EXTRAS); do \
	  echo "== the extra $$extra"; venv=$(VENV)/extra; uv="$(BIN)/uv --quiet"; tools=; [ $$extra != notebook ] || tools="nbclient ipykernel"; \
	  $$uv venv --clear --python $(PYTHON) $$venv \
	  && $$uv pip install --python $$venv ".[$$extra]" $$tools \
	  && VIRTUAL_ENV= project-platform stub exec -- $$venv/$(notdir $(BIN))/python tests/packaging/extra_program.py $$extra || exit 1; \
	done

# The lowest versions of what the SDK and its extras require, without building any from source, and what the tests need besides.
lowest: $(RELEASE)/.ready
	@for version in 3.11 3.13; do \
	  python=$$($(RELEASING) python $$version) || { echo "== Python $$version is not present: the tests are not run on it"; continue; }; \
	  venv=$(VENV)/lowest-$$version; uv="$(RELEASE)/$(notdir $(BIN))/uv --quiet"; \
	  echo "== the lowest versions on $$($$python --version)"; \
	  $$uv venv --clear --python $$python $$venv \
	  && printf '%s\n' 'pyparsing<3.3' 'python-dateutil<3' >$$venv/older.txt \
	  && $$uv pip compile --resolution lowest-direct --constraint $$venv/older.txt --only-binary :all: --all-extras --python-version $$version --output-file $$venv/lowest.txt pyproject.toml \
	  && $$uv pip install --python $$venv --only-binary :all: --requirement $$venv/lowest.txt \
	  && $$uv pip install --python $$venv --constraint $$venv/lowest.txt $(LOWEST_TOOLS) \
	  && $$uv pip install --python $$venv --no-deps --editable . \
	  && PATH=$(CURDIR)/$$venv/bin:$$PATH $$venv/bin/python -m pytest --quiet --numprocesses $(WORKERS) -m 'not one_python' $(LOWEST) \
	  && { [ $$version != 3.11 ] || PATH=$(CURDIR)/$$venv/bin:$$PATH $$venv/bin/python -m pytest --quiet $(LOWEST_DASK); } || exit 1; \
	done

# Needs the advisory service of the package index.
audit: $(RELEASE)/.ready
	@$(RELEASE)/$(notdir $(BIN))/pip-audit --strict --disable-pip --require-hashes --requirement requirements.lock

api: $(RELEASE)/.ready
	@$(RELEASING) api

clean:
	rm -rf $(VENV) site dist .pytest_cache .mypy_cache .ruff_cache .hypothesis .import_linter_cache labels.pdf
