"""Random programs of threads that meet at mbarriers and barriers: the sanitizer finds a race where a
plain model of what happens before what finds one, and nowhere else.

One thread of each warp takes part. Each mbarrier has one phase. The model runs the steps in some
order that is possible; which steps are ordered does not depend on which order that is.
"""

# ruff: noqa: E501 (lines of CUDA C++ in strings)

import numpy as np
import pytest
from emulator_helpers import program
from hopper_helpers import CLUSTER, HEAD

import warpemu

CELLS = 3  # of shared memory in each block
BARRIERS = 4  # in each block


class Model:
    """Makes a program and says whether it has a race. blocks, warps: of each; rng."""

    def __init__(self, rng, blocks, warps, steps):
        self.rng, self.blocks = rng, blocks
        self.threads = [(b, w) for b in range(blocks) for w in range(warps)]
        self.code = {t: [] for t in self.threads}
        self.clock = {t: dict.fromkeys(self.threads, 0) for t in self.threads}
        self.time = 0
        names = [(b, k) for b in range(blocks) for k in range(BARRIERS)]
        self.count = {name: int(rng.integers(1, 3)) for name in names}
        self.pending, self.gathered = dict(self.count), {name: {} for name in names}
        self.accesses = []  # (cell, thread, time, a write?, what its thread knew)
        self.value = 0
        for _ in range(steps):
            self.step()

    def choose(self, items):
        return items[int(self.rng.integers(len(items)))]

    def step(self):
        thread, kind = self.choose(self.threads), self.rng.random()
        if kind < 0.45:
            self.touch(thread)
        elif kind < 0.7:
            self.arrive(thread)
        elif kind < 0.97:
            self.wait(thread)
        else:
            self.meet()

    def touch(self, thread):
        cell = self.choose(range(self.blocks)), self.choose(range(CELLS))
        write = self.rng.random() < 0.5
        knows = self.clock[thread]
        racing = any(
            other[0] == cell
            and other[1] != thread
            and (write or other[3])
            and knows[other[1]] < other[2]
            for other in self.accesses
        )
        if racing and self.rng.random() > 0.02:
            return
        self.time += 1
        self.value += 1
        self.accesses.append((cell, thread, self.time, write, dict(self.clock[thread])))
        self.clock[thread][thread] = self.time
        place = f"map(s + {cell[1]}, {cell[0]})"
        self.code[thread].append(f"st({place}, {self.value});" if write else f"sum += ld({place});")

    def arrive(self, thread):
        open_ = [name for name, left in self.pending.items() if left]
        if open_:
            name = self.choose(open_)
            self.pending[name] -= 1
            join(self.gathered[name], self.clock[thread])
            self.code[thread].append(f"arrive_at(map(bars + {name[1]}, {name[0]}));")

    def wait(self, thread):
        done = [name for name, left in self.pending.items() if not left and name[0] == thread[0]]
        if done:
            name = self.choose(done)
            join(self.clock[thread], self.gathered[name])
            self.code[thread].append(f"wait_cluster(bars + {name[1]}, 0);")

    def meet(self):
        everything = {}
        for thread in self.threads:
            join(everything, self.clock[thread])
        for thread in self.threads:
            join(self.clock[thread], everything)
            self.code[thread].append("arrive_cluster(); wait_for_cluster();")

    def races(self):
        """Pairs of accesses in no order, one of them a write."""
        found = []
        for k, (cell, thread, time, write, _) in enumerate(self.accesses):
            for other in self.accesses[k + 1 :]:
                known = other[4][thread] >= time or other[1] == thread
                if other[0] == cell and (write or other[3]) and not known:
                    found.append((self.accesses[k], other))
        return found

    def text(self):
        counts = ", ".join(
            "{" + ", ".join(str(self.count[b, k]) for k in range(BARRIERS)) + "}"
            for b in range(self.blocks)
        )
        bodies = "".join(
            f"if (rank() == {b} && t == {32 * w}) {{\n{chr(10).join(self.code[b, w])}\n}}\n"
            for b, w in self.threads
        )
        return f"""{HEAD}{CLUSTER}
__device__ __forceinline__ void arrive_cluster() {{ asm volatile("barrier.cluster.arrive;" ::: "memory"); }}
__device__ __forceinline__ void wait_for_cluster() {{ asm volatile("barrier.cluster.wait;" ::: "memory"); }}
__device__ __forceinline__ void wait_cluster(u64* b, u32 parity) {{
    asm volatile("{{ .reg .pred p; again: mbarrier.try_wait.parity.acquire.cluster.shared::cta.b64 p, [%0], %1; @!p bra again; }}" :: "r"(at(b)), "r"(parity) : "memory");
}}
extern "C" __global__ void __cluster_dims__({self.blocks}) k(int* out) {{
    __shared__ u64 bars[{BARRIERS}]; __shared__ int s[{CELLS}];
    constexpr int counts[{self.blocks}][{BARRIERS}] = {{{counts}}};
    int t = threadIdx.x, sum = 0;
    if (t == 0) {{
        for (int k = 0; k < {BARRIERS}; k++) init(bars + k, counts[rank()][k]);
        for (int k = 0; k < {CELLS}; k++) s[k] = 0;
        fence_init();
    }}
    meet();
    {bodies}
    if (t % 32) for (int k = 0; k < {self.code[self.threads[0]].count("arrive_cluster(); wait_for_cluster();")}; k++) {{ arrive_cluster(); wait_for_cluster(); }}
    meet();
    out[blockIdx.x * blockDim.x + t] = sum;
}}"""


def join(mine, other):
    """What is in ``other`` is known as well."""
    for thread, time in other.items():
        mine[thread] = max(mine.get(thread, 0), time)


@pytest.mark.parametrize("blocks, warps", [(1, 4), (2, 2), (4, 1)])
@pytest.mark.parametrize("part", range(3))
def test_races(blocks, warps, part):
    rng = np.random.default_rng(100 * blocks + part)
    found = clean = 0
    for _ in range(10):
        model = Model(rng, blocks, warps, int(rng.integers(20, 90)))
        out = np.zeros((blocks, 32 * warps), "i4")
        k = program(model.text())
        try:
            k.launch((blocks,), (32 * warps,), [out])
        except warpemu.Finding as finding:
            assert finding.kind == "shared race", str(finding)
            assert model.races(), f"{finding}\n{model.text()}"
            found += 1
        else:
            assert not model.races(), f"{model.races()}\n{model.text()}"
            clean += 1
    assert found + clean == 10 and clean
