"""Findings by their cause: each is a script that shows it with the library alone, and says what it shows.

The text at the head of a script has a title and these fields; the script prints the violation and ends in 0,
or in 1 where the library that is installed has mended it. The page of a finding is made of both.

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

from dpverify.reporting.plain import capital

MEANING = {
    "breaks for an ordinary user": "at the defaults, or in the use that the documentation describes",
    "breaks for a documented option": "with a setting that the documentation offers",
    "corner case": "with settings or data that few users have",
    "documented by the library": "the library says so itself",
    "accuracy only": "the guarantee holds; the result is not what is promised",
}
SEVERITIES = tuple(MEANING)  # the gravest first
FIELDS = ("library", "met by", "severity", "claim", "shown", "cause", "remedy", "upstream", "targets")
SCRIPTS, PAGES = "scripts", "pages"
HEADINGS = {
    "met by": "What a user does to meet it",
    "claim": "What is claimed, and where",
    "shown": "What was shown",
    "cause": "Cause in the source, as far as known",
    "remedy": "Suggested remedy",
    "upstream": "Upstream",
}


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
        return any(fnmatchcase(target, pattern) for pattern in self.patterns)

    @property
    def install(self) -> str:
        """What to install for it, as its targets say."""
        from dpverify.adapters import targets

        return next((one.install for one in targets() if self.about(one.name)), "") or "pip install ."

    @property
    def patterns(self) -> list[str]:
        """The names of the targets that show the same."""
        return re.split(r",\s*", self["targets"])


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


def page(one: Cause, script: str) -> str:
    """The page of a finding in Markdown: all its fields, how to run it again, and its script without the
    text at the head.
    """
    body = ast.parse(script).body
    code = "".join(script.splitlines(keepends=True)[body[0].end_lineno :]).strip()
    lines = [f"# {one.title.rstrip('.')}", "", f"{one['library']}. **{one['severity'].capitalize()}**: "]
    lines[-1] += f"{MEANING[one['severity']]}." + (f" Mended in {one['mended']}." if one["mended"] else "")
    for field, heading in HEADINGS.items():
        lines += ["", f"## {heading}", "", f"{capital(one[field])}."]
    lines += [
        "",
        "## How to rerun",
        "",
        f"Installed in a clone ({one.install}), it ends in 0 while the finding",
    ]
    lines[-1] += f" stands. The second command puts it through the laws ({one['targets']})."
    lines += ["", "```console", f"$ python findings/scripts/{one.name}.py"]
    patterns = " ".join(f"'{pattern}'" for pattern in one.patterns)
    lines += [f"$ dpverify targets {patterns} --test", "```", "", "```python", code, "```"]
    return "\n".join(lines) + "\n"
