"""bar, barrier (run by scheduler.py), bar.warp.sync, membar, fence, nanosleep."""

from . import Op, effect, op, refuse


def wait_op(instruction):
    """What an instruction that makes lanes wait reads and writes; scheduler.py makes them wait."""
    from . import TABLE, mbarrier

    if instruction.name == "mbarrier":
        return mbarrier.wait_op(instruction)
    if "cluster" in instruction.parts:
        return cluster_op(instruction)

    unknown = [
        p for p in instruction.parts[1:] if p not in TABLE["bar"].modifiers + TABLE["bar"].types
    ]
    if unknown:
        raise refuse(instruction, f"the word .{' .'.join(unknown)}")
    operands, outs = list(instruction.operands), []
    if "red" in instruction.parts:
        outs = [(operands.pop(0), instruction.type)]
    kinds = ["s32"] * len(operands)
    if outs:
        kinds[-1] = "pred"
    return Op(None, outs, list(zip(operands, kinds, strict=True)))


def cluster_op(instruction):
    """barrier.cluster.arrive and wait read and write nothing; ../clusters.py makes lanes wait."""
    words = set(instruction.parts[1:]) - {"cluster", "aligned"}
    if words - {"arrive", "release", "relaxed"} and words - {"wait", "acquire"}:
        raise refuse(instruction, "this form")
    return Op(None, [], [])


@op("bar", modifiers="sync arrive red cta aligned popc and or warp", types="pred u32")
def bar(instruction):
    """Refused: flow.py ends a block of PTX at each barrier; see ``barrier_op``."""
    raise refuse(instruction, "a barrier inside a block")


@op("barrier", modifiers="sync arrive red cta aligned popc and or", types="pred u32")
def barrier(instruction):
    """Refused, as ``bar``."""
    raise refuse(instruction, "a barrier inside a block")


def order(state, group, mask, instruction):
    """The sanitizer has to know of fences. Those for the other way into memory order nothing
    else.
    """
    checker, words = state.checker, instruction.parts
    if not checker:
        return
    if "mbarrier_init" in words:
        checker.mbarrier_fence(group, mask)
    elif "proxy" not in words:
        checker.fence(group, mask, instruction)
    elif "async" in words and "global" not in words:
        checker.proxy_fence(group, mask)


@op("membar", modifiers="cta gl sys gpu")
def membar(instruction):
    """Nothing -> nothing: orders memory, which the sanitizer has to know."""
    return effect(order)


@op(
    "fence",
    modifiers="sc acq_rel acquire release cta cluster gpu sys proxy alias async global shared_cta "
    "shared_cluster tensormap_generic mbarrier_init",
)
def fence(instruction):
    """Nothing -> nothing: as ``membar``; of a tensor map's address and size too."""
    return effect(order)


@op("nanosleep", types="u32")
def nanosleep(instruction):
    """t (uint32) -> nothing: other groups of lanes go first."""

    def fn(state, group, mask, instruction, t):
        state.paused = True

    return effect(fn, [], [(instruction.operands[0], "u32")])
