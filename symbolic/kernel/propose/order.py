"""Which cells the equations determine, and in which order everything becomes known."""

from collections import Counter
from collections.abc import Mapping

from symbolic.kernel.propose.ground import Constraint
from symbolic.kernel.propose.solve import affine_in, cells, isolated
from symbolic.kernel.propose.style import Cell
from symbolic.kernel.term import Term

Raw = tuple  # (kind, cells, data, checks): a step of a layout


def spheres_and_polars(found: list[Constraint], free: frozenset[str]) -> list[Raw]:
    """Equations that are solved together: sums of squares, and r cos(p) = C with r sin(p) = S."""
    steps, taken = [], set()
    often = Counter(x for c in found for x in c.cells)
    waiting: dict[tuple, tuple] = {}
    for c in found:
        for side, other in ((c.left, c.right), (c.right, c.left)) if c.head == "=" else ():
            squares = _squares(side)
            if squares and set(squares) <= free - taken and not cells(other) & set(squares):
                taken |= set(squares)
                steps.append(("sphere", tuple(squares), (other, c)))
                break
        offers = [(often[p[1]] + often[p[2]], p, other) for side, other in (
            (c.left, c.right), (c.right, c.left)) if (p := _polar(side)) and c.head == "="]
        for _, (head, r, p), other in sorted(offers, key=lambda o: o[0])[:1]:
            one = waiting.pop((r, p), None)
            if one is None:
                waiting[r, p] = (head, other, c)
            elif one[0] != head and {r, p} <= free - taken - cells(other) - cells(one[1]):
                taken |= {r, p}
                parts = {one[0]: one[1], head: other}
                steps.append(("polar", (r, p), (parts["cos"], parts["sin"], one[2], c)))
    return steps


def _squares(side: Term) -> list[str]:
    """The cells whose plain squares a side sums, at least one, each once."""
    parts = side[1:] if isinstance(side, tuple) and side[0] == "+" else (side,)
    found = []
    for part in parts:
        if not isinstance(part, tuple) or len(part) != 3 or not isinstance(part[1], str):
            return []
        if part[0] == "^" and part[2] == 2 or part[0] == "*" and part[1] == part[2]:
            found.append(part[1])
        else:
            return []
    return found if len(set(found)) == len(found) else []


def _polar(side: Term) -> tuple[str, str, str] | None:
    """(head, r, p) of a side r cos(p) or r sin(p)."""
    if not isinstance(side, tuple) or side[0] != "*" or len(side) != 3:
        return None
    for r, turn in ((side[1], side[2]), (side[2], side[1])):
        if isinstance(r, str) and isinstance(turn, tuple) and turn[0] in ("cos", "sin") \
                and isinstance(turn[1], str):
            return turn[0], r, turn[1]
    return None


def arranged(known: Mapping[str, Cell], found: list[Constraint], groups: list, definitions: list,
             special: list[Raw]) -> tuple[list[Raw], dict, dict]:
    """Steps in order, the linear constraints of each cell, and the sums to be shared out."""
    spoken = {id(c) for s in special for c in s[2] if isinstance(c, Constraint)}
    whole = frozenset(x for s in (*groups, *definitions) for x in s.cells) | frozenset(
        x for s in special for x in s[1])
    pivots = _pivots([c for c in found if c.head == "=" and id(c) not in spoken], known, whole)
    waiting = [("solve", (x,), (c, forms)) for x, (c, forms) in pivots.items()]
    waiting += [("define", s.cells, s.data) for s in definitions] + list(special)
    free = _free_steps(known, found, groups, whole | pivots.keys())
    steps = _sequence(waiting, free)
    linear: dict[str, list] = {}
    for c in found:
        if c.linear is not None and c.head in ("=", "<=", "<") and id(c) not in spoken:
            for x in c.cells:
                linear.setdefault(x, []).append(c)
    shares = {x: c for c in found if _share(c) for x in c.cells if x not in whole}
    return _checked(steps, found), {x: tuple(cs) for x, cs in linear.items()}, shares


def _share(c: Constraint) -> bool:
    """Whether an equation says that positive parts of several cells add up to a number."""
    return c.head == "=" and c.linear is not None and len(c.cells) > 1 and (
        {a * c.linear.get("", 0) < 0 for x, a in c.linear.items() if x} == {True})


def _pivots(equations: list[Constraint], known: Mapping[str, Cell], whole: frozenset[str]
            ) -> dict[str, tuple]:
    """For as many equations as possible a cell that each determines, in no circle."""
    offers = []
    for k, c in enumerate(equations):
        for x in c.cells - whole:
            offer = _offer(c, x, known[x].kind)
            if offer is not None:
                offers.append((offer[0], k, -known[x].place, x, offer[1]))
    pivots: dict[str, tuple] = {}
    needs: dict[str, frozenset[str]] = {}
    used: set[int] = set()
    for _, k, _, x, forms in sorted(offers, key=lambda o: o[:3]):
        c = equations[k]
        if k in used or x in pivots or _reaches(c.cells - {x}, x, needs):
            continue
        used.add(k)
        pivots[x], needs[x] = (c, forms), c.cells - {x}
    return pivots


def _reaches(start: frozenset[str], goal: str, needs: Mapping[str, frozenset[str]]) -> bool:
    seen, waiting = set(), list(start)
    while waiting:
        x = waiting.pop()
        if x == goal:
            return True
        if x not in seen:
            seen.add(x)
            waiting.extend(needs.get(x, ()))
    return False


def _offer(c: Constraint, x: str, kind: str) -> tuple[int, tuple] | None:
    """(how unwelcome, formulas) of solving an equation for x."""
    if x in (c.left, c.right) and x not in (cells(c.right if x == c.left else c.left)):
        return 0, (c.right if x == c.left else c.left,)
    forms = tuple(isolated(c.left, c.right, x))
    if c.linear is not None:
        return 1, forms
    if affine_in(c.left, x) and affine_in(c.right, x):
        return 2, forms
    return (3, forms) if forms and kind != "complex" else None


def _free_steps(known: Mapping[str, Cell], found: list[Constraint], groups: list,
                taken: frozenset[str]) -> list[Raw]:
    """The free draws, a name bounded by a term after the names of that term."""
    after: dict[str, set[str]] = {}
    for c in found:
        if c.head in ("<=", "<"):
            for one, other in ((c.left, c.right), (c.right, c.left)):
                if isinstance(one, str) and isinstance(other, tuple):
                    after.setdefault(one, set()).update(cells(other) - {one})
    ordered: list[str] = []
    seen: set[str] = set()

    def visit(x: str, path: tuple) -> None:
        if x in seen or x in path:
            return
        for y in sorted(after.get(x, ()), key=lambda y: known[y].place):
            visit(y, (*path, x))
        if x not in seen:
            seen.add(x)
            ordered.append(x)

    for x in known:
        visit(x, ())
    member = {x: s for s in groups for x in s.cells}
    steps: list[Raw] = []
    for x in ordered:
        if x in member:
            step = ("matrix", member[x].cells, member[x].data)
            if step not in steps:
                steps.append(step)
        elif x not in taken:
            steps.append(("draw", (x,), ()))
    return steps


def _needed(step: Raw) -> frozenset[str]:
    kind, own, data = step
    if kind == "solve":
        return data[0].cells - frozenset(own)
    if kind == "define":
        return data[3]
    if kind == "polar":
        return cells(data[0]) | cells(data[1])
    return cells(data[0])


def _sequence(waiting: list[Raw], free: list[Raw]) -> list[Raw]:
    """Whatever can be solved as soon as it can be, else the next free draw."""
    waiting = [(w, set(_needed(w))) for w in waiting]  # type: ignore[misc]
    free, steps, done = list(free), [], set()
    while waiting or free:
        ready = next((w for w in waiting if w[1] <= done), None)
        if ready is not None:
            waiting.remove(ready)
            step = ready[0]
        elif free:
            step = free.pop(0)
        else:
            step = waiting.pop(0)[0]
            missing = frozenset(step[1]) - done
            step = ("draw", (next(iter(sorted(missing))),), ()) if len(step[1]) == 1 else step
        steps.append(step)
        done |= set(step[1])
    return steps


def _checked(steps: list[Raw], found: list[Constraint]) -> list[Raw]:
    """Each step with the constraints that it completes."""
    place = {}
    for k, (_, own, _) in enumerate(steps):
        for x in own:
            place.setdefault(x, k)
    checks: list[list[Constraint]] = [[] for _ in steps]
    for c in found:
        if c.cells and all(x in place for x in c.cells):  # a fact without cells is constant
            checks[max(place[x] for x in c.cells)].append(c)
    return [(kind, own, data, tuple(cs)) for (kind, own, data), cs in zip(steps, checks,
                                                                         strict=True)]
