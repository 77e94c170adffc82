"""bar, barrier (run by scheduler.py), bar.warp.sync, membar, fence, nanosleep."""

from . import Op, effect, op, refuse


def barrier_op(i):
    """What a bar or barrier reads and writes; scheduler.py makes the lanes wait."""
    from . import TABLE

    unknown = [p for p in i.parts[1:] if p not in TABLE["bar"].modifiers + TABLE["bar"].types]
    if unknown:
        raise refuse(i, f"the word .{' .'.join(unknown)}")
    operands, outs = list(i.operands), []
    if "red" in i.parts:
        outs = [(operands.pop(0), i.type)]
    kinds = ["s32"] * len(operands)
    if outs:
        kinds[-1] = "pred"
    return Op(None, outs, list(zip(operands, kinds)))


@op("bar", modifiers="sync arrive red cta aligned popc and or warp", types="pred u32")
def bar(i):
    raise refuse(i, "a barrier inside a block")


@op("barrier", modifiers="sync arrive red cta aligned popc and or", types="pred u32")
def barrier(i):
    raise refuse(i, "a barrier inside a block")


def order(S, G, mask, i):
    if S.checker:
        S.checker.fence(S, G, mask, i)


@op("membar", modifiers="cta gl sys gpu")
def membar(i):
    return effect(order)


@op(
    "fence",
    modifiers="sc acq_rel acquire release cta cluster gpu sys proxy alias async global shared_cta "
    "shared mbarrier_init sync_restrict_shared_cta",
)
def fence(i):
    return effect(order)


@op("nanosleep", types="u32")
def nanosleep(i):
    return effect(lambda S, G, mask, i, t: S.pause(), [], [(i.operands[0], "u32")])
