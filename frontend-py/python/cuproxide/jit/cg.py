"""Cooperative groups for kernels written in Python: threads that wait for each other and copy together."""

from __future__ import annotations

from ._builtins import GROUPS as _GROUPS

__all__ = ["memcpy_async", "sync", "this_grid", "this_thread_block", "wait", "wait_prior"]

this_grid = _GROUPS["this_grid"]
this_thread_block = _GROUPS["this_thread_block"]
sync = _GROUPS["sync"]
memcpy_async = _GROUPS["memcpy_async"]
wait = _GROUPS["wait"]
wait_prior = _GROUPS["wait_prior"]
