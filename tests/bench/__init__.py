"""How long things take: `python -m tests.bench` measures, prints a table and may keep it as JSON.

Nothing here is a test; ratios are between measurements of one run, on one machine.
"""
