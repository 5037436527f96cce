"""Figures, each a plain function from data to a Matplotlib Figure; `style` saves them."""
