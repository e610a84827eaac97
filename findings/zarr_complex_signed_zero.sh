#!/usr/bin/env bash
# zarr does not store a chunk that equals the fill value. For floats it tells -0.0 from 0.0, for complex numbers it does not:
# a chunk of negative complex zeros comes back as positive zeros, so that numbers on a branch cut change sides (zarr 3.1.3, 3.4.2).
# write_empty_chunks=True in the array's configuration stores every chunk.
. "$(dirname "$0")/run.sh"

finding "numpy==2.4.6 zarr==3.1.3" "float64 angle 3.1416
complex128 angle 0.0
complex128 with write_empty_chunks angle 3.1416" <<'PROGRAM'
import numpy
import zarr


def stored(values, **options):
    array = zarr.create_array(zarr.storage.MemoryStore(), shape=values.shape, chunks=values.shape, dtype=values.dtype, **options)
    array[:] = values
    return array[:]


print("float64 angle", round(float(numpy.angle(stored(numpy.full(4, -0.0)))[0]), 4))
zeros = numpy.full(4, complex(-0.0, 0.0))
print("complex128 angle", round(float(numpy.angle(stored(zeros))[0]), 4))
kept = stored(zeros, config={"write_empty_chunks": True})
print("complex128 with write_empty_chunks angle", round(float(numpy.angle(kept)[0]), 4))
PROGRAM
