"""Draw one warp's request: 32 lanes over sectors of global memory, or banks of shared memory."""

from collections.abc import Sequence

from matplotlib.colors import to_rgb
from matplotlib.patches import Rectangle

from warpbook.display.figures import COLOURS, GRID, INK, Figure, figure_of
from warpbook.launch.wording import counted
from warpemu import rules

SECTOR = 1 << rules.SECTOR  # bytes


def draw_sectors(
    addresses: Sequence[int | None], bytes_each: int = 4, title: str | None = None
) -> Figure:
    """Draw which 32-byte sectors of global memory one warp's request moves, and what it uses.

    addresses: the byte address that each of up to 32 lanes reads, None for a lane that is idle.
    bytes_each: bytes a lane reads there. Returns a Figure whose alt text counts the sectors.
    """
    lanes = _lanes(addresses, bytes_each, "draw_sectors")
    used = {byte for at in lanes.values() for byte in range(at, at + bytes_each)}
    moved = sorted({byte // SECTOR for byte in used})
    lines = sorted({sector // 4 for sector in moved})
    shown = lines[:8]
    share = f"{100 * len(used) / (SECTOR * len(moved)):.3g} %"
    said = f"{counted(len(moved), 'sector')} of 32 bytes, {share} of the bytes used"

    def draw(ax):
        for row, line in enumerate(shown):
            y = 1.35 * row
            _words(
                ax,
                y,
                bytes_each / 4,
                {at % 128 / 4: _who(lanes, at) for at in lanes.values() if at // 128 == line},
            )
            for sector in range(4 * line, 4 * line + 4):
                _sector(ax, y, sector, used if sector in moved else None)
            ax.text(
                -0.5, y + 0.5, f"+{128 * (line - lines[0]):,}", ha="right", va="center", fontsize=12
            )
        bottom = 1.35 * len(shown)
        if len(lines) > len(shown):
            rest = counted(len(lines) - len(shown), "more line")
            ax.text(0, bottom + 0.3, f"and {rest}", va="center", fontsize=13)
            bottom += 1.2
        ax.text(-0.5, -0.5, "byte", ha="right", va="center", fontsize=12)
        ax.text(16, -0.9, said, ha="center", va="center", fontsize=13)
        _key(ax, bottom + 0.3)
        ax.set(xlim=(-4.2, 32.1), ylim=(bottom + 1.4, -2))
        ax.axis("off")

    alt = (
        f"{title + ': ' if title else ''}{_request(lanes, bytes_each, 'memory')}: {said}, in "
        f"{counted(len(lines), 'line')} of 128 bytes."
    )
    rows = 1.35 * len(shown) + (1.2 if len(lines) > len(shown) else 0) + 3.4
    return figure_of(draw, alt=alt, height=round(19 * rows), title=title)


def draw_banks(
    addresses: Sequence[int | None],
    bytes_each: int = 4,
    title: str | None = None,
    store: bool = False,
) -> Figure:
    """Draw which of the 32 banks of shared memory one warp's request meets, pass by pass.

    addresses: as for ``draw_sectors``, within shared memory. Each row is one wavefront: a bank
    gives one 4-byte word in it. 8-byte accesses are served by half-warps, 16-byte ones by
    quarter-warps; loads, unlike stores, by half as many groups where neighbours share addresses.
    store: the lanes write. Returns a Figure whose alt text counts the wavefronts.
    """
    lanes = _lanes(addresses, bytes_each, "draw_banks")
    passes = rules.served(lanes, bytes_each, load=not store)
    rows = [(group, row) for group, wavefronts in passes for row in wavefronts]
    extra = len(rows) - len(passes)
    most = max(len(wavefronts) for _, wavefronts in passes)
    verdict = f"{most}-way bank conflict" if most > 1 else "no bank conflict"
    said = f"{counted(len(rows), 'wavefront')}, {verdict}"

    def draw(ax):
        for bank in range(0, 32, 4):
            ax.text(bank + 0.5, -0.5, str(bank), ha="center", va="center", fontsize=12)
        ax.text(-0.5, -0.5, "bank", ha="right", va="center", fontsize=12)
        for y, (group, row) in enumerate(rows):
            for bank in range(32):
                _cell(ax, bank, y, 1, lw=0.5)
            _words(
                ax, y, 1, {bank: _who(group, 4 * word, bytes_each) for bank, word in row.items()}
            )
        ax.text(16, -1.7, said, ha="center", va="center", fontsize=13)
        key = "row: a wavefront; number: the lane served; +: and others"
        ax.text(0, len(rows) + 0.7, key, va="center", fontsize=12)
        ax.set(xlim=(-4.2, 32.1), ylim=(len(rows) + 1.3, -2.3))
        ax.axis("off")

    asked = _request(lanes, bytes_each, "shared memory")
    alt = f"{title + ': ' if title else ''}{asked}: {said}" + (
        f", {counted(extra, 'wavefront')} more than without conflicts." if extra else "."
    )
    return figure_of(draw, alt=alt, height=round(15 * (len(rows) + 3.6)), title=title)


def _lanes(addresses, bytes_each, what):
    """Return {lane: address} of the lanes that are not idle."""
    lanes = {lane: int(at) for lane, at in enumerate(addresses) if at is not None}
    if not lanes or len(addresses) > 32:
        raise ValueError(
            f"{what} draws one warp: it takes 1 to 32 addresses, not {len(addresses)} of which "
            f"{len(lanes)} are in use. Pass the addresses of 32 lanes."
        )
    if bytes_each not in (1, 2, 4, 8, 16) or any(at % bytes_each for at in lanes.values()):
        raise ValueError(
            f"{what}: a lane reads 1, 2, 4, 8 or 16 bytes at a multiple of that size; given were "
            f"{bytes_each} bytes at {', '.join(map(str, lanes.values()))}."
        )
    return lanes


def _who(lanes, address, bytes_each=1):
    """Name the first lane that reads the word at ``address``, with a + when others do too."""
    first, last = address - bytes_each + 1, address + 3 if bytes_each < 4 else address
    readers = [n for n, at in lanes.items() if first <= at <= last]
    return f"{readers[0]}+" if len(readers) > 1 else str(readers[0])


def _request(lanes, bytes_each, whom):
    gaps = {b - a for a, b in zip(list(lanes.values()), list(lanes.values())[1:], strict=False)}
    where = f"at {len(set(lanes.values()))} different addresses"
    if len(gaps) == 1:
        gap = gaps.pop()
        where = f"{counted(gap, 'byte')} apart" if gap else "all at one address"
    each = f"{counted(bytes_each, 'byte')} each"
    return f"{counted(len(lanes), 'lane')} of a warp ask {whom} for {each}, {where}"


def _cell(ax, x, y, width, **style):
    ax.add_patch(Rectangle((x, y), width, 1, **{"fc": "none", "ec": GRID, "lw": 1, **style}))


def _words(ax, y, width, readers):
    """Draw a row of words, {x: who reads it}; where they lie close, every fourth is numbered.

    A number is 12 px high, 10 on a phone. It may reach into the cell behind it, never over the edge
    before it, which may be a sector's.
    """
    close = width < 2 and any(x + 1 in readers for x in readers)
    numbered = -4
    for x, who in sorted(readers.items()):
        _cell(ax, x, y, width, fc=(*to_rgb(COLOURS[0]), 0.25), ec=COLOURS[0])
        if width >= 1 and (not close or x >= numbered + 4):
            centre = x + max(width / 2, 0.14 + 0.32 * len(who))
            ax.text(centre, y + 0.53, who, ha="center", va="center", fontsize=12)
            numbered = x


def _sector(ax, y, sector, used):
    """Outline a sector and hatch its unused words; ``used`` is None for one that is not moved."""
    x = 8 * (sector % 4)
    if used is None:
        return _cell(ax, x, y, 8, ls=(0, (3, 3)))
    for word in range(8):
        if used.isdisjoint(range(SECTOR * sector + 4 * word, SECTOR * sector + 4 * word + 4)):
            _cell(ax, x + word, y, 1, hatch="////", lw=0)
    _cell(ax, x, y, 8, ec=INK, lw=1.5)


def _key(ax, y):
    _words(ax, y, 1, {0: "n"})
    ax.text(1.5, y + 0.5, "lane n's bytes", va="center", fontsize=12)
    _cell(ax, 11, y, 1, hatch="////")
    ax.text(12.5, y + 0.5, "moved, unused", va="center", fontsize=12)
    _cell(ax, 23, y, 1, ls=(0, (3, 3)))
    ax.text(24.5, y + 0.5, "not moved", va="center", fontsize=12)
