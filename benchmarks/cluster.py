"""How fast pieces go through a Dask cluster of this machine, and, by a queue model, through a larger one.

    python benchmarks/cluster.py

A piece that sleeps for d seconds needs no processor, so more workers than cores can be measured. Empty pieces
give c, the time that the client and the scheduler, of which there is one each, spend on a piece. In the model
a piece passes that one server (c) and then one of n workers (d + w, w the overhead seen at one worker); twice
as many pieces as workers are under way, as joblib dispatches them. Growth beyond this machine is reckoned,
not measured.
"""

from __future__ import annotations

import heapq
import time

from dpverify.parallel import each, on


def pieces_a_second(workers: int, seconds: float, count: int) -> float:
    """Measured on a cluster of this machine that is warm."""
    with on(f"local:{workers}"):
        list(each(time.sleep, [0.0] * 4 * workers))
        began = time.perf_counter()
        list(each(time.sleep, [seconds] * count))
        return count / (time.perf_counter() - began)


def modelled(workers: int, seconds: float, server: float, overhead: float, count: int = 4000) -> float:
    """Pieces a second in the queue model.

    >>> round(modelled(1, 1.0, 0.0, 0.0)), round(modelled(10, 1.0, 0.5, 0.0), 1)
    (1, 2.0)
    """
    free = 0.0  # when the one server is next free
    ready = [0.0] * (2 * workers)  # when each piece under way asks for the server
    idle = [0.0] * workers  # when each worker is next free
    end = 0.0
    for _ in range(count):
        free = max(free, heapq.heappop(ready)) + server
        end = max(heapq.heappop(idle), free) + seconds + overhead
        heapq.heappush(idle, end)
        heapq.heappush(ready, end)
    return count / end


def main() -> None:
    rows = {
        (workers, seconds): pieces_a_second(workers, seconds, 40 if seconds else 200)
        for workers in (1, 2, 4)
        for seconds in (0.0, 0.1, 0.5)
    }
    server = 1 / max(rate for (_, seconds), rate in rows.items() if seconds == 0)
    overhead = max(0.0, 1 / rows[1, 0.5] - 0.5 - server)
    print(f"client and scheduler: {1e3 * server:.1f} ms a piece; a worker: {1e3 * overhead:.1f} ms more")
    print("| workers | empty pieces a second | of 0.1 s | of 0.5 s |\n|---|---|---|---|")
    for workers in (1, 2, 4):
        print(f"| {workers} | " + " | ".join(f"{rows[workers, s]:.1f}" for s in (0.0, 0.1, 0.5)) + " |")
    print(
        "\nBy the queue model, not measured:\n\n| workers | of 0.1 s | of 0.5 s | of 5 s |\n|---|---|---|---|"
    )
    for workers in (1, 4, 16, 32, 100):
        rates = [modelled(workers, s, server, overhead) for s in (0.1, 0.5, 5.0)]
        print(f"| {workers} | " + " | ".join(f"{rate:.1f}" for rate in rates) + " |")


if __name__ == "__main__":
    main()
