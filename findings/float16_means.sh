#!/usr/bin/env bash
# Means of float16. numpy.mean adds in float32; numpy.nanmean and numpy.var leave float16's range on the same data, and so
# does the mean of a Dask array, whose count of elements is a float16 too: above 65504 elements it is infinite and the mean
# is NaN (NumPy 2.4.6, 2.5.5, Dask 2026.8.0). Pass dtype="float32".
. "$(dirname "$0")/run.sh"

finding "numpy==2.4.6 dask==2026.8.0" "3000 elements of 100
numpy mean 100.0 nanmean inf
dask mean inf with dtype 100.0
66000 elements of 1
numpy mean 1.0 nanmean inf
dask mean nan with dtype 1.0" <<'PROGRAM'
import dask.array
import numpy

numpy.seterr(all="ignore")
for count, value in ((3000, 100), (66000, 1)):
    x = numpy.full(count, value, "float16")
    chunks = dask.array.from_array(x, chunks=500)
    print(count, "elements of", value)
    print("numpy mean", x.mean(), "nanmean", numpy.nanmean(x))
    print("dask mean", chunks.mean().compute(), "with dtype", chunks.mean(dtype="float32").compute())
PROGRAM
