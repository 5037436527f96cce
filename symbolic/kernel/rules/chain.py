"""A chain of lines: each against the next, which gives the first against the last.

Data: `lines` (those between), `relations` (`=`, `<=`, `<`, or "turned" for an equality shown from
right to left), `by` (a certificate a step).
Falsehood it must reject: x < x through x <= x, x <= x.
"""

from symbolic.kernel.rules import Granted, Refuse, altered, joined, left_open, term


def check(problem, data, prove) -> Granted:
    """Grants `=`, `<=` and `<`."""
    relations, statement = data["relations"], problem.statement
    lines = [statement.left, *map(term, data["lines"]), statement.right]
    if len(relations) != len(lines) - 1 or len(data["by"]) != len(relations):
        raise Refuse("a chain has one relation and one certificate a step")
    if not all(r in ("=", "turned", "<=", "<") for r in relations):
        raise Refuse("a chain is made of =, <= and <")
    if statement.relation == "=" and set(relations) - {"=", "turned"}:
        raise Refuse("an equality needs equalities")
    if statement.relation == "<" and "<" not in relations:
        raise Refuse("no step is strict")
    if statement.relation not in ("=", "<=", "<"):
        raise Refuse(f"a chain does not end in {statement.relation!r}")
    parts = []
    for (one, two), relation, certificate in zip(
            zip(lines, lines[1:], strict=False), relations, data["by"], strict=True):
        if relation == "turned":
            one, two, relation = two, one, "="
        parts.append(prove(altered(statement, left=one, right=two, relation=relation),
                           certificate))
    return joined(*parts, Granted(where=left_open(problem)))
