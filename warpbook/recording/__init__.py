"""Chapters executed on a GPU, and the stamps that say what their numbers came from."""
