"""The program that runs every sparse kernel for memory checkers, with the kernels of CPUs and those of GPUs."""

import importlib.util
import pathlib

import cuproxide as cp
import pytest

PROGRAM = pathlib.Path(__file__).parents[4] / "ci" / "sanitize_sparse.py"


@pytest.fixture(scope="module")
def program():
    spec = importlib.util.spec_from_file_location("sanitize_sparse", PROGRAM)
    made = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(made)
    return made


def test_every_kernel_runs_and_agrees(program, monkeypatch):
    monkeypatch.setenv("CUPROXIDE_SPARSE", "own")
    count, _, left = program.run("own", "?dF")
    _, _, others = program.run("gpu", "?dF")
    assert count > 1000
    # On a GPU kernels for one thread after another are left.
    assert cp.Device().backend != "cpu" or not left & others, "kernels that the program does not run"


def test_wrong_results_are_found(program, monkeypatch):
    module = program.sparse._products
    monkeypatch.setattr(module, "row_sums", lambda parts, rows, dtype: program.cp.full(rows, 7, dtype))
    with pytest.raises(AssertionError, match="sum of rows"):
        program.run("own", "d")
