"""Processes of a pool get and give arrays."""

import multiprocessing
import sys
from concurrent.futures import ProcessPoolExecutor


def doubled(array):
    import cuproxide as cp

    assert isinstance(array, cp.ndarray)
    return array * 2


def main(method):
    import cuproxide as cp

    arrays = [cp.arange(6.0).reshape(2, 3).T, cp.ones(3, "bfloat16"), cp.zeros((0, 2))]
    if method == "joblib":
        from joblib import Parallel, delayed

        results = Parallel(n_jobs=2)(delayed(doubled)(array) for array in arrays)
    else:
        with ProcessPoolExecutor(2, mp_context=multiprocessing.get_context(method)) as pool:
            results = list(pool.map(doubled, arrays))
    for array, result in zip(arrays, results, strict=True):
        assert isinstance(result, cp.ndarray) and result.dtype == array.dtype and result.shape == array.shape
        assert (result == array * 2).all()
    print("ok")


if __name__ == "__main__":
    main(sys.argv[1])
