"""Measurements: correctness first, times beside bounds, claims, traces, counters."""
