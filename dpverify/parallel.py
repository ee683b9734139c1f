"""Many independent pieces of work, done here, by processes of this machine, or by a Dask cluster: the same
results in the same order, wherever they were made.

    for piece, result in each(task, pieces, workers=4): ...
    with on("tcp://scheduler:8786"): ...        every `each` inside goes to that cluster, through joblib

A piece carries its own seed, so nothing depends on who does it. A worker that dies costs its pieces, which
are done again elsewhere; one that raises, or that kills every worker it is given to, is named, and the rest
goes on. Leaving the loop early cancels what is outstanding.
"""

from __future__ import annotations

import asyncio
import hashlib
import logging
import pickle
import time
import traceback
import warnings
from collections.abc import Callable, Generator, Iterable, Iterator
from contextlib import contextmanager
from functools import partial
from itertools import islice
from typing import TYPE_CHECKING, Any, TypeVar

from dpverify import workers as killable
from dpverify.workers import WorkersDied

if TYPE_CHECKING:
    from dpverify.memory import Memory

PATIENCE = "10s"  # with a scheduler that does not answer
WORKER_SECONDS = 60  # that workers may take to be there, or to be there again after one died
Piece = TypeVar("Piece")
Outcome = tuple[int, Any, Exception | None]  # the number of the piece, its result, or why there is none


class ClusterError(ValueError):
    """The cluster cannot be used: it is not there, went away, or differs from this machine."""


class PiecesFailed(RuntimeError):
    """Some pieces failed wherever they were tried; all others are done. `pieces` names them."""

    def __init__(self, failures: dict[str, Exception]) -> None:
        self.pieces = list(failures)
        first, error = next(iter(failures.items()))
        more = f" Also failed: {', '.join(self.pieces[1:])}." if len(failures) > 1 else ""
        super().__init__(f"{first} failed: {type(error).__name__}: {error}{more}")


_active: list[Any] = []  # the backends of the clusters in use, the innermost last


def workers_in_use(workers: int = 1) -> int:
    """How many pieces can be done at once: by the cluster in use, else by that many processes.

    >>> workers_in_use(3)
    3
    """
    return max(1, len(_active[-1].client.ncores())) if _active else workers


def each(
    task: Callable[..., Any],
    pieces: Iterable[Piece],
    *,
    shared: tuple[Any, ...] = (),
    workers: int = 1,
    ordered: bool = True,
    ahead: int | None = None,
    instead: Callable[[Piece, Exception], Any] | None = None,
    seconds: float | None = None,
    watch: Callable[[dict[Piece, float]], None] | None = None,
    here: float = 0.0,
    ready: Callable[[], Any] | None = None,
) -> Generator[tuple[Piece, Any], None, None]:
    """Every piece with `task(*shared, piece)`: in their order, or, if not `ordered`, as they are finished.

    What is `shared` travels once to each worker. The first seconds of work (`here`) are done in this process:
    little work is sooner done than sent. At most `ahead` pieces per worker are started before the
    results of earlier ones are taken. A piece that fails is replaced by `instead(piece, error)`; without it
    the rest is done first, and then `PiecesFailed` names those that failed.

    With a limit of `seconds`, each piece is done in a process that is killed when it takes longer, C code and
    all: one of this machine, where results come as they are finished and `watch` is told now and then which
    pieces are being done and for how long, or one beside each worker of the cluster. Those of
    this machine have what `ready` loads before their first piece.

    >>> list(each(pow, [1, 2, 3], shared=(10,)))
    [(1, 10), (2, 100), (3, 1000)]
    >>> list(each(int, ["7", "seven"], instead=lambda piece, error: None))
    [('7', 7), ('seven', None)]
    """
    failures: dict[str, Exception] = {}
    todo = list(pieces)
    outcomes = (
        _limited(task, shared, todo, workers, seconds, watch, ready)
        if seconds is not None and not _active
        else _outcomes(task, shared, todo, workers, ordered, ahead, here, seconds)
    )
    try:
        for number, result, error in outcomes:
            if error is None:
                yield todo[number], result
            elif instead is not None:
                yield todo[number], instead(todo[number], error)
            else:
                failures[str(todo[number])] = error
    finally:
        outcomes.close()
    if failures:
        raise PiecesFailed(failures) from next(iter(failures.values()))


def stop(piece: Any, error: Exception) -> Any:
    """For `instead`: the first piece that fails ends the loop with its own error.

    >>> list(each(int, ["7", "seven"], instead=stop))
    Traceback (most recent call last):
    ValueError: invalid literal for int() with base 10: 'seven'
    """
    raise error


def _outcomes(
    task: Callable[..., Any],
    shared: tuple[Any, ...],
    todo: list[Any],
    workers: int,
    ordered: bool,
    ahead: int | None,
    here: float,
    seconds: float | None,
) -> Generator[Outcome, None, None]:
    count, began = workers_in_use(workers), time.perf_counter()
    alone = not _active and (count == 1 or len(todo) == 1)
    numbered = iter(enumerate(todo))
    while alone or time.perf_counter() - began < here:
        if (item := next(numbered, None)) is None:
            return
        yield _attempt(task, shared, *item)
    packed = _Packed(task, shared) if seconds is None else _Packed(_guarded, (_Packed(task, shared), seconds))
    if _active:
        _active[-1].send(packed)
    while window := list(islice(numbered, ahead * count if ahead else len(todo))):
        kept = _Kept(packed, window)
        yield from kept.among(_with_second_tries(packed, todo, kept.missing, count, ordered), ordered)


def _with_second_tries(
    packed: _Packed, todo: list[Any], window: list[tuple[int, Any]], count: int, ordered: bool
) -> Iterator[Outcome]:
    """The outcomes of some pieces, those whose workers died tried again."""
    if not window:
        return
    suspects: list[int] = []
    held: list[Outcome] = []  # what must wait for a suspect that comes before it
    seen: set[int] = set()
    for outcome in _in_parallel(packed, window, count, ordered):
        if isinstance(outcome, WorkersDied):
            suspects += [number for number, _ in window if number not in seen]
            break
        seen.add(outcome[0])
        if isinstance(outcome[2], WorkersDied):
            suspects.append(outcome[0])
        if suspects and (ordered or isinstance(outcome[2], WorkersDied)):
            held.append(outcome)
        else:
            yield outcome
    # Whoever shared a worker with the culprit is suspected too: each suspect is tried once more, alone.
    again = {number: _alone(packed, number, todo[number]) for number in suspects}
    yield from (again.pop(outcome[0], outcome) for outcome in held)
    yield from again.values()


def _limited(
    task: Callable[..., Any],
    shared: tuple[Any, ...],
    todo: list[Any],
    workers: int,
    seconds: float,
    watch: Callable[[dict[Any, float]], None] | None,
    ready: Callable[[], Any] | None,
) -> Generator[Outcome, None, None]:
    call = partial(_piece, _Packed(task, shared))
    for number, outcome, stopped in killable.outcomes(
        call, todo, count=workers, seconds=seconds, watch=watch, ready=ready
    ):
        yield (number, None, stopped) if stopped else _arrived(outcome)


def _guarded(packed: _Packed, seconds: float, piece: Any) -> Any:
    """One piece beside a worker of the cluster, in a process that is killed when it takes longer."""
    _, result, error = _arrived(killable.within(seconds, partial(_piece, packed), 0, piece))
    if error is not None:
        raise error
    return result


def _alone(packed: _Packed, number: int, piece: Any) -> Outcome:
    """One piece with nothing beside it."""
    if _active:
        return _active[-1].alone(packed, number, piece)
    (outcome,) = _in_parallel(packed, [(number, piece)], 2, True)
    return (number, None, outcome) if isinstance(outcome, WorkersDied) else outcome


def _in_parallel(packed: _Packed, window: list[tuple[int, Any]], count: int, ordered: bool) -> Iterator[Any]:
    """The outcomes of some pieces; last `WorkersDied` if processes died and it cannot be said for which."""
    from joblib import Parallel, delayed, parallel_config
    from joblib.externals.loky.process_executor import BrokenProcessPool

    with parallel_config(_active[-1] if _active else "loky"):
        work = Parallel(
            n_jobs=count,
            batch_size=1,  # a lost worker costs one piece, and it is known which
            return_as="generator" if ordered else "generator_unordered",
        )(delayed(_piece)(packed, number, piece) for number, piece in window)
    try:
        while outcome := next(work, None):  # not `yield from`, which would close it with a warning
            yield _arrived(outcome)
    except BrokenProcessPool:
        yield WorkersDied("its process was killed")
    finally:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # joblib warns that results were not used: that is meant
            work.close()


def _attempt(task: Callable[..., Any], shared: tuple[Any, ...], number: int, piece: Any) -> Outcome:
    try:
        return number, task(*shared, piece), None
    except Exception as error:
        return number, None, error


def _piece(packed: _Packed, number: int, piece: Any) -> Outcome:
    """One piece in a worker: its result pickled here, so that one that cannot travel is the error of its
    piece, or its error, with the worker's traceback.
    """
    import cloudpickle

    task, shared = packed.open()
    _, result, error = _attempt(task, shared, number, piece)
    if error is None:
        try:
            return number, cloudpickle.dumps(result), None
        except Exception as reason:
            error = TypeError(f"the result of type {type(result).__name__} cannot travel: {reason}")
    where = "".join(traceback.format_exception(error))
    try:
        pickle.loads(pickle.dumps(error))
    except Exception:  # an exception class that cannot travel
        error = RuntimeError(f"{type(error).__name__}: {error}")
    error.add_note(f"In a worker:\n{where}")
    return number, None, error


def _arrived(outcome: Outcome) -> Outcome:
    """The outcome of `_piece`, its result unpickled."""
    number, result, error = outcome
    return outcome if error else (number, pickle.loads(result), None)


class _Kept:
    """The pieces that were finished by an earlier command which did not come to its end."""

    def __init__(self, packed: _Packed, window: list[tuple[int, Any]]) -> None:
        self.memory: Memory | None = _active[-1].memory if _active else None
        self.keys = (
            {n: self.memory.piece_key(packed.data, piece) for n, piece in window} if self.memory else {}
        )
        self.known = {n: known for n, key in self.keys.items() if (known := self._recall(key))}
        self.missing = [(n, piece) for n, piece in window if n not in self.known]

    def _recall(self, key: str) -> tuple[Any] | None:
        _active[-1].keys.add(key)
        return self.memory.recall_piece(key) if self.memory else None

    def among(self, fresh: Iterator[Outcome], ordered: bool) -> Iterator[Outcome]:
        """The known outcomes among the fresh ones, which are kept as they come."""
        waiting = sorted(self.known)
        for number, result, error in fresh:
            while waiting and (waiting[0] < number or not ordered):
                yield waiting[0], self.known[waiting.pop(0)][0], None
            if self.memory and error is None:
                self.memory.keep_piece(self.keys[number], result)
            yield number, result, error
        for number in waiting:
            yield number, self.known[number][0], None


class _Packed:
    """A task and what its pieces share, pickled once, and unpickled once by each worker."""

    def __init__(self, *parts: Any) -> None:
        import cloudpickle

        self.data: bytes = cloudpickle.dumps(parts)
        self.digest = hashlib.sha256(self.data).hexdigest()

    def itself(self) -> _Packed:
        return self

    def open(self) -> Any:
        if self.digest not in _opened:
            _opened.clear()
            _opened[self.digest] = pickle.loads(self.data)
        return _opened[self.digest]


_opened: dict[str, Any] = {}  # in a worker, what it was last sent


@contextmanager
def on(where: str | None, memory: Memory | None = None) -> Iterator[None]:
    """Within it, pieces are done by a Dask cluster: `local:4` starts four processes here, `tcp://host:8786`
    uses the scheduler at that address; None changes nothing.

    With a `memory`, finished pieces are kept there until all is done: if the scheduler dies, the same work
    goes on from there.

    >>> with on(None):
    ...     workers_in_use()
    1
    >>> with on("everywhere"):
    ...     pass
    Traceback (most recent call last):
    dpverify.parallel.ClusterError: Expected on='everywhere' to be local:N or an address such as tcp://host:8786.
    """
    if where is None:
        yield
        return
    with _client(where) as client:
        _agrees(client, where)
        backend = _backend(client, where)
        backend.memory, backend.keys = memory, set()
        _active.append(backend)
        try:
            yield
        finally:
            _active.pop()
        if memory:
            for key in backend.keys:
                memory.forget_piece(key)


@contextmanager
def _client(where: str) -> Iterator[Any]:
    kind, _, rest = where.partition(":")
    count = int(rest) if kind == "local" and rest.isdecimal() else 0
    if count < 1 and "://" not in where:
        raise ClusterError(f"Expected on={where!r} to be local:N or an address such as tcp://host:8786.")
    try:
        import dask
        from distributed import Client, LocalCluster
    except ImportError:
        raise ClusterError(f'on={where!r} needs Dask: pip install ".[dask]" in a clone.') from None
    logging.getLogger("distributed").setLevel(logging.CRITICAL)  # what went wrong is raised, not logged
    settings = {"distributed.comm.timeouts.connect": PATIENCE, "distributed.scheduler.allowed-failures": 1}
    with dask.config.set(settings):
        if count:
            with (
                LocalCluster(
                    n_workers=count, threads_per_worker=1, dashboard_address=":0", silence_logs=50
                ) as cluster,
                Client(cluster, set_as_default=False) as client,
            ):
                yield client
            return
        try:
            client = Client(where, set_as_default=False)
        except (OSError, ValueError) as error:
            raise ClusterError(f"No Dask scheduler answers at on={where!r}: {error}") from None
        with client:
            yield client


def _agrees(client: Any, where: str) -> None:
    """Whether the workers can give the same bytes as this process: one thread each, the same versions."""
    from dpverify.memory import versions

    client.wait_for_workers(1, timeout=WORKER_SECONDS)
    threads = {address: count for address, count in client.nthreads().items() if count != 1}
    if threads:
        raise ClusterError(
            f"Expected workers of one thread each at on={where!r} (dask worker --nthreads 1), got {threads}."
        )
    here = versions()
    for address, there in client.run(versions).items():
        other = [name for name in here if there.get(name) != here[name]]
        differ = [f"{name} {there.get(name)} instead of {here[name]}" for name in other]
        if differ:
            raise ClusterError(f"The worker {address} at on={where!r} has {', '.join(differ)}.")


def _reason(error: Exception) -> Exception:
    from distributed import KilledWorker

    return WorkersDied("each worker that it was given to died") if isinstance(error, KilledWorker) else error


class _Callback:
    """What joblib wants to be told when a piece is finished, and which piece it was."""

    def __init__(self, tell: Callable[[Any], None], number: int) -> None:
        self.tell, self.number = tell, number


def _backend(client: Any, where: str) -> Any:
    """Joblib's Dask backend with three repairs: it would wait for ever for a piece whose worker died too
    often, it would lose what the pieces share with the worker that was sent it, and it would leave running
    what nobody waits for.
    """
    from joblib._dask import DaskDistributedBackend

    class Backend(DaskDistributedBackend):
        def send(self, packed: _Packed) -> None:
            # The result of a task, unlike data that is scattered, is made again when its worker dies.
            self.data_futures = {id(packed): self.client.submit(packed.itself, pure=False)}

        def alone(self, packed: _Packed, number: int, piece: Any) -> Outcome:
            from distributed import KilledWorker

            future = self.client.submit(_piece, packed, number, piece, pure=False)
            while True:
                try:
                    return _arrived(future.result(timeout=WORKER_SECONDS))
                except KilledWorker as error:
                    return number, None, _reason(error)
                except TimeoutError:  # it may take long; without a worker it would take for ever
                    if not self.client.nthreads():
                        raise ClusterError(f"No worker is left at on={where!r}.") from None

        def effective_n_jobs(self, n_jobs: int) -> int:
            # Of one job joblib thinks that it is best done in this process.
            return max(2, int(super().effective_n_jobs(n_jobs)))

        def submit(self, func: Any, callback: Any = None) -> Any:
            _, (_, number, _), _ = func.items[0]
            return super().submit(func, _Callback(callback, number))

        async def _collect(self) -> None:
            while self._continue:
                async for future, result in self.waiting_futures:
                    self._results.pop(future, None)
                    callback = self._callbacks.pop(future, None)
                    if callback is None:  # cancelled
                        continue
                    if future.status == "finished":
                        callback.tell(result)
                    elif future.status == "error":
                        callback.tell([(callback.number, None, _reason(result[1]))])
                    else:
                        callback.tell(ClusterError(f"The scheduler at on={where!r} is gone."))
                await asyncio.sleep(0.01)

        def abort_everything(self, ensure_ready: bool = True) -> None:
            outstanding = list(self._callbacks)
            super().abort_everything(ensure_ready)
            self._results.clear()
            self._callbacks.clear()
            if outstanding and self.client.status == "running":
                self.client.cancel(outstanding)

    return Backend(client=client, wait_for_workers_timeout=WORKER_SECONDS)
