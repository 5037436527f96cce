"""Writing: terms as text that reads back, and as LaTeX, as their author wrote them."""

from symbolic.writing.latex import COMMANDS, latex, latex_fact, latex_relation, split_sum
from symbolic.writing.names import name_latex
from symbolic.writing.text import limit_text, point_text, relation_text, text

__all__ = [
    "COMMANDS", "latex", "latex_fact", "latex_relation", "limit_text", "name_latex",
    "point_text", "relation_text", "split_sum", "text",
]
