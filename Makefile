# Everything runs from .venv; `make help` lists the targets.
PYTHON ?= python3
HOST ?= 127.0.0.1
PORT ?= 8000
BIN := .venv/bin
PO := $(wildcard */locale/*/LC_MESSAGES/*.po)
MO := $(PO:.po=.mo)

.DEFAULT_GOAL := help
.PHONY: help install run admin test lint format bench browser messages

help: ## List the targets.
	@awk -F ':.*## ' '/^[a-z]+:.*## / {printf "make %-9s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

install: .venv/installed messages ## Make .venv with everything and compile the translations.

.venv/installed: pyproject.toml constraints.txt
	@test -x $(BIN)/python || $(PYTHON) -m venv .venv
	$(BIN)/python -m pip install -qq --disable-pip-version-check -c constraints.txt -e '.[dev]'
	@touch $@

messages: $(MO)

%.mo: %.po | .venv/installed
	@$(BIN)/pybabel --quiet compile -i $< -o $@ -l $(notdir $(patsubst %/LC_MESSAGES/,%,$(dir $<)))

run: install ## Install, prepare the database, load the question sets, serve the site.
	@$(BIN)/python -m config.serve check '$(HOST)' '$(PORT)'
	@$(BIN)/python manage.py migrate --verbosity 0
	@$(BIN)/python manage.py loadsets
	@$(BIN)/python -m config.serve run '$(HOST)' '$(PORT)'

admin: install ## Create a superuser for /admin/ (asks for name and password).
	@$(BIN)/python manage.py migrate --verbosity 0
	@$(BIN)/python manage.py createsuperuser

browser: .venv/installed
	@$(BIN)/python -m tests.browser.install

test: install browser ## Run every test, browser tests included.
	@$(BIN)/python -m pytest -n auto --dist worksteal

lint: install ## ruff, mypy, djLint, missing migrations.
	@$(BIN)/ruff check .
	@$(BIN)/ruff format --check .
	@$(BIN)/mypy
	@$(BIN)/djlint --quiet --lint templates
	@$(BIN)/python manage.py makemigrations --check --dry-run

format: install ## Rewrite Python files as ruff formats them.
	@$(BIN)/ruff check --fix --quiet .
	@$(BIN)/ruff format .

bench: install ## Time the engine and the lab.
	@$(BIN)/python -m tests.bench.run
