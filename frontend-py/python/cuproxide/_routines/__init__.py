"""NumPy's functions, one module for each topic, as compositions of the compiled module's primitives.

No routine computes on the host: data stays on its device, and the number of launches does not depend on it.
"""

TOPICS = (
    "binary",
    "creation",
    "errstate",
    "functional",
    "gufuncs",
    "histograms",
    "coordinates",
    "index_tricks",
    "indexing",
    "iterators",
    "io",
    "joining",
    "linalg",
    "logic",
    "math",
    "padding",
    "polynomials",
    "quantiles",
    "rearranging",
    "sets",
    "shapes",
    "sorting",
    "statistics",
    "vectorizing",
    "windows",
)
"""The modules whose names belong to the package."""
