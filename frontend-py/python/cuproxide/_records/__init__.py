"""Arrays of structured dtypes and of `void`: memory that is created, copied, indexed and viewed by fields.

There is no arithmetic on records. An array holds its elements as a dense last axis of unsigned integers, so all that is
done with them is done by the arrays of numbers; a field is a view of that memory.
"""

from ._array import StructuredArray
from ._creation import array, concatenate, empty, empty_like, full, full_like, to_host, view_as, zeros
from ._functions import concerns, serve

__all__ = [
    "StructuredArray",
    "array",
    "concatenate",
    "concerns",
    "empty",
    "empty_like",
    "full",
    "full_like",
    "serve",
    "to_host",
    "view_as",
    "zeros",
]
