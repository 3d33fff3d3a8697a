.PHONY: install check test slow validate fix golden
install:  ## a working environment from nothing
	python3 -m venv .venv
	.venv/bin/pip install -q -e '.[dev]' -c constraints.txt
check:    ## everything that needs no test run
	.venv/bin/ruff format --check .
	.venv/bin/ruff check .
	.venv/bin/mypy
	.venv/bin/lint-imports
test:     ## fast tests
	.venv/bin/pytest -q
slow:     ## real repositories, big corpora
	.venv/bin/pytest -q -m slow
validate: ## the validation summary of extraction
	.venv/bin/python -m tests.parse.summary
fix:      ## what tools can repair
	.venv/bin/ruff check --fix . ; .venv/bin/ruff format .
golden:   ## rewrite the expectations of case files, then read the diff
	.venv/bin/pytest -q --update-golden tests/parse/test_cases.py
