"""A .cu file becomes a kernel: its source and header, the compiler, the arguments, the launch."""
