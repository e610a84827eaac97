"""Dask with arrays of this package. Where the package is used from its folder, its entry points are called by hand."""

import importlib.util

import pytest


@pytest.fixture(scope="session", autouse=True)
def entry_points():
    if importlib.util.find_spec("dask") is None or importlib.util.find_spec("toolz") is None:
        return
    from importlib.metadata import entry_points

    import dask.array.backends
    from cuproxide._integrations import dask_array, dask_hooks
    from dask.sizeof import sizeof

    if not any(point.name == "cuproxide" for point in entry_points(group="dask.sizeof")):
        dask_hooks.register(sizeof)
    if not any(point.name == "cuproxide" for point in entry_points(group="dask.array.backends")):
        dispatch = dask.array.backends.array_creation_dispatch
        dispatch.register_backend("cuproxide", dask_array.CuproxideBackend())
