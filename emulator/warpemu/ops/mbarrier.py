"""mbarrier: init, inval, arrivals, bytes to expect; waits, which flow.py ends a block of PTX at.

mbarriers.py holds what they are and who waits.
"""

import numpy as np

from .. import clusters
from ..access import Access
from ..errors import Finding
from ..mbarriers import COUNT, LIMIT, Wait
from ..memory import SHARED_WINDOW, window
from . import Op, effect, op, pure, refuse

WAITS = ("test_wait", "try_wait")
WORDS = (
    "init inval expect_tx complete_tx arrive arrive_drop noComplete pending_count test_wait "
    "try_wait parity relaxed release acquire cta cluster shared shared_cta shared_cluster"
)
SPACES = ("shared", "shared_cta", "shared_cluster")
ONE = np.uint32(1)


@op("mbarrier", modifiers=WORDS, types="b64")
def mbarrier(instruction):
    """An address (int64) and a count, bytes or a token -> a token (int64) of an arrival, in the
    group's shape; nothing of the others.
    """
    what, operands = instruction.parts[1], list(instruction.operands)
    if what == "pending_count":
        return pure(instruction, pending, out="u32", ins=["s64"])
    if what not in DO:
        raise refuse(instruction, f"mbarrier.{what}")
    outs = [(operands.pop(0), "s64")] if what.startswith("arrive") else []
    touches(instruction, operands[0])
    kinds = ["s64", *["u32"] * (len(operands) - 1)]
    return effect(DO[what], outs, list(zip(operands, kinds, strict=True)))


def touches(instruction, address):
    """Set instruction.access: of the 8 bytes of the mbarrier."""
    instruction.access = Access("shared", np.int64, 8, offset=address.offset, verb="uses")


def pending(token):
    """token (int64) -> uint32: the arrivals that were missing before it."""
    return (token & np.int64(COUNT)).astype(np.uint32)


def wait_op(instruction):
    """What test_wait and try_wait read and write; the lanes wait in mbarriers.py."""
    unknown = [p for p in instruction.parts[1:] if p not in [*WORDS.split(), "b64"]]
    if unknown or "shared_cluster" in instruction.parts:
        raise refuse(instruction, "this form")
    target, address, phase, *_ = instruction.operands  # a hint of how long to wait may follow
    touches(instruction, address)
    kind = "u32" if "parity" in instruction.parts else "s64"
    return Op(None, [(target, "pred")], [(address, "s64"), (phase, kind)])


# Which mbarriers lanes name ----------------------------------------------------------------------
def in_shared(state, group, mask, instruction, address, words):
    """(block of the chunk, byte offset, lane number) of the active lanes' addresses in shared
    memory, (n,) each. words: of the opcode, among them the address's space if it has one.
    """
    access = instruction.access
    flat = group.compress(address, mask) + np.int64(access.offset)
    if not any(word in SPACES for word in words):
        bad = np.flatnonzero(window(flat) != 1)
        if len(bad):
            why = "its address is not in shared memory"
            kind, at = "shared out of bounds", flat[bad[0]]
            state.fault(kind, group, mask, bad, instruction, at, None, why)
        flat = flat - np.int64(SHARED_WINDOW)
    return clusters.checked_places(state, group, mask, instruction, flat, access.bytes)


def named(state, group, mask, instruction, address):
    """[(Mbarrier, positions among the active lanes, (n,))] and the lanes' numbers, (n,)."""
    row, offset, ids = in_shared(state, group, mask, instruction, address, instruction.parts)
    result = []
    for where in alike(row * (1 << clusters.RANK) + offset):
        k = where[0]
        barrier = state.mbarriers.get(int(row[k]), int(offset[k]))
        if barrier is None:
            name = state.mbarriers.name(int(offset[k]))
            why = f"it uses the mbarrier {name}, which no thread has initialised"
            kind = "mbarrier not initialised"
            state.fault(kind, group, mask, where, instruction, offset[k], None, why)
        if state.checker:
            block, thread = np.divmod(ids[where], state.lanes.threads)
            state.checker.uses_mbarrier(instruction, barrier, block, thread)
        result.append((barrier, where))
    return result, ids


def alike(keys):
    """Positions of equal keys, one array for each key."""
    if len(keys) == 0:
        return []
    order = np.arange(len(keys))
    if (keys[1:] < keys[:-1]).any():
        order = np.argsort(keys, kind="stable")
        keys = keys[order]
    return np.split(order, np.flatnonzero(keys[1:] != keys[:-1]) + 1)


# What they do ------------------------------------------------------------------------------------
def initialise(state, group, mask, instruction, address, count):
    row, offset, ids = in_shared(state, group, mask, instruction, address, instruction.parts)
    counts = group.compress(count, mask)
    wrong = np.flatnonzero((counts < 1) | (counts > LIMIT))
    if len(wrong):
        why = (
            f"it initialises an mbarrier for {counts[wrong[0]]} arrivals: 1 to {LIMIT} are allowed"
        )
        kind = "mbarrier count"
        state.fault(kind, group, mask, wrong, instruction, offset[wrong[0]], None, why)
    written(state, instruction, row, offset, ids)
    stamps = np.zeros(len(ids), np.int64)
    if state.checker:
        block, thread = np.divmod(ids, state.lanes.threads)
        stamps = state.checker.order.stamp(block, thread, instruction)
    for each in zip(*(x.tolist() for x in (row, offset, counts, stamps)), strict=True):
        state.mbarriers.initialise(*each, instruction.line)


def written(state, instruction, row, offset, ids):
    """To the sanitizer, init and inval are ordinary writes."""
    if state.checker:
        state.checker.distant_write(instruction, row, offset, ids)


def invalidate(state, group, mask, instruction, address):
    found, ids = named(state, group, mask, instruction, address)
    for barrier, where in found:
        row, offset = (np.full(len(where), n) for n in (barrier.row, barrier.offset))
        written(state, instruction, row, offset, ids[where])
        state.mbarriers.invalidate(barrier.row, barrier.offset)


def expect(state, group, mask, instruction, address, size):
    """expect_tx announces bytes."""
    found, _ = named(state, group, mask, instruction, address)
    sizes = group.compress(size, mask).astype(np.int64)
    for barrier, where in found:
        announce(state, group, mask, instruction, barrier, where, sizes[where])


def announce(state, group, mask, instruction, barrier, where, sizes):
    """So many bytes more have to come; never so many that the mbarrier cannot count them."""
    if barrier.bytes + int(sizes.sum()) > LIMIT:
        why = (
            f"it announces {int(sizes.sum())} bytes at {barrier.name()}, which then lacks more "
            f"than the {LIMIT} that an mbarrier can count"
        )
        state.fault("mbarrier count", group, mask, where, instruction, barrier.offset, None, why)
    barrier.expect(int(sizes.sum()))


def bring(state, group, mask, instruction, address, size):
    """complete_tx says that bytes have come, as the end of a copy does."""
    found, _ = named(state, group, mask, instruction, address)
    sizes = group.compress(size, mask).astype(np.int64)
    for barrier, where in found:
        barrier.expect(-int(sizes[where].sum()))


def arrive(state, group, mask, instruction, address, number=ONE):
    """An arrival; its token, the state of the phase before it. number: arrivals, or the bytes that
    arrive.expect_tx announces first.
    """
    words = instruction.parts
    found, ids = named(state, group, mask, instruction, address)
    tokens = np.zeros(len(ids), np.int64)
    numbers = group.compress(number, mask).astype(np.int64)
    expects = "expect_tx" in words
    for barrier, where in found:
        if state.checker:
            release(state, barrier, ids[where], "relaxed" in words)
        if expects:
            announce(state, group, mask, instruction, barrier, where, numbers[where])
        counts = np.ones(len(where), np.int64) if expects else numbers[where]
        fits(state, group, mask, instruction, barrier, where, counts)
        tokens[where] = come(barrier, counts, "arrive_drop" in words)
    if state.checker:
        state.checker.order.tick()
    result = np.zeros(group.shape, np.int64)
    result[np.broadcast_to(True if mask is None else mask, group.shape)] = tokens
    return result


def fits(state, group, mask, instruction, barrier, where, counts):
    """Raise a Finding if a lane arrives more often than the phase still lacks."""
    wrong = np.flatnonzero((counts < 1) | (counts > barrier.pending))
    total = int(counts.sum())
    waits_for_bytes = barrier.bytes != 0 and total > barrier.pending
    runs_out = "noComplete" in instruction.parts and total >= barrier.pending
    if not len(wrong) and (waits_for_bytes or runs_out):
        wrong = np.array([len(counts) - 1])
    if len(wrong):
        times = int(counts[wrong[0]])
        why = (
            f"it arrives {f'{times} times' if times != 1 else 'once'} at {barrier.name()}, of "
            f"whose phase {barrier.phase} {barrier.pending} of {barrier.count} arrivals are missing"
        )
        if barrier.bytes:
            why += (
                f" (and {barrier.bytes} bytes): that is one too many before the next phase begins"
            )
        lanes = where[wrong]
        try:
            at = barrier.offset
            state.fault("mbarrier count", group, mask, lanes, instruction, at, None, why)
        except Finding as finding:
            raise state.launch.blamed(finding) from None


def come(barrier, counts, drop):
    """Arrivals of several lanes, one after the other. Returns their tokens, (n,)."""
    total = int(counts.sum())
    if total <= barrier.pending and not drop:
        before = barrier.pending - np.cumsum(counts) + counts
        tokens = before + (barrier.token(0))
        barrier.arrive(total)
        return tokens
    tokens = np.zeros(len(counts), np.int64)
    for k, count in enumerate(counts.tolist()):
        tokens[k] = barrier.token()
        if drop:
            barrier.count -= count
        barrier.arrive(count)
    return tokens


def release(state, barrier, ids, relaxed):
    """For the sanitizer: what the arriving threads know goes to who waits for the phase."""
    order = state.checker.order
    row, thread = np.divmod(ids, state.lanes.threads)
    for number in np.unique(row).tolist():
        barrier.gather(order.knowledge(number, thread[row == number], relaxed))


def wait(scheduler, block, group, arguments):
    """Lanes come to the test_wait or try_wait at the end of a block of PTX."""
    last, (address, phase, *guard) = block.last, arguments
    state = scheduler.state
    if guard:
        going, rest = group.split(guard[0])
        if rest:
            scheduler.put(block.index + 1, rest)
        if going is None:
            return
        if going is not group:
            address, phase = (
                going.read(group.write(np.zeros((1, 1), np.int64), np.asarray(v, np.int64)))
                for v in (address, phase)
            )
            group = going
    mask = group.mask
    found, ids = named(state, group, mask, last, address)
    phases = group.compress(np.asarray(phase), mask)
    parity = phases & 1 if "parity" in last.parts else phases < 0
    which = np.zeros(len(ids), np.int64)
    for k, (_, where) in enumerate(found):
        which[where] = k
    barriers = [barrier for barrier, _ in found]
    scheduler.mbarriers.wait(Wait(block.index, last, ids, barriers, which, parity.astype(np.int64)))


DO = {
    "init": initialise,
    "inval": invalidate,
    "expect_tx": expect,
    "complete_tx": bring,
    "arrive": arrive,
    "arrive_drop": arrive,
}
