"""What the exercises of 38_streams ask for."""

import numpy as np

from warpbook import Case, drawn, exercise, least, most, out


def pipeline(chunks, streams, copy, kernel, start):
    """When the last chunk is back: every step as an engine and a stream let it begin."""
    engines, ends = [0.0] * 3, [0.0] * streams
    for chunk in range(chunks):
        for step, whole in enumerate((copy, kernel, copy)):
            begin = max(engines[step], ends[chunk % streams])
            engines[step] = ends[chunk % streams] = begin + whole / chunks + start
    return max(ends)


@exercise(
    sizes=((1, 1), (5, 1), (31, 2), (drawn(33, 63), drawn(2, 3)), (drawn(65, 90), drawn(2, 4))),
    technique=(
        most(
            "global_st_requests",
            1,
            lambda most, streams: -(-most // 32),
            "Each thread works out one number of chunks.",
        ),
        least("active_share", 0.2, None, "Let every thread work out its own number of chunks."),
    ),
)
def chunks(size, rng):
    number, streams = size
    copy, kernel, start = (
        float(np.float32(x)) for x in rng.random(3) * (6, 6, 0.1) + (2, 0.5, 0.02)
    )
    want = [pipeline(c + 1, streams, copy, kernel, start) for c in range(number)]
    return Case(
        grid=(-(-number // 64),),
        block=(64,),
        args=(out(number, np.float32), number, streams, copy, kernel, start),
        want=np.array(want),
        rtol=1e-4,
        bytes=4 * number,
    )


@exercise(
    sizes=(1, 2, 33, drawn(65, 150), drawn(160, 256)),
    technique=(
        most(
            "global_st_requests",
            1,
            lambda n: -(-n // 32),
            "One thread a node, and each stores its end once.",
        ),
        least("active_share", 0.4, None, "Let all threads look, each for its node."),
        most(
            "instructions",
            10,  # so that n rounds pass as well
            lambda n: 150 * n,
            "Each thread works for its own node, not for all.",
        ),
        least("barriers", 1, lambda n: 16, "Threads look at one another's ends behind a barrier."),
    ),
)
def critical_path(size, rng):
    length = rng.integers(1, 10, size).astype(np.float32)
    place = rng.permutation(size)  # the node at each place of an order that keeps to the edges
    waits = {int(node): [] for node in place}
    ends = np.zeros(size)
    for at in range(size):
        node = int(place[at])
        behind = rng.integers(max(0, at - 12), at, min(at, 3)) if at else []
        waits[node] = sorted({int(place[k]) for k in behind})
        ends[node] = length[node] + max((ends[k] for k in waits[node]), default=0)
    first = np.cumsum([0] + [len(waits[k]) for k in range(size)]).astype(np.int32)
    before = np.array([k for node in range(size) for k in waits[node]] or [0], np.int32)
    return Case(
        grid=(1,),
        block=(256,),
        args=(length, first, before, out(size, np.float32), size),
        want=ends,
        bytes=12 * size,
    )
