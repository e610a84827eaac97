"""Reference values that are looked up (`kept.py`)."""

import json
import re
from pathlib import Path

import kept
import mpmath as mp
import pytest

SUITE = Path(__file__).parents[1]


@kept.kept()
def _third(x):
    return {"third": (x / 3, None, 1), "turned": mp.mpc(0, x)}


def test_functions_in_the_table_exist():
    for name in json.loads(kept.TABLE.read_text()):
        stem, _, function = name.partition(".")
        (path,) = SUITE.rglob(f"{stem}.py")
        assert re.search(rf"^@kept\(.*\)\ndef {function}\(", path.read_text(), re.M), name


def test_values_are_looked_up_unless_all_cases_run(monkeypatch, tmp_path):
    monkeypatch.setattr(kept, "TABLE", tmp_path / "kept.json")
    monkeypatch.delenv("PYTEST_XDIST_WORKER", raising=False)
    kept.table.cache_clear()
    monkeypatch.setattr(kept, "FULL", False)
    monkeypatch.setattr(kept, "KEEPS", True)
    exact = {"third": (mp.mpf(2) / 3, None, 1), "turned": mp.mpc(0, 2)}
    assert _third(mp.mpf(2)) == exact
    monkeypatch.setattr(kept, "KEEPS", False)
    entry = kept.table()["test_kept._third"]
    entry["values"]["2.0"]["third"][2] = 5
    _third.cache_clear()
    assert _third(mp.mpf(2))["third"] == (*exact["third"][:2], 5)
    # What is not in the table is computed.
    assert _third(mp.mpf(4))["turned"] == mp.mpc(0, 4)
    monkeypatch.setattr(kept, "FULL", True)
    _third.cache_clear()
    with pytest.raises(AssertionError, match="is .*, not"):
        _third(mp.mpf(2))
    entry["source"] = "another"
    with pytest.raises(AssertionError, match="CUPROXIDE_KEEP_REFERENCES"):
        _third(mp.mpf(2))
    kept.table.cache_clear()


def test_small_values_are_compared_by_their_digits():
    assert kept.close("1e-70", "1.0000000000000001e-70", 1e-15)
    assert not kept.close("1e-70", "5e-20", 1e-15) and not kept.close("0.0", "1e-300", 1e-15)
    assert not kept.close("1e-70 1e-80", "1e-70 3e-70", 1e-15)
