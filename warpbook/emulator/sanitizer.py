"""Uninitialised reads and races."""


class Checker:
    def __init__(self, launch):
        pass

    def nothing(self, *a):
        pass

    fence = warp_sync = block_sync = global_read = global_write = global_atomic = nothing
    shared_read = shared_write = shared_atomic = nothing
