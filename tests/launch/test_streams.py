"""Streams run in the order of issue; what nothing orders is found, and only that."""

import numpy as np
import pytest

import warpemu
from warpbook import load
from warpbook.launch import numpy_cupy as cp
from warpemu import streams

SIZE = 300


@pytest.fixture(scope="module")
def relax():
    return load("streams/01_relax")


@pytest.fixture(scope="module")
def count():
    return load("streams/02_count")


@pytest.fixture
def work(relax):
    """Arrays, and a function that launches from one to another in a stream."""
    streams.wait_on_host()
    arrays = {name: np.ones(SIZE, np.float32) for name in ("a", "b", "c", "d")}

    def launch(stream, source, target):
        with stream:
            stamps = np.zeros((2, 2), np.int64)
            relax.run(arrays[source], arrays[target], stamps, SIZE, 3)

    launch.arrays = arrays
    yield launch
    streams.wait_on_host()


def two(**settings):
    return cp.cuda.Stream(**settings), cp.cuda.Stream(**settings)


def refuses(work, stream, source, target):
    with pytest.raises(warpemu.Finding, match="nothing orders the two") as found:
        work(stream, source, target)
    assert found.value.kind == "stream race"
    return found.value


def test_a_read_of_what_another_stream_writes_is_a_race(work):
    first, second = two(non_blocking=True)
    work(first, "a", "b")
    found = refuses(work, second, "b", "c")
    assert found.array == "in"
    said = str(found)
    assert "streams_relax on stream" in said and "reads in (1,200 bytes)" in said
    assert "wrote as" not in said and "writes as out (1,200 bytes)" in said


@pytest.mark.parametrize("source, target", [("c", "a"), ("c", "b")], ids=["read, write", "writes"])
def test_a_write_over_what_another_stream_uses_is_a_race(work, source, target):
    first, second = two(non_blocking=True)
    work(first, "a", "b")
    refuses(work, second, source, target)


def test_two_reads_are_no_race_and_one_stream_is_in_order(work):
    first, second = two(non_blocking=True)
    work(first, "a", "b")
    work(second, "a", "c")
    work(first, "b", "b")


def test_an_event_orders_what_lies_before_it_alone(work):
    first, second = two(non_blocking=True)
    work(first, "a", "b")
    event = first.record()
    second.wait_event(event)
    work(second, "b", "c")
    work(first, "b", "a")  # only reads b, writes a: nobody else has a
    refuses(work, second, "a", "c")  # behind the event
    second.wait_event(cp.cuda.Event())  # never recorded: orders nothing
    refuses(work, second, "a", "c")


def test_order_passes_from_stream_to_stream(work):
    first, second = two(non_blocking=True)
    third = cp.cuda.Stream(non_blocking=True)
    work(first, "a", "b")
    second.wait_event(first.record())
    third.wait_event(second.record())
    work(third, "b", "c")


@pytest.mark.parametrize(
    "wait",
    [
        lambda stream: stream.synchronize(),
        lambda stream: stream.record().synchronize(),
        lambda stream: cp.cuda.Device().synchronize(),
        lambda stream: cp.cuda.runtime.deviceSynchronize(),
        lambda stream: stream.done,
    ],
    ids=["stream", "event", "device", "runtime", "done"],
)
def test_the_hosts_waiting_orders(work, wait):
    first, second = two(non_blocking=True)
    work(first, "a", "b")
    wait(first)
    work(second, "b", "c")


def test_waiting_for_another_stream_orders_nothing(work):
    first, second = two(non_blocking=True)
    work(first, "a", "b")
    second.synchronize()
    refuses(work, second, "b", "c")


def test_the_legacy_default_stream_orders_blocking_streams(work):
    first, second = two()
    work(first, "a", "b")
    work(cp.cuda.Stream.null, "c", "c")
    work(second, "b", "a")
    streams.wait_on_host()
    first, second = two(non_blocking=True)
    work(first, "a", "b")
    work(cp.cuda.Stream.null, "c", "c")
    refuses(work, second, "b", "a")


def test_blocking_streams_alone_are_not_ordered(work):
    first, second = two()
    work(first, "a", "b")
    refuses(work, second, "b", "c")


def test_the_default_stream_waits_for_no_non_blocking_one(work):
    first, second = cp.cuda.Stream(), cp.cuda.Stream(non_blocking=True)
    work(first, "a", "b")
    work(cp.cuda.Stream.null, "b", "c")
    work(second, "a", "d")
    refuses(work, cp.cuda.Stream.null, "d", "c")


def test_slices_that_do_not_meet_are_no_race(relax):
    first, second = two(non_blocking=True)
    a, b = np.ones(SIZE, np.float32), np.ones(SIZE, np.float32)
    stamps = np.zeros((2, 1, 2), np.int64)
    for k, stream in enumerate((first, second)):
        with stream:
            relax.run(a[100 * k : 100 * k + 100], b[100 * k : 100 * k + 100], stamps[k], 100, 3)
    third = cp.cuda.Stream(non_blocking=True)
    with third, pytest.raises(warpemu.Finding, match=r"writes out \(8 bytes\)"):
        relax.run(a[200:202], b[99:101], np.zeros((1, 2), np.int64), 2, 3)
    streams.wait_on_host()


def test_copies_are_followed_too(work):
    copies, computes = two(non_blocking=True)
    memory = cp.cuda.alloc_pinned_memory(4 * SIZE)
    host = np.frombuffer(memory, np.float32, SIZE)
    host[:] = 5
    b = work.arrays["b"]
    given = (b.ctypes.data, memory.ptr, 4 * SIZE, cp.cuda.runtime.memcpyDefault, copies.ptr)
    cp.cuda.runtime.memcpyAsync(*given)
    assert (b == 5).all()
    refuses(work, computes, "b", "c")
    computes.wait_event(copies.record())
    work(computes, "b", "c")
    assert (work.arrays["c"] == 5 * (2 - 0.5**3)).all()
    with pytest.raises(warpemu.Finding, match="a copy on stream .* writes its target"):
        cp.cuda.runtime.memcpyAsync(*given)


def test_asnumpy_waits_for_the_current_stream_alone(work):
    stream = cp.cuda.Stream(non_blocking=True)
    work(stream, "a", "b")
    with pytest.raises(warpemu.Finding, match="cp.asnumpy on the default stream reads"):
        cp.asnumpy(work.arrays["b"])
    with stream:
        cp.asnumpy(work.arrays["b"])
    cp.asnumpy(work.arrays["b"])


def test_an_array_that_is_gone_races_with_nobody(relax):
    first, second = two(non_blocking=True)
    for stream in (first, second):
        out = np.ones(SIZE, np.float32)
        with stream:
            relax.run(np.ones(SIZE, np.float32), out, np.zeros((2, 2), np.int64), SIZE, 3)
        del out


def test_nothing_is_remembered_once_the_host_has_waited(work):
    work(cp.cuda.Stream(non_blocking=True), "a", "b")
    assert streams._past
    streams.wait_on_host()
    assert not streams._past


def test_the_current_stream_is_the_innermost(work):
    first, second = two(non_blocking=True)
    with first:
        with second:
            assert cp.cuda.get_current_stream().ptr == second.ptr
        assert cp.cuda.get_current_stream().ptr == first.ptr
    assert cp.cuda.get_current_stream().ptr == cp.cuda.Stream.null.ptr == 0


def test_a_host_function_runs_in_its_turn(work):
    stream, told = cp.cuda.Stream(non_blocking=True), []
    stream.launch_host_func(told.append, 7)
    assert told == [7]


# Graphs.


def test_a_captured_launch_waits_for_its_graph(count):
    stream, counter = cp.cuda.Stream(non_blocking=True), np.zeros(1, np.int32)
    with stream:
        stream.begin_capture()
        for _ in range(3):
            count.run(counter)
        assert stream.is_capturing()
        graph = stream.end_capture()
    assert counter[0] == 0 and not stream.is_capturing()
    graph.launch(stream)
    graph.launch(stream)
    assert counter[0] == 6
    streams.wait_on_host()


def fork(work, join=True, order=True):
    """A graph of two streams: the second reads what the first has written."""
    first, second = two(non_blocking=True)
    first.begin_capture()
    second.wait_event(first.record())
    work(first, "a", "b")
    if order:
        second.wait_event(first.record())
    work(second, "b", "c")
    if join:
        first.wait_event(second.record())
    return first, first.end_capture()


def test_a_graph_takes_in_what_waits_for_it(work):
    stream, graph = fork(work)
    assert (work.arrays["c"] == 1).all()
    graph.launch(stream)
    assert (work.arrays["c"] == (2 - 0.5**3) ** 2).all()
    work(stream, "c", "a")  # behind all of the graph
    other = cp.cuda.Stream(non_blocking=True)
    refuses(work, other, "c", "c")


def test_a_race_within_a_graph_is_found_when_it_runs(work):
    stream, graph = fork(work, order=False)
    with pytest.raises(warpemu.Finding, match="of a graph"):
        graph.launch(stream)


def test_two_launches_of_a_graph_in_one_stream_are_in_order(work):
    stream, graph = fork(work)
    graph.launch(stream)
    graph.launch(stream)


def test_a_stream_that_is_not_joined_is_refused(work):
    with pytest.raises(warpemu.EmulatorError, match="does not wait for what stream"):
        fork(work, join=False)


def test_what_cuda_refuses_of_a_capture_is_refused(work):
    first, second = two(non_blocking=True)
    with pytest.raises(warpemu.EmulatorError, match="cannot be captured"):
        cp.cuda.Stream.null.begin_capture()
    outside = second.record()
    first.begin_capture()
    with pytest.raises(warpemu.EmulatorError, match="captured already"):
        first.begin_capture()
    with pytest.raises(warpemu.EmulatorError, match="host cannot wait"):
        first.synchronize()
    with pytest.raises(warpemu.EmulatorError, match="not captured with it"):
        first.wait_event(outside)
    with pytest.raises(warpemu.EmulatorError, match="did not begin"):
        second.end_capture()
    first.end_capture()


# At random: against a search of the graph of all operations.


@pytest.mark.parametrize("seed", range(40))
def test_random_programs_are_judged_as_by_a_search(seed):
    """Operations of three streams on four places, with events and waits between them."""
    rng = np.random.default_rng(seed)
    streams.wait_on_host()
    made = [cp.cuda.Stream(non_blocking=bool(k % 2)) for k in range(3)] + [cp.cuda.Stream.null]
    blocking = [True, False, True, True]
    places = np.zeros((4, 8), np.float32)
    last, host, events, done = [set() for _ in made], set(), [], []

    def enter(k):
        """What comes before the next thing that stream k is given."""
        last[k] |= host
        for other in range(4):
            if blocking[other] and k == 3 or blocking[k] and other == 3:
                last[k] |= last[other]

    for _ in range(60):
        k, kind = int(rng.integers(4)), rng.random()
        if kind < 0.2:
            enter(k)
            events.append((made[k].record(), set(last[k])))
        elif kind < 0.4 and events:
            event, known = events[int(rng.integers(len(events)))]
            made[k].wait_event(event)
            last[k] |= known
        elif kind < 0.45:
            enter(k)
            made[k].synchronize()
            host |= last[k]
        else:
            place, writes = int(rng.integers(4)), rng.random() < 0.5
            enter(k)
            meets = {n for n, (p, w) in enumerate(done) if p == place and (w or writes)}
            uses = streams.arrays([("place", places[place], writes)])
            if meets - last[k]:
                with pytest.raises(warpemu.Finding):
                    streams.issue("work", uses, lambda: None, made[k]._queue)
                break
            streams.issue("work", uses, lambda: None, made[k]._queue)
            last[k].add(len(done))
            done.append((place, writes))
    streams.wait_on_host()
