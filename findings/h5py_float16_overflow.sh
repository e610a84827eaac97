#!/usr/bin/env bash
# HDF5 converts numbers between 65504 and 65520 to an infinite float16, from every wider float and integer type; IEEE 754
# rounds them to 65504, as NumPy does (h5py 3.16.0). Between all other neighbours the two round alike. Cast to float16
# before the dataset is written where the data may reach the end of its range.
. "$(dirname "$0")/run.sh"

finding "numpy==2.4.6 h5py==3.16.0" "float32 [65504.0, inf, inf, inf] numpy [65504.0, 65504.0, 65504.0, inf]
float64 [65504.0, inf, inf, inf] numpy [65504.0, 65504.0, 65504.0, inf]
int32 [65504.0, inf, inf, inf] numpy [65504.0, 65504.0, 65504.0, inf]
other midpoints that differ: 0" <<'PROGRAM'
import h5py
import numpy


def converted(values):
    with h5py.File.in_memory() as file:
        data = file.create_dataset("x", shape=values.shape, dtype="float16")
        data[...] = values
        return data[...]


numpy.seterr(all="ignore")
for dtype in ("float32", "float64", "int32"):
    values = numpy.array([65504, 65505, 65519, 65520], dtype)
    print(dtype, converted(values).tolist(), "numpy", values.astype("float16").tolist())
halves = numpy.arange(0x7C00, dtype="uint16").view("float16").astype("float64")
midpoints = (halves[1:] + halves[:-1]) / 2
print("other midpoints that differ:", int((converted(midpoints) != midpoints.astype("float16")).sum()))
PROGRAM
