"""Transformers that map finite sequences exactly to finite sets, built, run, counted, checked.

Every number is a rational; nothing is decided in floating point. The theorems are Alcalde,
Fantuzzi and Zuazua, arXiv 2502.02270; the constructions, their counts and certificates are ours.
"""
