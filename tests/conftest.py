"""Which tests go to a worker together, and which are begun first.

A file goes to one worker, so that what its tests share is made once; the check of all claims, the longest
piece by far, goes paper by paper. The dearest come first: what is begun last is short, and no worker waits
long for the other.
"""

import re
from collections import Counter

import pytest

DEAREST = (  # by seconds of processor time, measured once; a wrong place costs minutes, not verdicts
    "tests/symbolic/test_papers.py",
    "tests/exam/",
    "tests/docs/",
    "tests/properties/test_laws.py",
    "tests/zoo/",
    "tests/test_types.py",
    "tests/adapters/test_accountants.py",
    "tests/calibration/",
    "tests/cli/test_exits.py",
    "tests/plugin/",
    "tests/proving/test_rules.py",
    "tests/language/test_textbook.py",
    "tests/test_parallel.py",
)


def group(nodeid):
    """The tests that go together: those of a file, or those of a file about one paper.

    >>> group("tests/symbolic/test_papers.py::test_verdicts[dp-accel/eq-4.3]")
    'tests/symbolic/test_papers.py dp-accel'
    >>> group("tests/test_claims.py::test_ids[dp-accel/eq-4.3]")
    'tests/test_claims.py'
    """
    file = nodeid.partition("::")[0]
    paper = re.search(r"\[([a-z0-9-]+)", nodeid)
    return f"{file} {paper[1]}" if paper and file == DEAREST[0] else file


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(items):
    groups = [group(item.nodeid) for item in items]
    sizes = Counter(groups)
    rank = {
        name: (next((i for i, dear in enumerate(DEAREST) if name.startswith(dear)), len(DEAREST)), -size)
        for name, size in sizes.items()
    }
    order = sorted(range(len(items)), key=lambda i: (*rank[groups[i]], groups[i]))
    items[:] = [items[i] for i in order]


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config, log):
    if config.option.dist != "loadfile":
        return None
    from xdist.scheduler import LoadFileScheduling

    class ByGroup(LoadFileScheduling):
        def _split_scope(self, nodeid):
            return group(nodeid)

    config.option.loadscopereorder = False  # the order is that of `pytest_collection_modifyitems`
    return ByGroup(config, log)
