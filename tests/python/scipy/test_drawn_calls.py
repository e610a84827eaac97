"""A sample of the drawn calls of `tests/differential`, and what finds the differences there."""

import importlib.util
import os
import subprocess
import sys
from pathlib import Path

import cuproxide as cp
import numpy as np
import pytest
import scipy
from versions import SCIPY_1_18

ROOT = Path(__file__).resolve().parents[3]
# The rows follow one release; with others `make differential` is run by hand.
RELEASE = scipy.__version__.startswith("1.17") and not SCIPY_1_18
pytestmark = pytest.mark.skipif(cp.Device().backend != "cpu", reason="draws on a GPU take a compilation each")


def _load():
    """The package of the instrument, under a name that no folder of tests has."""
    folder = ROOT / "tests" / "differential"
    spec = importlib.util.spec_from_file_location(
        "drawn_calls", folder / "__init__.py", submodule_search_locations=[str(folder)]
    )
    package = sys.modules[spec.name] = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(package)
    names = ("rows", "draws", "names", "sides", "compare", "worker", "known", "driver", "page")
    return {name: importlib.import_module(f"drawn_calls.{name}") for name in names}


PARTS = _load()


def _differences(theirs, ours, **options):
    row = PARTS["draws"].Row("linalg.inv", (), {}, **options)
    comparison = PARTS["compare"].Comparison(row, [theirs], {})
    comparison.results(PARTS["sides"].to_host(theirs), PARTS["sides"].to_host(ours))
    return [kind for kind, _ in comparison.differences]


def test_every_public_name_has_a_row_or_a_reason():
    rows, alone = set(PARTS["draws"].ROWS), set(PARTS["draws"].ALONE)
    assert set(PARTS["names"].public_names()) == rows | alone
    assert not rows & alone


@pytest.mark.skipif(not RELEASE, reason="the rows are for another release of SciPy")
@pytest.mark.parametrize("mode", ["deferred", "eager"])
def test_a_sample_of_every_name_agrees(mode):
    command = [sys.executable, "-m", "tests.differential", "run", "--rounds", "1", "--workers", "1", "--seconds", "900"]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(Path(cp.__file__).parents[1]), str(ROOT)])}
    command += ["--eager", "--seed", "1"] if mode == "eager" else ["--seed", "0"]
    done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, timeout=1000, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    drawn = int(done.stdout.splitlines()[-2].split()[0])
    # Draws for which SciPy takes too long do not count.
    assert drawn >= 0.98 * len(PARTS["draws"].ROWS)


EXAMPLES = [known for known in PARTS["known"].read_known() if known.example]


@pytest.mark.parametrize("known", EXAMPLES, ids=lambda known: "-".join(map(str, known.example)))
def test_known_differences_still_show(known):
    if not known.applies_here():
        pytest.skip("drawn with another release of SciPy")
    outcome = PARTS["worker"].run_draw(*known.example)
    drawn = PARTS["known"].Drawn(known.example[0], outcome["kind"], outcome["given"], tuple(outcome["steps"]))
    assert any(known.explains(drawn, *each) for each in outcome["differences"]), "it passes now: remove the row"


def test_a_draw_is_the_same_each_time():
    draw_call = PARTS["draws"].draw_call
    for name in ("signal.lfilter", "stats.gamma", "sparse.csr_array", "ndimage.gaussian_filter"):
        for seed in range(8):
            first, second = draw_call(name, seed), draw_call(name, seed)
            assert first[4] == second[4] and repr(first[1:4]) == repr(second[1:4])


def test_planted_differences_are_found():
    numbers = np.array([1.0, 2.0, 3.0])
    assert _differences(numbers, cp.asarray(numbers)) == []
    assert _differences(numbers, cp.asarray(numbers) * (1 + 1e-6)) == ["value"]
    assert _differences(numbers, cp.asarray(numbers) * (1 + 1e-6), bound=1e-5) == []
    assert _differences(numbers, cp.asarray([1.0, 2.0, np.nan])) == ["nan"]
    assert _differences(numbers, cp.asarray(numbers, np.float32)) == ["dtype"]
    assert _differences(numbers, cp.asarray([numbers])) == ["shape"]
    assert _differences((numbers, 1), cp.asarray(numbers)) == ["structure"]
    assert _differences((1, 2), (1, 2, 3)) == ["structure"]
    assert _differences("a", "b") == ["value"]
    # Small numbers beside large ones count with a bound for each.
    assert _differences(np.array([1e9, 1.0]), cp.asarray([1e9, 1.1])) == []
    assert _differences(np.array([1e9, 1.0]), cp.asarray([1e9, 1.1]), each=True) == ["value"]
    assert _differences(np.array([np.inf]), cp.asarray([-np.inf])) == ["value"]


def test_exceptions_compare_by_type():
    failed = PARTS["sides"].Failed

    def kinds(theirs, ours):
        row = PARTS["draws"].Row("linalg.inv", (), {})
        comparison = PARTS["compare"].Comparison(row, [], {})
        comparison.results(theirs, ours)
        return [kind for kind, _ in comparison.differences]

    number = np.array(1.0)
    assert kinds(failed(ValueError()), failed(ValueError())) == []
    # A subclass will be caught by the same handler.
    assert kinds(failed(ValueError()), failed(UnicodeError())) == []
    assert kinds(failed(ValueError()), failed(TypeError())) == ["exception"]
    assert kinds(failed(ValueError()), number) == ["accepted"]
    assert kinds(number, failed(ValueError())) == ["refused"]


WORKER = """
import json, os, sys

names, seed, place = sys.argv[5:], int(sys.argv[2]), int(sys.argv[4])
while True:
    for at in range(place, len(names)):
        report = {"name": names[at], "seed": seed, "place": at}
        for side in ("theirs", "ours"):
            print(json.dumps({**report, "side": side}), flush=True)
            if (names[at], side) in (("b", "ours"), ("c", "theirs")):
                os._exit(9)
        print(json.dumps({**report, "done": True, "differences": []}), flush=True)
    place, seed = 0, seed + 1
"""


def test_workers_that_die_or_stop_are_restarted(tmp_path):
    """The driver goes on behind the draw at which a worker ends, and reports it."""
    program = tmp_path / "worker.py"
    program.write_text(WORKER)
    report = PARTS["driver"].run(["a", "b", "c", "d"], 60, workers=1, rounds=1, command=(sys.executable, str(program)))
    assert [(each["name"], each["seed"], each["differences"]) for each in report.findings] == [("b", 0, [("died", "")])]
    # Where SciPy's side ends the process the row has to avoid the draw.
    assert report.theirs == [("c", 0)]
    assert {name: tally.agreed for name, tally in report.tallies.items()} == {"a": 1, "b": 0, "c": 0, "d": 1}


def test_the_page_is_written_from_the_counts():
    page = PARTS["page"]
    assert page.PAGE.read_text() == page.page(), "run python -m tests.differential page"
    counted = {name for run in page.json.loads(page.COUNTS.read_text())["runs"] for name in run["names"]}
    assert counted == set(PARTS["draws"].ROWS)


def test_rows_of_known_differences_look_at_the_draw():
    known = PARTS["known"]
    row = known.Known(("signal.*",), ("nan",), "why", text="nan", draws=("edge",), given=r"\[nan")
    drawn = known.Drawn("signal.lfilter", "edge", "float64(3,)[nan], axis=0")
    assert row.explains(drawn, "nan", "np.float64(nan) for np.float64(0.0)")
    for other in ({"name": "stats.skew"}, {"kind": "plain"}, {"given": "float64(3,), axis=0"}):
        assert not row.explains(drawn._replace(**other), "nan", "np.float64(nan) for np.float64(0.0)")
    # Of several steps that one counts whose result differs.
    row = known.Known(("stats.*",), ("value",), "why", given=r"^3, \.pdf\(")
    drawn = known.Drawn("stats.gamma", "edge", "3, .pdf(2), .mean()", (".pdf(2)", ".mean()"))
    assert row.explains(drawn, "value", "[0] 1 of 1 differ") and not row.explains(drawn, "value", "[1] 1 of 1 differ")
    row = known.Known(("stats.*",), ("value",), "why", given=r"pdf.*mean", earlier=True)
    assert row.explains(drawn, "value", "[1] 1 of 1 differ")


def test_differences_that_no_row_explains_are_left():
    known = PARTS["known"]
    row = known.Known(("signal.*",), ("nan",), "why", text="nan", draws=("edge",), given=r"\[nan")
    drawn = known.Drawn("signal.lfilter", "edge", "float64(3,)[nan], axis=0")
    assert known.unexplained([row], drawn, [("value", "nan"), ("nan", "nan"), ("nan", "inf")]) == [
        ("value", "nan"),
        ("nan", "inf"),
    ]


def test_rows_that_keep_spoiled_lengths_short():
    draws = PARTS["draws"]

    def described(name):
        return [draws.described(*draws.draw_call(f"ndimage.{name}", seed)[1:3]) for seed in range(900)]

    assert any(", 10000" in text for text in described("gaussian_filter"))
    for name in ("rank_filter", "percentile_filter", "median_filter"):
        assert not [text for text in described(name) if ", 10000" in text and "footprint=" not in text], name


def test_arguments_are_described_by_what_is_special_in_them():
    draws = PARTS["draws"]
    arguments = [np.array([1.0, np.nan]), np.arange(6, dtype="i")[::-1], [np.zeros((2, 3), complex), "full"]]
    steps = [draws.call("pdf", np.array([np.inf]), axis=None), draws.Step("T")]
    assert draws.described(arguments, {"axis": (), "f": draws.Callback(abs, "bowl")}, steps) == (
        "float64(2,)[nan], int32(6,)[reversed], [complex128(2, 3), 'full'], axis=(), f=bowl, "
        ".pdf(float64(1,)[inf], axis=None), .T"
    )
