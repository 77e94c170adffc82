"""Compile a few lines of CUDA C++ and launch them in the emulator; with HW=1, on the GPU as well.

``HW=1 pytest emulator`` on a machine with a GPU launches each kernel that ran without a
Finding once more, through CuPy, on copies of the arrays as they were, and compares what the two
wrote: arrays and ``__device__`` variables, bit by bit (any NaN equals any other) or within
``rtol``. After an error that ends the process's use of the GPU the tests that want it are skipped.

There, and there alone, the book's package is imported: only the driver can make the tensor maps
that a GPU takes, and ``warpbook.launch.tensor_maps`` asks it.

RECORD=folder does so as well and keeps what the GPU wrote; without either, what the emulator wrote
is compared with what was kept. See gpu_results.py.
"""

import ctypes
import os
import re
import tempfile
import textwrap
from dataclasses import replace

import gpu_results
import numpy as np
import pytest

import warpemu
from warpemu import nvrtc, tensor_map
from warpemu.memory import owner_of

HW = bool(os.environ.get("HW") or gpu_results.RECORD)
PTX = "ptx"  # in place of an architecture: a text that is not compiled to PTX
broken = []  # what has ended this process's use of the GPU: a test and its error


def program(text, entry="k", options=(), arch="compute_90"):
    """The kernel of a text, to be launched: a Compiled."""
    text = textwrap.dedent(text)
    ptx = nvrtc.ptx(text, "test.cu", ("-lineinfo", *options), arch)
    return Compiled(warpemu.compile(ptx, entry, "test.cu", text), text, options, arch)


def program_of_ptx(text, entry, source_name):
    """As ``program``, of a text that is PTX."""
    return Compiled(warpemu.compile(text, entry, source_name), text, (), PTX)


def line_of(text, marker):
    """Number of the line that holds marker."""
    lines = textwrap.dedent(text).splitlines()
    return next(n for n, line in enumerate(lines, 1) if marker in line)


def random_request(rng):
    """A random request of a warp: (addresses, bytes a lane, which lanes take part, a load?)."""
    size = int(rng.choice([1, 2, 4, 8, 16]))
    lanes = np.arange(32)
    shapes = [
        lanes * rng.integers(1, 40),
        lanes // 2,
        lanes & 29,
        lanes % rng.integers(1, 33),
        rng.integers(0, 200, 32),
        rng.integers(0, 4, 32),
        np.zeros(32, int),
    ]
    addresses = shapes[rng.integers(len(shapes))] * size
    present = rng.random(32) < rng.choice([0.1, 0.5, 0.97, 1, 1])
    present[rng.integers(32)] = True
    return addresses, size, present, bool(rng.integers(2))


class Compiled:
    """The emulator's Program of a text, whose launches HW=1 repeats on the GPU."""

    def __init__(self, program, text, options, arch):
        self.program, self.text, self.options, self.arch = program, text, options, arch
        self.on_gpu = None

    def __getattr__(self, name):
        return getattr(self.program, name)

    def launch(self, grid, block, args, not_on_gpu="", rtol=0, **settings):
        """Program.launch. not_on_gpu: why the GPU's results may differ, which then is not asked;
        rtol: how far floats may, relatively or absolutely.
        """
        if not_on_gpu:
            return self.program.launch(grid, block, args, **settings)
        if HW:
            needs_gpu()
        arrays = {id(owner): owner for owner in owners(args)}
        before = {key: owner.copy(order="K") for key, owner in arrays.items()}
        variables = self.program.variables
        held = {name: data.copy() for name, data in variables.items()}
        report = self.program.launch(grid, block, args, **settings)
        shared_bytes = settings.get("shared_bytes", 0)
        launch = (
            *gpu_results.this_launch(),
            self.given(grid, block, args, self.named(args, before, held), rtol, shared_bytes),
        )
        ours = self.named(args, arrays, variables)
        if not HW:
            gpu_results.compare(*launch, ours, rtol)
            return report
        if self.on_gpu is None:
            self.on_gpu = OnGpu(self)
        try:
            self.on_gpu.launch(grid, block, args, before, held, shared_bytes)
        except Exception as error:
            note_if_broken(self.on_gpu.cp, error)
            raise
        theirs = self.named(args, before, held)
        if gpu_results.RECORD:
            gpu_results.record(*launch, theirs, rtol)
        for name in ours:
            same(ours[name], theirs[name], rtol)
        return report

    def named(self, args, arrays, variables):
        """{name: array} of arrays, {id of an owner: array}, by the first parameter that leads to
        each, and of variables, {name: bytes}, but for those that hold an address.
        """
        found = {}
        for label, value in zip(self.program.labels, args, strict=True):
            for owner in owners([value]):
                found.setdefault(id(owner), label)
        return {label: arrays[key] for key, label in found.items()} | {
            f"__device__ {name}": data
            for name, data in variables.items()
            if not is_pointer(self.program, self.program.variables[name])
        }

    def given(self, grid, block, args, arrays, rtol, shared_bytes):
        """A hash of all that a launch on the GPU was given. arrays: {name: array} as it began."""
        values = []
        for value in args:
            if isinstance(value, np.ndarray):
                values.append(("array", owner_of(value)[1]))
            elif described(value):
                values.append(described(value)[0])
            else:
                values.append(value if isinstance(value, bytes) else value.tobytes())
        program = self.text, self.program.name, self.options, self.arch
        said = repr((program, grid, block, shared_bytes, values, list(arrays), bool(rtol)))
        return gpu_results.digest(said.encode(), *(array.tobytes() for array in arrays.values()))


def needs_gpu():
    """Skip the test if an earlier one has ended this process's use of the GPU."""
    if broken:
        pytest.skip(f"the GPU's context is broken by an earlier test: {broken[0]}")


def note_if_broken(cupy, error):
    """Is the error one that every later call gives again, such as an illegal instruction?"""
    try:
        cupy.cuda.Device().synchronize()
    except Exception:
        test = os.environ.get("PYTEST_CURRENT_TEST", "").split(" ")[0]
        broken.append(f"{test}: {error}")


def is_pointer(program, data):
    """Are the bytes of a variable an address of the emulator's memory?"""
    return len(data) == 8 and int(data.view(np.int64)[0]) in program.symbols.values()


def owners(args):
    """The ndarrays that own the memory of the arrays and tensor maps among the arguments."""
    arrays = [owner_of(value)[0] for value in args if isinstance(value, np.ndarray)]
    return arrays + [found[1] for found in map(described, args) if found]


def described(value):
    """(fields, owner of the array's memory) of the emulator's tensor map; None if it is none."""
    return tensor_map.decode(value.tobytes()) if isinstance(value, np.void) else None


def same(emulated, hardware, rtol):
    """Assert that the emulator and the GPU wrote the same into an array."""
    if rtol and emulated.dtype.kind == "f":
        np.testing.assert_allclose(emulated, hardware, rtol=rtol, atol=rtol)
        return
    ours, theirs = (np.ravel(a, order="K") for a in (emulated, hardware))
    width = f"u{ours.itemsize}" if ours.itemsize in (1, 2, 4, 8) else "u1"
    differ = ours.view(width) != theirs.view(width)
    if ours.dtype.kind == "f":
        differ &= ~(np.isnan(ours) & np.isnan(theirs))
    k = int(np.argmax(differ)) if differ.any() else 0
    assert not differ.any(), (
        f"{np.count_nonzero(differ)} of {differ.size} differ; element {k}: the emulator wrote "
        f"{ours.view(width)[k]:#x}, the GPU {theirs.view(width)[k]:#x}"
    )


class OnGpu:
    """A kernel compiled by CuPy for the GPU of this machine."""

    def __init__(self, compiled):
        import cupy

        from warpbook.launch import tensor_maps

        self.by_driver = tensor_maps.by_driver
        self.cp, self.program = cupy, compiled.program
        self.cooperative = "this_grid" in compiled.text
        if self.cooperative:  # CuPy links the device's library to it
            options = (nvrtc.STANDARD, "-lineinfo", *compiled.options, *nvrtc.headers())
            self.module = cupy.RawModule(
                code=compiled.text, options=options, enable_cooperative_groups=True
            )
        else:  # CuPy itself would compile with -ftz=true, and subnormal numbers would be zeros
            device = f"sm_{cupy.cuda.Device().compute_capability}"
            if compiled.arch.endswith("a"):  # it has what only this architecture has
                device = compiled.arch.replace("compute", "sm")
            if compiled.arch == PTX:  # which the driver compiles, also one older than its version
                binary = re.sub(r"(?m)^\.version .*", ".version 8.7", compiled.text).encode()
            else:
                binary = nvrtc.cubin(compiled.text, "test.cu", tuple(compiled.options), device)
            with tempfile.NamedTemporaryFile(suffix=".module") as file:
                file.write(binary)
                file.flush()
                self.module = cupy.RawModule(path=file.name)
                self.module.get_function(compiled.program.name)  # reads the file now
        self.kernel = self.module.get_function(compiled.program.name)

    def launch(self, grid, block, args, before, held, shared_bytes):
        """Run on copies of ``before``, {id of an owner: array}, and put the results there; so too
        with ``held``, {variable: bytes}.
        """
        cp, arrays, values = self.cp, {}, []

        def address_of(owner):
            if id(owner) not in arrays:
                flat = np.ravel(before[id(owner)], order="K").view(np.uint8)
                arrays[id(owner)] = cp.asarray(flat if len(flat) else np.zeros(1, np.uint8))
            return arrays[id(owner)].data.ptr

        for value, parameter in zip(args, self.program.function.parameters, strict=True):
            if isinstance(value, np.ndarray):
                owner, start = owner_of(value)
                raw = np.uint64(address_of(owner) + start).tobytes()
            elif described(value):
                fields, owner = described(value)
                fields = replace(fields, address=address_of(owner) + fields.address)
                raw = self.by_driver(fields).tobytes()
            else:
                raw = value.tobytes() if isinstance(value, np.generic) else bytes(value)
            values.append(raw[: parameter.bytes].ljust(parameter.bytes, b"\0"))
        places = {name: self.module.get_global(name) for name in held}
        for name, place in places.items():
            if not is_pointer(self.program, held[name]):
                place.copy_from_host(held[name].ctypes.data_as(ctypes.c_void_p), len(held[name]))
        if shared_bytes > 48 * 1024:
            self.kernel.max_dynamic_shared_size_bytes = shared_bytes
        buffers = [ctypes.create_string_buffer(raw, len(raw)) for raw in values]
        pointers = (ctypes.c_void_p * len(buffers))(*map(ctypes.addressof, buffers))
        driver = cp.cuda.driver
        shape = [*grid, 1, 1][:3] + [*block, 1, 1][:3]
        if self.cooperative:
            driver.launchCooperativeKernel(
                self.kernel.kernel.ptr, *shape, shared_bytes, 0, ctypes.addressof(pointers)
            )
        else:
            driver.launchKernel(
                self.kernel.kernel.ptr, *shape, shared_bytes, 0, ctypes.addressof(pointers), 0
            )
        cp.cuda.Device().synchronize()
        for key, data in arrays.items():
            flat = np.ravel(before[key], order="K").view(np.uint8)
            flat[...] = cp.asnumpy(data)[: len(flat)]
        for name, place in places.items():
            place.copy_to_host(held[name].ctypes.data_as(ctypes.c_void_p), len(held[name]))
