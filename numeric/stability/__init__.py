"""Bounds, blow-up times and limiting ranks of Gaussian attention: search here, decide exactly.

Each answer carries what it rests on: a verdict of the kernel on a matrix of rational numbers, a
theorem named in the docstring that turns it into a statement about the flow, or balls.
"""
