"""Elliptic integrals and functions."""

from __future__ import annotations

from accuracy.draws import UNIT, plane, positive, real
from accuracy.row import Table
from accuracy.settle import whole
from flint import acb, arb

elliptic = Table("special", "elliptic integrals and functions")
TABLES = (elliptic,)

BELOW_ONE = {
    key: (lambda source, one=one, other=other: source.choice((one, other))(source))
    for (key, one), other in zip(
        UNIT.items(), ({k: (lambda s, d=d: -d(s)) for k, d in positive(largest=6).items()}).values(), strict=True
    )
}
ANGLE = real(low=-1, high=0.6, largest=2, whole=6)
ABOVE = positive(smallest=-100, largest=30)
PLANE = plane(smallest=-30)


def real_part(function):  # type: ignore[no-untyped-def]
    return lambda *arguments: function(*map(acb, arguments)).real


def jacobi(u: arb, m: arb) -> tuple[arb, arb, arb, arb]:
    """By theta functions (DLMF 22.2); the amplitude by the number of half periods that u has passed."""
    quarter, other = acb(m).elliptic_k(), acb(1 - m).elliptic_k()
    nome = acb(0, 1) * other / quarter
    zero, here = acb(0).modular_theta(nome), acb(u / (2 * quarter.real)).modular_theta(nome)
    sine = (zero[2] / zero[1] * here[0] / here[3]).real
    cosine = (zero[3] / zero[1] * here[1] / here[3]).real
    delta = (zero[3] / zero[2] * here[2] / here[3]).real
    turns = ((u / quarter.real + 1) / 2).floor()
    sign = 1 if whole(turns) % 2 == 0 else -1
    return sine, cosine, delta, arb.atan2(sign * sine, sign * cosine) + turns * arb.pi()


elliptic.real("ellipk", real_part(lambda m: m.elliptic_k()), BELOW_ONE)
elliptic.real("ellipkm1", real_part(lambda p: (1 - p).elliptic_k()), positive(largest=6))
elliptic.real("ellipe", real_part(lambda m: m.elliptic_e()), BELOW_ONE)
elliptic.real("ellipkinc", real_part(acb.elliptic_f), ANGLE, BELOW_ONE)
elliptic.real("ellipeinc", real_part(acb.elliptic_e_inc), ANGLE, BELOW_ONE)
elliptic.real("ellipj", jacobi, ANGLE, UNIT, outputs=("sn", "cn", "dn", "ph"))
elliptic.real("elliprc", real_part(acb.elliptic_rc), ABOVE, ABOVE)
elliptic.real("elliprd", real_part(acb.elliptic_rd), ABOVE, ABOVE, ABOVE)
elliptic.real("elliprf", real_part(acb.elliptic_rf), ABOVE, ABOVE, ABOVE)
elliptic.real("elliprg", real_part(acb.elliptic_rg), ABOVE, ABOVE, ABOVE)
elliptic.real("elliprj", real_part(acb.elliptic_rj), ABOVE, ABOVE, ABOVE, ABOVE)


def right(kind):  # type: ignore[no-untyped-def]
    """Right of the imaginary axis, where all roots are principal."""
    return {
        key: (lambda source, draw=draw: complex(abs(draw(source).real), draw(source).imag))
        for key, draw in kind.items()
    }


HALF_PLANE = right(PLANE)
elliptic.complex("elliprc", acb.elliptic_rc, HALF_PLANE, HALF_PLANE)
elliptic.complex("elliprd", acb.elliptic_rd, HALF_PLANE, HALF_PLANE, HALF_PLANE)
elliptic.complex("elliprf", acb.elliptic_rf, HALF_PLANE, HALF_PLANE, HALF_PLANE)
elliptic.complex("elliprg", acb.elliptic_rg, HALF_PLANE, HALF_PLANE, HALF_PLANE)
elliptic.complex("elliprj", acb.elliptic_rj, HALF_PLANE, HALF_PLANE, HALF_PLANE, HALF_PLANE)
