"""The table of parity: what is read of logs, and that the page is what the records say."""

import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "ci"))

import parity  # noqa: E402

LOG = "".join(
    "\t".join(line) + "\n"
    for line in [
        ("begun", "folds/sum", "0", ""),
        ("passed", "folds/sum", "7", ""),
        ("begun", "folds/a: b", "0", ""),
        ("missing", "gemm/f32", "1", "hipBLAS"),
        ("failed", "sort/i8", "2", "1 | 2"),
    ]
)
TABLE = """conformance of cuda:0 (a GPU)
group         passed  failed  unsupported   seconds
sparse solver      2       0            0      0.02
gemm               0       2            1      0.00
total              2       2            1    112.83
FAILED gemm/f32: hipBLAS is missing
FAILED gemm/f64: 1: 2
unsupported gemm/f16: cuda does not support f16
"""
XML = """<testsuites><testsuite>
<testcase classname="tests.python.fft.test_fft.TestOne" name="one[x]"/>
<testcase classname="tests.python.fft.test_fft" name="two"><skipped message="no library">x</skipped></testcase>
<testcase classname="tests.python.linalg.test_linalg" name="three"><failure message="first&#10;second"/></testcase>
</testsuite></testsuites>"""
VERBOSE = """
tests/python/fft/test_fft.py::test_one[a b]
[gw0] [ 50%] PASSED tests/python/fft/test_fft.py::test_one[a b]
[gw11] [100%] FAILED tests/python/scipy/fft/test_fft.py::TestTwo::test_two[a::b]
[gw1] [100%] SKIPPED tests/python/scipy/special/test_gamma.py::test_three
"""
NAMES = [
    "tests/python/fft/test_fft.py::TestOne::test_one[a - b]",
    "tests/python/fft/test_fft.py::TestOne::test_one[a]",
    "tests/python/fft/test_fft.py::test_two",
    "tests/python/scipy/special/test_gamma.py::test_three[1]",
    "tests/python/scipy/special/test_gamma.py::test_three[2]",
    "tests/python/scipy/special/test_gamma.py::test_three[3]",
]
SUMMARY = """
SKIPPED [1] tests/python/scipy/special/test_gamma.py:12: no such device
SKIPPED [1] tests/python/scipy/special/test_gamma.py: too slow: here
FAILED tests/python/fft/test_fft.py::TestOne::test_one[a - b] - assert 1 == 2
1 failed, 3 passed, 2 skipped, 7 warnings in 12.34s
"""


def test_what_pytest_prints_is_read():
    assert dict(parity.tests_of(VERBOSE, [])) == {
        "tests.python.fft.test_fft::test_one[a b]": ("Fourier transforms", "passed", ""),
        "tests.python.scipy.fft.test_fft.TestTwo::test_two[a::b]": ("scipy.fft", "failed", "reason not kept"),
        "tests.python.scipy.special.test_gamma::test_three": ("scipy.special", "not run", "reason not kept"),
    }
    tests = dict(parity.tests_of(SUMMARY, NAMES))
    assert tests["tests.python.fft.test_fft.TestOne::test_one[a - b]"][1:] == ("failed", "assert 1 == 2")
    assert tests["tests.python.fft.test_fft.TestOne::test_one[a]"][1:] == ("passed", "")
    reasons = [reason for area, outcome, reason in tests.values() if (area, outcome) == ("scipy.special", "not run")]
    assert reasons == ["no such device", "too slow: here"] and len(tests) == 6
    with pytest.raises(SystemExit, match="pytest counts"):
        dict(parity.tests_of(SUMMARY, NAMES[:5]))


def test_logs_are_read():
    tests = dict(parity.conformance_tests(LOG))
    assert tests["folds/sum"] == ("conformance: folds", "passed", "")
    assert tests["folds/a: b"] == ("conformance: folds", "failed", "ended the process")
    assert tests["gemm/f32"] == ("conformance: gemm", "not run", "hipBLAS is missing")
    assert tests["sort/i8"][1:] == ("failed", "1 | 2")
    assert list(parity.tests_of(TABLE, [])) == [
        ("sparse solver/passed 0", ("conformance: sparse solver", "passed", "")),
        ("sparse solver/passed 1", ("conformance: sparse solver", "passed", "")),
        ("gemm/f32", ("conformance: gemm", "not run", "hipBLAS is missing")),
        ("gemm/f64", ("conformance: gemm", "failed", "1: 2")),
        ("gemm/f16", ("conformance: gemm", "not run", "cuda does not support f16")),
    ]
    tests = dict(parity.python_tests(XML))
    assert tests["tests.python.fft.test_fft.TestOne::one[x]"] == ("Fourier transforms", "passed", "")
    assert tests["tests.python.fft.test_fft::two"] == ("Fourier transforms", "not run", "no library")
    assert tests["tests.python.linalg.test_linalg::three"] == ("linear algebra", "failed", "first")


def test_records_become_columns(tmp_path, monkeypatch):
    monkeypatch.setattr(parity, "ROOT", tmp_path)
    monkeypatch.setattr(parity, "RECORDS", tmp_path)
    log, xml = tmp_path / "log", tmp_path / "xml"
    log.write_text(LOG)
    xml.write_text(XML)
    parity.record("one", "One", "version 1", [log])
    parity.record("two", "Two", "version 2", [log, xml])
    lines = parity.page().splitlines()
    assert "| | One | Two |" in lines
    assert "| conformance: folds | 1, 1 failed | 1, 1 failed |" in lines
    assert "| Fourier transforms |  | 1, 1 not run |" in lines
    assert "| all | 1, 2 failed, 1 not run | 2, 3 failed, 2 not run |" in lines
    assert "- failed: sort/i8: 1 \\| 2" in lines and "- 1 not run: hipBLAS is missing" in lines
    log.write_text("")
    with pytest.raises(SystemExit, match="no test"):
        parity.record("one", "One", "version 1", [log])


def test_every_file_of_tests_has_an_area():
    for folder in ("python", "standins", "dependencies", "cluster", "contract"):
        for file in sorted((ROOT / "tests" / folder).rglob("test_*.py")):
            assert parity.area_of(str(file.relative_to(ROOT)))
    with pytest.raises(SystemExit, match="unheard_of"):
        parity.area_of("tests/python/unheard_of/test_one.py")


def test_the_page_is_what_the_records_say():
    assert parity.PAGE.read_text() == parity.page()
