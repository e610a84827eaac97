"""Every public function of the SciPy packages beside SciPy's, on drawn arguments.

    python -m tests.differential run --seconds 600      # draws over all names
    python -m tests.differential show stats.skew 17     # one draw: its arguments, both results, the difference
    python -m tests.differential page                   # writes docs/differential.md from the recorded runs

`rows` holds a row for each name: generators of its arguments, in the language of `draws`. A draw is a name and a seed.
`sides` runs it with SciPy and with this package, `compare` finds the differences, `driver` runs many draws in workers
that it restarts when one dies. `known.toml` lists the differences that are known, each with its reason.
"""
