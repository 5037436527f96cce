"""Reading: text and data become terms, or an error that says where, what and what to do."""

from symbolic.reading.domain import declare, read_domain
from symbolic.reading.names import Names, PageError, ReadError, frozen
from symbolic.reading.text import read_fact, read_limit, read_term, shape_of, sides

__all__ = [
    "Names", "PageError", "ReadError", "declare", "frozen", "read_domain", "read_fact",
    "read_limit", "read_term", "shape_of", "sides",
]
