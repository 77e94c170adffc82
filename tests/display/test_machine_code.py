"""sass: a kernel's machine code as a listing, counted by opcode; without nvdisasm it says so."""

import math

import pytest

from warpbook import load, operand_banks, sass
from warpbook.display import machine_code

PRINTED = """\
\t.section\t.text.coalescing_in_flight,"ax",@progbits
.L_x_1:
        /*0130*/                   LDG.E.CONSTANT R11, desc[UR4][R2.64] ;
        /*0140*/               @P1 LDG.E.128.CONSTANT R12, desc[UR4][R2.64+0x400] ;
        /*0150*/                   STG.E desc[UR4][R4.64], R11 ;
        /*0158*/                   LDL.64 R2, [R1+0x8]                     (*"SpillRefill"*);
        /*0160*/              @!P1 BRA `(.L_x_1) ;
        /*0170*/                   NOP;
        /*0180*/                   EXIT ;
"""


@pytest.fixture
def kernel():
    return load("coalescing/05_in_flight", LOADS=4)


@pytest.fixture
def printed(monkeypatch):
    monkeypatch.setattr(machine_code, "_disassembled", lambda code: PRINTED)


def test_the_instructions_are_listed_in_order(kernel, printed):
    found = sass(kernel)
    assert found.title.startswith("coalescing/05_in_flight LOADS=4: machine code for sm_")
    assert found.lines == (
        "LDG.E.CONSTANT R11, [R2.64]",
        "@P1 LDG.E.128.CONSTANT R12, [R2.64+0x400]",
        "STG.E [R4.64], R11",
        "LDL.64 R2, [R1+0x8]",
        "@!P1 BRA `(.L_x_1)",
        "EXIT",
    )
    assert "LDG.E.CONSTANT R11, [R2.64]" in repr(found) and "LDG.E.128" in found._repr_html_()


def test_some_opcodes_are_picked_and_counted(kernel, printed):
    found = sass(kernel, "LDG", "STG")
    assert len(found.lines) == 3 and found.title.endswith(", LDG, STG only")
    assert [found.count(o) for o in ("LDG", "LDG.E.128", "STG", "BRA", "")] == [2, 1, 1, 0, 3]


def test_without_nvdisasm_nothing_is_counted_and_the_remedy_is_said(kernel, monkeypatch):
    monkeypatch.setattr(machine_code, "_nvdisasm", lambda: "")
    found = sass(kernel, "LDG")
    assert found.lines == () and math.isnan(found.count("LDG"))
    for said in (repr(found), found._repr_html_()):
        assert "pip install nvidia-cuda-nvdisasm" in said


@pytest.mark.skipif(not machine_code._nvdisasm(), reason="there is no nvdisasm")
@pytest.mark.parametrize("bytes_each, opcode", [(1, "LDG.E.U8"), (4, "LDG.E.C"), (16, "LDG.E.128")])
def test_a_loads_width_stands_in_its_opcode(bytes_each, opcode):
    assert sass(load("coalescing/03_width", BYTES=bytes_each)).count(opcode) == 1


# Banks of registers ------------------------------------------------------------------------------
def banks(*lines, opcode="FFMA"):
    """(instructions, those that read three registers of one bank, clocks of the busier bank)."""
    found = operand_banks(lines, opcode)
    return found.count, found.three_in_one_bank, found.clocks


@pytest.mark.parametrize(
    "line, three, clocks",
    [
        ("FFMA R0, R2, R4, R6", 1, 3),
        ("FFMA R0, R2, R3, R4", 0, 2),
        ("FFMA R1, R2, R3, R3", 0, 1),  # a register twice is read once
        ("FFMA R0, R2, UR4, R3", 0, 1),  # a uniform register lies in neither bank
        ("FFMA R0, R2, c[0x0][0x4], RZ", 0, 1),
        ("FFMA R0, UR4, 0.5, RZ", 0, 1),  # it takes a clock all the same
        ("FFMA R0, R2, 0.5, R4", 0, 2),
        ("@!P0 FFMA R0, -R3, |R5|, -R7.reuse", 1, 3),
        ("FFMA.FTZ R0, R3, R5, R2", 0, 2),
    ],
)
def test_a_bank_gives_one_register_a_clock(line, three, clocks):
    assert banks(line) == (1, three, clocks)


@pytest.mark.parametrize(
    "lines, clocks",
    [
        (("FFMA R0, R2, R4, R1", "FFMA R3, R2, R4, R7"), 4),
        (("FFMA R0, R2.reuse, R4, R1", "FFMA R3, R2, R4, R7"), 3),
        # kept over what stands between, and over a register of the other bank at its place
        (("FFMA R0, R2.reuse, R4, R1", "LDS R9, [R8]", "FFMA R3, R2, R4, R7"), 3),
        (("FFMA R0, R2.reuse, R4, R1", "FFMA R9, R3, R5, R6", "FFMA R3, R2, R4, R7"), 4),
        # no longer once a register of its bank was read there, or at another place, or unmarked
        (("FFMA R0, R2.reuse, R4, R1", "FFMA R9, R6, R5, R3", "FFMA R3, R2, R4, R7"), 5),
        (("FFMA R0, R2.reuse, R4, R1", "FFMA R3, R4, R2, R7"), 4),
        (("FFMA R0, R2.reuse, R4, R1", "FFMA R3, R2, R4, R7", "FFMA R5, R2, R4, R9"), 5),
    ],
)
def test_a_kept_operand_is_not_read_again(lines, clocks):
    count, _, each = banks(*lines)
    assert each * count == pytest.approx(clocks)


def test_neighbours_share_the_banks_and_eight_in_a_row_at_most():
    even, odd = "FFMA R0, R2, R4, R1", "FFMA R0, R3, R5, R2"
    assert banks(even, odd) == (2, 0, 1.5)
    assert banks(*8 * [even], *8 * [odd]) == (16, 0, 2)  # too far apart to help each other


def test_other_instructions_count_if_they_are_asked_for():
    lines = ("FADD R0, R2, R4", "FFMA R0, R2, R4, R6")
    assert banks(*lines, opcode="FADD") == (1, 0, 2)
    assert banks(*lines) == (1, 1, 3)
    assert banks("EXIT")[:2] == (0, 0) and math.isnan(banks("EXIT")[2])


def test_banks_take_machine_code_or_some_of_its_lines(kernel, monkeypatch):
    code = machine_code.MachineCode("a kernel", ("FFMA R0, R2, R4, R6", "EXIT"))
    assert operand_banks(code) == operand_banks(code.lines) == operand_banks(list(code.lines))
    monkeypatch.setattr(machine_code, "_nvdisasm", lambda: "")
    assert all(map(math.isnan, vars(operand_banks(sass(kernel))).values()))


@pytest.mark.skipif(not machine_code._nvdisasm(), reason="there is no nvdisasm")
@pytest.mark.parametrize("operands, clocks", [(1, 8), (2, 13), (3, 13)])
def test_the_banks_of_eight_multiply_adds(operands, clocks):
    """The kernels that reach 95, 60 and 60 % of the peak on an H200 (8 of 13 is 62 %)."""
    found = operand_banks(sass(load("occupancy/09_operands", OPERANDS=operands)))
    assert 8 * found.clocks == pytest.approx(clocks, abs=0.1)
