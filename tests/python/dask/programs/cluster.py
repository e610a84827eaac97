"""A cluster of two worker processes, under the native names or under CuPy's. Says `ok` at its end."""

import sys


def face(name):
    """The module of a face, in whatever process this runs."""
    if name == "compat":
        import cuproxide.compat

        cuproxide.compat.install()
        import cupy

        return cupy
    import cuproxide

    return cuproxide


def where(part, name):
    """A chunk, after a check that it is of this package in the worker."""
    assert isinstance(part, face(name).ndarray), type(part)
    return part


def main(name):
    import dask
    import dask.array as da
    import numpy as np
    from distributed import Client, LocalCluster, wait

    xp = face(name)
    values = np.random.default_rng(0).normal(size=(200, 16))
    options = {"n_workers": 2, "threads_per_worker": 1, "processes": True, "dashboard_address": None, "memory_limit": 0}
    with LocalCluster(**options) as cluster, Client(cluster) as client:
        client.run(lambda: face(name) and None)
        # From this process to the workers, between them, and back.
        x = da.from_array(xp.asarray(values), chunks=(50, 16), asarray=False).persist()
        wait(x)
        assert len({worker for held in client.who_has(x).values() for worker in held}) == 2
        x = x.map_blocks(where, name)
        q, r = da.linalg.tsqr(x)
        gram, whole, moved = dask.compute(x.T @ x, q @ r, x.rechunk((200, 4)).sum(axis=0))
        for got, wanted in [(gram, values.T @ values), (whole, values), (moved, values.sum(axis=0))]:
            assert isinstance(got, xp.ndarray), type(got)
            np.testing.assert_allclose(got.get(), wanted, rtol=1e-10)
        with dask.config.set({"array.backend": "cuproxide" if name == "native" else "cupy"}):
            drawn = da.random.default_rng(1).normal(size=(4000,), chunks=1000).map_blocks(where, name)
            assert abs(float(drawn.mean().compute())) < 0.1
        # The function names the module, which workers import under the same name.
        future = client.submit(lambda a: xp.multiply(a, 2), xp.arange(5))
        assert isinstance(future.result(), xp.ndarray) and future.result().tolist() == [0, 2, 4, 6, 8]
    print("ok", name, flush=True)


if __name__ == "__main__":
    main(sys.argv[1])
