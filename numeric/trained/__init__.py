"""Transformers that interpolate by training, where an exact one is known.

What training finds is a number with an error; what is said of it for certain is said in balls.
Setting: Alcalde, Fantuzzi and Zuazua, arXiv 2502.02270.
"""
