"""The differences that are known: rows of `known.toml`, each with a reason."""

import fnmatch
import re
import tomllib
from dataclasses import dataclass
from pathlib import Path

import scipy

FILE = Path(__file__).with_name("known.toml")


@dataclass(frozen=True)
class Known:
    """Differences of these kinds in these names whose text the pattern finds; `example` is a draw that shows one."""

    names: tuple[str, ...]
    kinds: tuple[str, ...]
    reason: str
    text: str = ""
    example: tuple[str, int] | None = None
    # The releases of SciPy that the example was drawn with; results differ between releases.
    scipy: str = ""

    def explains(self, name: str, kind: str, detail: str) -> bool:
        return (
            (not self.kinds or kind in self.kinds)
            and any(fnmatch.fnmatchcase(name, pattern) for pattern in self.names)
            and re.search(self.text, detail) is not None
        )

    def applies_here(self) -> bool:
        """Whether the example was drawn with the SciPy that is installed."""
        return scipy.__version__.startswith(self.scipy)


def read_known() -> list[Known]:
    found = []
    for entry in tomllib.loads(FILE.read_text()).get("known", []):
        entry["names"], entry["kinds"] = tuple(entry["names"]), tuple(entry.get("kinds", ()))
        if "example" in entry:
            entry["example"] = (entry["example"][0], int(entry["example"][1]))
        found.append(Known(**entry))
    return found


def unexplained(known, name, differences):
    """The differences of a draw that no row explains."""
    return [each for each in differences if not any(entry.explains(name, *each) for entry in known)]
