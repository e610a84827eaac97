# What a newcomer types. Needs Rust, Python 3.11 or newer, a C compiler and pip; everything else goes into .venv.

PYTHON ?= python3
CARGO ?= cargo
VENV := .venv
BIN := $(VENV)/bin
PIP := $(BIN)/pip install --quiet --disable-pip-version-check --no-compile
MATURIN := $(VENV)/.maturin
TOOLS := $(VENV)/.tools
OUTPUT := target/demo
SITE_TOOLS := $(VENV)/.site
PYTEST := $(BIN)/python -m pytest --numprocesses auto --maxprocesses 4
comma := ,

# The major CUDA version of the driver, if there is one; it decides which vendor libraries pip installs.
CUDA ?= $(shell nvidia-smi 2>/dev/null | sed -n 's/.*CUDA Version: *\([0-9]*\).*/\1/p' | head -n 1)
CUDA_EXTRA := $(filter cuda12 cuda13,cuda$(CUDA))
INSTALLED := $(VENV)/.installed$(addprefix -,$(CUDA_EXTRA))

# The processor time of a first build, as docs/install.md has it. With any number of cores it takes five minutes by the clock, since
# the largest crates are compiled one after the other.
BUILD_MINUTES := 15
CORES := $(shell nproc 2>/dev/null || echo 1)
MINUTES := $(shell minutes=$$(($(BUILD_MINUTES) / $(CORES) + 1)); echo $$((minutes > 5 ? minutes : 5)))
FIRST = about $(MINUTES) minutes if the $(CORES) cores of this machine are idle

SOURCES := Cargo.toml Cargo.lock pyproject.toml README.md LICENSE $(shell find hal core geometry backends kernels-* frontend-py \
	-type f -not -path '*/__pycache__/*' -not -path '*/tests/*' -not -name '*.so' -not -name '*.pack')

export PYO3_PYTHON := $(abspath $(BIN)/python)

# Keep the .pyc files of tests: the next process reads them.
unexport PYTHONDONTWRITEBYTECODE

# Each step takes all cores, and pip may run once at a time.
.NOTPARALLEL:

# The extension module links no Python of its own: its tests are the Python ones. Every step selects the same packages of the same
# profile, since Cargo unites the features of what it selects: another selection would build faer and all of ours again.
WORKSPACE := --workspace --exclude 'cuproxide-py*'

.PHONY: help demo examples test test-full test-rust test-python test-eager test-standins test-cluster smoke differential dev try wheel wheel-gpu release notes lint lint-python lint-rust format bench bench-peers bench-page accuracy docs docs-rust docs-pages \
	coverage site clean

help:
	@echo "make demo      build, install into .venv and segment a photograph on every device found"
	@echo "make examples  run the other examples"
	@echo "make test      run the Rust and the Python tests"
	@echo "make test-eager run a sample of the Python tests with every operation launched at once"
	@echo "make smoke     run some 820 tests of all areas: what must pass with every supported NumPy and SciPy"
	@echo "make test-full run every case of every test, deferred and eager (hours)"
	@echo "make differential SECONDS=600  call every name of the SciPy packages with drawn arguments, beside SciPy"
	@echo "make dev       build the extension and use the package from this folder: Python edits need no build"
	@echo "make try T=tests/python/array/test_creation.py  the same, then one file or test"
	@echo "make test-standins  run the CUDA and the HIP backend without a GPU, on stand-ins for their libraries"
	@echo "make test-cluster  run jobs under SLURM and MPI on hosts that are network namespaces; needs root and their packages"
	@echo "make lint      check formatting, types, clippy and ruff"
	@echo "make format    format Rust and Python"
	@echo "make bench     compare with NumPy (and CuPy and PyTorch where they are installed)"
	@echo "make bench-peers  measure everything beside NumPy, CuPy, PyTorch and JAX; bench-page writes docs/benchmarks.md from it"
	@echo "make accuracy  measure the error of every function beside python-flint and SciPy; SECONDS=600 limits it, the next call resumes"
	@echo "make wheel-gpu build the wheel that brings precompiled kernels for NVIDIA GPUs"
	@echo "make release   build and check what is published: wheels for glibc 2.28 and newer with precompiled kernels, an sdist"
	@echo "make notes     print the release notes of this version"
	@echo "make docs      build the Rust documentation and check the Markdown pages"
	@echo "make site      build the documentation site, with the API reference, into target/site/html/VERSION"
	@echo "make coverage  write target/coverage.md, docs/environment.md and the stubs of generated names anew"

demo: $(INSTALLED)
	@mkdir -p $(OUTPUT)
	$(BIN)/python examples/kmeans_image.py --output $(OUTPUT)/kmeans_image.png

examples: $(INSTALLED)
	@mkdir -p $(OUTPUT)
	$(BIN)/python examples/black_scholes.py
	$(BIN)/python examples/heat_equation.py --output $(OUTPUT)/heat_equation.png
	$(BIN)/python examples/conjugate_gradient.py
	$(BIN)/python examples/denoise_chirp.py --output $(OUTPUT)/denoise_chirp.png
	$(BIN)/python examples/scattered_to_grid.py --output $(OUTPUT)/scattered_to_grid.png
	$(BIN)/python examples/segment_image.py --output $(OUTPUT)/segment_image.png
	$(BIN)/python examples/digits_cnn.py --output $(OUTPUT)/digits_cnn.png
	$(BIN)/python examples/fit_spectra.py --output $(OUTPUT)/fit_spectra.png
	$(BIN)/python examples/bootstrap_fit.py --output $(OUTPUT)/bootstrap_fit.png
	$(BIN)/python examples/lorenz_ensemble.py --output $(OUTPUT)/lorenz_ensemble.png
	$(BIN)/python examples/filter_image.py --output $(OUTPUT)/filter_image.png
	$(BIN)/python examples/monte_carlo_options.py --output $(OUTPUT)/monte_carlo_options.png
	$(BIN)/python examples/gaussian_mixture.py --output $(OUTPUT)/gaussian_mixture.png
	$(BIN)/python examples/mandelbrot_raw_kernel.py --output $(OUTPUT)/mandelbrot.png
	$(BIN)/python examples/reaction_jit.py --output $(OUTPUT)/reaction.png
	$(BIN)/python examples/streams.py
	$(BIN)/python examples/several_devices.py
	$(BIN)/python examples/interoperability.py
	$(BIN)/python -m cuproxide.distributed.run --nproc 2 examples/cluster/kmeans.py --output $(OUTPUT)/kmeans_cluster.png
	$(BIN)/mpirun -n 2 $(BIN)/python examples/cluster/kmeans.py
	$(BIN)/python examples/cluster/kmeans.py --dask 2
	$(BIN)/python -m cuproxide.distributed.run --nproc 3 examples/cluster/jacobi.py
	$(BIN)/python -m cuproxide.distributed.run --nproc 2 examples/cluster/fft.py
	$(BIN)/mpirun -n 4 $(BIN)/python examples/cluster/matmul.py

test: test-rust test-python

test-rust: $(TOOLS)
	@echo "== the Rust tests, which are compiled first; with the Python tests they take 15 to 20 minutes on two idle cores (docs/testing.md)"
	$(CARGO) test --release --locked $(WORKSPACE)

test-python: $(INSTALLED)
	@echo "== the Python tests"
	$(PYTEST)

# What differs from the first pass is when operations run, not what they compute: a sample of the cases shows it.
test-eager: $(INSTALLED)
	CUPROXIDE_EAGER=1 CUPROXIDE_TEST_SMALL=2 $(PYTEST)

test-full: test-rust $(INSTALLED)
	CUPROXIDE_TEST_FULL=1 $(PYTEST)
	CUPROXIDE_EAGER=1 CUPROXIDE_TEST_FULL=1 $(PYTEST)

# Many units of those crates that change most, since an incremental build compiles the changed ones anew.
UNITS := $(foreach crate,hal core ufuncs cpu gpu py,--config profile.release.package.cuproxide-$(crate).codegen-units=256)

# The package of this folder goes before the installed one; Cargo builds incrementally.
dev: $(TOOLS)
	CARGO_INCREMENTAL=1 $(CARGO) build --release --locked $(UNITS) -p cuproxide-pymodule
	cp -f target/release/lib_cuproxide.so frontend-py/python/cuproxide/.new.so
	mv -f frontend-py/python/cuproxide/.new.so frontend-py/python/cuproxide/_cuproxide.abi3.so

try: dev
	PYTHONPATH=frontend-py/python $(BIN)/python -m pytest -q $(T)

# PARTS=--python, PARTS=--conformance: one half of it.
test-standins: $(INSTALLED)
	ci/test_standins $(PARTS)

# Skips with a reason where rights or packages are missing.
test-cluster: $(INSTALLED)
	tests/cluster/run

smoke: $(INSTALLED)
	ci/smoke $(BIN)/python --numprocesses auto --maxprocesses 4

# Counts for every name go into RECORD, if one is given; `docs/differential.md` is written from them.
SECONDS ?= 600
differential: $(INSTALLED)
	$(BIN)/python -m tests.differential run --seconds $(SECONDS) $(if $(RECORD),--record $(RECORD))

wheel: $(INSTALLED)

wheel-gpu: $(INSTALLED)
	ci/build_gpu_wheel

release: $(TOOLS)
	ci/release

notes: $(TOOLS)
	@$(BIN)/python ci/release_notes.py

lint: lint-python lint-rust

lint-python: $(TOOLS)
	$(BIN)/ruff check
	$(BIN)/ruff format --check
	$(BIN)/mypy

lint-rust: $(TOOLS)
	$(CARGO) fmt --all --check
	$(CARGO) clippy --release --locked --workspace --all-targets -- -D warnings

format: $(TOOLS)
	$(CARGO) fmt --all
	$(BIN)/ruff check --fix
	$(BIN)/ruff format

bench: $(INSTALLED)
	$(BIN)/python benches/bench.py

# GROUPS="chains linalg" takes some of the groups, SECONDS_EACH limits each of them, RESULT names the files.
SECONDS_EACH ?= 120
RESULT ?= target/peers
bench-peers: $(INSTALLED)
	$(BIN)/python benches/peers.py $(if $(GROUPS),--groups $(GROUPS)) --seconds $(SECONDS_EACH) --json $(RESULT).json --markdown $(RESULT).md

bench-page: $(INSTALLED)
	$(BIN)/pip install --quiet --disable-pip-version-check matplotlib
	$(BIN)/python benches/page.py

# Draws points for SECONDS, resumes where the last call ended, and writes docs/accuracy-functions.md from what there is.
SECONDS ?= 3600
accuracy: $(INSTALLED)
	$(BIN)/pip install --quiet --disable-pip-version-check python-flint
	$(BIN)/python benches/accuracy/measure.py points --seconds $(SECONDS)
	$(BIN)/python benches/accuracy/measure.py evaluate cuproxide cpu
	$(BIN)/python benches/accuracy/measure.py evaluate scipy scipy
	$(BIN)/python benches/accuracy/measure.py report
	$(BIN)/python benches/accuracy/measure.py sample

docs: docs-rust docs-pages

docs-rust: $(TOOLS)
	RUSTDOCFLAGS="-D warnings" $(CARGO) doc --release --locked --no-deps $(WORKSPACE)

docs-pages: $(INSTALLED)
	$(BIN)/python ci/check_docs.py
	$(BIN)/python ci/environment.py --check
	$(BIN)/python ci/coverage.py --check
	$(BIN)/python ci/parity.py --check
	$(BIN)/python ci/releases.py --check
	$(BIN)/python ci/docstrings.py

# Needs no network once its requirements are installed.
site: $(SITE_TOOLS)
	$(BIN)/python docs/site/build.py

coverage: $(INSTALLED)
	$(BIN)/python ci/coverage.py
	$(BIN)/python ci/environment.py
	$(BIN)/python ci/write_stubs.py
	$(BIN)/python ci/write_examples.py

clean:
	rm -rf $(VENV) target

$(MATURIN): ci/requirements.txt
	@echo "== step 1 of 3: a Python environment in $(VENV), some seconds; a first build then takes $(FIRST)"
	@command -v $(CARGO) >/dev/null || { echo "error: Rust is missing; install it from https://rustup.rs" >&2; exit 1; }
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
		{ echo "error: Python 3.11 or newer is needed; name it with make PYTHON=python3.11" >&2; exit 1; }
	$(PYTHON) -m venv $(VENV)
	$(PIP) --constraint ci/requirements.txt maturin
	@touch $@

$(TOOLS): $(MATURIN)
	@echo "== Python tools into $(VENV), some 40 seconds"
	$(PIP) --requirement ci/requirements.txt
	@touch $@

$(SITE_TOOLS): docs/site/requirements.txt $(INSTALLED)
	$(PIP) --constraint ci/requirements.txt --requirement docs/site/requirements.txt
	@touch $@

# What else Python needs is installed while crates compile. By `MAKE_COMMAND`, since `make -n` would run a line with `MAKE`.
$(INSTALLED): $(SOURCES) $(MATURIN)
	@if [ -d target/release/deps ]; then echo "== step 2 of 3: building the crates that have changed"; \
		else echo "== step 2 of 3: the first build, $(FIRST); on a terminal Cargo counts the crates"; fi
	@rm -rf target/wheels $(VENV)/.installed*
	MAKEFLAGS= $(MAKE_COMMAND) --no-print-directory PYTHON='$(PYTHON)' $(TOOLS) & trap "kill $$!" INT TERM; \
		$(BIN)/maturin build --release --locked --interpreter $(BIN)/python --out target/wheels; built=$$?; wait $$! && exit $$built
	@echo "== step 3 of 3: installing into $(VENV); less than a minute is left"
	$(PIP) --no-deps --force-reinstall target/wheels/*.whl
	$(PIP) --constraint ci/requirements.txt "cuproxide[examples,test$(addprefix $(comma),$(CUDA_EXTRA))]"
	@touch $@
