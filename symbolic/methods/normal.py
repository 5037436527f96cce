"""Compare the normal forms of both sides."""


def find(statement):
    """One certificate without data: the rule does all the work."""
    if statement.relation in ("=", "<=", "psd"):
        yield "normal", {}
