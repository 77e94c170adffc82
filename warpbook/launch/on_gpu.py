"""A kernel on a GPU: compiled by CuPy, and launched with arguments that have been checked before.

Of a launch this module alone is measured. An edit here makes recorded pages stale; an edit of a
check or of a message, which lie in kernel.py and arguments.py, does not.
"""

import re
from collections.abc import Sequence

import numpy as np

from warpbook.launch import observers
from warpbook.launch.backend import cp
from warpemu import nvrtc

ONE_ARCHITECTURE = re.compile(r"\b(wgmma|setmaxnreg)\b")  # instructions of sm_90a alone


class Launcher:
    """One kernel, compiled by cupy.RawKernel for this GPU; a call launches it.

    text: CUDA C++; entry: its kernel; file: the name that the compiler's log is to give it;
    options: of the compiler; needs: the architecture that the kernel's header assumes, or ''.
    Raises CompileError with the compiler's log.
    """

    def __init__(
        self, text: str, entry: str, file: str, options: tuple[str, ...] = (), needs: str = ""
    ) -> None:
        options = (nvrtc.STANDARD, "-lineinfo", *options)
        if needs == "sm_90a" or not needs and ONE_ARCHITECTURE.search(text):
            options = ("-arch=sm_90a", *options)
        self.raw = cp.RawKernel(text, entry, options=options)
        self.launched = observers.Launched(needs)
        self.opted: dict[int, int] = {}  # {device: the dynamic shared memory that is allowed there}
        try:
            self.raw.compile()
        except cp.cuda.compiler.CompileException as error:
            log = re.sub(r"[^\s\"]+\.cu(?=[(\"])", file, str(error))
            raise nvrtc.CompileError(log) from None

    def attributes(self) -> dict[str, int]:
        """What the compiler made of it: num_regs, local_size_bytes, shared_size_bytes, ..."""
        return self.raw.attributes

    def opt_in(self, shared_bytes: int) -> bool:
        """Allow so much dynamic shared memory; return whether it had to be asked for."""
        device = cp.cuda.runtime.getDevice()
        if self.opted.get(device, 0) >= shared_bytes:
            return False
        self.raw.max_dynamic_shared_size_bytes = self.opted[device] = shared_bytes
        return True

    def __call__(
        self, grid: tuple[int, ...], block: tuple[int, ...], values: Sequence, shared_bytes: int
    ) -> None:
        """Launch on these values: arrays, NumPy numbers and tensor maps."""
        self.raw(grid, block, values, shared_mem=shared_bytes)
        observers.tell(self.launched)


class Checked:
    """One launch that has been checked. A call launches with other arguments of the same key.

    values: what the checks made of the arguments. opt_in: whether it needs more than 48 KB.
    """

    def __init__(
        self,
        launcher: Launcher,
        grid: tuple[int, ...],
        block: tuple[int, ...],
        values: Sequence,
        shared_bytes: int,
        opt_in: bool,
    ) -> None:
        self.launcher, self.grid, self.block = launcher, grid, block
        self.shared_bytes, self.opt_in = shared_bytes, opt_in
        # what takes the place of each argument; an array stands for itself, and is not kept
        self.places = [None if isinstance(value, cp.ndarray) else value for value in values]

    def __call__(self, args: tuple) -> None:
        """Launch, as ``launcher`` does."""
        if self.opt_in:
            self.launcher.opt_in(self.shared_bytes)
        values = tuple(
            [a if p is None else p for a, p in zip(args, self.places)]  # noqa: B905  (0.1 us)
        )
        self.launcher(self.grid, self.block, values, self.shared_bytes)


def key(args: tuple, launch: tuple, mask: int) -> tuple:
    """Return all that the checks of a launch depend on, in a microsecond; equal keys, equal checks.

    launch: grid, block and shared bytes, or () where they follow from the arguments. mask: the bits
    of an array's address that count. Numbers are kept apart by their types, and 0.0 from -0.0.
    Raises TypeError for an argument that is no array and no number.
    """
    parts = [launch]
    for a in args:
        if type(a) is cp.ndarray:
            parts += (a.dtype, a.shape, a.strides, a.data.ptr & mask)
        elif type(a) is int:
            parts.append(a)
        elif isinstance(a, np.generic):
            parts += (type(a), a.tobytes())
        elif type(a) in (float, bool):
            parts += (type(a), a or str(a))
        else:
            raise TypeError(f"{type(a)} has no place in a key")
    return tuple(parts)
