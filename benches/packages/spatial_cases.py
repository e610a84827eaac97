"""Rows of `scipy.spatial` and `scipy.cluster`."""

from suite import Case


def cases(large):
    """The rows; on a CPU at about a sixteenth of the size."""
    side = 8192 if large else 2048
    points = 1 << 20 if large else 1 << 16
    plane = 1 << 16 if large else 1 << 14
    few = 4096 if large else 1024
    names = ("euclidean", "cityblock", "cosine", "correlation", "chebyshev", "canberra", "jensenshannon")
    made = [Case(f"cdist {name} {side} x {side} x 64", pair(side, 64), distances(name)) for name in names]
    made.append(Case(f"pdist euclidean {side} x 64", one(side, 64), lambda xp, sp, x: sp.spatial.distance.pdist(x)))
    made.append(
        Case(
            f"cdist jaccard {few} x {few} x 256",
            lambda random: tuple(random.random((2, few, 256)) > 0.5),
            distances("jaccard"),
        )
    )
    made += [
        Case(f"KDTree build {points} 3-d", one(points, 3), lambda xp, sp, x: sp.spatial.KDTree(x).indices),
        Case(f"KDTree query k=1 {points} 3-d", one(points, 3), query(1), prepare=tree),
        Case(f"KDTree query k=8 {points} 3-d", one(points, 3), query(8), prepare=tree),
        Case(
            f"KDTree query_pairs {points} 3-d",
            one(points, 3),
            lambda xp, sp, t, x: t.query_pairs(0.3 * x.shape[0] ** (-1 / 3), output_type="ndarray"),
            prepare=tree,
        ),
        Case(f"Delaunay {plane} 2-d", one(plane, 2), lambda xp, sp, x: sp.spatial.Delaunay(x).simplices),
        Case(
            f"Delaunay find_simplex {points} in {plane} 2-d",
            lambda random: (random.random((plane, 2)), random.random((points, 2))),
            lambda xp, sp, t, x: t.find_simplex(x),
            prepare=lambda xp, sp, x, y: (sp.spatial.Delaunay(x), y),
        ),
        Case(f"ConvexHull {plane} 3-d", one(plane, 3), lambda xp, sp, x: sp.spatial.ConvexHull(x).simplices),
        Case(f"Voronoi {plane // 4} 2-d", one(plane // 4, 2), lambda xp, sp, x: sp.spatial.Voronoi(x).vertices),
        Case(
            f"Rotation.apply {points}",
            lambda random: (random.normal(size=(points, 4)), random.random((points, 3))),
            lambda xp, sp, r, x: r.apply(x),
            prepare=lambda xp, sp, q, x: (sp.spatial.transform.Rotation.from_quat(q), x),
        ),
        Case(f"Rotation.from_euler {points}", one(points, 3), angles),
        Case(
            f"cluster.vq {points} x 8, 64 codes",
            lambda random: (random.random((points, 8)), random.random((64, 8))),
            lambda xp, sp, x, codes: sp.cluster.vq.vq(x, codes, check_finite=False),
        ),
        Case(
            f"kmeans2 {points} x 8, 64 clusters",
            lambda random: (random.random((points, 8)), random.random((64, 8))),
            lambda xp, sp, x, codes: sp.cluster.vq.kmeans2(x, codes, minit="matrix", check_finite=False),
        ),
    ]
    return [
        *made,
        *(Case(f"linkage {name} {few} x 8", one(few, 8), linkage(name)) for name in ("single", "average", "ward")),
    ]


def one(rows, columns):
    """A matrix of random numbers."""
    return lambda random: (random.random((rows, columns)),)


def pair(rows, columns):
    """Two such matrices."""
    return lambda random: tuple(random.random((2, rows, columns)))


def distances(metric):
    """All distances by one metric."""
    return lambda xp, sp, x, y: sp.spatial.distance.cdist(x, y, metric)


def tree(xp, sp, x):
    """A tree of points, and the points."""
    return sp.spatial.KDTree(x), x


def query(k):
    """The nearest neighbours of all points."""
    return lambda xp, sp, t, x: t.query(x, k)


def angles(xp, sp, x):
    """Rotations from angles, as quaternions."""
    return sp.spatial.transform.Rotation.from_euler("xyz", x).as_quat()


def linkage(method):
    """Hierarchical clustering of observations."""
    return lambda xp, sp, x: sp.cluster.hierarchy.linkage(x, method)
