"""What functions that draw call, where matplotlib is not installed."""


class Axes:
    """What `plot` calls of matplotlib's axes."""

    def __init__(self):
        self.calls = []

    def __getattr__(self, name):
        return lambda *args, **kwds: self.calls.append((name, args))
