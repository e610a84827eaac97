"""Entries of parameters that docstrings of `distributed` share; `_lib.texts` fills them in."""

TEXTS = {
    "stream": "Stream\n    Where the work is queued; the current stream by default.",
}
