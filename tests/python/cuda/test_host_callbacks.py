"""What host callbacks raise: it goes to `sys.unraisablehook`, but a request to stop reaches the main thread."""

import pytest

CALLS = ["stream.launch_host_func(act, None)", "stream.add_callback(lambda *_: act(None), None)"]
HEAD = """
import os, signal, sys
import cuproxide as cp
# Jobs in the background may be started with interrupts ignored.
signal.signal(signal.SIGINT, signal.default_int_handler)
stream = cp.cuda.Stream(non_blocking=True)
"""


@pytest.mark.parametrize("call", CALLS)
@pytest.mark.parametrize("act", ["raise KeyboardInterrupt", "signal.raise_signal(signal.SIGINT)"])
def test_a_request_to_stop_reaches_the_main_thread(run_python, call, act):
    code = (
        HEAD
        + f"""
def act(_):
    {act}
try:
    {call}
    stream.synchronize()
    for _ in range(1000): pass
except KeyboardInterrupt:
    print("stopped")
else:
    print("swallowed")
"""
    )
    done = run_python(code)
    assert done.stdout.strip() == "stopped" and "ignored" not in done.stderr, done.stderr


@pytest.mark.parametrize("call", CALLS)
@pytest.mark.parametrize("raised", ["ValueError('odd')", "SystemExit(3)", "GeneratorExit"])
def test_other_exceptions_are_told(run_python, call, raised):
    code = (
        HEAD
        + f"""
sys.unraisablehook = lambda told: print(told.exc_type.__name__)
def act(_):
    raise {raised}
{call}
stream.synchronize()
print(float((cp.arange(3.0) + 1).sum()))
"""
    )
    done = run_python(code)
    assert done.stdout.split() == [raised.split("(")[0], "6.0"], done.stderr
    assert done.returncode == 0


def test_a_program_with_a_handler_of_its_own(run_python):
    code = (
        HEAD
        + """
def handler(number, frame):
    print("asked")
signal.signal(signal.SIGINT, handler)
def act(_):
    raise KeyboardInterrupt
stream.launch_host_func(act, None)
stream.synchronize()
for _ in range(1000): pass
print("went on")
"""
    )
    assert run_python(code).stdout.split() == ["asked", "went", "on"]
