"""NumPy's functions, one module for each topic, as compositions of the compiled module's primitives.

No routine computes on the host: data stays on its device, and the number of launches does not depend on it.
"""

TOPICS = (
    "binary",
    "coordinates",
    "creation",
    "differences",
    "einsum",
    "errstate",
    "functional",
    "gufuncs",
    "histograms",
    "index_tricks",
    "indexing",
    "io",
    "iterators",
    "joining",
    "logic",
    "padding",
    "polynomials",
    "products",
    "quantiles",
    "ranges",
    "rearranging",
    "rounding",
    "sequences",
    "sets",
    "shapes",
    "sorting",
    "special_matrices",
    "statistics",
    "sums",
    "vectorizing",
    "windows",
)
"""The modules whose names belong to the package."""
