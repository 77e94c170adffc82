"""trace: one launch in the emulator, and what its warps asked of memory, line by line."""

import html

import numpy as np

from warpbook.launch.backend import GPU, cp
from warpbook.launch.kernel import Extent, Kernel, emulate
from warpbook.launch.wording import number

SECTOR = 32  # bytes


def trace(
    kernel: Kernel, grid: Extent, block: Extent, *args: object, shared_bytes: int = 0
) -> "Trace":
    """Run one launch in the emulator, on copies of the arrays, and return its Trace.

    Takes what the launch takes and refuses what it refuses; works with and without a GPU, and
    leaves the arrays as they are, those of tensor maps as well. Keep the launch small: a few
    thousand threads show it all.
    Raises the emulator's Finding when the kernel does something illegal.
    """
    program = emulate(kernel)
    owners: dict = {}
    copies = tuple(_copied(a, owners) for a in kernel.convert(args))
    report = program.launch(grid, block, copies, shared_bytes=shared_bytes, trace=True)
    return Trace(kernel, report)


class Trace:
    """The counts of one launch: integers, by the emulator's names (see ``counts``).

    A request is one load or store instruction of one warp; a sector is 32 bytes of memory; a
    wavefront is one pass over the 32 banks of shared memory, and each beyond the first that the
    access's width needs is a conflict. ``instructions`` counts PTX, not SASS.
    """

    def __init__(self, kernel, report):
        self.kernel, self.report = kernel, report

    def __getattr__(self, name):
        if name.startswith("_"):
            raise AttributeError(name)
        return getattr(self.report, name)

    @property
    def sectors_per_ld_request(self) -> float:
        """Sectors that one warp's load from global memory touches, on average (NaN: no loads)."""
        return _ratio(self.report.global_ld_sectors, self.report.global_ld_requests)

    @property
    def sectors_per_st_request(self) -> float:
        """Sectors that one warp's store to global memory touches, on average (NaN: no stores)."""
        return _ratio(self.report.global_st_sectors, self.report.global_st_requests)

    @property
    def shared_wavefronts(self) -> int:
        """Wavefronts of shared memory, loads and stores: an SM finishes at most one in a clock.

        On a GPU loads and stores of global memory and shuffles go the same way, and take wavefronts
        of their own: METRICS["wavefronts"] counts them all.
        """
        return self.report.shared_ld_wavefronts + self.report.shared_st_wavefronts

    @property
    def barriers(self) -> int:
        """Barriers of blocks: one for each warp that comes to a __syncthreads()."""
        return sum(
            n
            for name, n in self.report.opcodes.items()
            if name.startswith("bar") and ".warp." not in name
        )

    @property
    def bytes_used_share(self) -> float:
        """Bytes of global memory that lanes asked for, of the bytes in the sectors touched."""
        r = self.report
        moved = SECTOR * (r.global_ld_sectors + r.global_st_sectors)
        return _ratio(r.global_ld_bytes + r.global_st_bytes, moved)

    @property
    def active_share(self) -> float:
        """Active lanes of all lanes, over every instruction: 1 where no warp diverges."""
        return _ratio(self.report.active_lanes, 32 * self.report.instructions)

    @property
    def counts(self):
        """The counts as a pandas Series, those that are zero left out."""
        import pandas as pd  # here, as the plots below: counting needs NumPy alone

        rows = {
            "sectors_per_ld_request": self.sectors_per_ld_request,
            "sectors_per_st_request": self.sectors_per_st_request,
            "bytes_used_share": self.bytes_used_share,
            "active_share": self.active_share,
        }
        names = [n for n in vars(self.report) if isinstance(getattr(self.report, n), int)]
        rows.update({name: getattr(self.report, name) for name in names})
        return pd.Series({k: v for k, v in rows.items() if v and not np.isnan(v)}, dtype=object)

    def draw(self, line=None):
        """Draw one warp's first request of a .cu line: 32 lanes over sectors, or over banks.

        line: the line of the .cu file; None takes the first load or store there is.
        Raises LookupError that lists the lines with requests.
        """
        from warpbook.display import requests  # here, as below: counting needs NumPy alone

        samples = self.report.samples
        if line is None:
            line = min(samples, default=None)
        if line not in samples:
            lines = ", ".join(map(str, sorted(samples))) or "none"
            raise LookupError(f"{self.kernel.name} has no request in line {line}; it has: {lines}.")
        request = samples[line][0]
        addresses = [
            a if on else None for a, on in zip(request.addresses, request.active, strict=True)
        ]
        title = f"{self.kernel.source.path.name}, line {line}: {request.kind}"
        if request.kind.startswith("shared"):
            store = request.kind.endswith("st")
            return requests.draw_banks(addresses, request.size, title, store)
        return requests.draw_sectors(addresses, request.size, title)

    def __repr__(self):
        lines = (f"  line {n:3}: {text}" for n, text in sorted(self._margin().items()))
        return "\n".join([f"trace of {self.kernel.variant}", self.counts.to_string(), *lines])

    def _repr_html_(self):
        from warpbook.display import listings

        rows = "".join(
            f'<tr><th scope="row">{html.escape(name.replace("_", " "))}</th>'
            f"<td>{number(value)}</td></tr>"
            for name, value in self.counts.items()
        )
        head = f"{self.kernel.variant}.cu: what each line asks of memory"
        return (
            f'<table class="warp-trace"><caption>One launch in the emulator</caption>{rows}</table>'
            + listings.listing(self.kernel.source.path, self._margin(), head).html
        )

    def _margin(self):
        return {n: text for n, c in self.report.lines.items() if (text := _cost(c))}


def _cost(c):
    """One line's cost in a few words; '' where it touches no memory and never diverges."""
    parts = []
    for what, requests, sectors in (
        ("ld", c.global_ld_requests, c.global_ld_sectors),
        ("st", c.global_st_requests, c.global_st_sectors),
    ):
        if requests:
            parts.append(f"{what} {requests:,} x {sectors / requests:.4g} sectors")
    for what, requests, wavefronts in (
        ("shared ld", c.shared_ld_requests, c.shared_ld_wavefronts),
        ("shared st", c.shared_st_requests, c.shared_st_wavefronts),
    ):
        if requests:
            parts.append(f"{what} {requests:,} x {wavefronts / requests:.4g} wavefronts")
    if c.const_ld_requests:
        passes = c.const_ld_passes / c.const_ld_requests
        parts.append(f"constant ld {c.const_ld_requests:,} x {passes:.4g} passes")
    if c.local_ld_requests or c.local_st_requests:
        parts.append(f"local {c.local_ld_requests + c.local_st_requests:,}")
    if c.atomic_requests:
        parts.append(f"atomic {c.atomic_requests:,}")
    if c.divergent_branches:
        parts.append(f"diverges {c.divergent_branches:,} of {c.branches:,}")
    return ", ".join(parts)


def _copied(value, owners):
    """An argument, or the copy of an array on the host, or the emulator's map of such a copy. Views
    of one allocation stay views of one, at their offsets. owners: the copies so far, to be kept.
    """
    if isinstance(value, cp.ndarray):
        return _copy(value, owners)
    if not isinstance(value, np.void):
        return value
    from warpbook.launch.tensor_maps import described
    from warpemu import tensor_map  # here: without a map neither has to be there

    found = described(value)
    if found is None:
        return value
    fields, array = found
    return tensor_map.encode(fields, _copy(array, owners))


def _copy(array, owners):
    owner = array
    while isinstance(owner.base, cp.ndarray):
        owner = owner.base
    if id(owner) not in owners:
        host = cp.asnumpy(owner) if GPU else owner
        owners[id(owner)] = np.ravel(host, order="K").copy().view(np.uint8)
    begin = _address(array) - _address(owner)
    flat = owners[id(owner)][begin : begin + array.nbytes]
    return flat.view(array.dtype).reshape(array.shape)


def _address(array):
    return array.data.ptr if GPU else array.ctypes.data


def _ratio(part, whole):
    return part / whole if whole else float("nan")
