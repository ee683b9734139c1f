"""Print the share of lines that the tests ran, and the modules of which they ran less than half.

    python tests/untested.py coverage.json

The file is what `coverage json` wrote. Modules that need a library of other people's are tested where that
library is installed, and are named apart.
"""

import json
import sys
from pathlib import Path

ELSEWHERE = "dpverify/adapters/"


def untested(report: dict, least: float = 50.0) -> tuple[list[str], list[str]]:
    """The modules of which less than `least` percent of the lines ran: here, and in their own environments.

    >>> untested({"files": {"dpverify/a.py": {"summary": {"percent_covered": 10.0}}}})
    (['dpverify/a.py (10 %)'], [])
    """
    low = {
        name: file["summary"]["percent_covered"]
        for name, file in sorted(report["files"].items())
        if file["summary"]["percent_covered"] < least
    }
    lines = {name: f"{name} ({share:.0f} %)" for name, share in low.items()}
    here = [line for name, line in lines.items() if not name.startswith(ELSEWHERE)]
    return here, [line for name, line in lines.items() if name.startswith(ELSEWHERE)]


def main(path: str) -> None:
    """Print it all."""
    report = json.loads(Path(path).read_text())
    here, elsewhere = untested(report)
    print(f"Lines that the tests ran: {report['totals']['percent_covered']:.1f} %")
    print("Modules less than half tested: " + (", ".join(here) or "none"))
    print("Modules tested in environments of their own: " + (", ".join(elsewhere) or "none"))


if __name__ == "__main__":
    main(sys.argv[1])
