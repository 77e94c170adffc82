"""What each model of GPU has: one record a model, and what one SM of each compute capability holds.

The limits of an SM are those of the table "Technical Specifications per Compute Capability" in
NVIDIA's CUDA C++ Programming Guide; the allocation units are those of cuda_occupancy.h, the
calculator that comes with the CUDA toolkit. A model's figures are what the driver answers on it.
"""

from dataclasses import dataclass

KB = 1024
REGISTERS = 65536  # of 32 bits, an SM's and the most for a block
REGISTER_UNIT = 256  # registers are given to whole warps, in pieces of so many
WARP = 32  # threads
MOST_THREADS = 1024  # of a block
BLOCK_LIMIT = (1024, 1024, 64)
GRID_LIMIT = (2**31 - 1, 65535, 65535)
SHARED_WITHOUT_OPT_IN = 48 * KB


@dataclass(frozen=True)
class SM:
    """What one SM can hold. levels: the sizes in KB that its shared memory can be set to."""

    threads: int
    blocks: int
    levels: tuple
    block_kb: int  # the most shared memory that one block can have
    unit: int = 128  # shared memory is given in pieces of so many bytes
    reserved: int = 1024  # bytes of shared memory that the system keeps of every block
    partitions: int = 4  # each has its own warps and a like share of the registers


_AMPERE = (0, 8, 16, 32, 64, 100, 132, 164)
_HOPPER = (*_AMPERE, 196, 228)
_SMALL = (0, 8, 16, 32, 64, 100)
# What one SM holds, by compute capability: threads, blocks, the levels in KB of its shared memory
# and the most of it that one block can have (block_kb).
SM_LIMITS = {
    (6, 0): SM(2048, 32, (64,), 48, unit=256, reserved=0, partitions=2),
    (6, 1): SM(2048, 32, (96,), 48, unit=256, reserved=0),
    (7, 0): SM(2048, 32, (0, 8, 16, 32, 64, 96), 96, unit=256, reserved=0),
    (7, 5): SM(1024, 16, (32, 64), 64, unit=256, reserved=0),
    (8, 0): SM(2048, 32, _AMPERE, 163),
    (8, 6): SM(1536, 16, _SMALL, 99),
    (8, 7): SM(1536, 16, _AMPERE, 163),
    (8, 9): SM(1536, 24, _SMALL, 99),
    (9, 0): SM(2048, 32, _HOPPER, 227),
    (10, 0): SM(2048, 32, _HOPPER, 227),
    (10, 3): SM(2048, 32, _HOPPER, 227),
    (11, 0): SM(1536, 24, _HOPPER, 227),
    (12, 0): SM(1536, 24, _SMALL, 99),
    (12, 1): SM(1536, 24, _SMALL, 99),
}


@dataclass(frozen=True)
class Model:
    """One model of GPU. Clocks in kHz, as the driver gives them; sizes in bytes."""

    name: str
    capability: tuple[int, int]
    sms: int
    clock_khz: int  # the rated boost
    memory_clock_khz: int
    memory_bus_bits: int
    memory_bytes: int
    l2_bytes: int

    @property
    def sm(self):
        """What one of its SMs can hold: an SM of SM_LIMITS."""
        return SM_LIMITS[self.capability]

    @property
    def attributes(self):
        """Its answers under the names of CuPy's ``Device.attributes``."""
        x, y, z = BLOCK_LIMIT
        return {
            "MultiProcessorCount": self.sms,
            "ClockRate": self.clock_khz,
            "MemoryClockRate": self.memory_clock_khz,
            "GlobalMemoryBusWidth": self.memory_bus_bits,
            "L2CacheSize": self.l2_bytes,
            "WarpSize": WARP,
            "MaxThreadsPerBlock": MOST_THREADS,
            "MaxThreadsPerMultiProcessor": self.sm.threads,
            "MaxBlocksPerMultiprocessor": self.sm.blocks,
            "MaxBlockDimX": x,
            "MaxBlockDimY": y,
            "MaxBlockDimZ": z,
            "MaxGridDimX": GRID_LIMIT[0],
            "MaxGridDimY": GRID_LIMIT[1],
            "MaxGridDimZ": GRID_LIMIT[2],
            "MaxRegistersPerBlock": REGISTERS,
            "MaxRegistersPerMultiprocessor": REGISTERS,
            "MaxSharedMemoryPerBlock": SHARED_WITHOUT_OPT_IN,
            "MaxSharedMemoryPerBlockOptin": self.sm.block_kb * KB,
            "MaxSharedMemoryPerMultiprocessor": self.sm.levels[-1] * KB,
            "ReservedSharedMemoryPerBlock": self.sm.reserved,
        }


# The model whose SMs, caches and limits the emulator has, and which answers where there is no GPU.
H100 = Model(
    name="an H100",
    capability=(9, 0),
    sms=132,
    clock_khz=1980000,
    memory_clock_khz=2619000,
    memory_bus_bits=5120,
    memory_bytes=80 * 10**9,
    l2_bytes=50 * 2**20,
)
# GB/s of memory and GFLOP/s of float32 multiply-adds, as NVIDIA's data sheets have them: P100 for
# PCIe, V100 SXM2, A100 SXM with 40 GB.
DATA_SHEET = {
    "P100": (732, 9300),
    "V100": (900, 15700),
    "T4": (320, 8100),
    "A100": (1555, 19500),
    "L4": (300, 30300),
}
