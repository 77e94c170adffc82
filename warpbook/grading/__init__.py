"""Exercises, their grades, and the child process that runs a student's kernel."""
