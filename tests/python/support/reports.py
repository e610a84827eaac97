"""What workers of pytest-xdist report.

For each of fifty thousand tests they would send six messages. Nobody reads three of these, that a test begins and that
its fixtures were made and ended; they cost half a millisecond of the two processes.
"""

import pytest

OMITTED = {"omitted": True}


class ResultsOnly:
    """Leaves out what passes before and after a test."""

    @pytest.hookimpl(tryfirst=True)
    def pytest_report_to_serializable(self, report):
        passed = isinstance(report, pytest.TestReport) and report.when != "call" and report.passed
        return OMITTED if passed else None


def report_results_only(config):
    """Of a worker, unless more is asked for: `-v` shows beginnings, other options show the time of fixtures."""
    plugins = config.pluginmanager.get_plugins()
    worker = next((plugin for plugin in plugins if type(plugin).__name__ == "WorkerInteractor"), None)
    asks_for_more = config.option.verbose > 0 or config.option.durations is not None or config.option.xmlpath
    if worker is None or asks_for_more:
        return
    send = worker.sendevent

    def send_results(name, **content):
        if name != "logstart" and content.get("data") is not OMITTED:
            send(name, **content)

    config.pluginmanager.register(ResultsOnly())
    worker.sendevent = send_results
