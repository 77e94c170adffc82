"""The GPU itself: its clock, its measured rates, its occupancy, its L2 cache, what is installed."""
