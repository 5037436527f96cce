# `make run` and `make test` each do everything on a fresh machine with make and Python 3.11+.

PYTHON ?= $(shell for p in python3 python3.14 python3.13 python3.12 python3.11; do \
	$$p -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null && echo $$p && break; done)
PY := .venv/bin/python
PIP := $(PY) -m pip install --quiet --disable-pip-version-check --constraint constraints.txt

.PHONY: run test bench soundness lint clean

run: .venv/installed
	@mkdir -p build
	.venv/bin/attnproof check --output build/report.json
	.venv/bin/attnproof appendix --report build/report.json --output build/appendix.tex --pdf

test: .venv/installed-dev
	$(PY) -m pytest -n 2 -q

soundness: .venv/installed-dev
	$(PY) -m tests.soundness

bench: .venv/installed-dev
	$(PY) -m tests.bench

lint: .venv/installed-dev
	.venv/bin/ruff check .
	.venv/bin/pyright

clean:
	rm -rf build .venv

.venv/bin/python:
	@test -n "$(PYTHON)" || { echo "attnproof needs Python 3.11 or newer: none found; install one, or make PYTHON=/path/to/python3"; exit 2; }
	$(PYTHON) -m venv .venv

.venv/installed: pyproject.toml constraints.txt | .venv/bin/python
	$(PIP) --editable .
	@touch $@

.venv/installed-dev: pyproject.toml constraints.txt | .venv/bin/python
	$(PIP) --editable '.[dev]'
	@touch $@ .venv/installed
