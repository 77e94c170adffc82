# Five commands; each sets up what it needs. Python 3.11 or newer and make are enough.
#   make book     build the book and print the page to open
#   make test     read the code (ruff, mypy), then test what a change can break; needs no GPU
#   make proof    the same with every test
#   make lab      open the chapters in JupyterLab; ARGS go to it: make lab ARGS=--no-browser
#   make record   run the chapters on a GPU and save what they measured
.PHONY: book test proof lab record ready
OLD := import sys; sys.exit(sys.version_info < (3, 11))
PYTHON := $(shell for p in python3 python3.14 python3.13 python3.12 python3.11; do \
	"$$p" -c "$(OLD)" 2>/dev/null && echo $$p && break; done)
PYTHON := $(or $(PYTHON),python3)
# Without Python's compiled files, each of a thousand processes of `make test` compiles NumPy anew.
unexport PYTHONDONTWRITEBYTECODE
# Who may not write in this checkout gets the pages beside their copies of the exercises.
PAGES := $(shell [ -w book ] && echo book || echo "$$HOME/warpbook-work")
BUILD := .venv/bin/jupyter-book build book --config _config.yml --toc "$(CURDIR)/_toc.yml" \
	--path-output "$(PAGES)" --all -W -n --keep-going -q
READ := .venv/bin/ruff check -q && .venv/bin/ruff format --check -q && .venv/bin/mypy
TESTS := .venv/bin/python -m pytest -n auto --dist worksteal

book: ready ; @.venv/bin/python tools/committed.py; $(BUILD)
test: ready ; @$(READ) && $(TESTS) --tier test $(ARGS)
proof: ready ; @$(READ) && $(TESTS) $(ARGS)
lab: ready
	@[ "$$(id -u)" != 0 ] || [ -n "$(findstring --allow-root,$(ARGS))" ] || { echo "JupyterLab does not" \
	"start as root by itself. In a container: make lab ARGS='--allow-root --ip=0.0.0.0'"; exit 1; }
	@.venv/bin/python tools/lab.py $(ARGS)
record: ready ; @.venv/bin/python -m warpbook record $(ARGS) && .venv/bin/python tools/readme.py && \
	.venv/bin/python tools/lengths.py minutes --write

ready:
	@command -v "$(PYTHON)" >/dev/null || { echo "Python 3.11 or newer is needed: see python.org"; exit 1; }
	@"$(PYTHON)" tools/setup.py
