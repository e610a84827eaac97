"""Computes the Mandelbrot set by a kernel written in CUDA C++, and writes a picture of it.

`RawKernel` compiles the text for every device: on GPUs by the vendor's compiler, on the CPU by the C++ compiler of
the machine.
"""

from pathlib import Path

import numpy
from harness import parser, report, targets, timed, write

CODE = r"""
extern "C" __global__
void mandelbrot(float* levels, int height, int width, double left, double top, double step, int limit) {
    int column = blockIdx.x * blockDim.x + threadIdx.x;
    int row = blockIdx.y * blockDim.y + threadIdx.y;
    if (column >= width || row >= height) return;
    double a = left + step * column, b = top - step * row, x = 0, y = 0;
    int count = 0;
    while (x * x + y * y <= 65536.0 && count < limit) {
        double next = x * x - y * y + a;
        y = 2 * x * y + b;
        x = next;
        count++;
    }
    // The fraction of a step makes the levels smooth.
    levels[row * width + column] = count == limit ? 0.0f : count + 1.0f - (float)log2(log2(x * x + y * y) / 2.0);
}
"""


def mandelbrot(xp, kernel, height, width, limit):
    """Levels of a part of the set."""
    levels = xp.empty((height, width), xp.float32)
    step = 3.0 / width
    blocks = ((width + 15) // 16, (height + 7) // 8)
    kernel(blocks, (16, 8), (levels, xp.int32(height), xp.int32(width), -2.2, step * height / 2, step, xp.int32(limit)))
    return levels


def main() -> None:
    options = parser(__doc__)
    options.add_argument("--width", type=int, default=480)
    options.add_argument("--limit", type=int, default=200)
    options.add_argument("--output", type=Path, default=Path("mandelbrot.png"))
    arguments = options.parse_args()
    if arguments.backend == "numpy" or arguments.width < 16 or arguments.limit < 2:
        options.error("NumPy compiles no kernels; --width must be at least 16 and --limit 2")
    width, height = arguments.width, arguments.width * 2 // 3
    print(f"{width} x {height} points, at most {arguments.limit} steps each, float64\n")
    results = []
    for target in targets(arguments):
        xp = target.xp
        kernel = xp.RawKernel(CODE, "mandelbrot")
        run = lambda xp=xp, kernel=kernel: mandelbrot(xp, kernel, height, width, arguments.limit)  # noqa: E731
        with target.active():
            run()  # compiles
            levels, seconds = timed(target, run)
            results.append(target.to_host(levels))
        print(f"{target.name:24} {seconds * 1e3:8.2f} ms", flush=True)

    levels = results[0]
    shade = numpy.sqrt(levels / levels.max())
    colours = numpy.stack([shade, shade**2, numpy.sin(numpy.pi * shade) * 0.7], axis=-1)
    write((colours * 255).astype(numpy.uint8), arguments.output)
    # Columns of c = -1.2 to -0.2 on the real line lie in the set; the left edge leaves it at once.
    inside = levels[height // 2, int(1.0 * width / 3) + 1 : int(2.0 * width / 3)]
    report("the real line from -1.2 to -0.2 is in the set", bool((inside == 0).all()))
    report("it is its own mirror image", float(abs(levels[1:] - levels[:0:-1]).max()) < 1e-3)
    report("the left edge is outside", bool((levels[:, 0] > 0).all()))
    if len(results) > 1:
        # A rounding may decide the last step of a point near the edge.
        report("devices agree", all((abs(other - levels) > 0.01).mean() < 0.001 for other in results[1:]))


if __name__ == "__main__":
    main()
