"""Entries of parameters that docstrings of `distributed` share; `_lib.texts` fills them in."""

TEXTS = {
    "stream": "Stream\n    Where the work is queued; the current stream by default.",
    "_backend.in_array": "ndarray\n    This rank's part.",
    "_backend.op": '{"sum", "prod", "max", "min"}\n    What combines elements.',
    "_launchers.environ": "mapping\n    The variables of the environment.",
    "_launchers.name": "str\n    The name of the variable.",
    "_store.key": "str\n    The name of the value.",
    "_store.value": "bytes\n    The value.",
    "_store.what": "str\n    What is said to be waited for in errors.",
    "_store.timeout": "float\n    The seconds to wait.",
    "_array.dtype": "dtype\n    The type of the result's elements.",
    "_array.axis": "int\n    The axis along which to work.",
    "_array.out": "ndarray\n    An array for the result, which is then what is returned.",
    "_array.keepdims": "bool\n    Whether reduced axes stay, with length 1.",
    "_array.ddof": "int\n    What is taken from the count before dividing by it.",
}
