# make run        executes every notebook headlessly (quick profile), and ends with a table of results
# make lab        opens JupyterLab; make lab ARGS=--no-browser passes arguments on, as all of these do
# make test       runs the tests
# make course     writes notebooks for learners and instructors into course/; edited ones stay as they are
# make reset      restores the notebooks; edited ones are kept in notebooks/mine
# make base       fetches the encoder of the masked language model "base" (405 MB, through pip)
# make verify     computes every number of claims and notebooks again from the evidence, and says what differs
# make record     runs everything, and updates notebooks, figures and the tables of the README
# make site       builds all pages into site/; make docs only those of the API, into build/docs
# make test-site  opens the pages in a headless Chromium
# make slides     writes every figure as a slide into build/slides
# make benchmark  measures speed as ratios
# make lock       writes the lists of pinned versions; make clean removes .venv, runs/ and build/
# The first one that you run installs the versions of requirements.lock into .venv.

PYTHON ?= python3
VENV ?= .venv
BIN := $(VENV)/bin
STAMP := $(VENV)/.installed
DOCS := $(VENV)/.installed-docs
BOX := build/static/.box
SPHINX = NBHELPERS_OFFLINE=1 $(BIN)/python -m sphinx -W --keep-going -q -c docs -b html
ARGS ?=

export PYTHONPATH := $(CURDIR)$(if $(PYTHONPATH),:$(PYTHONPATH))

.PHONY: run test lab record verify course reset benchmark docs site test-site slides base lock clean help

run: $(STAMP)
	NBHELPERS_OFFLINE=1 $(BIN)/python -m nbhelpers run --jobs 2 $(ARGS)

test: $(STAMP)
	NBHELPERS_OFFLINE=1 OMP_NUM_THREADS=1 $(BIN)/python -m pytest -n 2 --dist loadfile --no-loadscope-reorder $(ARGS)

lab: $(STAMP)
	JUPYTER_CONFIG_PATH=$(CURDIR)/.jupyter $(BIN)/jupyter lab --notebook-dir=. $(ARGS)

record: $(STAMP)
	$(BIN)/python tools/golden.py
	rm -rf runs/record
	NBHELPERS_OFFLINE=1 $(BIN)/python -m nbhelpers run --jobs 2 --out runs/record $(ARGS)
	$(BIN)/python -m nbhelpers record runs/record

verify: $(STAMP)
	$(BIN)/python -m nbhelpers evidence verify
	NBHELPERS_OFFLINE=1 $(BIN)/python -m nbhelpers run --jobs 2 --out runs/verify $(ARGS)
	$(BIN)/python -m nbhelpers record --check runs/verify

course: $(STAMP)
	$(BIN)/python -m nbhelpers course $(ARGS)

reset: $(STAMP)
	$(BIN)/python -m nbhelpers record --reset
	if [ -d course ]; then $(BIN)/python -m nbhelpers course --fresh; fi

benchmark: $(STAMP)
	NBHELPERS_BENCHMARKS=1 $(BIN)/python -m pytest tests/benchmarks -s $(ARGS)

docs: $(DOCS)
	$(BIN)/python tools/pages.py build/pages-docs --api-only
	$(SPHINX) build/pages-docs build/docs
	@echo "The pages of the API: build/docs/index.html"

site: $(DOCS) $(BOX)
	$(BIN)/python tools/pages.py build/pages
	$(SPHINX) build/pages build/site
	rm -rf site && cp -R build/site site
	@echo "The site: site/index.html"

test-site: $(DOCS)
	NBHELPERS_SITE=1 $(BIN)/python -m pytest tests/tools/test_site.py $(ARGS)

slides: $(STAMP)
	$(BIN)/python tools/slides.py build/slides
	@echo "The slides: build/slides/index.html"

base: $(STAMP)
	$(BIN)/python tools/base_masked_lm.py fetch

lock: $(DOCS)
	$(BIN)/python tools/lock.py

$(BOX): $(DOCS) tools/site_box.py docs/package-lock.json $(wildcard data/models/same-meaning-en/*.safetensors) data/models/same-meaning-en/meaning.json
	NBHELPERS_OFFLINE=1 $(BIN)/python -W ignore tools/site_box.py build/static/box
	touch $(BOX)

$(STAMP): requirements.lock pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit(0 if sys.version_info >= (3, 11) else "Python 3.11 or newer is needed; this is " + sys.version.split()[0] + ". Name another one with: make PYTHON=python3.11 ...")'
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --requirement requirements.lock
	$(BIN)/python -m pip install --quiet --no-deps --no-build-isolation --editable .
	touch $(STAMP)

$(DOCS): $(STAMP) requirements-docs.lock
	$(BIN)/python -m pip install --quiet --constraint requirements.lock --requirement requirements-docs.lock
	touch $(DOCS)

help:
	@sed -n 's/^# //p' Makefile

clean:
	rm -rf $(VENV) runs build site
