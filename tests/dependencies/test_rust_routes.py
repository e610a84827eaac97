"""Which way work takes is decided in one place of the core and of the extension, and in one of the crate for GPUs."""

import re
import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))
from test_rust_layers import code  # noqa: E402

ROOT = Path(__file__).resolve().parents[2]
# What backends state about their libraries, for the core to decide by.
FACTS = {"is_faster", "writes_first", "lower_from", "double_from", "polar_from", "dense_advantage"}
CALLED = re.compile(rf"\.({'|'.join(sorted(FACTS))})\(")
NUMBER = r"(?:[0-9][0-9_]*(?:\s*<<\s*\d+)?|(?:\w+::)*[A-Z][A-Z0-9_]+)"
COMPARED = re.compile(rf"(?<![<>=-])[<>]=?\s+({NUMBER})(?![\w.(<])|(?<!\w)({NUMBER})\s+[<>]=?(?![<>=-])\s")
PLACES = {
    "core/src": "core/src/routes.rs",
    "frontend-py/src": "core/src/routes.rs",
    "backends/gpu/src": "backends/gpu/src/routes.rs",
    "backends/cuda/src": "backends/gpu/src/routes.rs",
    "backends/hip/src": "backends/gpu/src/routes.rs",
}
# Where numbers are compared that choose no implementation.
ELSEWHERE = {
    "core/src/dispatch": "versions of kernels that are kept",
    "core/src/fusion": "costs of kernels, by which strategies choose",
    "core/src/memory": "sizes of lists and of blocks of pools",
    "core/src/timeline": "events that are kept",
    "core/src/ufunc": "inputs of a kernel, and loops that are known",
    "frontend-py/src/fused": "traces that are kept",
}
ANYWHERE = {"MAX": "what a type holds", "MAX_DIMS": "axes of a launch", "MAX_NDIM": "axes of an array"}
LIMITS = {
    "backends/cuda/src/api/driver.rs: OLDEST": "versions of the driver",
    "backends/cuda/src/libraries/dnn/mod.rs: 90000": "versions of the library",
    "backends/cuda/src/libraries/structured.rs: OLDEST": "versions of the library",
    "backends/gpu/src/choices.rs: KEPT": "choices that are kept",
    "backends/gpu/src/compiler.rs: HALF": "registers of a thread, above which a map is compiled again",
    "backends/gpu/src/dense.rs: 1 << 24": "columns that an index holds",
    "backends/gpu/src/primitives/histogram.rs: FILL": "values of a bin, within the kernel",
    "backends/gpu/src/primitives/histogram.rs: RANGES": "ranges of bins, within the kernel",
    "backends/gpu/src/primitives/histogram.rs: SLOTS": "counts in the memory of a block",
    "backends/gpu/src/primitives/join.rs: PIECES": "pieces that an argument holds",
    "backends/gpu/src/primitives/place.rs: SHARED_WITHOUT_ASKING": "memory of a block",
    "backends/gpu/src/primitives/ranks.rs: ELEMENTS": "counts of two bytes",
    "backends/gpu/src/primitives/ranks.rs: RESERVED": "memory of a block",
    "backends/gpu/src/primitives/ranks.rs: ROWS": "counts of a byte",
    "backends/gpu/src/primitives/sort.rs: NARROW": "positions that 30 bits hold",
    "backends/gpu/src/small_matrices.rs: 1 << 24": "columns that an index holds",
    "backends/gpu/src/small_matrices.rs: MOST": "rows that a group of lanes holds",
    "core/src/ops/fft.rs: TOGETHER": "axes that libraries transform at once",
    "core/src/ops/select.rs: 16": "bytes of the largest element",
    "core/src/ops/sorting.rs: 16": "bytes of the largest element",
    "core/src/promotion.rs: COUNT": "dtypes by number",
    "frontend-py/src/functions/creation.rs: MOST_AXES": "axes of an array",
    "frontend-py/src/ndarray/objects.rs: MAX_FREE": "objects on the free list",
    "frontend-py/src/traced_number.rs: 1 << 53": "integers that float64 holds exactly",
}


def comparisons(text: str) -> list[str]:
    """The numbers from 16 on and the constants that code compares something with."""
    found = [first or second for first, second in COMPARED.findall(text)]
    return [n.split("::")[-1] for n in found if not n.isdigit() or int(n) >= 16]


def files(folder: str):
    for path in sorted((ROOT / folder).rglob("*.rs")):
        name = str(path.relative_to(ROOT))
        if name != PLACES[folder] and path.name != "tests.rs":
            yield name, code(path.read_text())


def test_no_threshold_stands_elsewhere():
    found = {
        f"{name}: {number}"
        for folder in PLACES
        for name, text in files(folder)
        if not any(name.startswith(place) for place in ELSEWHERE)
        for number in comparisons(text)
        if number not in ANYWHERE
    }
    assert found == set(LIMITS)


def test_only_the_table_asks_what_libraries_were_measured_to_do():
    asking = {name for folder in ("core/src", "frontend-py/src") for name, text in files(folder) if CALLED.search(text)}
    assert asking == set()
    assert set(CALLED.findall(code((ROOT / PLACES["core/src"]).read_text()))) == FACTS


@pytest.mark.parametrize(
    ("text", "numbers"),
    [
        ("if a.size() < 4096 {", ["4096"]),
        ("x >= MANY && y", ["MANY"]),
        ("if limits::MANY <= x {", ["MANY"]),
        ("bytes > 1 << 20", ["1 << 20"]),
        ("if n > 2 {", []),
        ("Vec<A>::new() -> B", []),
        ("length as f64 <= few", []),
    ],
)
def test_thresholds_are_found(text, numbers):
    assert comparisons(text) == numbers


def test_rows_say_why():
    for table in sorted(set(PLACES.values())):
        reasons = re.findall(r"why: \"([^\"]*)\"", (ROOT / table).read_text())
        assert len(reasons) >= 5
        assert all(reason == "not measured" or re.search(r"\d|half", reason) for reason in reasons)
