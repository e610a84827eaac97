"""Entries of parameters that docstrings of `cuda.runtime` share; `_lib.texts` fills them in."""

TEXTS = {
    "device": "int\n    The number of the device.",
    "dpitch": "int\n    The bytes of a row of the destination.",
    "dst": "int\n    The address to copy to.",
    "dstDevice": "int\n    The device to copy to.",
    "flags": "int\n    The flags.",
    "height": "int\n    The height.",
    "hOffset": "int\n    The number of the row.",
    "kind": "int\n    The direction, one of `memcpy*`.",
    "pool": "int\n    The handle of the pool.",
    "ptr": "int\n    The address.",
    "size": "int\n    The number of bytes.",
    "spitch": "int\n    The bytes of a row of the source.",
    "src": "int\n    The address to copy from.",
    "stream": "int\n    The handle of the stream.",
    "value": "int\n    The value.",
    "width": "int\n    The width.",
    "wOffset": "int\n    The position in a row, in bytes.",
}
