"""Linear algebra on one thread: several add up in another order, which makes other bits."""

from __future__ import annotations

import sys
from functools import lru_cache
from typing import Any


def one_thread() -> Any:
    """Keeps the libraries behind NumPy and scikit-learn to one thread: the same bytes wherever it runs.

    >>> import numpy as np
    >>> with one_thread():
    ...     total = np.ones((2, 2)) @ np.ones(2)
    """
    return _libraries("sklearn" in sys.modules).limit(limits=1)


@lru_cache(maxsize=2)
def _libraries(with_sklearn: bool) -> Any:
    """The libraries that are loaded; to look for them takes as long as many a block."""
    from threadpoolctl import ThreadpoolController

    return ThreadpoolController()
