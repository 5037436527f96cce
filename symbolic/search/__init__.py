"""Search cores on plain polynomials, `dict[tuple[int, ...], Fraction]`: they propose identities.

Nothing here is trusted. Floats guide the search, every answer is expanded exactly before it is
returned, and the kernel checks it again.
"""
