# Every target sets up what it needs from a bare clone; the second time it is quick.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
STAMP := $(VENV)/.installed
COMPILED := $(VENV)/.compiled
TESTS ?= tests
# Two halves, each a process: for so many small tests, handing each to a worker takes a quarter of the time.
PURE := $(BIN)/coverage run -m pytest -q -p no:xdist
# Tests that wait half of their time, for servers, processes and git: with five two cores were idle for a quarter of it.
WAITING ?= 7
# The longest files; begun first, they do not leave one worker idle at the end. Those that wait stand between others.
LONGEST := tests/fleet/test_night.py tests/kill/test_kill.py tests/gate/test_catalogue.py tests/service/test_service.py \
  tests/gate/test_machine.py tests/gate/test_machine_calm.py tests/many/test_many.py tests/gate/test_baseline.py \
  tests/many/test_upgrade.py tests/demo/test_fleet.py tests/many/test_rotation.py tests/gate/test_serial_attacks.py \
  tests/cli/test_backup.py tests/gate/test_policies.py tests/gate/test_serial.py tests/proxy/test_process.py \
  tests/gate/test_stories.py

# Many tests start Python programs; compiling each module for each of them anew would take minutes.
export PYTHONDONTWRITEBYTECODE :=

.DEFAULT_GOAL := help
.PHONY: help demo demo-fleet run test compiled-pure pure lint format bench mutation soak lock

help: ## Show this list
	@grep -hE '^[a-z-]+:.*##' $(MAKEFILE_LIST) | awk -F ':.*## ' '{printf "make %-10s %s\n", $$1, $$2}'

$(STAMP): requirements-dev.txt pyproject.toml
	@echo "==> Setting up $(VENV) (needs the package index once)"
	@$(PYTHON) -c 'import sys; sys.exit(not (3,11) <= sys.version_info[:2] < (3,15))' \
	  || { echo "Python 3.11 to 3.14 is needed; this is $$($(PYTHON) --version). Set PYTHON=/path/to/python3.11"; exit 1; }
	@$(PYTHON) -m venv $(VENV)
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps --require-hashes -r requirements-dev.txt
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation -e .
	@touch $@

demo: $(STAMP) ## Five pull requests through the gate, no GitHub account needed (KEEP=1 leaves it running)
	@$(BIN)/python -m tests.demo $(if $(KEEP),--keep)

demo-fleet: $(STAMP) ## The first weeks of two agents, up to the decision about the third, on a clock that is a value
	@$(BIN)/python -m tests.demo.fleet

run: $(STAMP) ## Start the service
	@$(BIN)/mergegate serve

lint: $(STAMP) ## Format check, lint, types, import contracts
	@echo "==> ruff" && $(BIN)/ruff format --check --quiet . && $(BIN)/ruff check --quiet .
	@echo "==> mypy" && $(BIN)/mypy
	@echo "==> import contracts" && $(BIN)/lint-imports --no-cache >/dev/null || $(BIN)/lint-imports --no-cache

format: $(STAMP) ## Rewrite the files in the house format
	@$(BIN)/ruff format . && $(BIN)/ruff check --fix .

test: $(STAMP) ## Everything that must be green: lint, types, contracts, tests, coverage of checks and policies
	@$(MAKE) --no-print-directory --output-sync=line --jobs=2 lint compiled-pure
	@echo "==> pytest on the rest ($(WAITING) workers)"
	@$(BIN)/python -m pytest -q -n $(WAITING) --dist=loadfile --no-loadscope-reorder $(LONGEST) $(TESTS) \
	  --ignore=tests/checks --ignore=tests/policies

compiled-pure: $(COMPILED)
	@$(MAKE) --no-print-directory pure

# Workers that find no compiled tests compile all of them, each for itself. What is wrong there, the tests say later.
$(COMPILED): $(STAMP)
	@$(BIN)/python -m pytest -q --collect-only $(TESTS) >/dev/null 2>&1 || true
	@touch $@

pure: $(STAMP) ## The tests of checks and policies, whose branch coverage must be 100 %
	@echo "==> pytest on the pure packages (branch coverage must be 100 %)"
	@$(BIN)/coverage erase
	@$(PURE) tests/checks --ignore=tests/checks/tampering & first=$$!; \
	  $(PURE) tests/checks/tampering tests/policies; second=$$?; wait $$first && exit $$second
	@$(BIN)/coverage combine -q && $(BIN)/coverage report --fail-under=100

bench: $(STAMP) ## Measure and print a table (ROWS=intake,idle for parts of it)
	@$(BIN)/python -m tests.bench $(ROWS)

mutation: $(STAMP) ## Mutation score of checks and policies (bar: 85 %; SAMPLE=all takes every mutant)
	@$(BIN)/python -m tests.mutation

soak: $(STAMP) ## Long property and kill runs
	@MERGEGATE_SOAK=1 $(BIN)/python -m pytest -q $(TESTS)

lock: ## Resolve the dependencies anew (needs uv)
	uv pip compile pyproject.toml --universal --generate-hashes --no-emit-index-url --no-emit-find-links -o requirements.txt
	uv pip compile pyproject.toml --group dev --universal --generate-hashes --no-emit-index-url --no-emit-find-links -o requirements-dev.txt
