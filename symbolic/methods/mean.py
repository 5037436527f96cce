"""The inequality of the means, when the left side is a product."""


def find(statement):
    """One certificate without data, for a product at most something."""
    left = statement.left
    if statement.relation == "<=" and isinstance(left, tuple) and left[0] == "prod":
        yield "mean", {}
