"""Special registers (%tid, %laneid, %clock, ...) by name; and what stops or marks a kernel."""

import math

import numpy as np

from .. import machine
from ..errors import EmulatorError
from . import effect, op, refuse


def registers(blocks, grid, block, shared_bytes, dynamic_bytes):
    """{name: value} for a chunk. blocks: int array of block numbers in the grid."""
    threads = np.arange(math.prod(block), dtype=np.int32)[None, :]
    number = np.asarray(blocks, np.int64)[:, None]
    values = {}
    for k, axis in enumerate("xyz"):
        before = math.prod(block[:k])
        values[f"%tid.{axis}"] = small(threads // np.int32(before) % np.int32(block[k]))
        before = math.prod(grid[:k])
        values[f"%ctaid.{axis}"] = small((number // before % grid[k]).astype(np.int32))
        values[f"%ntid.{axis}"] = np.int32(block[k])
        values[f"%nctaid.{axis}"] = np.int32(grid[k])
        values[f"%cluster_ctaid.{axis}"] = values[f"%clusterid.{axis}"] = np.int32(0)
        values[f"%cluster_nctaid.{axis}"] = np.int32(1)
    lane = threads % np.int32(32)
    values["%laneid"] = small(lane)
    values["%warpid"] = small(threads // np.int32(32))
    values["%nwarpid"] = np.int32(64)
    # blocks are dealt to the SMs in turn
    values["%smid"] = small((number % machine.SMS).astype(np.int32))
    values["%nsmid"] = np.int32(machine.SMS)
    values["%gridid"] = np.int64(1)
    bit = np.left_shift(np.int64(1), lane.astype(np.int64))
    masks = {
        "eq": bit,
        "lt": bit - 1,
        "le": 2 * bit - 1,
        "gt": (1 << 32) - 2 * bit,
        "ge": (1 << 32) - bit,
    }
    for name, mask in masks.items():
        values[f"%lanemask_{name}"] = small(mask.astype(np.uint32).view(np.int32))
    values["%total_smem_size"] = np.int32(shared_bytes)
    values["%dynamic_smem_size"] = np.int32(dynamic_bytes)
    values["WARP_SZ"] = np.int32(32)
    values["%cluster_ctarank"] = np.int32(0)
    values["%cluster_nctarank"] = np.int32(1)
    for k in range(32):
        values[f"%envreg{k}"] = np.int32(0)
    return values


def reserved(start, end, windows=0):
    """{name: value} of CUDA's own part of shared memory, from start to end. windows: as in State.
    (On a GPU these have no rank; how CUDA's own code finds its part in a cluster is not known.)
    """
    low, high = (np.int32(windows + place) for place in (start, end))
    values = {"begin": low, "0": low, "1": low, "end": high, "cap": np.int32(end - start)}
    return {f"%reserved_smem_offset_{name}": value for name, value in values.items()}


def small(a):
    """A scalar where all lanes agree."""
    return a.reshape(-1)[0] if a.size == 1 else a


def clock(name, steps):
    """Counters that run: one step is one block of PTX run by one group of lanes."""
    if name in ("%clock64", "%globaltimer"):
        return np.int64(steps)
    if name in ("%clock", "%globaltimer_lo", "%clock_hi", "%globaltimer_hi"):
        return np.int32(steps & 0x7FFFFFFF) if not name.endswith("hi") else np.int32(steps >> 32)
    raise EmulatorError(f"the emulator does not cover the special register {name}")


@op("pmevent", modifiers="mask")
def pmevent(instruction):
    """Nothing -> nothing."""
    return effect(lambda state, group, mask, instruction: None)


@op("brkpt")
def brkpt(instruction):
    """Nothing -> nothing."""
    return effect(lambda state, group, mask, instruction: None)


@op("setmaxnreg", modifiers="inc dec sync aligned", types="u32")
def setmaxnreg(instruction):
    """Nothing -> nothing: registers of the hardware, of which there is any number here."""
    count = instruction.operands[0].bits
    if not 24 <= count <= 256 or count % 8:
        raise refuse(instruction, f"{count} registers, not a multiple of 8 from 24 to 256")
    return effect(lambda state, group, mask, instruction: None)


@op("griddepcontrol", modifiers="launch_dependents wait")
def griddepcontrol(instruction):
    """Nothing -> nothing: launches follow one another here, so there is nothing to wait for."""
    return effect(lambda state, group, mask, instruction: None)
