"""The benchmarks run, and their files of results are read as they were written."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

BENCHES = Path(__file__).parents[3] / "benches"


@pytest.fixture(autouse=True)
def _benches(monkeypatch):
    if not BENCHES.is_dir():
        pytest.skip("the benchmarks are not beside the tests")
    monkeypatch.syspath_prepend(BENCHES)


def test_one_run_writes_rows_and_keeps_groups(tmp_path):
    """Each group runs in a process of its own, and adds to a file that is there."""
    file, page = tmp_path / "peers.json", tmp_path / "peers.md"
    for group, match in (("call", "float32"), ("chains", "softmax 2^12")):
        command = [sys.executable, BENCHES / "peers.py", "--device", "cpu", "--groups", group, "--match", match]
        command += ["--rounds", "1", "--sample-seconds", "0.0001", "--json", file, "--markdown", page]
        command += ["--libraries", "cuproxide", "fuse", "numpy"]
        subprocess.run(command, check=True, env={**os.environ, "CUPROXIDE_BACKEND": "cpu"}, capture_output=True)
    import results

    groups = {group.name: group for group in results.groups(json.loads(file.read_text()))}
    assert [row.case for row in groups["call"].rows] == ["a + b float32 1"]
    assert groups["call"].columns() == ["cuproxide", "numpy"]
    assert groups["chains"].columns() == ["cuproxide", "fuse", "numpy"]
    assert all(row.ratio() > 0 and not group.ended_by for group in groups.values() for row in group.rows)
    # The page has the same numbers as far as it shows them.
    for group in results.read(page):
        for row, other in zip(group.rows, groups[group.name].rows, strict=True):
            assert row.seconds == pytest.approx(other.seconds, rel=5e-3)


def test_a_group_ends_at_its_limit(tmp_path):
    file = tmp_path / "peers.json"
    command = [sys.executable, BENCHES / "peers.py", "--device", "cpu", "--groups", "call", "--seconds", "0.01"]
    subprocess.run([*command, "--json", file], check=True, capture_output=True)
    assert json.loads(file.read_text())["groups"]["call"]["ended_by"] == "limit of time"


def test_groups_run_beside_each_other_within_a_total(tmp_path):
    """Two at a time; those for which no time is left say so. A warm run measures nothing."""
    file = tmp_path / "peers.json"
    command = [
        sys.executable,
        BENCHES / "peers.py",
        "--device",
        "cpu",
        "--groups",
        "call",
        "transfers",
        "--beside",
        "2",
    ]
    command += ["--rounds", "2", "--sample-seconds", "0.0001", "--libraries", "cuproxide", "numpy", "--json", file]
    subprocess.run([*command, "--warm", "60"], check=True, capture_output=True)
    assert not file.exists()
    subprocess.run([*command, "--total", "100"], check=True, capture_output=True)
    import results

    found = {group.name: group for group in results.read(file)}
    assert list(found) == ["call", "transfers"]
    assert [len(row.seconds) for row in found["call"].rows] == [2, 2]
    assert results.circumstances(list(found.values())) == ["Times are medians of 2 rounds."]
    subprocess.run([*command, "--total", "0"], check=True, capture_output=True)
    assert [group.ended_by for group in results.read(file)] == ["limit of time"] * 2


def test_tables_are_read():
    import results

    text = """# A
- processor: P
| case | dtype | numpy | Cuproxide | numpy / cuproxide |
| --- | --- | ---: | ---: | ---: |
| add | float32 | 2 ms | 500 us | 4.00 |
| sub | float32 |  | 20 ns |  |

## B
| chain | points | cuproxide us | jax us |
| --- | ---: | ---: | ---: |
| heat | 16 | 3.5 | |
"""
    first, second = (group for group in results.from_tables(text) if group.rows)
    assert [row.case for row in first.rows] == ["add float32", "sub float32"]
    assert first.rows[0].ratio() == pytest.approx(4)
    assert first.rows[0].peer() == (2e-3, "numpy")
    assert first.rows[1].seconds == {"cuproxide": 2e-8}
    assert first.rows[1].ratio() is None
    assert second.rows[0].seconds == pytest.approx({"cuproxide": 3.5e-6})


def test_every_section_of_the_page_has_results():
    import page

    for section in page.SECTIONS:
        _, groups = page.source(section)
        assert any(row.ratio() for group in groups for row in group.rows), section.title


def test_rows_behind_on_a_cpu_say_why():
    import page

    for section in page.SECTIONS:
        if section.slug.startswith("cpu"):
            rows = [row for group in page.source(section)[1] for row in group.rows]
            table = page.behind(rows, section.slug)
            assert all(line.split(" | ")[-1].strip(" |") for line in table), section.title


def points_of(file, rows):
    """A file of points of float64 with one argument: a function of NumPy's, its arguments and values."""
    import numpy as np

    index, arguments, values = [], [], []
    for package, name, x, y in rows:
        index.append(
            {
                "package": package,
                "family": "some",
                "name": name,
                "loop": "d",
                "region": "ordinary",
                "outputs": [""],
                "size": len(x),
                "unsettled": 1,
                "complex": False,
                "arguments": sum(map(len, arguments)),
                "values": sum(map(len, values)),
            }
        )
        arguments.append(x)
        values.append(y)
    np.savez_compressed(
        file,
        index=np.frombuffer(json.dumps(index).encode(), np.uint8),
        doubles=np.concatenate(arguments),
        singles=np.zeros(0, np.float32),
        values=np.concatenate(values),
        rests=np.zeros(sum(map(len, values)), np.float32),
    )


def test_accuracy_goes_on_where_a_function_is_missing_and_names_the_worst_point(tmp_path):
    """A function that is missing has the reason in its row; a wrong value is shown with its argument."""
    import numpy as np
    from accuracy.evaluate import evaluated
    from accuracy.report import written

    x = np.array([0.5, 1.0, 2.0])
    rows = [
        ("numpy", "sqrt", x, np.sqrt(x)),
        ("numpy", "square", x, x * x + [0, 1e-3, 0]),
        ("special", "no_such_function", x, x),
        ("numpy", "negative", x, -x),
    ]
    points_of(tmp_path / "points.npz", rows)
    evaluated("scipy", tmp_path / "points.npz", tmp_path / "found_scipy.npz")
    written(tmp_path, tmp_path / "data.json.gz", tmp_path / "page.md")
    import gzip

    data = json.loads(gzip.decompress((tmp_path / "data.json.gz").read_bytes()))
    found = {row["name"]: row["scipy"] for row in data["rows"]}
    assert found["sqrt"]["worst"] <= 0.5 and found["negative"]["worst"] == 0
    assert found["square"]["wrong"] == 1 and found["square"]["arguments"] == ["1.0"]
    assert "AttributeError" in found["no_such_function"]["reason"]
    page = (tmp_path / "page.md").read_text()
    assert "| | not run | not run | scipy" in page and "`square`" in page


def test_a_column_of_other_points_is_refused(tmp_path):
    import numpy as np
    from accuracy.evaluate import evaluated
    from accuracy.report import written

    x = np.array([0.5, 1.0])
    points_of(tmp_path / "points.npz", [("numpy", "sqrt", x, np.sqrt(x))])
    evaluated("numpy", tmp_path / "points.npz", tmp_path / "found_scipy.npz")
    points_of(tmp_path / "points.npz", [("numpy", "sqrt", x + 1, np.sqrt(x + 1))])
    with pytest.raises(ValueError, match="other points"):
        written(tmp_path, tmp_path / "data.json.gz", tmp_path / "page.md")


def test_figures_of_chosen_rows_are_replaced_where_the_points_are_the_same(tmp_path):
    """The others stay: of other rows, other columns and other points."""
    import gzip

    import numpy as np
    from accuracy.evaluate import evaluated
    from accuracy.report import merged, sizes, written

    def figures():
        rows = json.loads(gzip.decompress((tmp_path / "data.json.gz").read_bytes()))["rows"]
        return {row["name"]: {name: row[name].get("wrong") for name in ("cpu", "scipy")} for row in rows}

    def measured(*changed):
        rows = [
            (name, x + (name in changed), x if name == "negative" else -x) for name in ("negative", "abs", "square")
        ]
        points_of(tmp_path / "points.npz", [("numpy", name, at, value) for name, at, value in rows])
        evaluated("numpy", tmp_path / "points.npz", tmp_path / "found_cpu.npz")

    x = np.array([0.5, 3.0])
    measured()
    evaluated("numpy", tmp_path / "points.npz", tmp_path / "found_scipy.npz")
    written(tmp_path, tmp_path / "data.json.gz", tmp_path / "page.md")
    assert figures() == dict.fromkeys(("negative", "abs", "square"), {"cpu": 2, "scipy": 2})
    assert set(sizes(tmp_path / "data.json.gz").values()) == {3}  # One is not settled.

    (tmp_path / "found_scipy.npz").unlink()
    measured("square")
    with np.load(tmp_path / "found_cpu.npz") as stored:
        about = stored["about"]
    with np.load(tmp_path / "points.npz") as stored:
        exact = stored["values"]
    np.savez(tmp_path / "found_cpu.npz", found=exact, about=about)
    where = tmp_path, tmp_path / "data.json.gz", tmp_path / "page.md"
    merged(*where, r"numpy\.(abs|square)", {"scipy": "abs changed since."})
    assert figures() == {
        "negative": {"cpu": 2, "scipy": 2},
        "abs": {"cpu": 0, "scipy": 2},
        "square": {"cpu": 2, "scipy": 2},
    }
    assert "SciPy: abs changed since." in (tmp_path / "page.md").read_text()
