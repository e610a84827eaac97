"""Chooses the ways of devices in the table of routes, on whatever device there is."""

from cuproxide._lib import routes

_ROUTES = dict(routes.ROUTES)


def take_ways(monkeypatch, beside, *works):
    """Gives works (all by default) the way of a device that runs beside the host, or of one that does not."""
    for work in works or _ROUTES:
        route = _ROUTES[work]
        chosen = route.beside if beside else route.host
        monkeypatch.setitem(routes.ROUTES, work, route._replace(host=chosen, beside=chosen))
