"""The model of links: what its formulas must give in the limits."""

import importlib.util
import subprocess
import sys
from pathlib import Path

import pytest

PATH = Path(__file__).parents[3] / "benches" / "cluster_model.py"


@pytest.fixture(scope="module")
def model():
    specification = importlib.util.spec_from_file_location("cluster_model", PATH)
    module = importlib.util.module_from_spec(specification)
    # Data classes look their module up.
    sys.modules["cluster_model"] = module
    specification.loader.exec_module(module)
    return module


def test_all_reduce(model):
    link = model.Link(latency=1e-5, bandwidth=1e9)
    assert model.ring_all_reduce(1e6, 1, link) == 0
    # Two ranks swap halves twice.
    assert model.ring_all_reduce(1e6, 2, link) == pytest.approx(2 * (1e-5 + 0.5e-3))
    # Much data of many ranks passes each link twice; little data waits for every step.
    assert model.ring_all_reduce(1e12, 1000, link) == pytest.approx(2e3, rel=2e-3)
    assert model.ring_all_reduce(0, 1000, link) == pytest.approx(1998e-5)
    slow = model.Link(1e-3, 1e8)
    assert model.two_level_all_reduce(1e6, 1, 8, link, slow) == model.ring_all_reduce(1e6, 8, link)
    assert model.two_level_all_reduce(1e6, 8, 1, link, slow) == model.ring_all_reduce(1e6, 8, slow)


def test_products(model):
    link = model.Link(latency=0.0, bandwidth=1e9)
    # One place multiplies only.
    assert model.summa(100, 200, 300, (1, 1), 8, link, 1e9) == pytest.approx(2 * 100 * 200 * 300 / 1e9)
    # On 2 x 2 places, each sends its quarter of both operands once, in the panel that it is.
    sent = 2 * (50 * 100 + 100 * 150) * 8
    assert model.summa(100, 200, 300, (2, 2), 8, link, 1e30) == pytest.approx(sent / 1e9)
    # Products alone get faster as places are added.
    fast = model.Link(0.0, 1e30)
    assert model.summa(64, 64, 64, (4, 4), 8, fast, 1e6) == pytest.approx(
        model.summa(64, 64, 64, (1, 1), 8, fast, 1e6) / 16
    )


def test_trees_and_halos(model):
    link = model.Link(latency=1e-5, bandwidth=1e9)
    assert model.tree_all_reduce(1e6, 1, link) == 0
    assert model.tree_all_reduce(1e6, 2, link) == pytest.approx(2 * (1e-5 + 1e-3))
    # Ten doublings there and back.
    assert model.tree_all_reduce(0, 1000, link) == pytest.approx(20e-5)
    assert model.halo_exchange(100, 50, 8, 1, link) == 0
    assert model.halo_exchange(100, 50, 8, 2, link) == pytest.approx(1e-5 + 50 * 8e-9)
    assert model.halo_exchange(100, 50, 8, 9, link) == pytest.approx(4e-5 + 300 * 8e-9)
    assert model.halo_exchange(100, 50, 8, 9, link) == model.halo_exchange(100, 50, 8, 10**4, link)


def test_the_store(model):
    cost = model.StoreCost(join=1e-3, request=1e-4, entry=1e-8)
    assert model.rendezvous(1000, cost) == pytest.approx(1.0)
    # Requests grow with the ranks, answers with their square.
    assert model.store_barrier(1000, cost) == pytest.approx(0.1 + 0.01)


def test_predictions_are_those_of_the_page():
    result = subprocess.run([sys.executable, str(PATH)], capture_output=True, text=True, timeout=60)
    page = (PATH.parents[1] / "docs" / "cluster.md").read_text()
    # Rows of numbers: machines, GPUs, times; or ranks and times.
    for width, key, count in ((6, 2, 5), (8, 1, 5)):
        rows, found = (
            {tuple(cells[:key]): cells[key:] for cells in cells_of(text) if len(cells) == width and cells[0].isdigit()}
            for text in (result.stdout, page)
        )
        assert len(rows) == count and rows.keys() == found.keys(), result.stderr
        for row, printed in rows.items():
            assert [float(cell) for cell in found[row]] == pytest.approx([float(cell) for cell in printed], rel=0.04)


def cells_of(text):
    """The cells of the rows of tables."""
    return [[cell.strip() for cell in line.split("|")[1:-1]] for line in text.splitlines() if line.startswith("|")]
