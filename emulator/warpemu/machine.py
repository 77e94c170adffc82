"""What the emulated machine holds: that of an H100 (NVIDIA's CUDA C++ Programming Guide, 9.0)."""

SMS = 132
SM_BLOCKS = 32
SM_THREADS = 2048
SM_SHARED_BYTES = 228 * 1024
