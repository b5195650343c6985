.PHONY: board serve demo docs test test-all check simulate fuzz peers bench browser constraints

PYTHON ?= python3

demo: .venv/runs
	.venv/bin/score challenges/course-2026 submissions_example/course-2026/good/*

# the life of a living board in a minute, in a copy of the bundled course challenge
board: .venv/runs
	SCORE=$(CURDIR)/.venv/bin/score sh examples/term.sh

# the web page of the bundled challenge; make a token with: .venv/bin/score team challenges/course-2026 add NAME
serve: .venv/web
	.venv/bin/score serve challenges/course-2026

# the site, in build/docs; its generated parts are written first
docs: .venv/docs
	.venv/bin/python docs/generate.py
	NO_MKDOCS_2_WARNING=1 .venv/bin/mkdocs build -q --strict

PYTEST = .venv/bin/pytest -q -n auto --dist worksteal --ignore=tests/peers --ignore=tests/browser

# all but what is marked as slow
test: .venv/tests check
	$(PYTEST) -m "not slow"

test-all: .venv/tests check
	$(PYTEST)

check: .venv/tests
	.venv/bin/ruff check .
	.venv/bin/ruff format --check .
	.venv/bin/mypy
	.venv/bin/lint-imports

# what is promised of intervals, tests and tiers, by simulation: minutes; SIMULATE=20 for an hour
simulate: .venv/tests
	SIMULATE=$${SIMULATE:-4} .venv/bin/pytest -q tests/simulations

# drawn anew each time, for an hour; MINUTES=600 for a night
fuzz: .venv/tests
	end=$$(($$(date +%s) + 60 * $${MINUTES:-60})); \
	while [ $$(date +%s) -lt $$end ]; do \
	  FUZZ=$${FUZZ:-300} .venv/bin/pytest -q -x tests/fuzz \
	    $$(grep -rl --include="test_*.py" "from rounds import" tests) || exit 1; \
	done

peers: .venv/peers
	.venv/bin/pytest -q tests/peers

bench: .venv/runs
	.venv/bin/python benchmarks/run.py --sets tiny S M MANY
	.venv/bin/python benchmarks/cliffs.py

# pages in Chromium; axe-core, which looks for what keeps people from using them, is npm's
browser: .venv/browser .venv/node
	.venv/bin/pytest -q -rs tests/browser

.venv/node: Makefile .venv/browser
	npm install --silent --no-save --no-fund --no-audit --prefix $@ axe-core@4.14.1
	@touch $@

# every version that CI installs, with its hashes; after a change of dependencies
constraints: .venv/tests
	.venv/bin/pip install -q uv
	printf 'hatchling\neditables\n' | .venv/bin/uv pip compile -q --universal --python-version 3.11 \
	  --all-extras --generate-hashes --no-header --no-annotate -o constraints.txt pyproject.toml -

.venv/runs: pyproject.toml
	$(PYTHON) -m venv .venv
	.venv/bin/pip install -q -e .
	@touch $@

.venv/tests: pyproject.toml .venv/runs
	.venv/bin/pip install -q -e .[dev]
	@touch $@

.venv/web: pyproject.toml .venv/runs
	.venv/bin/pip install -q -e .[web]
	@touch $@

.venv/peers: pyproject.toml .venv/tests
	.venv/bin/pip install -q -e .[peers]
	@touch $@

.venv/browser: pyproject.toml .venv/tests
	.venv/bin/pip install -q -e .[browser]
	@touch $@

.venv/docs: pyproject.toml .venv/runs
	.venv/bin/pip install -q -e .[docs]
	@touch $@
