"""What the exercises of 22_async_copies and 23_memory_order ask for."""

import numpy as np

from warpbook import (
    Case,
    cp,
    drawn,
    exercise,
    forbids,
    least,
    load,
    most,
    out,
    poisoned,
    requires,
    through,
)

TILE, BLOCKS, WIDE = 128, 2, 64


@exercise(
    sizes=(1, 2, 3, 5, 8, drawn(9, 16)),
    technique=(
        least("bulk_copies", 1, lambda tiles: tiles, "Each tile comes by a bulk copy."),
        most("global_ld_requests", 0, None, "The copies bring the tiles; no thread loads them."),
        most(
            "barriers",
            1.1,
            lambda tiles: 4 * (tiles + BLOCKS),
            "One barrier a tile is enough, as given.",
        ),
    ),
)
def phase(size, rng):
    a = rng.random((size, TILE), dtype=np.float32)
    return Case(
        grid=(BLOCKS,),
        block=(TILE,),
        args=(a.reshape(-1), out(size * TILE, np.float32), size),
        want=a[:, ::-1].reshape(-1),
    )


def asked(stages, arrivals, copies):
    """Whether a wait goes on, by [arrivals made, stage, parity]: real barriers say so."""
    goes = poisoned((arrivals * copies + 1, stages, 2), np.int32)
    load("async_copies/exercises/referee/waits").run(goes, stages, arrivals, copies)
    return cp.asnumpy(goes) == 1


@exercise(
    # stages, arrivals that end a phase, copies
    sizes=(
        (1, 1, 4),
        (2, 1, 6),
        (3, 2, 7),
        (5, 2, 3),
        (7, 3, 20),
        (drawn(2, 7), drawn(2, 3), drawn(8, 40)),
        (drawn(3, 7), drawn(2, 4), drawn(15, 40)),
    ),
    technique=(
        forbids("mbarrier", "Predict the wait; the grader is the one who asks.", compiled=True),
    ),
)
def wait(size, rng):
    _, arrivals, copies = size
    goes, never = asked(*size), arrivals * copies + 1
    more = np.full(goes.shape, never)
    for made in range(never - 1, -1, -1):
        later = more[made + 1] if made + 1 < never else never
        more[made] = np.where(goes[made], 0, np.minimum(later + 1, never))
    more[more == never] = -1
    # a reader's wait stands before its copy's last arrival and goes on behind it
    last = arrivals * np.arange(1, copies + 1)
    reader = np.argwhere(~goes[last - 1] & goes[last])
    assert (reader[:, 0] == np.arange(copies)).all()
    return Case(
        grid=(-(-goes.size // 128),),
        block=(128,),
        args=(out((copies, 2), np.int32), out(goes.shape, np.int32), *size),
        want=(reader[:, 1:], more),
    )


@exercise(
    sizes=(4, 32, 128, 132, 516, drawn(1300, 2600, multiple=4)),
    technique=(
        least("bulk_copies", 2, lambda n: -(-n // TILE), "Let the copy engine fetch both tiles."),
        most("global_ld_requests", 0, None, "The copies bring the tiles; no thread loads them."),
        most(
            "announcements",
            1,
            lambda n: -(-n // TILE),
            "Announce both copies' bytes at once: one phase for each tile.",
        ),
    ),
)
def pair(size, rng):
    a, b = (rng.random(size, dtype=np.float32) for _ in range(2))
    return Case(
        grid=(BLOCKS,),
        block=(TILE,),
        args=(a, b, out(size, np.float32), size),
        want=a.astype(np.float64) * b,
        bytes=12 * size,
    )


def unfinished(case, outputs):
    """Whether the sums are sent, and nobody has written the result."""
    return bool(np.allclose(outputs[0], case.want[0]) and np.isnan(outputs[2]).all())


@exercise(
    sizes=(1, 63, 64, 65, 128, 129, drawn(6000, 9000)),
    technique=(
        requires("release.gpu", "The writer's store of the flag releases.", compiled=True),
        requires("acquire.gpu", "The reader's load of the flag acquires.", compiled=True),
        most("fences", 0, None, "The order belongs to the flag's store and load alone."),
        forbids("thread_scope_system", "Nobody beyond the device reads the message."),
        most(
            "ptx ld.global",  # those that poll the flag are ld.acquire
            1.2,
            lambda n: (n + 2 * WIDE) / 32,
            "Each number is read by one block; the other has it from the letter.",
        ),
        through("one block", unfinished, "The second block finishes."),
        through("acquired", unfinished, "Wait for the flag with the load that acquires it."),
    ),
)
def letter(size, rng):
    a = rng.random(size, dtype=np.float32)
    padded = np.zeros(-(-size // WIDE) * WIDE)
    padded[:size] = a
    rows = padded.reshape(-1, WIDE)
    return Case(
        grid=(BLOCKS,),
        block=(WIDE,),
        args=(
            a,
            out(WIDE, np.float32, fill=0),
            out(WIDE, np.int32, fill=0),
            out(WIDE, np.float32),
            size,
        ),
        want=(rows[: size // 2 // WIDE].sum(axis=0), np.ones(WIDE), rows.sum(axis=0)),
    )
