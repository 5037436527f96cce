"""What follows from the definition of a Kuramoto attention layer, derived by SymPy.

The definition (arXiv 2606.11585): token t has phases theta[t,j], its lift is exp(i theta); the
circular mean is G = Sum(A[t,u] exp(i theta[u])), the move is the tangent part of G. Each function
starts from such a definition and differentiates, multiplies or expands; no answer is typed in.
Lengths and widths (t, n, k) stay symbols. Each returns a SymPy expression (a Matrix where said).
"""

from types import SimpleNamespace


def _letters() -> SimpleNamespace:
    """The letters of the pages: whole numbers, families and positive reals, by the same names."""
    from sympy import IndexedBase, symbols

    def name(text: str, **kind: bool) -> dict:
        return dict(zip(text.split(), symbols(text, seq=True, **kind), strict=True))

    families = "A w theta x s m gq gk alpha beta omega"
    return SimpleNamespace(
        **name("i j r t u v", integer=True), **name("n k", integer=True, positive=True),
        **name("tau rho", positive=True), **name("a b phi p q y", real=True),
        **{f: IndexedBase(f, real=True) for f in families.split()},
        weight=IndexedBase("p", positive=True),
    )


def _collapse(expression):
    """Sum out Kronecker deltas whose index lies in range; the kernel checks that it does."""
    from sympy import KroneckerDelta, Sum, expand

    def one(term, limits):
        for limit in limits:
            for delta in term.atoms(KroneckerDelta):
                if limit[0] in delta.args:
                    other = delta.args[delta.args[0] == limit[0]]
                    rest = [bounds for bounds in limits if bounds != limit]
                    return one((term / delta).subs(limit[0], other), rest)
        return Sum(term, *limits) if limits else term

    def collapsed(total):
        parts = expand(total.function, deep=False).as_ordered_terms()
        return sum(one(part, list(total.limits)) for part in parts)

    def open_delta(total):
        bound = {limit[0] for limit in total.limits}
        return any(bound & set(d.args) for d in total.function.atoms(KroneckerDelta))

    while found := [total for total in expression.atoms(Sum) if open_delta(total)]:
        inner = min(found, key=lambda total: total.count_ops())
        expression = expression.xreplace({inner: collapsed(inner)})
    return expression


def _turned(weight, angle):
    """Real and imaginary part of `weight * exp(i angle)`."""
    from sympy import I, exp

    return (weight * exp(I * angle)).as_real_imag()


def increment():
    """Im(exp(-i theta[t]) G[t]), the lift turned back into the frame of token t, over u <= t."""
    from sympy import Sum

    z = _letters()
    return Sum(_turned(z.A[z.t, z.u], z.theta[z.u] - z.theta[z.t])[1], (z.u, 1, z.t))


def alignment():
    """Re(exp(-i theta[t]) G[t]): how far the token agrees with its circular mean, over u <= t."""
    from sympy import Sum

    z = _letters()
    return Sum(_turned(z.A[z.t, z.u], z.theta[z.u] - z.theta[z.t])[0], (z.u, 1, z.t))


def squared_mean():
    """G times its conjugate, multiplied out: the squared length of a circular mean, n terms."""
    from sympy import Sum

    z = _letters()
    body = _turned(z.w[z.u] * z.w[z.v], z.theta[z.u] - z.theta[z.v])[0]
    return Sum(Sum(body, (z.v, 1, z.n)), (z.u, 1, z.n))


def coherence_gradient():
    """Derivative by x[j] of E(x) = Sum(A[t,u] Sum(cos(theta[u,i] - x[i]))), A frozen."""
    from sympy import Sum, cos, diff

    z = _letters()
    inner = Sum(cos(z.theta[z.u, z.i] - z.x[z.i]), (z.i, 1, z.k))
    return _collapse(diff(Sum(z.A[z.t, z.u] * inner, (z.u, 1, z.t)), z.x[z.j]))


def frozen_jacobian(own: bool):
    """Derivative of the increment of token t, A frozen: by theta[t] itself, or by a theta[r]."""
    from sympy import Sum, diff, sin

    z = _letters()
    increment = Sum(z.A[z.t, z.u] * sin(z.theta[z.u] - z.theta[z.t]), (z.u, 1, z.t))
    return _collapse(diff(increment, z.theta[z.t if own else z.r]))


def rotary_score():
    """Dot product of two gated lifts turned by omega[j] p and omega[j] q, summed over k."""
    from sympy import Matrix, Sum, cos, expand, factor_terms, sin
    from sympy.simplify.fu import TR8

    z = _letters()

    def turned(place, gate, phase):
        turn = z.omega[z.j] * place
        rotation = Matrix([[cos(turn), -sin(turn)], [sin(turn), cos(turn)]])
        return rotation * Matrix([gate * cos(phase), gate * sin(phase)])

    query = turned(z.p, z.gq[z.j], z.alpha[z.j])
    key = turned(z.q, z.gk[z.j], z.beta[z.j])
    return Sum(factor_terms(TR8(expand((query.T * key)[0]))), (z.j, 1, z.k))


def _distance(one, other):
    """|exp(i one) - exp(i other)|^2, multiplied out."""
    from sympy import I, cos, exp, expand, powsimp

    gap = exp(I * one) - exp(I * other)
    return powsimp(expand(gap * gap.subs(I, -I))).rewrite(cos).expand()


def chord():
    """Squared distance of two points of the circle at angles a and b."""
    z = _letters()
    return _distance(z.a, z.b)


def least_squares():
    """Weighted squared distance of the point at angle y from the lifts of the tokens u <= t."""
    from sympy import Sum

    z = _letters()
    return Sum(z.A[z.t, z.u] * _distance(z.y, z.theta[z.u]), (z.u, 1, z.t))


def log_partition_gradient(gated: bool = False):
    """Derivative by x[j] of log Sum(exp(score)), A not frozen, of a query with phases x.

    `gated`: with frozen gates gq[j], gk[u,j] and the drift omega[j] (p[t] - p[u]).
    """
    from sympy import IndexedBase, Sum, cos, diff, exp, log, sqrt

    z, place, gate = _letters(), IndexedBase("p", real=True), 1
    angle = z.x[z.i] - z.theta[z.u, z.i]
    if gated:
        angle += z.omega[z.i] * (place[z.t] - place[z.u])
        gate = z.gq[z.i] * z.gk[z.u, z.i]
    score = z.tau / sqrt(z.k) * Sum(gate * cos(angle), (z.i, 1, z.k))
    return _collapse(diff(log(Sum(exp(score), (z.u, 1, z.n))), z.x[z.j]))


def softmax_jacobian():
    """Derivative by s[r] of exp(s[u]) / Sum(exp(s[v]))."""
    from sympy import Sum, diff, exp

    z = _letters()
    return _collapse(diff(exp(z.s[z.u]) / Sum(exp(z.s[z.v]), (z.v, 1, z.n)), z.s[z.r]))


def retrieval_gradient():
    """Derivative by p[r] of <p, s> + H(p), H the entropy."""
    from sympy import Sum, diff, log

    z = _letters()
    p = z.weight
    return _collapse(diff(Sum(p[z.u] * z.s[z.u] - p[z.u] * log(p[z.u]), (z.u, 1, z.n)), p[z.r]))


def energy_gradient():
    """Derivative by theta[r] of E = Sum(A[t,u] cos(theta[u] - theta[t])) / 2 over all pairs."""
    from sympy import Sum, cos, diff

    z = _letters()
    pair = z.A[z.t, z.u] * cos(z.theta[z.u] - z.theta[z.t])
    return _collapse(diff(Sum(pair, (z.u, 1, z.n), (z.t, 1, z.n)) / 2, z.theta[z.r]))


def order_growth():
    """d/dt |Sum(z)|^2 along theta[r]' = Sum(sin(theta[v] - theta[r])) / n, by the chain rule."""
    from sympy import Sum, cos, diff, sin

    z = _letters()
    square = sum(Sum(f(z.theta[z.u]), (z.u, 1, z.n)) ** 2 for f in (cos, sin))
    speed = Sum(sin(z.theta[z.v] - z.theta[z.r]), (z.v, 1, z.n)) / z.n
    return Sum(_collapse(diff(square, z.theta[z.r])) * speed, (z.r, 1, z.n))


def sphere_gradient():
    """Derivative by theta[r] of Sum(exp(beta cos(theta[t] - theta[u]))) / (2 beta), all pairs."""
    from sympy import Sum, cos, diff, exp, symbols

    z = _letters()
    beta = symbols("beta", positive=True)
    pair = exp(beta * cos(z.theta[z.t] - z.theta[z.u]))
    return _collapse(diff(Sum(pair, (z.u, 1, z.n), (z.t, 1, z.n)) / (2 * beta), z.theta[z.r]))


def saturation_jacobian():
    """Derivative by m[r] of rho m[i] / sqrt(rho^2 + mean(m^2)), the bound NM-A."""
    from sympy import Sum, diff, sqrt

    z = _letters()
    square = Sum(z.m[z.u] ** 2, (z.u, 1, z.k)) / z.k
    return _collapse(diff(z.rho * z.m[z.i] / sqrt(z.rho**2 + square), z.m[z.r]))


def sakaguchi():
    """sin(phi - a) by the addition theorem: coupling with a phase lag, split."""
    from sympy import expand_trig, sin

    z = _letters()
    return expand_trig(sin(z.phi - z.a))


def akorn_tangent():
    """Tangential part at angle p of a 2 x 2 drive applied to the unit vector at angle q."""
    from sympy import Matrix, collect, cos, expand, sin, symbols
    from sympy.simplify.fu import TR8

    z, (a, b, c, d) = _letters(), symbols("a:d", real=True)
    block = Matrix([[a + c, -b + d], [b + d, a - c]])
    tangent, source = Matrix([-sin(z.p), cos(z.p)]), Matrix([cos(z.q), sin(z.q)])
    drive = expand(TR8(expand((tangent.T * block * source)[0])))
    return collect(drive, (a, b, c, d))


def quaternion_drive():
    """q Im(conj(q) m) for quaternions q, m, multiplied out: a 4 x 1 Matrix."""
    from sympy import Matrix, symbols
    from sympy.algebras.quaternion import Quaternion

    q = Quaternion(*symbols("q0:4", real=True))
    m = Quaternion(*symbols("m0:4", real=True))
    turned = q.conjugate() * m
    drive = (q * (turned - turned.a)).expand()
    return Matrix([drive.a, drive.b, drive.c, drive.d])


def _rotation():
    """exp(phi [n]_x) by Rodrigues' formula."""
    from sympy import Matrix, cos, eye, sin, symbols

    phi = symbols("phi", real=True)
    x, y, z = symbols("n1:4", real=True)
    cross = Matrix([[0, -z, y], [z, 0, -x], [-y, x, 0]])
    return eye(3) + sin(phi) * cross + (1 - cos(phi)) * cross * cross


def rotation_skew():
    """Skew part of a rotation of R^3 by phi about n: a 3 x 3 Matrix."""
    from sympy import expand

    turn = _rotation()
    return ((turn - turn.T) / 2).applyfunc(expand)


def rotation_trace():
    """Trace of a rotation of R^3 by phi about n."""
    from sympy import expand

    return expand(_rotation().trace())
