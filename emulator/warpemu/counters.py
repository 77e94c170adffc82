"""The report of a launch: integer counters, for the launch and for each source line."""

from dataclasses import dataclass

import numpy as np

from .memory import SLOT
from .rules import ONE, SECTOR, conflicts, distinct, past_l1, wavefronts

FIELDS = (
    "instructions",
    "active_lanes",
    "global_ld_requests",
    "global_ld_sectors",
    "global_ld_bytes",
    "global_st_requests",
    "global_st_sectors",
    "global_st_bytes",
    "shared_ld_requests",
    "shared_ld_wavefronts",
    "shared_ld_conflicts",
    "shared_st_requests",
    "shared_st_wavefronts",
    "shared_st_conflicts",
    "local_ld_requests",
    "local_st_requests",
    "const_ld_requests",
    "const_ld_passes",
    "atomic_requests",
    "atomic_collisions",
    "branches",
    "divergent_branches",
)

NOTHING = dict.fromkeys(FIELDS, 0)


class Counters:
    """One integer per name in ``FIELDS``; zero at first.

    instructions: PTX instructions, one per warp; active_lanes: the threads that took part in them.
    requests: one per warp instruction; sectors: 32 bytes; *_bytes: distinct bytes asked for by a
    request. const_ld_passes: different addresses of a request to constant memory, which serves one
    after the other. atomic_collisions: lanes beyond the first at one address of one request.
    """

    def __init__(self):
        self.__dict__.update(NOTHING)


class Report(Counters):
    """Counters of a launch.

    lines: {line of the .cu: Counters}; opcodes: {PTX opcode: warp instructions};
    unique_sectors: distinct global sectors touched (a lower bound of DRAM traffic);
    samples: {line: [Request]}: the first request of each load or store, for drawing;
    atomics: {'global', 'shared': atomic_requests there}, whatever the address is called in PTX;
    findings: with ``keep_going``, the first Finding of each kind and line, in the order found;
    stopped: with it, the Finding of the time limit that ended the launch, or None.
    """

    def __init__(self):
        super().__init__()
        self.lines, self.opcodes, self.unique_sectors, self.samples = {}, {}, 0, {}
        self.atomics = {"global": 0, "shared": 0}
        self.findings, self.stopped = [], None


@dataclass
class Request:
    """One warp's request, for drawing. kind: such as 'global ld'; size: bytes a lane, after
    merging; addresses: 32 ints (in shared memory: offsets); active: 32 bools; array: its name, if
    global."""

    kind: str
    size: int
    addresses: list
    active: list
    array: str | None


def partial(group, mask):
    """mask, or one of all lanes of the group where some warp is not whole: with it, ``group.warps``
    says which lanes of a warp are here even if all have one address.
    """
    return np.ones(group.shape, bool) if mask is None and not group.aligned else mask


def shown_opcode(instruction):
    """An opcode as a report names it; of a wait_group with the groups that it leaves under way."""
    left = f" {instruction.operands[0].bits}" if "wait_group" in instruction.parts else ""
    return instruction.opcode + left


MISSES = 4  # times that rows did not move together, after which nobody looks whether they do


def touched(rows):
    """(the sectors of each warp, one behind the other; how many addresses differ in a warp)."""
    if rows.shape[1] == 1:
        return rows.reshape(-1) >> SECTOR, len(rows)
    flat, fresh = distinct(rows)
    sectors = flat >> SECTOR
    changed = np.concatenate((ONE, sectors[1:] != sectors[:-1]))
    changed[::32] = True
    return sectors[changed], np.count_nonzero(fresh)


class Tally:
    """Counts during a launch, by instruction."""

    def __init__(self, program):
        self.program = program
        self.counts = {name: [0] * len(program.instructions) for name in FIELDS}
        self.warps, self.lanes = [0] * len(program.blocks), [0] * len(program.blocks)
        self.seen = {}  # slot -> bool per sector of its array
        self.patterns = {}  # instruction number -> (rows, {bytes past a sector: touched}, misses)
        self.samples = {}  # instruction number -> Request
        self.atomics = {"global": 0, "shared": 0}

    def add(self, instruction, name, amount):
        self.counts[name][instruction.index] += int(amount)

    def block(self, block, group):
        self.warps[block.index] += group.warp_count
        self.lanes[block.index] += group.count

    def branch(self, last, group, value):
        self.add(last, "branches", group.warp_count)
        if np.ndim(value):
            rows, times, _ = group.warps(value, group.mask)
            self.add(
                last, "divergent_branches", (rows.any(axis=1) & ~rows.all(axis=1)).sum() * times
            )

    def globals(self, state, group, mask, instruction, address, kind):
        """A load ('ld') or store ('st') of global memory."""
        access = instruction.access
        if not access.counted:
            return
        if access.past_l1:
            mask = partial(group, mask)
        rows, times, present = group.warps(address, mask)
        rows = rows + access.offset
        sectors, distinct_lanes = self.pattern(instruction, rows)
        count = past_l1(rows, present).sum() if access.past_l1 else len(sectors)
        self.add(instruction, f"global_{kind}_requests", len(rows) * times)
        self.add(instruction, f"global_{kind}_sectors", count * times)
        self.add(instruction, f"global_{kind}_bytes", distinct_lanes * times * access.counted)
        self.touch(state, sectors)
        self.sample(state, group, mask, instruction, f"global {kind}", address)

    def pattern(self, instruction, rows):
        """(the sectors of each warp, one warp behind the other; how many addresses are distinct in
        their warps). rows: byte addresses, (N, 32), or (N, 1) where a warp's lanes agree.

        In a loop most addresses move on together. What such rows touch is what they touched before,
        moved by as many sectors, if all have moved by a multiple of a sector from rows seen before.
        """
        base, seen, missed = self.patterns.get(instruction.index, (None, {}, 0))
        if missed < MISSES and base is not None and base.shape == rows.shape:
            moved = rows - base
            by = int(moved.item(0))
            if (moved == by).all():
                whole, rest = divmod(by, 1 << SECTOR)
                if rest not in seen:
                    sectors, count = touched(rows)
                    seen[rest] = sectors - whole, count
                sectors, count = seen[rest]
                return sectors + whole, count
        found = touched(rows)
        self.patterns[instruction.index] = rows, {0: found}, missed + (base is not None)
        return found

    def touch(self, state, sectors):
        """Mark sectors as seen."""
        low, high = int(sectors.min()), int(sectors.max())
        slots = [low >> SLOT - SECTOR]
        if slots[0] != high >> SLOT - SECTOR:
            slots = np.unique(sectors >> (SLOT - SECTOR)).tolist()
        for slot in slots:
            array = state.memory.slots.get(slot)
            if array is None:
                continue
            if slot not in self.seen:
                self.seen[slot] = np.zeros((array.bytes >> SECTOR) + 1, bool)
            seen, first = self.seen[slot], array.base >> SECTOR
            if len(slots) > 1 or low < first or high - first >= len(seen):
                inside = sectors[sectors >> (SLOT - SECTOR) == slot] - first
                seen[inside[(inside >= 0) & (inside < len(seen))]] = True
            else:
                seen[sectors - first] = True

    def shared(self, state, group, mask, instruction, address, kind):
        """A load ('ld') or store ('st') of shared memory."""
        access = instruction.access
        if not access.counted:
            return
        if access.counted > 4:
            mask = partial(group, mask)
        rows, times, present = group.warps(address, mask)
        cost, passes = wavefronts(rows + access.start, access.counted, present, kind == "ld")
        self.add(instruction, f"shared_{kind}_requests", len(rows) * times)
        self.add(instruction, f"shared_{kind}_wavefronts", cost.sum() * times)
        self.add(instruction, f"shared_{kind}_conflicts", (cost - passes).sum() * times)
        self.sample(state, group, mask, instruction, f"shared {kind}", address)

    def matrices(self, state, group, instruction, rows, kind):
        """ldmatrix, stmatrix: one request; each 8x8 matrix is one pass over its 8 rows of 16
        bytes.
        """
        warps, number, _ = rows.shape
        words = (rows.reshape(-1, 8, 1) >> 2) + np.arange(4)
        cost = conflicts(words.reshape(-1, 32)).sum()
        self.add(instruction, f"shared_{kind}_requests", warps)
        self.add(instruction, f"shared_{kind}_wavefronts", cost)
        self.add(instruction, f"shared_{kind}_conflicts", cost - warps * number)

    def locals(self, group, mask, instruction, kind):
        if mask is None:
            warps = group.warp_count
        else:
            warps = len(group.warps(np.zeros(group.shape, np.int8), mask)[0])
        self.add(instruction, f"local_{kind}_requests", warps)

    def constants(self, state, group, mask, instruction, address):
        """A load of constant memory."""
        rows, times, _ = group.warps(address, mask)
        passes = len(rows) if rows.shape[1] == 1 else np.count_nonzero(distinct(rows)[1])
        self.add(instruction, "const_ld_requests", len(rows) * times)
        self.add(instruction, "const_ld_passes", passes * times)

    def atomic(self, group, mask, instruction, address, space):
        """An atomic of the lanes in mask (bool, the group's shape); space: 'global' or 'shared'."""
        rows, times, present = group.warps(address, mask)
        collisions = np.count_nonzero(mask) - np.count_nonzero(distinct(rows)[1])
        self.add(instruction, "atomic_requests", len(rows) * times)
        self.atomics[space] += len(rows) * times
        self.add(instruction, "atomic_collisions", collisions)

    def sample(self, state, group, mask, instruction, kind, address):
        """Remember the first request of an instruction."""
        if instruction.index in self.samples:
            return
        rows, _, present = group.warps(address, partial(group, mask))
        first = np.broadcast_to(rows[0], (32,)) + instruction.access.start
        addresses = [int(a) for a in first]
        active = [True] * 32 if present is None else [bool(p) for p in present[0]]
        array = state.memory.at(addresses[0]) if kind.startswith("global") else None
        name = array.describe(addresses[0])[0] if array else None
        counted = instruction.access.counted
        self.samples[instruction.index] = Request(kind, counted, addresses, active, name)

    def report(self):
        report = Report()
        report.atomics = dict(self.atomics)
        for block, warps, lanes in zip(self.program.blocks, self.warps, self.lanes, strict=True):
            for instruction in block.items + ([block.last] if block.last else []):
                if instruction.index >= 0:
                    self.counts["instructions"][instruction.index] += warps
                    self.counts["active_lanes"][instruction.index] += lanes
                    name = shown_opcode(instruction)
                    report.opcodes[name] = report.opcodes.get(name, 0) + warps
        for instruction in self.program.instructions:
            if instruction.line not in report.lines:
                report.lines[instruction.line] = Counters()
            if instruction.index in self.samples:
                report.samples.setdefault(instruction.line, []).append(
                    self.samples[instruction.index]
                )
        for name, amounts in self.counts.items():
            if not any(amounts):
                continue
            setattr(report, name, sum(amounts))
            for instruction, amount in zip(self.program.instructions, amounts, strict=True):
                if amount:
                    line = report.lines[instruction.line]
                    setattr(line, name, getattr(line, name) + amount)
        report.unique_sectors = sum(int(np.count_nonzero(s)) for s in self.seen.values())
        return report
