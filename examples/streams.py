"""Copies, computes and copies back in parts, so that copies of one part and kernels of another run at the same time.

Each part has one of three streams, with pinned memory on the host. Events say how long the device took; the same work
in one stream is the measure. On a CPU there is nothing to copy, and both take the same time.
"""

import numpy
from harness import parser, report, targets


def work(xp, x):
    """Something that takes about as long as a copy."""
    for _ in range(4):
        x = xp.sqrt(x * x + 1) * 0.75
    return x


def pipeline(xp, source, result, parts, streams):
    """Queues the parts, in turns over the streams; returns the milliseconds from the first copy to the last."""
    begin, end = xp.cuda.Event(), xp.cuda.Event()
    first = streams[0]
    begin.record(first)
    for stream in streams[1:]:
        stream.wait_event(begin)
    size = len(source) // parts
    for part in range(parts):
        piece = slice(part * size, (part + 1) * size)
        with streams[part % len(streams)] as stream:
            x = xp.empty(size, source.dtype)
            x.set(source[piece], stream=stream)
            work(xp, x).get(stream=stream, out=result[piece], blocking=False)
    for stream in streams[1:]:
        first.wait_event(stream.record())
    end.record(first)
    end.synchronize()
    return xp.cuda.get_elapsed_time(begin, end)


def main() -> None:
    options = parser(__doc__)
    options.add_argument("--elements", type=int, default=1 << 22)
    options.add_argument("--parts", type=int, default=8)
    arguments = options.parse_args()
    if arguments.backend == "numpy" or arguments.parts < 1 or arguments.elements < arguments.parts:
        options.error("NumPy has no streams; --elements must be at least --parts, and that at least 1")
    count = arguments.elements // arguments.parts * arguments.parts
    values = numpy.random.default_rng(0).random(count, numpy.float32)
    expected = work(numpy, values)
    print(f"{count} elements in {arguments.parts} parts, float32\n")
    for target in targets(arguments):
        xp = target.xp
        with target.active():
            source = xp.empty_pinned(count, xp.float32)
            result = xp.empty_pinned(count, xp.float32)
            source[...] = values
            streams = [xp.cuda.Stream(non_blocking=True) for _ in range(3)]
            pipeline(xp, source, result, arguments.parts, streams)  # compiles
            one = min(pipeline(xp, source, result, arguments.parts, streams[:1]) for _ in range(3))
            result[...] = 0
            three = min(pipeline(xp, source, result, arguments.parts, streams) for _ in range(3))
            difference = float(abs(result - expected).max())
        print(f"{target.name:24} {one:8.2f} ms in one stream, {three:8.2f} ms in three", flush=True)
        report(f"the parts are right to {difference:.1e}", difference < 1e-5)


if __name__ == "__main__":
    main()
