"""Exponential and trigonometric integrals."""

from __future__ import annotations

from accuracy.draws import counts, plane, positive, real
from accuracy.row import Table

integrals = Table("special", "exponential and trigonometric integrals")
TABLES = (integrals,)

PLANE = plane(largest=2)
integrals.real("exp1", lambda x: x.expint(1), positive(largest=2.8))
integrals.complex("exp1", lambda z: z.expint(1), PLANE)
integrals.real("expi", lambda x: x.ei(), real(largest=2.8))
integrals.complex("expi", lambda z: z.ei(), PLANE)
integrals.real("expn", lambda n, x: x.expint(n), counts(), positive(smallest=-30, largest=2.8))
integrals.real("sici", lambda x: (x.si(), x.ci()), positive(largest=20), outputs=("Si", "Ci"))
integrals.complex("sici", lambda z: (z.si(), z.ci()), PLANE, outputs=("Si", "Ci"))
integrals.real("shichi", lambda x: (x.shi(), x.chi()), positive(largest=2.8), outputs=("Shi", "Chi"))
integrals.complex("shichi", lambda z: (z.shi(), z.chi()), PLANE, outputs=("Shi", "Chi"))
