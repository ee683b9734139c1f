"""Findings by their cause: each is a script that shows it with the library alone, and says what it shows.

The text at the head of a script has a title and these fields; the script prints the violation and ends in 0,
or in 1 where the library that is installed has mended it.

    library    name and version            met by    what a user does to meet it
    severity   one of SEVERITIES           claim     what is claimed, and where
    shown      charged 1, moved 64         cause     in the source, as far as known
    remedy     a suggestion                upstream  the public issue, or that none was found
    targets    those that show it too      mended    the version that mends it, once there is one
"""

from __future__ import annotations

import ast
import re
from dataclasses import dataclass
from fnmatch import fnmatchcase
from pathlib import Path

SEVERITIES = (
    "breaks for an ordinary user",
    "breaks for a documented option",
    "corner case",
    "documented by the library",
    "accuracy only",
)
FIELDS = ("library", "met by", "severity", "claim", "shown", "cause", "remedy", "upstream", "targets")
SCRIPTS = "scripts"


@dataclass(frozen=True)
class Cause:
    """One finding: what its script says of itself."""

    name: str
    title: str
    fields: dict[str, str]

    def __getitem__(self, field: str) -> str:
        return self.fields.get(field, "")

    @property
    def package(self) -> str:
        """The name of the library, as pip knows it."""
        return self["library"].split()[0]

    @property
    def version(self) -> str:
        return self["library"].split()[1]

    def about(self, target: str) -> bool:
        """Whether the target of that name shows the same."""
        return any(fnmatchcase(target, pattern) for pattern in re.split(r",\s*", self["targets"]))


def cause(path: Path) -> Cause:
    """The finding that a script shows; an error that names the file if a field is missing or unknown."""
    from dpverify.reporting.document import ReportError

    title, _, rest = (ast.get_docstring(ast.parse(path.read_text(encoding="utf-8"))) or "").partition("\n\n")
    fields: dict[str, str] = {}
    for line in rest.splitlines():
        name, colon, text = line.partition(": ")
        if line.startswith(" ") and fields:
            fields[next(reversed(fields))] += f" {line.strip()}"
        elif colon and (name in FIELDS or name == "mended"):
            fields[name] = text.strip()
        else:
            raise ReportError(f"Expected a field ({', '.join(FIELDS)}) in {path}, got {line!r}.")
    missing = [name for name in FIELDS if not fields.get(name)]
    if missing or not title:
        raise ReportError(f"Expected a title and {', '.join(missing)} in {path}.")
    if fields["severity"] not in SEVERITIES:
        raise ReportError(
            f"Expected severity={fields['severity']!r} in {path} among {', '.join(SEVERITIES)}."
        )
    return Cause(path.stem, title, fields)


def causes(folder: str | Path) -> list[Cause]:
    """The findings of a folder, the gravest first.

    >>> causes("no-such-folder")
    []
    """
    every = [cause(path) for path in sorted((Path(folder) / SCRIPTS).glob("*.py"))]
    return sorted(every, key=lambda one: (SEVERITIES.index(one["severity"]), one.name))
