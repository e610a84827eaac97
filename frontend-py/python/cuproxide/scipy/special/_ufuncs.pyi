"""The ufuncs of the module by name, which the compiled module lists at run time only."""

from ..._cuproxide import ufunc

i0: ufunc
