"""Gravitational n-body simulation: a Plummer sphere by the leapfrog method.

python nbody.py --bodies 512 --steps 50
python nbody.py --cpu
"""

import argparse
import time

import cupy as cp
import numpy as np

G = 1.0


def plummer(n, seed):
    """Positions, velocities and masses of a cluster in equilibrium, made on the host."""
    rng = np.random.RandomState(seed)
    radius = 1.0 / np.sqrt(rng.uniform(0.05, 0.95, n) ** (-2.0 / 3.0) - 1.0)
    costheta = rng.uniform(-1, 1, n)
    phi = rng.uniform(0, 2 * np.pi, n)
    sintheta = np.sqrt(1 - costheta**2)
    pos = np.stack([radius * sintheta * np.cos(phi), radius * sintheta * np.sin(phi), radius * costheta], axis=1)

    # Velocities by rejection from the distribution of the escape velocity's fraction.
    fraction = np.zeros(n)
    todo = np.arange(n)
    while todo.size:
        x = rng.uniform(0, 1, todo.size)
        y = rng.uniform(0, 0.1, todo.size)
        ok = y < x**2 * (1 - x**2) ** 3.5
        fraction[todo[ok]] = x[ok]
        todo = todo[~ok]
    speed = fraction * np.sqrt(2.0) * (1 + radius**2) ** -0.25
    costheta = rng.uniform(-1, 1, n)
    phi = rng.uniform(0, 2 * np.pi, n)
    sintheta = np.sqrt(1 - costheta**2)
    vel = speed[:, None] * np.stack([sintheta * np.cos(phi), sintheta * np.sin(phi), costheta], axis=1)
    mass = np.full(n, 1.0 / n)
    return pos, vel, mass


def accelerations(pos, mass, eps):
    """Accelerations of all bodies by direct summation."""
    xp = cp.get_array_module(pos)
    d = pos[xp.newaxis, :, :] - pos[:, xp.newaxis, :]
    r2 = (d**2).sum(axis=-1) + eps**2
    inv_r3 = r2**-1.5
    return G * (d * (mass[xp.newaxis, :] * inv_r3)[:, :, xp.newaxis]).sum(axis=1)


def energies(pos, vel, mass, eps):
    """Kinetic and potential energy as Python numbers."""
    xp = cp.get_array_module(pos)
    kinetic = 0.5 * (mass * (vel**2).sum(axis=1)).sum()
    d = pos[None, :, :] - pos[:, None, :]
    r = xp.sqrt((d * d).sum(axis=2) + eps**2)
    pairs = xp.triu(mass[:, None] * mass[None, :] / r, k=1)
    return float(kinetic), float(-G * pairs.sum())


def momentum(vel, mass):
    xp = cp.get_array_module(vel)
    return xp.linalg.norm((mass[:, None] * vel).sum(axis=0)).item()


def center(pos, vel, mass):
    """Moves the centre of mass to the origin and to rest, in place."""
    total = mass.sum()
    pos -= (mass[:, None] * pos).sum(axis=0) / total
    vel -= (mass[:, None] * vel).sum(axis=0) / total


def lagrangian_radii(pos, mass, fractions=(0.1, 0.5, 0.9)):
    """Radii of the spheres that hold fractions of the mass."""
    xp = cp.get_array_module(pos)
    radius = xp.sqrt(xp.sum(pos**2, axis=1))
    order = xp.argsort(radius)
    enclosed = xp.cumsum(mass[order]) / mass.sum()
    index = xp.searchsorted(enclosed, xp.asarray(fractions))
    return radius[order][xp.minimum(index, len(radius) - 1)]


def simulate(pos, vel, mass, dt, steps, eps, every=10):
    acc = accelerations(pos, mass, eps)
    start = sum(energies(pos, vel, mass, eps))
    drift = 0.0
    for step in range(1, steps + 1):
        vel += 0.5 * dt * acc
        pos += dt * vel
        acc = accelerations(pos, mass, eps)
        vel += 0.5 * dt * acc
        if step % every == 0:
            kinetic, potential = energies(pos, vel, mass, eps)
            drift = max(drift, abs((kinetic + potential - start) / start))
    return drift


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--gpu-id", "-g", default=0, type=int, help="ID of GPU.")
    parser.add_argument("--bodies", "-n", default=256, type=int)
    parser.add_argument("--steps", default=40, type=int)
    parser.add_argument("--dt", default=0.01, type=float)
    parser.add_argument("--eps", default=0.05, type=float)
    parser.add_argument("--seed", default=0, type=int)
    parser.add_argument("--cpu", action="store_true", help="use NumPy")
    args = parser.parse_args()

    host = plummer(args.bodies, args.seed)
    with cp.cuda.Device(args.gpu_id):
        pos, vel, mass = host if args.cpu else map(cp.asarray, host)
        center(pos, vel, mass)
        cp.cuda.Stream.null.synchronize()
        begin = time.time()
        drift = simulate(pos, vel, mass, args.dt, args.steps, args.eps)
        cp.cuda.Stream.null.synchronize()
        elapsed = time.time() - begin

        radii = lagrangian_radii(pos, mass)
        kinetic, potential = energies(pos, vel, mass, args.eps)
        print("kinetic %.9f" % kinetic)
        print("potential %.9f" % potential)
        print("drift %.3e" % drift)
        print("momentum %.6f" % momentum(vel, mass))
        print("radii", " ".join("%.9f" % r for r in radii.tolist()))
    print("%d bodies, %d steps: %.3f s" % (args.bodies, args.steps, elapsed))
    if drift > 1e-3:
        raise SystemExit("energy is not conserved")


if __name__ == "__main__":
    main()
