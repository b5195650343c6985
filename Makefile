.DEFAULT_GOAL := demo
.PHONY: help new-metric installed dist board serve demo docs test test-all lowest check simulate record fuzz spark peers platforms image containers bench browser constraints

PYTHON ?= python3
# modules are compiled once, not by each process that runs tests
export PYTHONDONTWRITEBYTECODE =
LOCKED = .venv/bin/pip install -q -c .venv/versions.txt

# this list; a target that needs .venv makes it
help:
	@awk '/^# /{said=substr($$0,3); next} /^[a-z][a-z-]*:([^=]|$$)/{split($$1,name,":"); \
	  printf "make %-12s %s\n", name[1], said} {said=""}' $(MAKEFILE_LIST)

# scores the submissions of the bundled course challenge
demo: .venv/runs
	.venv/bin/score challenges/course-2026 submissions_example/course-2026/good/* --split all

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

PYTEST = .venv/bin/pytest -q -n auto --dist worksteal --ignore=tests/peers --ignore=tests/platforms \
  --ignore=tests/containers --ignore=tests/browser --ignore=tests/spark

# all tests but the slow ones; of some rooms: make test ROOMS="tests/cli tests/web"
test: .venv/tests
	$(PYTEST) -m "not slow" $(ROOMS)
	@echo "not run: lint and types (make check), slow tests (make test-all), pages in Chromium (make browser), data frames (make spark), other scorers (make peers), platforms' code (make platforms), images (make containers)"

# everything; slow tests wait for servers and processes, so that a worker more finds a processor free
test-all: .venv/tests
	EVERYTHING=1 $(subst -n auto,-n $(shell expr $$(getconf _NPROCESSORS_ONLN) + 1),$(PYTEST))

STANDING = api board challenge checks cli reading reports scoring views web

# the fast tests of the rooms that stand on others' packages, with the lowest versions of pyproject.toml
lowest: .venv/tests
	.venv/bin/pip install -q uv
	.venv/bin/uv venv -q --clear --python .venv/bin/python .venv/lowest
	.venv/bin/uv pip install -q --python .venv/lowest/bin/python --resolution lowest-direct -e .[dev] "httpx>=0.28"
	.venv/lowest/bin/pytest -q -n auto --dist worksteal -m "not slow" -W ignore::DeprecationWarning \
	  -W ignore::PendingDeprecationWarning $(addprefix tests/,$(STANDING))

# lint, types and layers
check: .venv/tests
	.venv/bin/ruff check .
	.venv/bin/ruff format --check .
	.venv/bin/mypy
	.venv/bin/lint-imports

# what this version computes and says on fixed inputs, into tests/recorded; of some: make record SECTIONS="measures term"
record: .venv/tests
	.venv/bin/python tests/recorded/record.py tests/recorded $(SECTIONS)

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

# data frames on Apache Spark: in this process, on a cluster, by Spark Connect; Java runs it
spark: .venv/spark
	.venv/bin/pytest -q -rs tests/spark

# other scorers on the same data
peers: .venv/peers
	.venv/bin/pytest -q -n auto --dist worksteal tests/peers tests/test_examples.py

# exported bundles in the platforms' own code: make platforms PLATFORMS=DIR, where DIR has checkouts
platforms: .venv/platforms/installed
	.venv/platforms/bin/pytest -q -n auto --dist worksteal tests/platforms

BUILD = docker build
IMAGE = challenge-scorer:$(shell sed -n 's/^__version__ = "\(.*\)"/\1/p' scorer/__init__.py)

# the container image that bundles of `score export` name; by another builder: make image BUILD="buildah build"
image:
	$(BUILD) -t $(IMAGE) .

# that image and those of bundles, built by Buildah as root, and run without network, root, and a root folder to write to
containers: .venv/tests
	.venv/bin/pytest -q -rs tests/containers

# speed and memory of a few sets
bench: .venv/runs
	.venv/bin/python benchmarks/run.py --sets tiny S M MANY
	.venv/bin/python benchmarks/cliffs.py

# pages in Chromium; axe-core, which looks for what keeps people from using them, is npm's
browser: .venv/browser .venv/node
	.venv/bin/pytest -q -rs -n 2 --dist loadfile tests/browser

# an environment of its own, since some of that code wants older versions
.venv/platforms/installed: .venv/runs tests/platforms/requirements.txt
	.venv/bin/pip install -q uv
	.venv/bin/uv venv -q --clear --python .venv/bin/python .venv/platforms
	.venv/bin/uv pip install -q --python .venv/platforms/bin/python -c .venv/versions.txt \
	  -e . -r tests/platforms/requirements.txt
	@touch $@

.venv/node: Makefile .venv/browser
	npm install --silent --no-save --no-fund --no-audit --prefix $@ axe-core@4.14.1
	@touch $@

# every version that CI installs, with its hashes; after a change of dependencies
constraints: .venv/tests
	.venv/bin/pip install -q uv
	printf 'hatchling\neditables\n' | .venv/bin/uv pip compile -q --universal --python-version 3.11 \
	  --all-extras --generate-hashes --no-header --no-annotate -o constraints.txt pyproject.toml -

# a new metric of ranked lists in a family, or a folder: make new-metric NAME=HitShare [IN=ranking]
new-metric: .venv/runs
	.venv/bin/python tools/new_metric.py $(NAME) $(IN)

# .venv with the versions of constraints.txt and no others, each by its hash
installed:
	$(PYTHON) -m venv .venv
	.venv/bin/pip install -q --require-hashes -r constraints.txt
	.venv/bin/pip install -q --no-build-isolation --no-deps -e .
	touch .venv/versions.txt .venv/runs .venv/tests .venv/web .venv/spark .venv/peers .venv/browser .venv/docs

# the distribution, in dist/, built with the versions of constraints.txt
dist: .venv/tests
	rm -rf dist
	.venv/bin/python -m hatchling build

# the versions of constraints.txt; its hashes pip takes only where it is given every package, as CI does
.venv/versions.txt: constraints.txt
	$(PYTHON) -m venv .venv
	grep '^[a-z0-9]' constraints.txt | sed 's/ *\\$$//' > $@
	$(LOCKED) hatchling editables

.venv/runs: pyproject.toml .venv/versions.txt
	$(LOCKED) --no-build-isolation -e .
	@touch $@

.venv/tests: .venv/runs
	$(LOCKED) challenge-scorer[dev]
	@touch $@

.venv/web: .venv/runs
	$(LOCKED) challenge-scorer[web]
	@touch $@

.venv/spark: .venv/tests
	$(LOCKED) challenge-scorer[spark]
	@touch $@

.venv/peers: .venv/tests
	$(LOCKED) challenge-scorer[peers]
	@touch $@

.venv/browser: .venv/tests
	$(LOCKED) challenge-scorer[browser]
	@touch $@

.venv/docs: .venv/runs
	$(LOCKED) challenge-scorer[docs]
	@touch $@
