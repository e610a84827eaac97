"""Moving records: a function of numbers is called with a word of each element."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from .. import _cuproxide as _core
from .._cuproxide import ndarray


def by_words(call: Callable[[list[ndarray]], Any], arrays: list[Any]) -> Any:
    """What `call` makes of records, told what it makes of one word of each element.

    `call` gets that word of each of `arrays`, which are of one dtype. A view of it is extended to the other words;
    what is new is made for each word.
    """
    words = [a._words for a in arrays]
    if len({part.dtype for part in words}) > 1:
        words = [a._bytes for a in arrays]
    first = call([part[..., 0] for part in words])
    if first is None or not _is_view(first, words):
        rest = [call([part[..., place] for part in words]) for place in range(1, words[0].shape[-1])]
        return _joined([first, *rest], arrays[0])
    return _extended(first, arrays[0], words[0])


def _is_view(result: Any, words: Iterable[ndarray]) -> bool:
    part = result[0] if isinstance(result, (list, tuple)) else result
    return any(_core.may_share_memory(part, given) for given in words)


def _extended(result: Any, a: Any, words: ndarray) -> Any:
    if isinstance(result, (list, tuple)):
        return type(result)(_extended(part, a, words) for part in result)
    view = _core.as_strided(result, (*result.shape, words.shape[-1]), (*result.strides, words.strides[-1]))
    return type(a)(view, a.dtype, a if a.base is None else a.base)


def _joined(results: list[Any], a: Any) -> Any:
    if results[0] is None:
        return None
    if isinstance(results[0], (list, tuple)):
        return type(results[0])(_joined(list(parts), a) for parts in zip(*results, strict=True))
    return type(a)(_core.concatenate([part[..., None] for part in results], -1), a.dtype)
