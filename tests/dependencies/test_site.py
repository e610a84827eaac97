"""What the documentation site takes from other pages, without building it."""

import importlib
import importlib.util
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
SPEC = importlib.util.spec_from_file_location("measured_errors", ROOT / "docs/site/measured_errors.py")
measured_errors = importlib.util.module_from_spec(SPEC)
SPEC.loader.exec_module(measured_errors)


def test_every_measured_function_is_here():
    found = measured_errors.measured()
    modules = {path.rpartition(".")[0] for path in found}
    assert modules == set(measured_errors.SECTIONS.values())
    parts = {path: (importlib.import_module(path.rpartition(".")[0]), path.rpartition(".")[2]) for path in found}
    assert [path for path, (module, name) in parts.items() if not hasattr(module, name)] == []
    assert len(found) > 400


def test_real_arguments_come_first_and_unmeasured_functions_say_nothing():
    text = measured_errors.accuracy("cuproxide.sqrt")
    assert 0 < text.index("float64") < text.index("complex128") and "(CPU)" in text and "(CUDA)" in text
    assert measured_errors.accuracy("cuproxide.reshape") == ""
