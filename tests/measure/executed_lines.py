"""Which statements the tests ran: a plugin that marks each one of ours as it is loaded.

    PYTHONPATH=tests/measure pytest -p executed_lines ...

Statements of `dpverify`, `symbolic` and `properties` that run one after the other, if they run at all, get a
mark before the last of them when the module is compiled: `__executed__[7] = 3` says that statement 7 and the
two before it were reached. Nothing is traced, so that other people's code runs at its own speed, and closures
can still be sent to workers. At the end the share of statements that ran is printed, and the modules of which
less than half did are named. Workers of pytest-xdist are counted; other processes are not.
"""

import ast
import json
import sys
from collections.abc import Iterator
from importlib.machinery import SourceFileLoader
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
OURS = ("dpverify", "symbolic", "properties")
ELSEWHERE = "dpverify/adapters/"  # tested where the libraries are installed
BESIDE = "symbolic/"  # claims are decided in processes beside the workers, which bear no marks
LONGEST = 255  # statements that one mark, a byte, can stand for
LEAST = 0.5  # of its statements, or a module is named


class Marks(bytearray):
    """One byte for each statement of a module: how many, up to this one, are known to have run by its mark. A
    copy that is sent to another process begins anew, so that
    what is sent does not depend on what ran before.
    """

    path: str

    def __reduce_ex__(self, protocol):
        return marks_for, (self.path, len(self))


marks: dict[str, Marks] = {}


def statements(tree: ast.Module) -> list[ast.stmt]:
    """The statements that do something when they are reached.

    >>> [type(one).__name__ for one in statements(ast.parse("'''doc'''\\nimport a\\nif a:\\n    a.b()"))]
    ['Import', 'If', 'Expr']
    """
    return [node for block in _blocks(tree.body) for node in block if _is_marked(node)]


def _blocks(block: list[ast.stmt]) -> Iterator[list[ast.stmt]]:
    """This list of statements and every one inside it, but those that are for type checkers alone.

    Expressions hold no statements, and are most of a module: they are not walked through.
    """
    yield block
    for node in block:
        for_types = isinstance(node, ast.If) and getattr(node.test, "id", "") == "TYPE_CHECKING"
        inner = [] if for_types else [getattr(node, "body", [])]
        inner += [getattr(node, "orelse", []), getattr(node, "finalbody", [])]
        inner += [part.body for name in ("handlers", "cases") for part in getattr(node, name, [])]
        for one in inner:
            if one:
                yield from _blocks(one)


def _is_marked(node: ast.stmt) -> bool:
    constant = isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
    future = isinstance(node, ast.ImportFrom) and node.module == "__future__"
    return not constant and not future


def marked(source: str, path: str) -> ast.Module:
    """The module with its marks.

    >>> print(ast.unparse(marked("x = 1\\ny = 2", "dpverify/x.py")))
    import executed_lines
    __executed__ = executed_lines.marks_for('dpverify/x.py', 2)
    x = 1
    __executed__[1] = 2
    y = 2
    """
    tree = ast.parse(source)
    many = 0
    for block in list(_blocks(tree.body)):
        with_marks: list[ast.stmt] = []
        last = max((place for place, node in enumerate(block) if _is_marked(node)), default=-1)
        run = 0  # statements since the last mark
        for place, node in enumerate(block):
            if _is_marked(node):
                many += 1
                run += 1
                if _ends_run(node) or place == last or run == LONGEST:
                    with_marks.append(_mark(many - 1, run, node))
                    run = 0
            with_marks.append(node)
        block[:] = with_marks
    if not many:
        return tree
    begin = next(place for place, node in enumerate(tree.body) if _is_marked(node))
    opening = ast.parse(
        f"import executed_lines\n__executed__ = executed_lines.marks_for({path!r}, {many})"
    ).body
    for new in (one for statement in opening for one in ast.walk(statement)):
        ast.copy_location(new, tree.body[begin])
    tree.body[begin:begin] = opening
    return tree


def _ends_run(node: ast.stmt) -> bool:
    """Whether what stands behind a statement may not be reached although it is: it holds others, which may
    leave the block.
    """
    return any(hasattr(node, name) for name in ("body", "cases")) and not isinstance(
        node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef
    )


def _mark(number: int, run: int, node: ast.stmt) -> ast.stmt:
    """`__executed__[number] = run`, at the place of a statement."""
    place = {"lineno": node.lineno, "col_offset": node.col_offset}
    marks = ast.Name("__executed__", ast.Load(), **place)
    slot = ast.Subscript(marks, ast.Constant(number, **place), ast.Store(), **place)
    return ast.Assign([slot], ast.Constant(run, **place), **place)


def marks_for(path: str, many: int) -> Marks:
    """The marks of a module; a module that is loaded twice has one set."""
    if path not in marks:
        marks[path] = Marks(many)
        marks[path].path = path
    return marks[path]


def _short(path: str) -> str | None:
    """The path below the root, of a file that is ours."""
    full = Path(path)
    if not full.is_relative_to(ROOT) or full.relative_to(ROOT).parts[0] not in OURS:
        return None
    return full.relative_to(ROOT).as_posix()


class MarkingLoader(SourceFileLoader):
    """Loads a module of ours with its marks."""

    def get_code(self, fullname):
        path = self.get_filename(fullname)
        return compile(marked(Path(path).read_text("utf-8"), _short(path)), path, "exec", dont_inherit=True)


class Finder:
    """Finds modules where they are found anyway, and has those of ours loaded with marks.

    pytest's own hook, which would load them instead, is passed over.
    """

    def find_spec(self, name, path=None, target=None):
        """The place of the module, if it is ours."""
        if name.partition(".")[0] not in OURS:
            return None
        others = [f for f in sys.meta_path if f is not self and not type(f).__module__.startswith("_pytest.")]
        for finder in others:
            spec = finder.find_spec(name, path, target)
            if spec is not None and spec.origin and _short(spec.origin):
                spec.loader = MarkingLoader(spec.name, spec.origin)
                return spec
        return None


def add(ran: dict[str, str]) -> None:
    """Take what another process ran into account: the bytes of its marks."""
    for path, digits in ran.items():
        theirs = bytes.fromhex(digits)
        ours = marks_for(path, len(theirs))
        ours[:] = map(max, ours, theirs)


def in_words(ran: dict[str, tuple[int, int]]) -> list[str]:
    """The share of statements that ran, and the modules of which too few did.

    >>> ran = {"dpverify/a.py": (9, 10), "dpverify/b.py": (1, 10), "symbolic/c.py": (1, 10)}
    >>> in_words(ran | {"dpverify/adapters/d.py": (0, 10)})[0]
    'Statements that the tests ran: 50.0 % of 20, claims and adapters of other libraries left out'
    >>> in_words(ran | {"dpverify/adapters/d.py": (0, 10)})[1]
    'Modules less than half tested: dpverify/b.py (10 %)'
    """
    here = {path: pair for path, pair in ran.items() if not path.startswith((ELSEWHERE, BESIDE))}
    low = {path: n / m for path, (n, m) in sorted(ran.items()) if n < LEAST * m}
    all_of_them = sum(m for _, m in here.values())
    share = sum(n for n, _ in here.values()) / max(all_of_them, 1)

    def names(paths) -> str:
        return ", ".join(f"{path} ({low[path]:.0%})".replace("%", " %") for path in paths) or "none"

    return [
        f"Statements that the tests ran: {share:.1%}".replace("%", " %")
        + f" of {all_of_them}, claims and adapters of other libraries left out",
        f"Modules less than half tested: {names(p for p in low if p in here)}",
        f"Adapters less than half tested here: {names(p for p in low if p.startswith(ELSEWHERE))}",
    ]


def counted() -> dict[str, tuple[int, int]]:
    """How many statements of each module ran, of how many; a module that was never loaded ran none."""
    ran = {}
    for part in OURS:
        for file in sorted((ROOT / part).rglob("*.py")):
            path = file.relative_to(ROOT).as_posix()
            loaded = marks.get(path)
            many = len(statements(ast.parse(file.read_text("utf-8"))) if loaded is None else loaded)
            if many:
                ran[path] = (sum(loaded or b""), many)
    return ran


def pytest_addoption():
    # The first thing that pytest asks of a plugin, before it loads the plugin that is ours and counts too.
    sys.meta_path.insert(0, Finder())


def pytest_configure(config):
    if config.pluginmanager.hasplugin("xdist"):
        config.pluginmanager.register(Controller())


def pytest_sessionfinish(session):
    if hasattr(session.config, "workeroutput"):
        session.config.workeroutput["executed"] = json.dumps({path: m.hex() for path, m in marks.items()})


class Controller:
    """What only the process that collects the results does."""

    def pytest_testnodedown(self, node, error):
        """Take what this worker ran into account."""
        add(json.loads(getattr(node, "workeroutput", {}).get("executed", "{}")))


@pytest.hookimpl(trylast=True)
def pytest_terminal_summary(terminalreporter, config):
    terminalreporter.section("executed statements")
    for line in in_words(counted()):
        terminalreporter.write_line(line)
