"""Launch one cubin's kernel k(float* a, int n) through the driver, alone in its process.

    python tools/launch_cubin.py kernel.cubin written

2 blocks of 64 threads, n = 64, and an array of exactly 64 floats, so that a checker can tell its
end; all zeros if written is 1, never written if it is 0. A fault in the kernel is the checker's to
report: the exit status is 0 whatever the kernel did.
"""

import ctypes
import sys
from pathlib import Path


def main(path, written):
    cuda = ctypes.CDLL("libcuda.so.1")
    context, module, kernel, a = (ctypes.c_void_p() for _ in range(4))
    device, n = ctypes.c_int(), ctypes.c_int(64)

    def call(name, *arguments):
        error = getattr(cuda, name)(*arguments)
        if error:
            sys.exit(f"{name}: CUDA error {error}")

    call("cuInit", 0)
    call("cuDeviceGet", ctypes.byref(device), 0)
    call("cuDevicePrimaryCtxRetain", ctypes.byref(context), device)
    call("cuCtxSetCurrent", context)
    call("cuModuleLoadData", ctypes.byref(module), Path(path).read_bytes())
    call("cuModuleGetFunction", ctypes.byref(kernel), module, b"k")
    call("cuMemAlloc_v2", ctypes.byref(a), ctypes.c_size_t(256))
    if written == "1":
        call("cuMemcpyHtoD_v2", a, bytes(256), ctypes.c_size_t(256))
    pointers = [ctypes.cast(ctypes.byref(value), ctypes.c_void_p) for value in (a, n)]
    arguments = (ctypes.c_void_p * 2)(*pointers)
    call("cuLaunchKernel", kernel, 2, 1, 1, 64, 1, 1, 0, None, arguments, None)
    print("launched", flush=True)
    cuda.cuCtxSynchronize()  # its error, if any, is the kernel's


if __name__ == "__main__":
    main(*sys.argv[1:])
