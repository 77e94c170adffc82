"""L2's windows: the structures are the driver's, and what cannot be is refused with the remedy."""

import ctypes
import re
import struct
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

from warpbook.gpu import l2_windows as l2

STREAM = SimpleNamespace(ptr=77)


@pytest.fixture(scope="module")
def header():
    """The text of the cuda.h that comes with the CUDA runtime's wheel."""
    import nvidia

    found = [p for folder in nvidia.__path__ for p in Path(folder).rglob("include/cuda.h")]
    assert found, "requirements.txt names nvidia-cuda-runtime, which brings cuda.h"
    return found[0].read_text(encoding="utf-8")


@pytest.fixture
def driver(monkeypatch):
    """A driver that keeps what it is asked, and answers ``code``."""
    asked = SimpleNamespace(
        calls=[], code=0, allowed={l2.MAX_PERSISTING: 30 << 20, l2.MAX_WINDOW: 128 << 20}
    )

    def call(name):
        def function(*args):
            if name == "cuGetErrorString":
                args[1]._obj.value = b"invalid argument"
                return 0
            raw = bytes(args[2]._obj) if len(args) == 3 else b""
            asked.calls.append((name, *(getattr(a, "value", a) for a in args[:2]), raw))
            return asked.code

        return function

    def attribute(number, device):
        return asked.allowed[number]

    limits = {}
    runtime = SimpleNamespace(
        deviceGetAttribute=attribute, deviceSetLimit=limits.__setitem__, deviceGetLimit=limits.get
    )
    device = SimpleNamespace(id=0, attributes={"L2CacheSize": 50 << 20}, synchronize=lambda: None)
    names = (
        "cuStreamSetAttribute",
        "cuStreamGetAttribute",
        "cuCtxResetPersistingL2Cache",
        "cuGetErrorString",
    )
    monkeypatch.setattr(l2, "GPU", True)
    monkeypatch.setattr(
        l2, "cp", SimpleNamespace(cuda=SimpleNamespace(runtime=runtime, Device=lambda: device))
    )
    monkeypatch.setattr(l2, "_driver", lambda: SimpleNamespace(**{n: call(n) for n in names}))
    return asked


def array(nbytes, contiguous=True):
    return SimpleNamespace(
        nbytes=nbytes,
        data=SimpleNamespace(ptr=0x7F0000000200),
        flags=SimpleNamespace(c_contiguous=contiguous),
    )


def test_where_no_line_persists_the_driver_is_asked_nothing(driver):
    """Before compute capability 8.0, where the driver refuses all this."""
    driver.allowed = dict.fromkeys(driver.allowed, 0)
    assert l2.set_aside(0) == 0
    l2.persist(STREAM, array(0))
    l2.release(STREAM)
    l2.reset()
    assert driver.calls == []
    with pytest.raises(ValueError, match="from 0 to 0"):
        l2.set_aside(1)


def test_the_structures_have_the_layout_of_the_header(header):
    body = re.search(r"typedef struct CUaccessPolicyWindow_st \{(.*?)\} CUaccess", header, re.S)[1]
    fields = re.findall(r"^\s*(\S.*?)\s*\b(\w+);", body, re.M)
    assert [name for _, name in fields] == [
        "base_ptr",
        "num_bytes",
        "hitRatio",
        "hitProp",
        "missProp",
    ]
    assert [t for t, _ in fields][1:3] == ["size_t", "float"]
    offsets = [getattr(l2.Window, name).offset for name, _ in l2.Window._fields_]
    assert offsets == [0, 8, 16, 20, 24]
    assert (ctypes.sizeof(l2.Window), ctypes.sizeof(l2.Attribute)) == (32, 64)
    union = re.search(r"typedef union CUlaunchAttributeValue_union \{(.*?);", header, re.S)[1]
    assert "char pad[64]" in union and "CUlaunchAttributeValue CUstreamAttrValue_v1" in header


@pytest.mark.parametrize(
    "name, value",
    [
        ("CU_LAUNCH_ATTRIBUTE_ACCESS_POLICY_WINDOW", l2.ACCESS_POLICY_WINDOW),
        ("CU_ACCESS_PROPERTY_NORMAL", l2.NORMAL),
        ("CU_ACCESS_PROPERTY_STREAMING", l2.STREAMING),
        ("CU_ACCESS_PROPERTY_PERSISTING", l2.PERSISTING),
        ("CU_LIMIT_PERSISTING_L2_CACHE_SIZE", l2.PERSISTING_L2_CACHE_SIZE),
        ("CU_DEVICE_ATTRIBUTE_MAX_PERSISTING_L2_CACHE_SIZE", l2.MAX_PERSISTING),
        ("CU_DEVICE_ATTRIBUTE_MAX_ACCESS_POLICY_WINDOW_SIZE", l2.MAX_WINDOW),
    ],
)
def test_the_numbers_are_those_of_the_header(header, name, value):
    assert int(re.search(rf"\b{name}\s*= (\w+)", header)[1], 0) == value


def test_a_window_reaches_the_driver_as_the_bytes_it_expects(driver):
    l2.persist(STREAM, array(20 << 20), 0.5)
    ((name, stream, attribute, raw),) = driver.calls
    assert (name, stream, attribute, len(raw)) == ("cuStreamSetAttribute", 77, 1, 64)
    assert struct.unpack_from("<QQfii", raw) == (0x7F0000000200, 20 << 20, 0.5, 2, 1)


def test_release_sets_a_window_of_no_bytes_and_reset_asks_the_driver(driver):
    l2.release(STREAM)
    l2.reset()
    assert struct.unpack_from("<QQfii", driver.calls[0][-1]) == (0, 0, 0.0, 0, 0)
    assert driver.calls[1][0] == "cuCtxResetPersistingL2Cache"
    assert l2.window(STREAM).num_bytes == 0


def test_the_set_aside_is_what_the_driver_granted(driver):
    assert l2.limits() == l2.Limits(50 << 20, 30 << 20, 128 << 20)
    assert l2.set_aside(16 << 20) == 16 << 20


@pytest.mark.parametrize(
    "act, message",
    [
        (
            lambda: l2.set_aside(40 << 20),
            r"41943040 bytes asked for.*from 0 to 31457280.*Ask for less",
        ),
        (lambda: l2.persist(STREAM, array(129 << 20)), r"at most 134217728.*array\[:n\]"),
        (lambda: l2.persist(STREAM, array(64, contiguous=False)), "ascontiguousarray"),
        (lambda: l2.persist(STREAM, array(64), 1.5), "hit_ratio is 1.5.*from 0 to 1"),
        (
            lambda: l2.persist(SimpleNamespace(ptr=0), array(64)),
            r"default stream.*cp\.cuda\.Stream",
        ),
    ],
)
def test_what_cannot_be_is_refused_before_the_driver_is_asked(driver, act, message):
    with pytest.raises(ValueError, match=message):
        act()
    assert driver.calls == []


def test_the_drivers_refusal_is_told_in_its_own_words(driver):
    driver.code = 1
    with pytest.raises(RuntimeError, match=r"cuStreamSetAttribute failed: invalid argument .*1\)"):
        l2.persist(STREAM, array(64))


@pytest.mark.skipif(l2.GPU, reason="there is a GPU here")
@pytest.mark.parametrize(
    "act",
    [
        l2.limits,
        l2.reset,
        lambda: l2.set_aside(1),
        lambda: l2.window(STREAM),
        lambda: l2.release(STREAM),
        lambda: l2.persist(STREAM, np.zeros(4)),
    ],
)
def test_without_a_gpu_every_call_says_so(act):
    with pytest.raises(RuntimeError, match="no GPU here.*%%gpu"):
        act()


@pytest.mark.skipif(not l2.GPU, reason="reads a window back from a real driver: needs a GPU")
def test_the_driver_gives_a_window_back_as_it_was_set():
    stream, hot = l2.cp.cuda.Stream(), l2.cp.zeros(1 << 20, "f4")
    l2.persist(stream, hot, 0.25)
    held = l2.window(stream)
    assert (held.num_bytes, held.hit_ratio, held.hit) == (hot.nbytes, 0.25, l2.PERSISTING)
    l2.release(stream)
    assert l2.window(stream).num_bytes == 0
