"""Formulas that SymPy derives from a layer's definition. SymPy is a guest here: whatever it
returns goes through the bridge into a page, and the kernel proves it equal to the definition."""
