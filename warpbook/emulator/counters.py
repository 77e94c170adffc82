"""The report of a launch: integer counters, for the launch and for each source line."""

FIELDS = (
    "instructions", "active_lanes",
    "global_ld_requests", "global_ld_sectors", "global_ld_bytes",
    "global_st_requests", "global_st_sectors", "global_st_bytes",
    "shared_ld_requests", "shared_ld_wavefronts", "shared_ld_conflicts",
    "shared_st_requests", "shared_st_wavefronts", "shared_st_conflicts",
    "local_ld_requests", "local_st_requests",
    "atomic_requests", "atomic_collisions", "branches", "divergent_branches",
)


class Counters:
    """One integer per name in ``FIELDS``; zero at first.

    instructions: PTX instructions, one per warp; active_lanes: the threads that took part in them.
    requests: one per warp instruction; sectors: 32 bytes; *_bytes: distinct bytes asked for by a
    request. atomic_collisions: lanes beyond the first at one address of one request.
    """

    def __init__(self):
        for name in FIELDS:
            setattr(self, name, 0)


class Report(Counters):
    """Counters of a launch.

    lines: {line of the .cu: Counters}; opcodes: {PTX opcode: warp instructions};
    unique_sectors: distinct global sectors touched (a lower bound of DRAM traffic);
    samples: {line: [Request]}: the first request of each load or store, for drawing.
    """

    def __init__(self):
        super().__init__()
        self.lines, self.opcodes, self.unique_sectors, self.samples = {}, {}, 0, {}


class Request:
    """One warp's request. kind: such as 'global ld'; size: bytes a lane; addresses: 32 ints;
    active: 32 bools; wide: bytes a lane after the merging that ptxas does."""

    def __init__(self, kind, size, addresses, active):
        self.kind, self.size, self.addresses, self.active = kind, size, addresses, active


class Tally:
    """Counts during a launch."""

    def __init__(self, program):
        self.program = program

    def block(self, block, group):
        pass

    def branch(self, last, group, value):
        pass

    def globals(self, *a):
        pass

    shared = locals = atomic = globals

    def report(self):
        return Report()
