"""Gaussian mixture model with full covariances by expectation maximisation.

python gaussian_mixture.py --components 3 --samples 1500
python gaussian_mixture.py --cpu
"""

import argparse

import cupy as cp
import numpy as np
from cupy import linalg


class GaussianMixture:
    """A mixture of normal distributions; the array module follows the data."""

    def __init__(self, n_components, max_iter=100, tol=1e-6, reg=1e-6):
        self.n_components = n_components
        self.max_iter = max_iter
        self.tol = tol
        self.reg = reg

    def _initialise(self, X):
        xp = cp.get_array_module(X)
        n, d = X.shape
        # Slices of the data ordered along its longest axis.
        axis = int(xp.argmax(X.var(axis=0)))
        order = xp.argsort(X[:, axis])
        bounds = [n * k // self.n_components for k in range(self.n_components + 1)]
        resp = xp.zeros((n, self.n_components))
        for k, (low, high) in enumerate(zip(bounds[:-1], bounds[1:], strict=True)):
            resp[order[low:high], k] = 1
        self._maximise(X, resp)

    def _maximise(self, X, resp):
        xp = cp.get_array_module(X)
        d = X.shape[1]
        nk = resp.sum(axis=0) + 10 * xp.finfo(resp.dtype).eps
        self.weights = nk / X.shape[0]
        self.means = xp.dot(resp.T, X) / nk[:, xp.newaxis]
        self.covariances = xp.empty((self.n_components, d, d), dtype=X.dtype)
        for k in range(self.n_components):
            diff = X - self.means[k]
            self.covariances[k] = xp.dot(resp[:, k] * diff.T, diff) / nk[k]
            self.covariances[k].flat[:: d + 1] += self.reg

    def _log_probabilities(self, X):
        """Logarithms of weighted densities, one column for each component."""
        xp = cp.get_array_module(X)
        solver = linalg if xp is cp else np.linalg
        n, d = X.shape
        result = xp.empty((n, self.n_components))
        chol = solver.cholesky(self.covariances)
        log_det = xp.log(xp.diagonal(chol, axis1=1, axis2=2)).sum(axis=1)
        for k in range(self.n_components):
            y = solver.solve(chol[k], (X - self.means[k]).T)
            result[:, k] = -0.5 * (d * np.log(2 * np.pi) + (y**2).sum(axis=0)) - log_det[k]
        return result + xp.log(self.weights)

    def _expect(self, X):
        xp = cp.get_array_module(X)
        weighted = self._log_probabilities(X)
        top = weighted.max(axis=1, keepdims=True)
        total = top + xp.log(xp.exp(weighted - top).sum(axis=1, keepdims=True))
        return total.mean(), xp.exp(weighted - total)

    def fit(self, X):
        self._initialise(X)
        self.history = []
        previous = -np.inf
        for _ in range(self.max_iter):
            log_likelihood, resp = self._expect(X)
            self.history.append(float(log_likelihood))
            self._maximise(X, resp)
            if abs(self.history[-1] - previous) < self.tol:
                break
            previous = self.history[-1]
        return self

    def predict(self, X):
        return self._log_probabilities(X).argmax(axis=1)

    def bic(self, X):
        """The Bayesian information criterion."""
        n, d = X.shape
        parameters = self.n_components * (1 + d + d * (d + 1) // 2) - 1
        return float(-2 * self._expect(X)[0] * n + parameters * np.log(n))


def make_data(samples, components, seed):
    rng = np.random.RandomState(seed)
    parts = []
    for k in range(components):
        a = rng.normal(size=(2, 2)) * 0.5
        cov = a @ a.T + 0.2 * np.eye(2)
        parts.append(rng.multivariate_normal([2.0 * k, 1.5 * (-1) ** k], cov, samples // components))
    labels = np.repeat(np.arange(components), samples // components)
    data = np.concatenate(parts)
    order = rng.permutation(len(data))
    return data[order], labels[order]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--components", default=3, type=int)
    parser.add_argument("--samples", default=1500, type=int)
    parser.add_argument("--seed", default=0, type=int)
    parser.add_argument("--cpu", action="store_true")
    args = parser.parse_args()

    data, labels = make_data(args.samples, args.components, args.seed)
    if not args.cpu:
        data, labels = cp.asarray(data), cp.asarray(labels)
    model = GaussianMixture(args.components).fit(data)
    pred = model.predict(data)
    rank = model.means[:, 0].argsort().argsort()
    accuracy = float((rank[pred] == labels).mean())

    order = cp.asnumpy(model.means[:, 0].argsort())
    for k in order:
        print("weight %.6f" % float(model.weights[k]))
        print("mean", " ".join("%.6f" % value for value in model.means[k].tolist()))
        print("covariance", " ".join("%.6f" % value for value in model.covariances[k].ravel().tolist()))
    print("likelihood %.6f" % model.history[-1])
    print("rounds", len(model.history))
    print("bic %.3f" % model.bic(data))
    print("accuracy %.4f" % accuracy)
    if any(b < a - 1e-9 for a, b in zip(model.history, model.history[1:], strict=False)):
        raise SystemExit("the likelihood fell")


if __name__ == "__main__":
    main()
