"""The entry point of `dask.sizeof`, which older versions of Dask call while `dask.array` is being imported."""

import sys
import types

import pytest
from cuproxide._integrations import dask_hooks


class Sizeof:
    def register_lazy(self, name):
        return lambda function: function


@pytest.fixture
def filled(monkeypatch):
    found = []
    monkeypatch.setattr(dask_hooks, "_array_tables", lambda: found.append("dask.array"))
    monkeypatch.setattr(dask_hooks, "_protocols", lambda: found.append("distributed.protocol"))
    monkeypatch.setattr(dask_hooks._After, "_waiting", {})
    monkeypatch.setattr(dask_hooks._After, "_installed", True)
    for name in ("dask.array", "distributed.protocol"):
        monkeypatch.delitem(sys.modules, name, raising=False)
    return found


def module(name, *, complete):
    made = types.ModuleType(name)
    made.__spec__ = types.SimpleNamespace(_initializing=not complete)
    return made


def test_complete_modules_are_filled_at_once(filled, monkeypatch):
    monkeypatch.setitem(sys.modules, "dask.array", module("dask.array", complete=True))
    dask_hooks.register(Sizeof())
    assert filled == ["dask.array"]
    assert set(dask_hooks._After._waiting) == {"distributed.protocol"}


def test_absent_modules_are_filled_after_their_import(filled):
    dask_hooks.register(Sizeof())
    assert not filled
    assert set(dask_hooks._After._waiting) == {"dask.array", "distributed.protocol"}


def test_half_of_a_module_waits_for_its_last_part(filled, monkeypatch):
    monkeypatch.setitem(sys.modules, "dask.array", module("dask.array", complete=False))
    dask_hooks.register(Sizeof())
    assert not filled
    waiting = dask_hooks._After._waiting
    assert set(waiting) == {"dask.array.tiledb_io", "distributed.protocol"}
    waiting["dask.array.tiledb_io"]()
    assert filled == ["dask.array"]
