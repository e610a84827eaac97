"""Tests of whole jobs on the hosts of a laboratory; `make test-cluster` opens it."""

import os
import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))

COUNT = int(os.environ.get("LAB_HOSTS", 3))


def pytest_collection_modifyitems(items):
    if not os.environ.get("CLUSTER_LAB"):
        for item in items:
            if Path(__file__).parent in item.path.parents:
                item.add_marker(pytest.mark.skip(reason="needs the laboratory: make test-cluster"))


@pytest.fixture(scope="session")
def hosts():
    """Three hosts, or `LAB_HOSTS`."""
    from lab import Hosts

    return Hosts(COUNT)


@pytest.fixture(scope="session")
def slurm(hosts):
    """SLURM on them."""
    from lab import Slurm

    return Slurm(hosts)
