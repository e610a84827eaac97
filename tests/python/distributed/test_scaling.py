"""The programs of the scaling run: each finds its result right on two processes, and a wrong one wrong."""

import json
import os
import sys
from fractions import Fraction
from pathlib import Path

import pytest
from cuproxide import distributed
from processes import run, started

BENCHES = Path(__file__).parents[3] / "benches"
NAMES = ["kmeans", "jacobi", "product", "fourier", "sort", "sparse"]
SMALL = {
    "kmeans": [(1 << 12,)],
    # Strips of unequal height.
    "jacobi": [(31, 24)],
    "product": [(75,)],
    "fourier": [(8, 12, 10)],
    "sort": [(5001,)],
    # A torus whose rows wrap round both edges, cut within a row.
    "sparse": [(7, 9)],
}


@pytest.fixture(autouse=True)
def _benches(monkeypatch):
    if not BENCHES.is_dir():
        pytest.skip("the benchmarks are not beside the tests")
    monkeypatch.syspath_prepend(BENCHES)


def test_all_programs_on_two_processes(tmp_path):
    plan, rows = tmp_path / "plan.json", tmp_path / "rows.jsonl"
    tasks = [
        {"program": name, "modes": ["strong"], "count": 2, "shape": shape} for name in NAMES for shape in SMALL[name]
    ]
    tasks.append({"program": "collectives", "modes": [], "count": 2, "largest": 1024})
    content = {
        "backend": "store",
        "tasks": tasks,
        # As if one device were infinitely fast: every program writes a timeline.
        "alone": {name: {"strong": 1e99} for name in NAMES},
        "seconds": 600,
        "seconds_each": 0.001,
        "collectives": 0.001,
        "timelines": str(tmp_path),
    }
    plan.write_text(json.dumps(content))
    command = [sys.executable, "-m", "cuproxide.distributed.run", "--nproc", 2, BENCHES / "scaling/rank.py"]
    result = run([*command, plan, rows], seconds=150, CUPROXIDE_BACKEND="cpu")
    assert result.status == 0, result.err
    found = [row for row in map(json.loads, rows.read_text().splitlines()) if "begun" not in row]
    assert all(row["count"] == 2 and "skipped" not in row for row in found)
    assert [row["program"] for row in found[: len(NAMES) + 1]] == ["rates", *NAMES]
    for row in found[1 : len(NAMES) + 1]:
        assert row["check"] and row["limit_seconds"] > 0 and row["seconds"] > 0
        events = json.loads((tmp_path / row["timeline_file"]).read_text())["traceEvents"]
        assert any(event.get("cat") == "kernel" for event in events) and "of work in" in row["timeline"]
    kinds = [row["kind"] for row in found[len(NAMES) + 1 :]]
    assert len(kinds) == len(set(kinds)) == 10 and {"all_reduce", "reduce_scatter", "all_to_allv"} <= set(kinds)


def test_a_program_that_fails_is_a_row(tmp_path, capsys):
    """What follows it runs in a group of its own."""
    from scaling import measure

    options = measure.options_of(["--backend", "store", "--timelines", str(tmp_path), "--seconds-each", "0.001"])
    options.counts = [1]
    environ = {**os.environ, "CUPROXIDE_BACKEND": "cpu"}
    session = measure.Session(options, environ, {"backend": "cpu"})
    tasks = [
        {"program": "sort", "modes": ["strong"], "count": 1, "shape": (500,)},
        {"program": "product", "modes": ["strong"], "count": 1, "shape": (3, 4)},
        {"program": "sort", "modes": ["weak"], "count": 1, "shape": (400,)},
    ]
    session.run(1, tasks, 200)
    found = [row for row in session.rows if row["program"] != "rates"]
    assert [row["shape"] for row in found] == [[500], (3, 4), [400]]
    assert "too many values to unpack" in found[1]["failed"] and "seconds" not in found[1]
    assert found[0]["check"] and found[2]["check"]
    assert session.alone["sort"].keys() == {"strong", "weak"}
    assert "product on 1 failed: status 1" in capsys.readouterr().err
    session.run(1, tasks[:1], 1)
    assert session.rows[-1]["skipped"] == "no time was left"


def spoiled(name, program):
    """Changes one element of a result a little."""
    if name == "kmeans":
        program.found[0, 3] += 1
    elif name == "jacobi":
        program.u[5, 7] += 1e-3
    elif name == "product":
        ((block,),) = program.result.all_chunks().values()
        block[3, 5] += 1e-2
    elif name == "fourier":
        # An element that a check sums, by half of its size.
        program.result[0][0, 7 * program.shape[1] // 16, 14 * program.shape[2] // 16] *= 1.5
    elif name == "sort":
        program.result[0][0] = program.result[0][1]
    else:
        program.result[4] += 1


@pytest.mark.parametrize("name", NAMES)
def test_a_wrong_result_is_found(name):
    from scaling.program import WrongResult
    from scaling.programs import PROGRAMS

    with distributed.init_process_group(backend="store") as group:
        program = PROGRAMS[name](group, SMALL[name][0])
        program.step()
        program.step()
        assert program.check()
        spoiled(name, program)
        with pytest.raises(WrongResult):
            program.check()


def test_sample_sort_of_any_keys():
    """Equal keys, few of them, the largest one, keys in order, and ranks without any: on two processes."""
    result = started(2, "sample_sort.py", BENCHES, seconds=100, CUPROXIDE_BACKEND="cpu")
    assert result.status == 0, result.err
    assert result.out.count("in order, 20001 keys") == 2 * 7


@pytest.mark.parametrize("shape", [(4, 8, 3), (6, 20, 4), (10, 2, 7)])
def test_fourier_in_batches_and_blocks(shape):
    """Batches that do not divide the planes, blocks that do not divide the rows: on two processes."""
    result = started(2, "fourier_slabs.py", BENCHES, *shape, seconds=100, CUPROXIDE_BACKEND="cpu")
    assert result.status == 0, result.err
    assert result.out.count("equal") == 2


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("most", [1, 2, 8])
def test_sizes(name, most):
    """Weak scaling gives each device as much, and ends at the size of strong scaling."""
    from scaling.measure import plans
    from scaling.programs import PROGRAMS

    kind = PROGRAMS[name]
    for scale in (Fraction(1), Fraction(1, 64)):
        counts = [count for count in (1, 2, 4, 8) if count <= most]
        tasks = plans(kind, scale, counts)
        assert tasks[-1]["modes"] == ["strong", "weak"]
        strong = {task["shape"] for task in tasks if "strong" in task["modes"]}
        assert len(strong) == 1
        each = [kind.work(task["shape"]) / task["count"] for task in tasks if "weak" in task["modes"]]
        # Edges of matrices are whole numbers of blocks.
        assert max(each) == pytest.approx(min(each), rel=0.02 if name == "product" else 1e-12)
    full = {
        "kmeans": (1 << 30,),
        "jacobi": (131072, 65536),
        "product": (32768,),
        "fourier": (1024, 1024, 1024),
        "sort": (1 << 31,),
        "sparse": (6400, 6250),
    }
    assert kind.sizes(Fraction(1), Fraction(1), most) == full[name]


def test_sizes_that_do_not_fit():
    from scaling.measure import fitting
    from scaling.programs import PROGRAMS

    kind = PROGRAMS["kmeans"]
    scale, tasks = fitting(kind, Fraction(1), [1, 2], 80e9, False, True)
    assert scale == 1 and len(tasks) == 3
    scale, tasks = fitting(kind, Fraction(1), [1, 2], 6e9, False, False)
    assert 0 < scale < 1 and max(kind.need(task["shape"], task["count"]) for task in tasks) <= 0.9 * 6e9
    # Processes of a CPU share its memory.
    shared, _ = fitting(kind, Fraction(1), [2], 8e9, True, False)
    own, _ = fitting(kind, Fraction(1), [2], 8e9, False, False)
    assert shared < own
    with pytest.raises(SystemExit, match=r"k-means of 1073741824 on 1 devices needs 1\d.\d GB of each, which"):
        fitting(kind, Fraction(1), [1, 2], 6e9, False, True)


def test_the_page_names_what_did_not_run():
    from scaling import report

    task = {"program": "sort", "modes": ["strong", "weak"], "shape": [64]}
    done = {"work": 64.0, "seconds": 1e-3, "limit_seconds": 5e-4, "share_of_limit": 0.5, "check": "in order"}
    # Links take three times as long as one device did.
    bound = {"program": "jacobi", "modes": ["weak"], "shape": [4, 4], "limit_seconds": 3e-3, "share_of_limit": 0.75}
    bound["check"] = "near"
    call = {"program": "collectives", "kind": "reduce", "count": 2, "bytes": 4096, "sent": 4096.0}
    content = {
        "command": "python x",
        "note": "Idle otherwise.",
        "facts": {"backend": "cuda"},
        "counts": [1, 2],
        "scales": {"sort": {"asked": "1", "run": "1/2"}},
        "rows": [
            {**task, **done, "count": 1},
            {**task, **done, "count": 2, "timeline": "3 ms of work", "timeline_file": "sort.json"},
            {**bound, "count": 1, "work": 16.0, "seconds": 1e-3},
            {**bound, "count": 2, "work": 32.0, "seconds": 4e-3},
            {**call, "cuproxide_seconds": 1e-5, "torch_seconds": 9e-6},
            {"program": "collectives", "modes": [], "count": 4, "skipped": "no time was left"},
            {"program": "kmeans", "modes": ["weak"], "count": 2, "shape": [8], "failed": "status 1\nTraceback"},
        ],
    }
    page = report.page(content)
    assert "| sample sort of uint32 | 2 | 64 | 1 ms | 32 kkeys | 0.50 | 1.00 | 500 us | 0.50 | in order |" in page
    assert "| sample sort of uint32 | 1 ms, 1 ms | 0.50 | 0.50 | 1.00 | 0.50 |" in page
    assert "| Jacobi with halos | 2 | 4 x 4 | 4 ms | 4 kpoints | 0.25 | 0.33 | 3 ms | 0.75 | near |" in page
    assert "| k-means | -, - |  |  |  |  |" in page
    assert "| reduce | 2 | 4 KiB | 10 us | 0.41 | 9 us | 0.455 | 0.90 |" in page
    assert "1 of 1 below 0.97" in page and "On 4 devices: not run: no time was left." in page
    assert (
        "Idle otherwise." in page and "FAILED: status 1" in page and "halved until they fit the memory: sort." in page
    )
    assert "3 ms of work (`sort.json`)" in page
    # One device has no efficiency of its own to be below.
    assert os.linesep not in report.line(content["rows"][0], {})
