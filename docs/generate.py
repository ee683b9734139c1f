"""Pages that are made from the code: the gallery of the zoo, pictures, and the help of every command."""

from pathlib import Path

from dpverify import zoo
from dpverify.auditing import Budget
from dpverify.reporting import figures
from dpverify.zoo.inspection import inspect

HEAD = """# A gallery of planted bugs

Most of these happened to somebody, as is said; the others are variants. Beside each stands its correct
twin, which an audit must not accuse. Left panel: what the outputs of the bug show against its claim;
nothing of an honest mechanism lies above the black line. Right panel: the wealth of the sequential test,
which refutes at the dashed line. A bug that a cheaper check decides (`replay`, `noise`, `accountant`) may
look innocent here: that is why the cheap checks come first. Repeat any of them with `dpverify zoo NAME`.
"""


def gallery(docs: Path, names: str = "all") -> None:
    """Write gallery.md and its pictures; `names` are those to draw, with commas, or all."""
    pictures = docs / "_pictures"
    pictures.mkdir(exist_ok=True)
    wanted = {bug.name for bug in zoo.bugs()} if names == "all" else set(names.split(",")) - {""}
    lines = [HEAD]
    for bug in zoo.bugs():
        lines += [
            f"## {bug.name.replace('_', ' ').capitalize()}",
            "",
            f"`{bug.name}`: {bug.what}.{_seen(bug.seen_in)}",
            "",
        ]
        if bug.name not in wanted:
            continue
        seen = inspect(bug)
        lines += [f"Claim: {bug.claim}. {seen.result.verdict.value}: {seen.result.because}", ""]
        if bug.why:
            lines += [f"It is not to be refuted: it {bug.why}.", ""]
        if seen.rung:
            lines += [f"Decided by `{seen.rung}`; the twin: {seen.twin.verdict.value}.", ""]
        picture = pictures / f"{bug.name}.svg"
        try:
            budget = Budget(runs=min(bug.runs, 20_000))
            figures.audit(bug.mechanism, bug.neighbours, bug.claim, budget, picture, bug.name)
        except (ValueError, NotImplementedError, TypeError, IndexError) as error:
            lines += [f"No picture: {error}", ""]
            continue
        lines += [f"![What the outputs of {bug.name} show against its claim](_pictures/{picture.name})", ""]
    (docs / "gallery.md").write_text("\n".join(lines))


def _seen(where: str) -> str:
    """Where a bug was seen, or of which one it is a variant."""
    if where.startswith("design variant"):
        return where.replace("design", " A", 1) + "."
    return f" Seen in {where}." if where else ""


PLOTS = """# Pictures of the papers

The pictures of the report, drawn here from the same formulas and runs. For your own settings (svg, png or
pdf):

- `dpverify run NAME --plot run.svg`: the bound against Monte Carlo, the schedule with its optimum, the
  influence over t;
- `dpverify audit ... --plot audit.svg`: the trade-off curve against the claim with its band, the wealth over
  the runs;
- `dpverify compare NAME NAME ... --plot compared.svg`: medians of several algorithms with exact intervals.
"""


def plots(docs: Path) -> None:
    """Write plots.md: the schedule with its optimum, the influence, the bound, a run, a profile, an audit."""
    from dpverify.algorithms import example
    from dpverify.reporting.runs import along, summary

    case = example("private-gd")
    runs = case.simulate(2_000, every_step=True)
    drawn = {
        "The schedule with its optimum": (
            figures.schedules(),
            "All schedules spend the same budget. The least bound for gradient descent is at the dynamic "
            "schedule of Eq (7), which at these settings is an exponential, and what Theorem 4.6 prints "
            "for momentum too; the least for momentum is at the schedule of its exact influence, which is "
            "another one.",
        ),
        "The influence of the noise over t": (
            figures.influence(),
            "How much the noise of a step weighs in the bound. A schedule is optimal if its noise falls "
            "where the influence rises: sigma_t^2 in proportion to one over the root of the influence.",
        ),
        "The bound over T, with the stated and the true minimisers": (
            figures.bound_over_T(),
            "Circles are the best whole T, crosses the T that the paper states: more steps than pay.",
        ),
        "The bound against Monte Carlo": (
            figures.algorithm(summary(case, runs, False) | along(case, runs)),
            "Above: the mean of the runs with its band of two standard errors (narrow here), its exact value "
            "at the last step, and the bound that is proved of that step. Below: the noise of each step over "
            "its sensitivity, with the schedule on the same budget that would make the exact mean of this "
            "very problem least, and the influence from which that follows: what a unit of variance in the "
            "noise of a step adds to the mean at the end.",
        ),
        "The privacy profile of exact losses against the claim": (
            figures.profile_curve(),
            "Bands of 95 % confidence for all eps at once. A zeroed record keeps the line that Theorem "
            "3.1 allows; a replaced one lies above it.",
        ),
        "An audit: trade-off curve and wealth over runs": (
            figures.half_the_noise(),
            "Left: the probabilities of events on the two data sets, with bands of 95 % confidence for "
            "all of them at once; points above the black line contradict the claim. Right: the wealth of "
            "the bets against the claim, which cannot grow on average if it is true; the dot is where it "
            "refutes.",
        ),
    }
    (docs / "_pictures").mkdir(exist_ok=True)
    lines = [PLOTS]
    for number, (title, (picture, words)) in enumerate(drawn.items()):
        (docs / "_pictures" / f"plot-{number}.svg").write_text(picture.svg)
        lines += [f"## {title}", "", f"![{picture.alt}](_pictures/plot-{number}.svg)", "", words, ""]
    (docs / "plots.md").write_text("\n".join(lines))


def commands(docs: Path) -> None:
    """Write reference/_commands.md: the help of every command, as the terminal shows it."""
    from typer.testing import CliRunner

    from dpverify.cli import application

    app = application()
    names = sorted(command.name or command.callback.__name__ for command in app.registered_commands)
    lines = []
    for name in ["", *names]:
        text = CliRunner().invoke(app, [*name.split(), "--help"], env={"COLUMNS": "100"}).output
        lines += [
            f"## dpverify {name}".rstrip(),
            "",
            "```text",
            text.strip().replace("Usage: root", "Usage: dpverify"),
            "```",
            "",
        ]
    (docs / "reference" / "_commands.md").write_text("\n".join(lines))
