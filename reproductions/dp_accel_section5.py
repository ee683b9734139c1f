"""Section 5 of dp-accel again: six private algorithms, m in {1e3, 1e5}, T in {100, 200, 500, 1000}, c in
{0.1, 1}, 20 runs each.

python reproductions/dp_accel_section5.py FOLDER           figure3.png (m = n) and figure4.png (m = 1000), the
table on stdout; a few minutes
python reproductions/dp_accel_section5.py FOLDER --quick   T in {100, 200}, 10 runs, fewer distinct records;
seconds
"""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.progress import Progress

from dpverify.symbolic.dp_accel import runs as section5

COLOURS = {100: "tab:blue", 200: "tab:green", 500: "tab:orange", 1000: "tab:red"}


def paths(
    m: int, lengths: list[int], runs: int, distinct: int, seed: int, progress: Progress
) -> dict[tuple[str, int, float], Any]:
    """The mean of F(x_t) - F* along every algorithm, for every T and c."""
    keys = [(name, T, c) for name in section5.NAMES for T in lengths for c in (0.1, 1.0)]
    task = progress.add_task(f"m = {m}", total=len(keys))
    found = {}
    for k, (name, T, c) in enumerate(keys):
        found[name, T, c] = section5.traces(name, T, c, m, runs=runs, seed=seed + k, distinct=distinct).path[
            "excess"
        ]
        progress.update(task, advance=1, description=f"m = {m}: {name}, T = {T}, c = {c}")
    return found


def draw(found: dict[tuple[str, int, float], Any], m: int, file: Path) -> None:
    """One panel per algorithm, c = 0.1 above c = 1, one colour per T; where T was re-adjusted the line ends
    at T'.
    """
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    figure, panels = plt.subplots(2, len(section5.NAMES), figsize=(18, 6), sharey=True)
    for (name, T, c), path in sorted(found.items(), key=lambda item: -item[0][1]):
        panel = panels[(0.1, 1.0).index(c), section5.NAMES.index(name)]
        panel.semilogy(
            path,
            color=COLOURS[T],
            label=f"T = {T}" if len(path) == T + 1 else f"T = {T}, T' = {len(path) - 1}",
        )
        panel.set_title(f"{name}, c = {c}", fontsize=9)
        panel.legend(fontsize=7)
        panel.set_xlabel("t")
    panels[0, 0].set_ylabel("mean of F(x_t) - F*")
    panels[1, 0].set_ylabel("mean of F(x_t) - F*")
    figure.suptitle(f"n = {section5.RECORDS}, m = {m}, eps = {section5.EPSILON}")
    figure.tight_layout()
    figure.savefig(file, dpi=110)
    plt.close(figure)


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("folder", type=Path, help="where the figures go")
    parser.add_argument("--quick", action="store_true", help="T in {100, 200}, 10 runs, 250 distinct records")
    parser.add_argument("--runs", type=int, default=20)
    parser.add_argument(
        "--distinct",
        type=int,
        default=2000,
        help="distinct records among the 1e5 (the others are copies); 100000 for none",
    )
    parser.add_argument("--seed", type=int, default=0)
    chosen = parser.parse_args()
    lengths = [100, 200] if chosen.quick else [100, 200, 500, 1000]
    runs, distinct = (10, 250) if chosen.quick else (chosen.runs, chosen.distinct)
    chosen.folder.mkdir(parents=True, exist_ok=True)
    for m, name in ((section5.RECORDS, "figure3"), (1_000, "figure4")):
        with Progress(console=Console(stderr=True), transient=True) as progress:
            found = paths(m, lengths, runs, distinct, chosen.seed, progress)
        draw(found, m, chosen.folder / f"{name}.png")
        print(f"{name}: m = {m}, mean of F - F* at the last step, {runs} runs")
        print(f"{'':14}" + "".join(f"{f'c={c:g} T={T}':>14}" for c in (0.1, 1.0) for T in lengths))
        for algorithm in section5.NAMES:
            print(
                f"{algorithm:14}"
                + "".join(f"{found[algorithm, T, c][-1]:14.4g}" for c in (0.1, 1.0) for T in lengths)
            )


if __name__ == "__main__":
    main()
