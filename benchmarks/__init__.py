"""Measurements, each run as ``python -m benchmarks.NAME``.

A package with a file of its own: others bring one called "benchmarks" too, and a folder
without this file would come after theirs.
"""
