"""`allow_synchronize`: finding where a program waits for a device."""

import threading

import cuproxide as cp
import numpy as np
import pytest

X = np.arange(6.0)
READS = [
    ("item", lambda x: x[0].item()),
    ("float", lambda x: float(x[0])),
    ("bool", lambda x: bool(x[0] > 0)),
    ("get", lambda x: x.get()),
    ("asnumpy", cp.asnumpy),
    ("tolist", lambda x: x.tolist()),
    ("repr", repr),
    ("nonzero", lambda x: x.nonzero()),
    ("unique", cp.unique),
    ("mask", lambda x: x[x > 2]),
    ("stream", lambda x: cp.cuda.get_current_stream().synchronize()),
    ("device", lambda x: x.device.synchronize()),
    ("runtime", lambda x: cp.cuda.runtime.deviceSynchronize()),
    ("event", lambda x: cp.cuda.get_current_stream().record().synchronize()),
    ("pointer", lambda x: x.data.copy_to_host(np.empty(6).ctypes.data, 48)),
]


@pytest.mark.parametrize(("name", "call"), READS, ids=[name for name, _ in READS])
def test_waits_are_found(name, call):
    x = cp.asarray(X)
    with cp.allow_synchronize(False), pytest.raises(cp.DeviceSynchronized, match="waited for"):
        call(x)
    call(x)


def test_what_only_queues_work_is_allowed():
    x = cp.asarray(X)
    with cp.allow_synchronize(False):
        y = cp.asarray(X * 2)
        total = ((x + y) @ y).sum() + cp.fft.fft(x).real.max()
        x[2:4] = total
        z = cp.sort(x)[::-1].copy()
        event = cp.cuda.get_current_stream().record()
        cp.cuda.get_current_stream().wait_event(event)
        with cp.cuda.Stream():
            z += 1
    assert float(total) == (X + 2 * X) @ (2 * X) + 15
    assert z.shape == (6,)


def test_blocks_nest_and_belong_to_their_thread():
    x = cp.asarray(X)
    with cp.allow_synchronize(False):
        with cp.allow_synchronize(True):
            assert float(x[1]) == 1
        with pytest.raises(cp.DeviceSynchronized):
            float(x[1])
        found = []
        worker = threading.Thread(target=lambda: found.append(float(x[1])))
        worker.start()
        worker.join()
        assert found == [1]
    with pytest.raises(ZeroDivisionError), cp.allow_synchronize(False):
        1 / 0  # noqa: B018
    assert float(x[1]) == 1 and issubclass(cp.DeviceSynchronized, RuntimeError)
