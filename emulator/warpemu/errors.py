"""What can go wrong: EmulatorError, and Finding for faults in the kernel itself."""


class EmulatorError(Exception):
    """The launch cannot be run; the message says what was given and what to do."""


class Finding(EmulatorError):
    """A fault in the kernel. ``str()`` is one sentence; the fields hold its parts.

    kind: such as 'global out of bounds'; detail: what happened, as a sentence that goes on from
    ``where`` (kernel, line, block, thread) or stands alone; message: all three.
    line: of the .cu; block, thread: tuples (x, y, z); address: int; array: name of the parameter or
    variable; index: element in that array. A field that does not apply is None.
    times: how often this kind was found in this line; counts: {kind: how often} for everything
    found in the launch.
    """

    def __init__(
        self,
        kind,
        detail,
        where="",
        line=None,
        block=None,
        thread=None,
        address=None,
        array=None,
        index=None,
    ):
        self.kind, self.detail, self.line = kind, detail, line
        self.message = f"{where}: {detail} [{kind}]" if where else f"{detail} [{kind}]"
        super().__init__(self.message)
        self.block, self.thread, self.address = block, thread, address
        self.array, self.index = array, index
        self.times, self.counts = 1, {kind: 1}

    def __str__(self):
        others = {k: n for k, n in self.counts.items() if n > 1 or k != self.kind}
        if not others:
            return self.message
        also = (
            "\nThreads of different warps race as well: for them it takes a __syncthreads()."
            if self.kind == "missing __syncwarp" and "shared race" in others
            else ""
        )
        found = ", ".join(f"{kind} {n} x" for kind, n in others.items())
        return f"{self.message}{also}\nFound in all: {found}"
