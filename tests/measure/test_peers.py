"""Peers: a library's routines with host code, compiled with nvcc where there is one."""

import ctypes
import re
import subprocess

import numpy as np
import pytest
from helpers import ROOT

from warpbook import bench, check, peer
from warpbook.launch.backend import GPU
from warpbook.launch.kernel import NotRun
from warpbook.measure import peers

needs_nvcc = pytest.mark.skipif(peers._nvcc() is None, reason="needs nvcc")
TEXT = (ROOT / "tools/peers/cub.cu").read_text(encoding="utf-8")


@pytest.fixture
def missing(monkeypatch):
    """CUB on a machine that cannot run it."""
    monkeypatch.setattr(peers, "_library", lambda source: (None, NotRun("CUB is left out: no.")))
    peer.cache_clear()
    yield peer("cub")
    peer.cache_clear()


def test_a_missing_peer_says_so_once_and_is_left_out(missing, capsys):
    assert peer("cub") is missing and capsys.readouterr().out == ""
    values, out = np.ones(8, np.float32), np.zeros(1, np.float32)
    check(missing.sum(values, out), out)
    assert str(missing.scan(values, out)) == "CUB is left out: no."
    table = bench(bytes=32, cub=lambda: missing.sum(values, out))
    assert np.isnan(table.ms["cub"])


def test_a_wrong_name_lists_those_there_are():
    with pytest.raises(LookupError, match="There is: cub"):
        peer("thrust")


@pytest.mark.skipif(GPU, reason="there is a GPU")
def test_without_a_gpu_cub_is_left_out(capsys):
    peer.cache_clear()
    assert "it needs a GPU" in str(peer("cub").sum(np.ones(4, np.float32), None))
    assert "it needs a GPU" in capsys.readouterr().out


def test_without_nvcc_cub_is_left_out(monkeypatch):
    monkeypatch.setattr(peers, "GPU", True)
    monkeypatch.setattr(peers, "_nvcc", lambda: None)
    assert "nvcc" in str(peers._library(peers.FOLDER / "cub.cu")[1])


def test_what_does_not_compile_is_left_out_and_says_why(monkeypatch, tmp_path):
    def fails(source, nvcc):
        raise subprocess.CalledProcessError(1, [nvcc], stderr="cub.cu(1): error: no\nmore")

    monkeypatch.setattr(peers, "GPU", True)
    monkeypatch.setattr(peers, "_nvcc", lambda: "nvcc")
    monkeypatch.setattr(peers, "_compiled", fails)
    assert str(peers._library(peers.FOLDER / "cub.cu")[1]).endswith("cub.cu(1): error: no")


def test_the_functions_that_are_called_are_there():
    wanted = {"cub_sum", "cub_argmax", "cub_scan_float", "cub_scan_int"}
    wanted |= {"cub_histogram_bytes", "cub_histogram_floats"}
    assert set(re.findall(r"int (cub_\w+)\(", TEXT)) == wanted


@needs_nvcc
def test_nvcc_compiles_it_once(monkeypatch, tmp_path):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    device = type("Device", (), {"compute_capability": "90"})
    monkeypatch.setattr(peers.cp.cuda, "Device", device)
    peers._cache.cache_clear()
    made = peers._compiled(peers.FOLDER / "cub.cu", peers._nvcc())
    assert made.parent == tmp_path / "warpbook" and ctypes.CDLL(str(made)).cub_sum
    when = made.stat().st_mtime_ns
    assert peers._compiled(peers.FOLDER / "cub.cu", peers._nvcc()).stat().st_mtime_ns == when
    peers._cache.cache_clear()
