"""bar, barrier (run by scheduler.py), bar.warp.sync, membar, fence, nanosleep."""

from . import Op, effect, op, refuse


def barrier_op(instruction):
    """What a bar or barrier reads and writes; scheduler.py makes the lanes wait."""
    from . import TABLE

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


@op("bar", modifiers="sync arrive red cta aligned popc and or warp", types="pred u32")
def bar(instruction):
    """Refused: flow.py ends a block of PTX at each barrier; see ``barrier_op``."""
    raise refuse(instruction, "a barrier inside a block")


@op("barrier", modifiers="sync arrive red cta aligned popc and or", types="pred u32")
def barrier(instruction):
    """Refused, as ``bar``."""
    raise refuse(instruction, "a barrier inside a block")


def order(state, group, mask, instruction):
    if state.checker:
        state.checker.fence(state, group, mask, instruction)


@op("membar", modifiers="cta gl sys gpu")
def membar(instruction):
    """Nothing -> nothing: orders memory, which the sanitizer has to know."""
    return effect(order)


@op(
    "fence",
    modifiers="sc acq_rel acquire release cta cluster gpu sys proxy alias async global shared_cta "
    "shared mbarrier_init sync_restrict_shared_cta",
)
def fence(instruction):
    """Nothing -> nothing: as ``membar``."""
    return effect(order)


@op("nanosleep", types="u32")
def nanosleep(instruction):
    """t (uint32) -> nothing: other groups of lanes go first."""
    return effect(
        lambda state, group, mask, instruction, t: state.pause(),
        [],
        [(instruction.operands[0], "u32")],
    )
