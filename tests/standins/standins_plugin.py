"""Lets tests that need a library which has no stand-in count as skipped: `pytest -p standins_plugin`."""

from collections.abc import Generator

import pytest


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(
    item: pytest.Item, call: pytest.CallInfo
) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Turns the failure of a test for want of cuBLAS, cuFFT or cuSOLVER into a skip."""
    import cuproxide

    report = yield
    missing = call.excinfo is not None and call.excinfo.errisinstance(cuproxide.MissingLibraryError)
    if missing and report.failed:
        report.outcome = "skipped"
        reason = str(call.excinfo.value).partition(" could not")[0].partition(" (/")[0]
        report.longrepr = (str(item.path), item.location[1] or 0, f"Skipped: no stand-in: {reason}")
    return report
