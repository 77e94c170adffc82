"""sass: a kernel's machine code as a listing, counted by opcode; without nvdisasm it says so."""

import math

import pytest

from warpbook import load, sass
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
