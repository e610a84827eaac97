"""A plugin of pytest that makes `import cupy` resolve to this package: `pytest -p cuproxide.compat.pytest_plugin`."""

from __future__ import annotations

import pytest

from . import install


@pytest.hookimpl(tryfirst=True)
def pytest_load_initial_conftests() -> None:
    """Installs the hook before the first conftest is imported."""
    install()
