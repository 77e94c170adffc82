"""The table of the figures under the reader's hand: titles, knobs, scripts, and what these take.

A figure's rules and its drawing are in the script of its name. What a knob is called, where it
stands at first and what it can be set to stands here alone.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from warpbook.profiles import DATA_SHEET, KB, SM_LIMITS


@dataclass(frozen=True)
class Knob:
    """A knob: a slider, a list to choose from, or a number with a slider beside it.

    choices: a range, a tuple of powers of two, or what each choice is called. step: of the slider
    beside a number, 0 for one that is logarithmic; None where the slider is all there is.
    """

    label: str
    start: int | str
    choices: range | tuple[int, ...] | Mapping[Any, str]
    step: int | None = None

    @property
    def field(self) -> list[Any]:
        """The knob as kit.start in kit.js takes it."""
        if isinstance(self.choices, Mapping):
            return [self.label, self.choices]
        kind = "powers" if isinstance(self.choices, tuple) else "slider"
        ends = [self.choices[0], self.choices[-1]]
        if self.step is None:
            return [self.label, [kind, *ends]]
        return [self.label, ["number", *ends, self.step]]


@dataclass(frozen=True)
class Figure:
    """What stands around a figure's drawing.

    key: how to read the drawing. uses: the scripts that its own needs beside kit.js. data: what
    its script takes from the package.
    """

    title: str
    key: str
    knobs: dict[str, Knob]
    uses: tuple[str, ...] = ()
    data: Any = None

    @property
    def fields(self) -> dict[str, list[Any]]:
        """The knobs as kit.start in kit.js takes them."""
        return {name: knob.field for name, knob in self.knobs.items()}


def powers(low: int, high: int) -> tuple[int, ...]:
    """The powers of two from one to another."""
    return tuple(1 << k for k in range(low.bit_length() - 1, high.bit_length()))


# Clocks of one SM, measured by chapter flash_hopper: how long after their ends scores and outputs
# are seen; a softmax's maxima, exponentials, and rest, mixed with these or apart. How many times
# as long all that takes beside products; and, a guess, how much longer for each other group
# that has its softmax at the same time. A copy.
PIPELINE = {
    "scores": 67,
    "outputs": 157,
    "maxima": 312,
    "powers": 512,
    "rest": 133,
    "apart": 245,
    "beside": 1.37,
    "crowd": 0.5,
    "copy": 1000,
}

# Compute capability by name. 'H100' is every H100: the limits of an SM are those of its capability.
CAPABILITY = {
    "P100": ("P100", (6, 0)),
    "GTX1080": ("GeForce GTX 1080", (6, 1)),
    "V100": ("V100", (7, 0)),
    "T4": ("T4, RTX 20", (7, 5)),
    "A100": ("A100", (8, 0)),
    "A10": ("A10, RTX 30", (8, 6)),
    "Orin": ("Jetson Orin", (8, 7)),
    "L4": ("L4, L40S, RTX 40", (8, 9)),
    "H100": ("H100", (9, 0)),
    "H200": ("H200", (9, 0)),
    "B200": ("B200", (10, 0)),
    "B300": ("B300", (10, 3)),
    "Thor": ("Jetson Thor", (11, 0)),
    "RTX50": ("RTX 50", (12, 0)),
    "Spark": ("DGX Spark", (12, 1)),
}
# GB/s of memory, GFLOP/s of float32 multiply-adds. Those of the GPUs that the book was recorded on
# are measured by device(), the median over the chapters, which a test compares with the stamps; the
# others stand in DATA_SHEET.
MEASURED = {"H100": (3037, 66200), "H200": (4266, 66200)}
RATES = {key: (*rates, "measured") for key, rates in MEASURED.items()}
RATES |= {key: (*rates, "data sheet") for key, rates in DATA_SHEET.items()}

LEVELS = (8, 16, 32, 64, 96, 100, 132, 164, 196, 228)  # KB of shared memory, of any SM
BYTES = {4: "4 bytes, float", 8: "8 bytes, float2", 16: "16 bytes, float4"}
PARTS = {0: "none", 2: "0.2 %", 5: "0.5 %", 10: "1 %", 20: "2 %", 30: "3 %", 50: "5 %", 100: "10 %"}

FIGURES = {
    "sectors": Figure(
        "Sectors of global memory that a warp's request moves",
        "A row is a line of 128 bytes, a thick frame in it a sector that is moved. Blue: what "
        "lanes read, with the first lane's number (+: and others'). Grey: moved, but unused.",
        {
            "stride": Knob("Stride, elements", 1, range(33)),
            "offset": Knob("Offset, elements", 0, range(32)),
            "width": Knob("A lane reads", 4, {1: "1 byte, char", 2: "2 bytes, half"} | BYTES),
        },
        ("cells",),
    ),
    "banks": Figure(
        "Banks of shared memory that a warp's load meets",
        "A row is a wavefront: in it, each of the 32 banks gives one word. Blue: a word given, "
        "with the number of the first lane that reads it (+: and others).",
        {
            "access": Knob(
                "The warp reads",
                "column",
                {"column": "a column", "row": "a row", "pairs": "a column, two lanes an element"},
            ),
            "row": Knob("Row length, elements", 32, range(1, 65)),
            "pad": Knob("Padding, elements", 0, range(5)),
            "swizzle": Knob("XOR swizzle", 0, {0: "off", 1: "on"}),
            "width": Knob("A lane reads", 4, BYTES),
        },
        ("cells",),
    ),
    "waves": Figure(
        "Waves of blocks, and their tail",
        "A band is an SM, a row in it a place for a block; time runs to the right. Blue: full "
        "waves. Orange: the blocks of the last wave, if it is not full, and a slow last block. "
        "Grey: places left idle. Below, the dot is this grid, the line every other number of "
        "blocks.",
        {
            "blocks": Knob("Blocks of the grid", 20, range(1, 10000), 0),
            "sms": Knob("SMs", 8, range(1, 161), 1),
            "places": Knob("Places of an SM", 2, range(1, 33)),
            "slow": Knob("The last block takes, ms", 1, range(1, 10)),
        },
        ("plot",),
    ),
    "sm": Figure(
        "Blocks that fill an SM",
        "A bar is what one SM has of a resource. Blue: the blocks on it. Dashed: one block "
        "more, which sticks out where there is no room for it. Grey: registers that no whole "
        "warp can take. Below, the occupancy of other block sizes, all else equal; orange is "
        "this one.",
        {
            "gpu": Knob("GPU", "H200", {key: name for key, (name, _) in CAPABILITY.items()}),
            "threads": Knob("Threads of a block", 256, range(1, 1025), 32),
            "registers": Knob("Registers of a thread", 41, range(1, 256), 1),
            "shared": Knob("Shared bytes of a block", 8192, range(228 * KB + 1), KB),
            "carveout": Knob(
                "Shared memory of an SM", 0, {0: "the most", **{kb: f"{kb} KB" for kb in LEVELS}}
            ),
        },
        data={
            key: [s.threads, s.blocks, s.levels, s.block_kb, s.unit, s.reserved, s.partitions]
            for key, (_, capability) in CAPABILITY.items()
            for s in [SM_LIMITS[capability]]
        },
    ),
    "roofline": Figure(
        "Roofline: the least time of a kernel",
        "The dot is the kernel. Under the blue roof memory limits what it can reach, under the "
        "orange one arithmetic; where they meet is the ridge. The bars are the two times: the "
        "longer one is the least that the kernel takes.",
        {
            "flops": Knob("Float32 flops", 2 * 4096**3, range(1000, 10**15 + 1), 0),
            "bytes": Knob("Bytes moved", 3 * 4 * 4096**2, range(1000, 10**13 + 1), 0),
            "gpu": Knob(
                "GPU", "H200", {key: f"{key} ({word})" for key, (*_, word) in RATES.items()}
            ),
        },
        ("plot",),
        data=RATES,
    ),
    "tiles": Figure(
        "Tiles of a matrix product",
        "Orange: the tile of C that one block computes. Grey: the rows of A and the columns of "
        "B that it reads for it. Blue: the two tiles of them that are in shared memory at one "
        "time. Above on the left, the same three tiles enlarged.",
        {
            "bm": Knob("BM, rows of a tile of C", 32, powers(1, 256)),
            "bn": Knob("BN, columns of it", 32, powers(1, 256)),
            "bk": Knob("BK, columns of a tile of A", 32, powers(1, 128)),
            "n": Knob("M = N = K", 512, powers(256, 16384)),
        },
        ("plot",),
    ),
    "tree": Figure(
        "A tree of additions over the lanes of a warp",
        "A row is a level: what the 32 lanes hold after it. The frame is the lane that you "
        "follow. Blue: what its sum is made of. Orange: lanes that add as well, for sums that "
        "it does not need. Empty: lanes that add nothing.",
        {
            "tree": Knob(
                "The tree",
                "interleaved",
                {
                    "interleaved": "Shared memory, 1 to 16 apart",
                    "sequential": "Shared memory, 16 to 1 apart",
                    "down": "__shfl_down_sync, 16 to 1",
                    "xor": "__shfl_xor_sync, 16 to 1",
                },
            ),
            "levels": Knob("Levels done", 5, range(6)),
            "lane": Knob("Follow lane", 0, range(32)),
        },
    ),
    "lookback": Figure(
        "A scan in one pass: tiles that look back",
        "A row is a tile. Blue: it loads, adds up, and publishes its own sum at the end. "
        "Orange: it looks back for what stands before it, look after look. Grey: it stores. The "
        "line joins the moments from which on the sum of everything up to a tile is known.",
        {
            "tiles": Knob("Tiles", 16, range(2, 25)),
            "places": Knob("Blocks at once", 6, range(1, 25)),
            "window": Knob("Tiles that one look shows", 4, (1, 2, 4, 8, 16, 32)),
            "load": Knob("A load, and a store, take", 4, range(1, 10)),
            "look": Knob("A look takes", 1, range(1, 10)),
            "late": Knob("Tile 2 loads so many times as long", 1, range(1, 10)),
            "waits": Knob(
                "A tile waits for", "earlier", {"earlier": "earlier tiles", "later": "later tiles"}
            ),
        },
        ("plot",),
    ),
    "fragments": Figure(
        "Which lane holds which elements of a fragment",
        "A box is one register of one lane, with the lane's number; all 32 lanes hold the "
        "matrix together. Orange: the lane that you follow, and which of its registers this is. "
        "Beside the boxes stand the rows and the columns at which they begin.",
        {
            "product": Knob(
                "mma.sync",
                "m16n8k16",
                {
                    "m16n8k16": "m16n8k16, bf16 or f16",
                    "m16n8k8": "m16n8k8, tf32",
                    "m16n8k32": "m16n8k32, int8",
                },
            ),
            "matrix": Knob(
                "Matrix",
                "a",
                {
                    "a": "A",
                    "b": "B",
                    "c": "C, the sums",
                    "ldmatrix": "what ldmatrix reads",
                    "trans": "what ldmatrix.trans reads",
                },
            ),
            "lane": Knob("Follow lane", 5, range(32)),
        },
    ),
    "phases": Figure(
        "A barrier in memory: its phases, arrivals and bytes",
        "Blue: what is over, has come, or goes on. Orange: the phase that the barrier is in, "
        "and the wait that stands still. Grey: what is still to come. The frame is the wait "
        "that you ask for.",
        {
            "threads": Knob("Arrivals a phase needs", 4, range(1, 9)),
            "arrived": Knob("Arrivals so far", 3, range(9)),
            "expected": Knob("KiB announced", 4, range(9)),
            "landed": Knob("KiB landed", 2, range(9)),
            "phase": Knob("Phases that are over", 1, range(10)),
            "parity": Knob("Wait for parity", 1, range(2)),
        },
    ),
    "online": Figure(
        "Online softmax, step by step",
        "A bar is an element of the row. Blue: read. Orange: read, and greater than all that "
        "its thread had read before, so that the thread rescaled its sum. Dashed: the maximum "
        "so far. A frame is what one thread knows; at the end threads merge.",
        {
            "row": Knob(
                "The row",
                "mixed",
                {
                    "mixed": "Twelve numbers",
                    "rising": "Each greater than the last",
                    "falling": "Each smaller than the last",
                    "large": "Numbers around 86",
                    "masked": "Four of minus infinity first",
                    "empty": "Nothing but minus infinity",
                },
            ),
            "way": Knob(
                "How",
                "lowest",
                {
                    "lowest": "Online, from the lowest float",
                    "infinite": "Online, from minus infinity",
                    "plain": "No maximum: the sum of exp(x)",
                },
            ),
            "threads": Knob("Threads", 1, (1, 2, 4)),
            "done": Knob("Steps done", 5, range(13)),
        },
    ),
    "merge": Figure(
        "Two results become one",
        "A bar is the score s of a key, v its value. Blue: the first part's keys, orange: the "
        "second part's. A frame below is what a part hands on; the last frame is what the merge "
        "makes of them.",
        {
            "row": Knob(
                "The scores",
                "mixed",
                {
                    "mixed": "Twelve scores",
                    "equal": "All alike",
                    "peak": "One key far above the others",
                    "large": "Scores around 90",
                    "masked": "The last four masked",
                },
            ),
            "first": Knob("Keys in the first part", 4, range(13)),
            "way": Knob(
                "How they merge",
                "lse",
                {
                    "lse": "By their log-sum-exps",
                    "mean": "As a plain average",
                    "max": "By their log-sum-exps, of which the greater one is kept",
                },
            ),
        },
    ),
    "scores": Figure(
        "Which scores exist when",
        "Queries go down, keys to the right. Every block of queries walks along its row, and "
        "holds one tile of scores at a time. Blue: the tiles that exist now. Grey: those that "
        "are gone. In thin lines: those to come. Dashed orange: cut tiles, in which some scores "
        "are computed and masked. What has no lines is never computed.",
        {
            "n": Knob("Length, queries and keys", 1024, range(16, 8193), 0),
            "rows": Knob("Queries in a tile", 128, (64, 128, 256)),
            "cols": Knob("Keys in a tile", 128, (32, 64, 128, 256)),
            "attention": Knob("Attention", "causal", {"causal": "Causal", "full": "Full"}),
            "step": Knob("Step", 4, range(258)),
        },
        ("plot",),
    ),
    "swizzles": Figure(
        "A tile in shared memory, swizzled or not",
        "A cell is a piece of 16 bytes, which no swizzle tears apart. Above, the tile; frames "
        "are the boxes that a tensor copy takes it in. Below, where its pieces lie: their row "
        "and piece, byte addresses beside them. Blue and orange: what is read at once. Orange: "
        "the piece you follow.",
        {
            "swizzle": Knob(
                "Swizzle",
                "128B",
                {
                    "none": "none, one box of 64 columns",
                    "none64": "none, two boxes of 32",
                    "none32": "none, four boxes of 16",
                    "none16": "none, eight boxes of 8",
                    "32B": "32 bytes, four boxes of 16",
                    "64B": "64 bytes, two boxes of 32",
                    "128B": "128 bytes, one box of 64",
                },
            ),
            "access": Knob(
                "Read at once", "column", {"column": "a column: 8 rows", "row": "a row: 8 pieces"}
            ),
            "row": Knob("Follow row", 2, range(8)),
            "column": Knob("Piece of the row", 3, range(8)),
        },
    ),
    "ring": Figure(
        "A ring of stages: who waits for whom",
        "A row is a stage, with the numbers of its tiles. Blue: a copy is on its way. Grey: the "
        "tile is there and waits for its turn. Orange: it is multiplied. Nothing: the stage is "
        "free. In the last row all products, one after the other: what is empty there is lost.",
        {
            "stages": Knob("Stages", 2, range(1, 9)),
            "latency": Knob("A copy lands after", 6, range(1, 25)),
            "gap": Knob("A copy may begin every", 2, range(1, 13)),
            "product": Knob("A product takes", 3, range(1, 13)),
            "tiles": Knob("Tiles", 12, range(2, 25)),
        },
        ("plot",),
    ),
    "pipeline": Figure(
        "A producer, and groups that take turns at the tensor cores",
        "First row: the producer's copies, keys above values. Then the products: qk makes scores, "
        "pv outputs. Below, each group's softmax. Blue, orange and grey are the groups. A group "
        "starts qk of a tile and pv of the tile before it, then waits where you say.",
        {
            "wait": Knob(
                "A group waits",
                "each",
                {
                    "each": "for each product by itself",
                    "both": "for both products",
                    "behind": "for qk; for pv behind its softmax",
                    "between": "for qk; for pv behind its maxima",
                },
            ),
            "order": Knob(
                "Order", "free", {"free": "first come, first served", "turns": "in turns"}
            ),
            "groups": Knob("Groups that multiply", 2, range(1, 4)),
            "head": Knob("Numbers in a row", 128, {128: "a head of 128", 64: "a head of 64"}),
        },
        data=PIPELINE,
    ),
    "order": Figure(
        "The order of the tiles, and what they share",
        "Orange: the tiles of C that the SMs compute at the same time; the line runs through "
        "them in order. Blue: the bands of A and B that they read. The L2 cache can serve a "
        "band to many SMs if they want it at the same time; two waves are taken to share "
        "nothing.",
        {
            "order": Knob(
                "Order",
                "rows",
                {"rows": "row after row", "groups": "groups of rows", "hilbert": "Hilbert's curve"},
            ),
            "group": Knob("Rows of tiles in a group", 8, range(1, 33)),
            "n": Knob("M = N = K", 8192, powers(1024, 16384)),
            "bm": Knob("BM, rows of a tile", 128, powers(64, 256)),
            "bn": Knob("BN, columns of it", 256, powers(64, 256)),
            "sms": Knob("Tiles at once, one an SM", 132, range(1, 161)),
            "wave": Knob("Wave", 1, range(1, 33)),
        },
        ("plot",),
    ),
    "rotation": Figure(
        "A ring of GPUs: who attends to whose keys",
        "Blue: a GPU computes; the number says whose keys it has. Hatched: it is idle. Orange: "
        "the next keys are on their way, in every step but the last. A step ends for all "
        "together. A whole block is all queries of a GPU with all keys of another one.",
        {
            "attention": Knob("Attention", "causal", {"causal": "Causal", "full": "Full"}),
            "deal": Knob(
                "The sequence is dealt",
                "plain",
                {"plain": "plainly", "striped": "in stripes", "zigzag": "zigzag"},
            ),
            "gpus": Knob("GPUs", 4, range(2, 9)),
            "transfer": Knob("Transfer, in % of a whole block", 20, range(201)),
        },
    ),
    "timeline": Figure(
        "Copies and kernels in streams",
        "Blue: a chunk is copied to the GPU. Orange: a kernel computes it. Grey: the result is "
        "copied back. Numbers are those of the chunks. Above, a row is an engine, which does "
        "one thing at a time; below, the same operations by stream.",
        {
            "streams": Knob("Streams", 2, range(1, 9)),
            "chunks": Knob("Chunks", 6, range(1, 25)),
            "order": Knob(
                "Order of issue", "depth", {"depth": "chunk by chunk", "breadth": "step by step"}
            ),
            "takes": Knob(
                "An engine takes",
                "ready",
                {"ready": "what is ready first", "issue": "what was issued first"},
            ),
            "copy": Knob("A copy of everything takes, ms", 3, range(1, 13)),
            "kernel": Knob("The kernel takes, ms", 3, range(1, 25)),
            "engines": Knob("Copy engines", 2, {1: "one", 2: "two"}),
        },
        ("plot",),
    ),
    "bits": Figure(
        "Sixteen bits, and what they stand for",
        "Each button is a bit, and a press turns it over. Orange is the sign, blue the "
        "exponent, grey the fraction. The slider goes from one pattern to the next. With 16 "
        "zeros behind them the bits are a float of the same value as the bfloat16.",
        {"word": Knob("The bits as a whole number", 0x4A20, range(65536), 1)},
    ),
    "lanes": Figure(
        "What a warp wants of a, b and c in one step of a product",
        "The matrices have 32 × 32 floats, so a row is a line of 128 bytes with four sectors. "
        "Orange: what the lanes want. Blue: the sectors in which it lies. Grey: the lines. "
        "Thick frames: what one lane wants. Above on the left are the lanes as they lie in c.",
        {
            "wide": Knob("Threads of the block along x", 32, (1, 2, 4, 8, 16, 32)),
            "mapping": Knob(
                "threadIdx.x counts",
                "row",
                {"row": "the row (naive)", "column": "the column (coalesced)"},
            ),
            "step": Knob("Step of the loop, i", 9, range(32)),
            "layout": Knob("b is stored", "rows", {"rows": "by rows", "columns": "by columns"}),
            "lane": Knob("Follow lane", 5, range(32)),
        },
    ),
    "cache": Figure(
        "What a small cache keeps of an array",
        "A row of the array has 16 elements, one behind the other in memory. Blue: its last "
        "read was a hit. Orange, with a bar: a miss. Thick frames: lines in the cache; the "
        "dashed one is the oldest, which makes room next. Small square: the read of this "
        "moment. Of lines that may not stay, the cache holds only the one that is being read. "
        "Real caches are less strict: a line has a few places where it may lie (sets), and what "
        "leaves is not always the oldest.",
        {
            "order": Knob(
                "The array is read",
                "rows",
                {
                    "rows": "row by row",
                    "back": "row by row, there and back",
                    "columns": "column by column",
                    "strip8": "in strips of 8 columns",
                    "strip4": "in strips of 4 columns",
                    "tile8": "in tiles of 8 × 8",
                    "tile4": "in tiles of 4 × 4",
                },
            ),
            "rows": Knob("Rows of 16 elements", 16, range(1, 17)),
            "line": Knob("Elements in a line", 4, (1, 2, 4, 8, 16)),
            "lines": Knob("Lines in the cache", 16, range(1, 65)),
            "stay": Knob("Eighths of it that may stay", 8, range(1, 9)),
            "step": Knob("Time (256 is the end)", 256, range(257)),
        },
    ),
    "grid": Figure(
        "Which thread takes which element",
        "A box is an element; the number at the left is the index of the first one of a row. "
        "The number in a box is threadIdx.x of the thread that takes it. Blue and orange change "
        "from block to block. Grey: a thread that finds nothing to do. Dashed: an element that "
        "nobody takes. Thick frames: the thread that you follow; the double one is the index.",
        {
            "kernel": Knob(
                "Kernel", "guard", {"guard": "one element a thread", "stride": "a grid-stride loop"}
            ),
            "n": Knob("Elements, n", 50, range(1, 121)),
            "threads": Knob("Threads of a block", 16, range(1, 33)),
            "blocks": Knob("Blocks", 4, range(1, 17)),
            "follow": Knob("Follow index", 37, range(128)),
        },
    ),
    "repeats": Figure(
        "Two kernels, timed again and again",
        "Blue squares: runs of A. Orange diamonds: runs of B. Thick lines: their medians. "
        "Dashed: what they would take without scatter. In the strip on top: runs that took "
        "longer than the scale reaches. The dots are made up by a formula; no kernel runs here.",
        {
            "difference": Knob("B takes less time by", 10, PARTS),
            "scatter": Knob("Scatter, p20 to p80", 10, PARTS),
            "drift": Knob("While they run, times grow by", 30, PARTS),
            "order": Knob(
                "Order",
                "turns",
                {"turns": "in turns: A B A B", "after": "first all of A, then all of B"},
            ),
            "runs": Knob("Runs of each", 30, range(1, 61)),
            "outliers": Knob("Outliers, %", 0, range(21)),
            "seed": Knob("Another day", 1, range(1, 100)),
        },
        ("plot",),
    ),
}
