"""Streams: operations run at once, in the order of issue; those that nothing orders are found.

A launch here has ended when it returns. On a GPU it has not: kernels and copies of two streams run
in any order, unless an event, a wait of the host or the legacy default stream comes between. So
each stream, and the host, has a clock that says how much of every stream has ended before its next
operation. Two uses of the same bytes, one of them a write, of which neither is known to have
ended before the other, are a Finding.

    stream, other = Stream(non_blocking=True), Stream(non_blocking=True)
    with on(stream):
        program.launch(...)      # writes an array
    with on(other):
        program.launch(...)      # reads it: a Finding, 'stream race'

A kernel counts as using all of each array, or slice, that it is given. What the host does to an
array by itself is not seen. Nothing is followed until the first stream is made.
"""

import ctypes
import weakref
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from .errors import EmulatorError, Finding
from .memory import owner_of, pointer

Clock = dict["Queue", int]  # how many of each queue's operations have ended
MANY = 1000  # uses of memory that are kept before those that no longer matter are dropped


@dataclass(frozen=True)
class Use:
    """Bytes that an operation reads or writes: from ``start``, up to ``end``."""

    name: str
    start: int
    end: int
    writes: bool
    owner: Any = None  # a weak reference to the array whose memory it is, if that is known


@dataclass(frozen=True)
class Past:
    """One use of memory by operation ``number`` of a queue, called ``by``."""

    queue: "Queue"
    number: int
    by: str
    use: Use

    def matters(self) -> bool:
        """May it still be under way? Not if the host has waited for it, or its array is gone."""
        gone = self.use.owner is not None and self.use.owner() is None
        return not gone and not _ended(self, _host)


@dataclass(eq=False)
class Queue:
    """What a stream is here. blocking: does it wait for the legacy default stream, and that for it?

    clock: what has ended when its next operation begins. graph: the one that it is captured into.
    """

    name: str
    blocking: bool = True
    clock: Clock = field(default_factory=dict, repr=False)
    graph: "Graph | None" = field(default=None, repr=False)


@dataclass(eq=False)
class Mark:
    """What an event is here: the clock of the queue that it was recorded in; None before that."""

    clock: Clock | None = field(default=None, repr=False)
    graph: "Graph | None" = field(default=None, repr=False)


class Graph:
    """Operations that were captured, each a function of the queues and marks of one replay.

    origin: the queue that began; members: it, and all that waited for what was captured.
    """

    def __init__(self, origin: Queue) -> None:
        self.origin, self.members = origin, {origin}
        self.steps: list[Callable[[dict, dict], None]] = []

    def unjoined(self) -> list[str]:
        """The names of streams whose last operation the origin does not wait for."""
        queues = {member: Queue(member.name) for member in self.members}
        marks: dict[Mark, Clock] = {}
        global _trying
        _trying = True
        try:
            for step in self.steps:
                step(queues, marks)
        finally:
            _trying = False
        known = queues[self.origin].clock
        return [q.name for q in queues.values() if known.get(q, 0) < q.clock.get(q, 0)]

    def launch(self, queue: Queue) -> None:
        """Replay it in a queue: what comes behind it there waits for all of it."""
        if queue.graph is not None:
            raise EmulatorError("the emulator cannot capture the launch of a graph")
        _enter(queue)
        queues = {
            member: Queue(f"{member.name} of a graph", False, dict(queue.clock))
            for member in self.members
        }
        marks: dict[Mark, Clock] = {}
        for step in self.steps:
            step(queues, marks)
        _join(queue.clock, queues[self.origin].clock)


LEGACY = Queue("the default stream")
_host: Clock = {}
_queues: list[Queue] = [LEGACY]
_current: list[Queue] = [LEGACY]
_past: dict[tuple, Past] = {}  # the last of each kind: what follows it follows those before
_trying = False  # is a graph gone through for its order alone?


def create(blocking: bool = True) -> Queue:
    """A new queue; from the first one on, what uses which memory is followed."""
    _queues.append(Queue(f"stream {len(_queues)}", blocking))
    return _queues[-1]


def current() -> Queue:
    """The queue that launches go to."""
    return _current[-1]


@contextmanager
def on(queue: Queue) -> Iterator[None]:
    """Let launches inside the with block go to a queue."""
    _current.append(queue)
    try:
        yield
    finally:
        _current.pop()


def use(queue: Queue) -> None:
    """Let launches from now on go to a queue."""
    _current[-1] = queue


def arrays(values: Sequence[tuple[str, Any, bool]]) -> list[Use]:
    """The uses of a launch's arguments, each (name, value, may it be written?)."""
    uses = []
    for name, value, writes in values:
        if isinstance(value, np.ndarray) and value.nbytes:
            start, owner = pointer(value), weakref.ref(owner_of(value)[0])
            uses.append(Use(name, start, start + value.nbytes, writes, owner))
    return uses


def issue(by: str, uses: Sequence[Use], run: Callable[[], Any], queue: Queue | None = None) -> Any:
    """Do an operation in a queue, the current one without: ``run()``, which uses memory.

    Raises Finding where nothing orders it behind an earlier one that uses the same memory.
    Where the queue is captured, it is done by the graph instead, and None is returned.
    """
    queue = queue or current()
    if queue.graph is not None:
        queue.graph.steps.append(lambda queues, _: _do(queues[queue], by, uses, run))
        return None
    if len(_queues) == 1:
        return run()
    _enter(queue)
    return _do(queue, by, uses, run)


def copy(target: int, source: int, size: int, queue: Queue) -> None:
    """Copy bytes between two addresses, in a queue."""
    uses = [
        Use("its source", source, source + size, False),
        Use("its target", target, target + size, True),
    ]
    issue("a copy", uses, lambda: ctypes.memmove(target, source, size), queue)


def record(mark: Mark, queue: Queue) -> None:
    """Let a mark stand for all that the queue has been given so far."""
    mark.graph = queue.graph
    if queue.graph is not None:
        queue.graph.steps.append(
            lambda queues, marks: marks.__setitem__(mark, dict(queues[queue].clock))
        )
        return
    _enter(queue)
    mark.clock = dict(queue.clock)


def wait(queue: Queue, mark: Mark) -> None:
    """What comes next in the queue waits for a mark, if that was recorded.

    If it was recorded in a queue that is captured, this one is captured from now on too.
    """
    if mark.graph is not None:
        mark.graph.members.add(queue)
        queue.graph = mark.graph
        mark.graph.steps.append(lambda queues, marks: _join(queues[queue].clock, marks[mark]))
    elif queue.graph is not None:
        raise EmulatorError("a captured stream waits for an event that was not captured with it")
    elif mark.clock is not None:
        _join(queue.clock, mark.clock)


def wait_on_host(what: Queue | Mark | None = None) -> None:
    """The host waits for a queue or a mark; without either for everything."""
    waited = _queues if what is None else [what]
    if any(one.graph is not None for one in waited):
        raise EmulatorError("the host cannot wait for what is captured: it has not begun")
    for one in waited:
        if isinstance(one, Queue):
            _enter(one)
        _join(_host, one.clock or {})
    _tidy()


def begin_capture(queue: Queue) -> None:
    """From now on what the queue is given becomes a graph, and is not done."""
    if queue is LEGACY:
        raise EmulatorError("the default stream cannot be captured: make one")
    if queue.graph is not None:
        raise EmulatorError(f"{queue.name} is being captured already")
    queue.graph = Graph(queue)


def end_capture(queue: Queue) -> Graph:
    """The graph of what the queue, and those that waited for it, were given."""
    graph = queue.graph
    if graph is None or graph.origin is not queue:
        raise EmulatorError("end_capture: this stream did not begin a capture")
    for member in graph.members:
        member.graph = None
    left = graph.unjoined()
    if left:
        raise EmulatorError(
            f"end_capture: {queue.name} does not wait for what {left[0]} was given last. Record an "
            f"event behind that, and let {queue.name} wait for it"
        )
    return graph


# Order ------------------------------------------------------------------------------------------
def _do(queue, by, uses, run):
    """Do one operation, once it is known to come behind what it has to."""
    done = None
    if not _trying:
        for new in uses:
            for old in _past.values():
                meets = new.start < old.use.end and old.use.start < new.end
                if not meets or not (new.writes or old.use.writes):
                    continue
                if old.matters() and not _ended(old, queue.clock):
                    raise _race(queue, by, new, old)
        done = run()
    number = queue.clock.get(queue, 0) + 1
    queue.clock[queue] = number
    if not _trying:
        for one in uses:
            key = (queue, one.start, one.end, one.writes)
            _past[key] = Past(queue, number, by, one)
        if len(_past) > MANY:
            _tidy()
    return done


def _tidy():
    for key in [key for key, past in _past.items() if not past.matters()]:
        del _past[key]


def _enter(queue):
    """What a queue does next comes behind what the host has waited for; and the legacy default
    stream behind all blocking streams, these behind it.
    """
    _join(queue.clock, _host)
    if queue is LEGACY:
        for other in _queues:
            if other.blocking:
                _join(queue.clock, other.clock)
    elif queue.blocking:
        _join(queue.clock, LEGACY.clock)


def _join(clock, other):
    for queue, number in other.items():
        if number > clock.get(queue, 0):
            clock[queue] = number


def _ended(past, clock):
    return clock.get(past.queue, 0) >= past.number


def _race(queue, by, new, old):
    does, did = ("writes" if one.writes else "reads" for one in (new, old.use))
    mine, its = (_called(one) for one in (new, old.use))
    return Finding(
        "stream race",
        f"{by} on {queue.name} {does} {mine}, which {old.by} on {old.queue.name} {did} as {its}, "
        "and nothing orders the two: record an event behind the first, and let the stream of the "
        "second wait for it (wait_event)",
        array=new.name,
    )


def _called(one):
    size = one.end - one.start
    return f"{one.name} ({size:,} bytes)"
