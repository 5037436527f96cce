"""Experiments on the transformer PDE: read, run, shown; the paper's figures redrawn."""
