"""What ptxas makes of neighbouring accesses to shared memory: one wide access, where it can.

The emulator runs PTX, in which they stand apart; the report counts what the machine code asks for.
Each of a group keeps its own effect. One of them counts for all, with the width of all; the others
have ``access.counted`` 0. The rules are those that ptxas 12.9 follows for sm_90. It merges some
loads of 2 bytes as well, depending on what is done with the values; here they stay apart.
"""

from dataclasses import replace

from .ptx import Reg

WIDTHS = (16, 8, 4)  # of merged accesses, in bytes
QUAD = 16
ELEMENTS = 4  # at most, of a merged store
ORDERS = {"membar", "fence"}  # no access moves across


def merge(blocks, zeros, symbols, defines):
    """Set ``access.counted`` of the shared loads and stores of all blocks; return how many are
    merged away. zeros, symbols: register and variable -> known low zero bits, and place; defines:
    Instruction -> register names.
    """
    return sum(
        merge_loads(block.items, zeros, symbols, defines)
        + merge_stores(block.items, zeros, symbols, defines)
        for block in blocks
    )


def merge_loads(items, zeros, symbols, defines):
    """Merge the loads of one block: those of one base with no store to shared memory between."""
    merged, open_ = 0, {}  # base -> loads since the last store

    def close(bases):
        return sum(join_loads(base, open_.pop(base, []), zeros, symbols) for base in bases)

    for item in items:
        if item.name == "ld" and mergeable(item, (4, 8)):
            open_.setdefault(item.operands[1].base, []).append(item)
        elif item.name in ORDERS or may_touch_shared(item, "st atom red cp"):
            merged += close(list(open_))
        merged += close([Reg(name) for name in defines(item)])
    return merged + close(list(open_))


def merge_stores(items, zeros, symbols, defines):
    """Merge the stores of one block: those into one aligned 16 bytes, with no other access to
    shared memory between them.
    """
    merged, run, place = 0, [], None  # place: (base, number of the 16 bytes)

    def close():
        nonlocal run
        done, run = join_stores(run, zeros, symbols), []
        return done

    for item in items:
        if item.name == "st" and mergeable(item, (2, 4, 8)):
            base, offset = located(item, symbols)
            here = base, offset // QUAD
            if here != place or any(overlap(item, other) for other in run):
                merged, place = merged + close(), here
            run.append(item)
        elif item.name in ORDERS or may_touch_shared(item, "ld st atom red cp ldmatrix stmatrix"):
            merged += close()
        if run and run[0].operands[0].base in [Reg(name) for name in defines(item)]:
            merged += close()
    return merged + close()


def mergeable(item, widths):
    """May ptxas make it part of a wider access?"""
    access = item.access
    return (
        access.space == "shared"
        and not item.guard
        and not access.strong
        and access.bytes in widths
        and access.counted == access.bytes
    )


def may_touch_shared(item, names):
    """Is it one of these instructions, and may it be on shared memory?"""
    elsewhere = {"global", "local", "param", "const"} & set(item.parts)
    return item.name in names.split() and not elsewhere


def located(item, symbols):
    """(base, offset) of a load's or a store's address; of a variable, from the start of shared
    memory."""
    address = item.operands[1 if item.name == "ld" else 0]
    if isinstance(address.base, Reg):
        return address.base, item.access.offset
    return None, (symbols.get(getattr(address.base, "name", None), 0) or 0) + item.access.offset


def known(base, zeros):
    """To what power of two, at most 16, an address is known to be aligned where its offset is."""
    return QUAD if base is None else 1 << min(4, zeros.get(base.name, 0))


def overlap(one, other):
    """Do two stores with one base touch a byte in common?"""
    first, second = one.access.offset, other.access.offset
    return first < second + other.access.bytes and second < first + one.access.bytes


def join_loads(base, loads, zeros, symbols):
    """Merge loads of one base, into 16 bytes where they read three or four words of them, into 8
    where they read both words; return how many are merged away.
    """
    by_offset, gone = {}, 0
    for load in loads:
        base, offset = located(load, symbols)
        by_offset[offset] = load
    for size in (16, 8):
        if not loads or known(base, zeros) < size:
            continue
        for begin in sorted({offset // size * size for offset in by_offset}):
            parts = {
                offset: load
                for offset in range(begin, begin + size, 4)
                if (load := by_offset.get(offset))
                and load.access.counted == load.access.bytes <= begin + size - offset
            }
            words = sum(load.access.bytes for load in parts.values()) // 4
            if len(parts) > 1 and words >= min(3, size // 4):
                count_as_one(parts, begin, size)
                gone += len(parts) - 1
    return gone


def join_stores(run, zeros, symbols):
    """Merge stores into one 16 bytes where they fill 16, 8 or 4 bytes; return how many are merged
    away.
    """
    gone, by_offset = 0, {}
    for store in run:
        base, offset = located(store, symbols)
        by_offset[offset] = store
    for size in WIDTHS:
        if len(run) < 2 or known(base, zeros) < size:
            continue
        for begin in sorted({offset // size * size for offset in by_offset}):
            parts = {
                offset: store
                for offset, store in by_offset.items()
                if begin <= offset < begin + size and store.access.counted == store.access.bytes
            }
            filled = sum(store.access.bytes for store in parts.values())
            if filled == size and 1 < len(parts) <= ELEMENTS:
                count_as_one(parts, begin, size)
                gone += len(parts) - 1
    return gone


def count_as_one(parts, begin, size):
    """Let the first of the parts, {offset: instruction}, count for size bytes from begin."""
    for part in parts.values():
        part.access = replace(part.access, counted=0)
    offset, first = min(parts.items(), key=lambda part: part[0])
    first.access = replace(first.access, counted=size, lead=offset - begin)
