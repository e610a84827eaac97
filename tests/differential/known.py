"""The differences that are known: rows of `known.toml`, each with a reason."""

import fnmatch
import math
import re
import tomllib
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

import cuproxide as cp
import scipy
from numpy.lib import NumpyVersion

FILE = Path(__file__).with_name("known.toml")


class Drawn(NamedTuple):
    """What a row of the known differences looks at beside the difference: the name, the draw's kind, its arguments.

    `steps` are the texts of what is done with the object that the arguments make, which `given` ends with.
    """

    name: str
    kind: str
    given: str
    steps: tuple[str, ...] = ()

    def beside(self, detail: str) -> str:
        """The arguments, of several steps with the one alone whose result differs."""
        found = re.match(r"\[(\d+)\] ", detail)
        if not found or not self.steps:
            return self.given
        made = self.given.removesuffix(", ".join(self.steps))
        return made + self.steps[int(found[1])]


@dataclass(frozen=True)
class Known:
    """Differences of these kinds in these names whose text the pattern finds; `example` is a draw that shows one.

    `draws` are the kinds of draws that may show it, all if left out; `given` is an expression that the text of the
    arguments must contain (`draws.described`), for differences that follow from what is passed. Of an object's steps it
    sees the one that differs alone, or all of them where `earlier` ones change the object.
    """

    names: tuple[str, ...]
    kinds: tuple[str, ...]
    reason: str
    text: str = ""
    draws: tuple[str, ...] = ()
    given: str = ""
    earlier: bool = False
    example: tuple[str, int] | None = None
    # The releases of SciPy that the example was drawn with; results differ between releases.
    scipy: str = ""
    # The release of SciPy from which on there is no such difference.
    before: str = ""
    # The largest relative difference of values that it excuses.
    within: float = math.inf
    # The backends that show it, all if left out.
    backends: tuple[str, ...] = ()

    def explains(self, drawn: "Drawn", kind: str, detail: str) -> bool:
        return (
            (not self.before or NumpyVersion(scipy.__version__) < f"{self.before}.0")
            and (not self.kinds or kind in self.kinds)
            and (not self.draws or drawn.kind in self.draws)
            and any(fnmatch.fnmatchcase(drawn.name, pattern) for pattern in self.names)
            and re.search(self.text, detail) is not None
            and re.search(self.given, drawn.given if self.earlier else drawn.beside(detail)) is not None
            and (not self.backends or cp.Device().backend in self.backends)
            and (self.within == math.inf or apart(detail) <= self.within)
        )

    def applies_here(self) -> bool:
        """Whether the example was drawn with the SciPy that is installed."""
        return scipy.__version__.startswith(self.scipy)


def apart(detail: str) -> float:
    """The relative difference that a report names; none is infinite."""
    found = re.search(r"apart by (\S+)$", detail)
    return float(found[1]) if found else math.inf


def read_known() -> list[Known]:
    found = []
    for entry in tomllib.loads(FILE.read_text()).get("known", []):
        for field in ("names", "kinds", "draws", "backends"):
            entry[field] = tuple(entry.get(field, ()))
        if "example" in entry:
            entry["example"] = (entry["example"][0], int(entry["example"][1]))
        found.append(Known(**entry))
    return found


def unexplained(known, drawn, differences):
    """The differences of a draw that no row explains."""
    return [each for each in differences if not any(entry.explains(drawn, *each) for entry in known)]
