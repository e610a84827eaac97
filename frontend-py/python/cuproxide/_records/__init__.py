"""Arrays of structured dtypes and of `void`: memory that is created, copied, indexed and viewed by fields.

There is no arithmetic on records. An array holds its elements as a dense last axis of unsigned integers, so all that is
done with them is done by the arrays of numbers; a field is a view of that memory. The functions of the package say by
decorators of this one what they do to records.
"""

from ._array import StructuredArray, array, concatenate, empty
from ._creation import empty_like, full, full_like, to_host, view_as, zeros
from ._functions import (
    array_equal,
    array_equiv,
    broadcast_arrays,
    by_dtype,
    by_memory,
    by_method,
    by_truth,
    concerns,
    gives_way,
    is_records,
    moves,
)
from ._sorting import argsort, in_order

__all__ = [
    "StructuredArray",
    "argsort",
    "array",
    "array_equal",
    "array_equiv",
    "broadcast_arrays",
    "by_dtype",
    "by_memory",
    "by_method",
    "by_truth",
    "concatenate",
    "concerns",
    "empty",
    "empty_like",
    "full",
    "full_like",
    "gives_way",
    "in_order",
    "is_records",
    "moves",
    "to_host",
    "view_as",
    "zeros",
]
