"""Rows of scipy.spatial, its subpackages, and scipy.cluster."""

import numpy as np

from ..draws import (
    alone,
    always,
    array,
    between,
    call,
    computed,
    integer,
    made,
    mapped,
    maybe,
    number,
    one,
    positive,
    read,
    row,
    ties,
    truth,
    unit,
)

side = one(True, False)

# distance
u, v = array("n", kinds="dfl"), array("n", kinds="dfl")
weights = array("n", positive, "d")
row(
    "spatial.distance.braycurtis canberra chebyshev cityblock correlation cosine euclidean hamming sqeuclidean",
    u,
    v,
    maybe(one(None, weights)),
    _bound=1e-7,
)
row("spatial.distance.minkowski", u, v, one(1, 2, 3, 0.5, np.inf), maybe(weights))
bits = array("n", truth, "?ld")
row(
    "spatial.distance.dice hamming jaccard rogerstanimoto russellrao sokalsneath yule",
    bits,
    bits,
    maybe(one(None, weights)),
)
row(
    "spatial.distance.jensenshannon",
    one(array("n", positive, "df"), array("n m", positive, "d")),
    array("n", positive, "d"),
    base=one(None, 2),
    keepdims=side,
    _bound=1e-7,
)
row(
    "spatial.distance.mahalanobis",
    array("3", kinds="dfl"),
    array("3", kinds="dfl"),
    array("3 3", then=lambda m: m @ m.T, kinds="d"),
)
row("spatial.distance.seuclidean", u, v, weights)
metrics = "braycurtis canberra chebyshev cityblock correlation cosine euclidean hamming jaccard jensenshannon minkowski sqeuclidean seuclidean mahalanobis dice matching rogerstanimoto russellrao sokalsneath yule"
points = one(array("n+2 3", kinds="dfl"), array("n+2 m", kinds="dfl"))
row(
    "spatial.distance.cdist",
    array("n 3", positive, "dfl"),
    array("m 3", positive, "dfl"),
    one(*metrics.split()[:17]),
    _bound=1e-6,
)
row(
    "spatial.distance.cdist",
    array("n 3", truth, "?d"),
    array("m 3", truth, "?d"),
    one(*metrics.split()[14:], "jaccard", "hamming"),
)
row(
    "spatial.distance.cdist",
    array("n 3"),
    array("m 3"),
    "minkowski",
    p=always(one(1, 3, 0.5)),
    w=array("3", positive, "d"),
)
row("spatial.distance.pdist", array("n+5 3", positive, "dfl"), one(*metrics.split()[:14]), _bound=1e-6)
row("spatial.distance.pdist", array("n 3", truth, "?d"), one(*metrics.split()[14:]))
row(
    "spatial.distance.directed_hausdorff",
    array("n 2", kinds="df"),
    array("m 2", kinds="df"),
    rng=always(0),
    _form=lambda r: r[0],
)
row(
    "spatial.distance.squareform",
    one(
        array("6", positive, "dfl"),
        array("10", positive, "d"),
        mapped(lambda m: (m + m.T) * (1 - np.eye(len(m))), array("n n", kinds="dl", finite=True)),
    ),
    force=one("no", "tomatrix", "tovector"),
    checks=side,
)
row(
    "spatial.distance.is_valid_dm num_obs_dm",
    mapped(lambda m: abs(m + m.T) * (1 - np.eye(len(m))), array("n n", kinds="d", finite=True)),
)
row("spatial.distance.is_valid_y num_obs_y", one(array("6", positive, "d"), array("n", positive, "d")))
alone("spatial.distance.hellinger kl_divergence distance_matrix", "CuPy's")

# spatial
cloud = array("n+4 2", kinds="dfl", finite=True)
row(
    "spatial.distance_matrix minkowski_distance minkowski_distance_p",
    array("n 3", kinds="dfl"),
    array("n 3", kinds="dfl"),
    one(1, 2, 3, np.inf),
)
query = array("k 2", kinds="df")
tree = (
    call("query", query, k=one(1, 2, [1]), p=one(1, 2, np.inf), distance_upper_bound=number(0.5, 3)),
    call("query_ball_point", query, number(0.2, 2), p=one(1, 2), return_length=always(True)),
    call("count_neighbors", made("spatial.KDTree", array("6 2", kinds="d", finite=True)), number(0.2, 2)),
    call("sparse_distance_matrix", made("spatial.KDTree", array("6 2", kinds="d", finite=True)), number(0.5, 2)),
    call("query_pairs", number(0.2, 2)),
    *read("n", "m", "mins", "maxes"),
)
row("spatial.KDTree cKDTree", cloud, leafsize=integer(1, 12), _steps=tree)
# SciPy's bindings of Qhull end the process for points of three axes.
HULL = {"_hostile": False}
row(
    "spatial.ConvexHull",
    cloud,
    _steps=(read("volume"), read("area"), read("ndim"), read("npoints")),
    _bound=1e-6,
    **HULL,
)
row(
    "spatial.Delaunay",
    array("n+5 2", kinds="d", finite=True),
    _steps=(read("npoints"), read("ndim"), [call("find_simplex", query)]),
    _random=True,
    **HULL,
)
row("spatial.tsearch", made("spatial.Delaunay", array("8 2", kinds="d", finite=True)), query, _random=True)
row(
    "spatial.Voronoi",
    array("n+5 2", kinds="d", finite=True),
    _steps=(read("npoints"), read("ndim"), read("max_bound"), read("min_bound")),
    **HULL,
)
row(
    "spatial.HalfspaceIntersection",
    np.array([[-1.0, 0, -1], [0, -1, -1], [1, 0, -1], [0, 1, -1.5]]),
    mapped(lambda v: v * 0.1, array("2", unit, "d", finite=True)),
    _steps=(read("ndim"), read("is_bounded"), read("interior_point")),
    **HULL,
)
sphere = mapped(lambda m: m / np.linalg.norm(m, axis=1, keepdims=True), array("n+6 3", kinds="d", finite=True))
row("spatial.SphericalVoronoi", sphere, _steps=([call("calculate_areas")], read("radius"), read("center")), _bound=1e-6)
row(
    "spatial.Rectangle",
    [2.0, 3.0],
    [0.0, number(-1, 1)],
    _steps=(
        call("volume"),
        call("min_distance_point", [4.0, 4.0]),
        call("max_distance_point", [4.0, 4.0]),
        read("maxes"),
    ),
)
row("spatial.procrustes", array("6 2", kinds="df"), array("6 2", kinds="df"), _bound=1e-6)
row("spatial.geometric_slerp", [1.0, 0.0, 0.0], [0.0, 0.6, 0.8], one(number(0, 1), array("k", unit, "d")))
alone("spatial.QhullError", "an exception")
alone("spatial.convex_hull_plot_2d delaunay_plot_2d voronoi_plot_2d", "draws with Matplotlib")

# transform
quats = one(array("4", kinds="df"), array("n+1 4", kinds="df"))
turns = one(
    made("spatial.transform.Rotation.from_quat", array("n+1 4", kinds="d", finite=True)),
    made("spatial.transform.Rotation.from_quat", array("4", kinds="d", finite=True)),
)
rotation = (
    call("as_quat", canonical=always(True), scalar_first=side), call("as_matrix"), call("as_rotvec", degrees=side), call("as_mrp"), call("magnitude"),
    call("as_euler", one("xyz", "ZYX", "zxz"), degrees=side), [call("inv"), ], call("apply", array("3", kinds="d"), inverse=side), read("single"),
    call("approx_equal", made("spatial.transform.Rotation.from_quat", [0.0, 0.0, 0.0, 1.0]), atol=always(0.5)),
)  # fmt: skip
row("spatial.transform.Rotation", quats, normalize=side, scalar_first=side, _steps=rotation, _bound=1e-7)
tangent = (call("as_matrix"), read("single"), call("apply", array("3", kinds="d"), inverse=side))
row(
    "spatial.transform.RigidTransform",
    mapped(lambda q: _rigid(q), array("4", kinds="d", finite=True)),
    _steps=tangent,
    _bound=1e-7,
)
keys = made("spatial.transform.Rotation.from_rotvec", array("4 3", between(-1, 1), "d", finite=True))
row(
    "spatial.transform.Slerp",
    [0.0, 1.0, 2.0, 3.5],
    keys,
    _steps=(call("__call__", array("k", between(0, 3.5), "d", finite=True)),),
    _form=lambda r: 0,
)
row(
    "spatial.transform.RotationSpline",
    [0.0, 1.0, 2.0, 3.5],
    keys,
    _steps=(call("__call__", array("k", between(0, 3.5), "d", finite=True), always(one(1, 2))),),
    _bound=1e-6,
)


def _rigid(quat):
    import scipy.spatial.transform

    matrix = np.eye(4)
    matrix[:3, :3] = scipy.spatial.transform.Rotation.from_quat(quat).as_matrix()
    matrix[:3, 3] = quat[:3]
    return matrix


# hierarchy
condensed = one(array("15", positive, "d", finite=True), array("6", positive, "d", finite=True))
row(
    "cluster.hierarchy.average centroid complete median single ward weighted",
    one(condensed, array("n+1 2", kinds="d", finite=True)),
)
row(
    "cluster.hierarchy.linkage",
    one(condensed, array("n+2 3", kinds="dfl", finite=True)),
    one("single", "complete", "average", "weighted", "centroid", "median", "ward"),
    one("euclidean"),
    optimal_ordering=side,
)
joined = made(
    "cluster.hierarchy.linkage", array("15", positive, "d", finite=True), one("single", "average", "complete", "ward")
)
row("cluster.hierarchy.cophenet", joined, maybe(array("15", positive, "d", finite=True)))
row("cluster.hierarchy.correspond", joined, array("15", positive, "d", finite=True))
row("cluster.hierarchy.cut_tree", joined, n_clusters=one(None, 2, [2, 3]), height=one(None, 1.0))
row(
    "cluster.hierarchy.dendrogram",
    joined,
    p=integer(1, 8),
    truncate_mode=one(None, "lastp", "level"),
    no_plot=always(True),
    orientation=one("top", "left"),
    count_sort=one(False, "ascending", "descending"),
    color_threshold=one(None, 0.5),
)
row(
    "cluster.hierarchy.fcluster",
    joined,
    number(0.1, 3),
    criterion=one("inconsistent", "distance", "maxclust"),
    depth=integer(1, 4),
)
row(
    "cluster.hierarchy.fclusterdata",
    array("n+2 2", kinds="dfl", finite=True),
    number(0.2, 2),
    criterion=one("inconsistent", "distance", "maxclust"),
    method=one("single", "average"),
)
row("cluster.hierarchy.inconsistent", joined, integer(1, 5))
row("cluster.hierarchy.is_monotonic is_valid_linkage leaves_list maxdists num_obs_linkage to_mlab_linkage", joined)
row("cluster.hierarchy.from_mlab_linkage", np.array([[1, 2, 0.5], [3, 4, 1.5]]))
row("cluster.hierarchy.is_isomorphic", array("n", ties, "li", finite=True), array("n", ties, "li", finite=True))
row("cluster.hierarchy.is_valid_im", made("cluster.hierarchy.inconsistent", joined))
row("cluster.hierarchy.leaders", joined, np.array([1, 1, 1, 1, 1, 1], np.int32))
row("cluster.hierarchy.maxRstat", joined, np.ones((5, 4)), integer(0, 3))
row("cluster.hierarchy.maxinconsts", joined, np.ones((5, 4)))


def _tree_and_distances(draw):
    from ..draws import Made

    distances = draw.random.random(15) + 0.1
    return [Made("cluster.hierarchy.linkage", (distances, draw.pick(["single", "average"])), {}), distances]


row("cluster.hierarchy.optimal_leaf_ordering", computed(_tree_and_distances), _star=True)
row(
    "cluster.hierarchy.to_tree",
    joined,
    _steps=(call("get_count"), call("get_id"), call("is_leaf"), call("pre_order"), read("dist")),
    _hostile=False,
)
row(
    "cluster.hierarchy.ClusterNode",
    integer(0, 5),
    dist=number(0, 0),
    count=one(1, 3),
    _steps=(call("get_count"), call("get_id"), call("is_leaf"), call("get_left")),
)
row(
    "cluster.hierarchy.DisjointSet",
    always([1, 2, 3, 4]),
    _steps=(
        [call("merge", integer(1, 4), integer(1, 4)), call("connected", 1, 2)],
        call("subset_size", integer(1, 4)),
        read("n_subsets"),
        call("__contains__", integer(0, 6)),
        call("subsets"),
    ),
)
alone("cluster.hierarchy.ClusterWarning", "a warning")
alone("cluster.hierarchy.set_link_color_palette", "a setting of plots")
alone("cluster.vq.ClusterError", "an exception")
row(
    "cluster.vq.kmeans",
    array("N 2", kinds="d", finite=True),
    mapped(lambda v: v, array("2 2", kinds="d", finite=True)),
    iter=always(1),
    _bound=1e-6,
)
row(
    "cluster.vq.kmeans2",
    array("N 2", kinds="df", finite=True),
    array("2 2", kinds="df", finite=True),
    minit=always("matrix"),
    _bound=1e-6,
)
row(
    "cluster.vq.vq py_vq",
    array("n 2", kinds="df"),
    array("3 2", kinds="df"),
)
row("cluster.vq.vq py_vq", array("n", kinds="d"), array("3", kinds="d"))
row("cluster.vq.whiten", array("n m", kinds="dfl"))
