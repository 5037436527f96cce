"""On unit quaternions and on rotations of space the coupling is a tangent projection, too.

A layer on a compact group needs an invariant similarity and a mean that returns to the group. K33:
q Im(conj(q) m) = |q|^2 m - <q, m> q for quaternions q, m, the tangent part of the mean m at q; a
sum of unit quaternions is a multiple of one, so the closed form is not special to the commutative
case: special is that there the move is one scalar sine. K34: the skew part of a rotation by phi is
sin(phi) times the axis, so on rotations of space the coupling is sin(phi), not phi.

Source: one sentence of the abstract of arXiv 2606.11585 (any compact group); the statements are
ours.
Missing: unitary groups and the polar factor (K31, K32) come later.
"""

from proofs import Claim, derived, equals
from symbolic.formulas import kuramoto

OURS = "ours, after one sentence of arXiv 2606.11585"
SYMBOLS = {
    **{f"{letter}{i}": "real" for letter in "qm" for i in range(4)},
    "n1": "real", "n2": "real", "n3": "real", "phi": "real", "theta": "real", "X": "real",
    "Y": "real",
}
INNER = " + ".join(f"q{i}*m{i}" for i in range(4))
SQUARE = " + ".join(f"q{i}**2" for i in range(4))
TANGENT = "Matrix([" + ",".join(f"[({SQUARE})*m{i} - ({INNER})*q{i}]" for i in range(4)) + "])"
TURNED = {  # conj(q) m, component by component
    "w1": "q0*m1 - q1*m0 - q2*m3 + q3*m2", "w2": "q0*m2 + q1*m3 - q2*m0 - q3*m1",
    "w3": "q0*m3 - q1*m2 + q2*m1 - q3*m0",
}
DRIVE = ("Matrix([[-q1*w1 - q2*w2 - q3*w3],[q0*w1 + q2*w3 - q3*w2],"
         "[q0*w2 - q1*w3 + q3*w1],[q0*w3 + q1*w2 - q2*w1]])")
UNITARY = "Matrix([[m0+I*m3, m2+I*m1],[-m2+I*m1, m0-I*m3]])"
ADJOINT = "Matrix([[m0-I*m3, -m2-I*m1],[m2-I*m1, m0+I*m3]])"
CROSS = "Matrix([[0, -n3, n2],[n3, 0, -n1],[-n2, n1, 0]])"
ROTATION = f"(eye(3) + sin(phi)*{CROSS} + (1-cos(phi))*{CROSS}*{CROSS})"
AXIS = {"e1": "sin(a)*cos(b)", "e2": "sin(a)*sin(b)", "e3": "cos(a)"}
TURN = ROTATION.replace("n1", "e1").replace("n2", "e2").replace("n3", "e3")
UNIT = ("n1**2 + n2**2 + n3**2 = 1",)


def _quaternions(point, xp):
    """q and m as unitary 2 x 2 matrices times their lengths."""
    def matrix(a, b, c, d):
        return xp.asarray([[a + 1j * d, c + 1j * b], [-c + 1j * b, a - 1j * d]])

    return [matrix(*(point.get(f"{letter}{i}", 0.0) for i in range(4))) for letter in "qm"]


def _drive(point, xp, rng):
    """The tangent part of m at q, by products of matrices."""
    q, m = _quaternions(point, xp)
    turned = xp.conj(q).T @ m
    moved = q @ (turned - xp.conj(turned).T) / 2
    return xp.stack([moved[0, 0].real, moved[0, 1].imag, moved[0, 1].real,
                     moved[0, 0].imag])[:, None]


def _along(point, xp, rng):
    """The inner product of q and the drive."""
    q = xp.asarray([point[f"q{i}"] for i in range(4)])
    return xp.sum(q * _drive(point, xp, rng)[:, 0])


def _length(point, xp, rng):
    m = _quaternions(point, xp)[1]
    return xp.conj(m).T @ m


def _trace(point, xp, rng):
    q, m = _quaternions(point, xp)
    turned = xp.conj(q).T @ m
    return xp.linalg.trace(turned - xp.conj(turned).T)


def _circle(point, xp, rng):
    """The tangent part on the circle, by the layer's increment."""
    from numeric.attention import kuramoto

    theta = xp.asarray(point["theta"])
    move = kuramoto.increment(theta, point["X"], point["Y"])
    return xp.stack([-move * xp.sin(theta), move * xp.cos(theta)])[:, None]


def _exponential(point, xp):
    """exp(phi [n]_x) as a power series; equal to the formula for unit n."""
    a, b, c = point["n1"], point["n2"], point["n3"]
    cross = point["phi"] * xp.asarray([[0 * a, -c, b], [c, 0 * a, -a], [-b, a, 0 * a]])
    term = total = xp.eye(3)
    for power in range(1, 90):
        term = term @ cross / power
        total = total + term
    return total


def _orthogonal(point, xp, rng):
    """The exponential of a turn about a unit axis, times its transpose."""
    a, b = (xp.asarray(point[name]) for name in "ab")
    axis = {"n1": xp.sin(a) * xp.cos(b), "n2": xp.sin(a) * xp.sin(b), "n3": xp.cos(a)}
    turn = _exponential({**axis, "phi": point["phi"]}, xp)
    return turn.T @ turn


def _angle(point, xp, rng):
    return xp.linalg.trace(_exponential(point, xp))


WITHOUT_UNIT = "holds without |n| = 1, where the formula is no rotation; see K34.rotation"

CLAIMS = (
    Claim(
        name="kuramoto.K33.tangent",
        says="q Im(conj(q) m) is the tangent part of m at q, as polynomials in both.",
        let=TURNED, start=DRIVE, steps=(equals(TANGENT, by="normal"),),
        measure=_drive, source=OURS,
    ),
    Claim(
        name="kuramoto.K33.derived",
        says="SymPy's quaternions multiply out to the same.",
        start=TANGENT, steps=(equals(derived(kuramoto.quaternion_drive()), by="normal"),),
        measure=_drive, source=OURS,
    ),
    Claim(
        name="kuramoto.K33.orthogonal",
        says="The drive is orthogonal to q: it stays on the sphere to first order.",
        let=TURNED, start="q0*(-q1*w1 - q2*w2 - q3*w3) + q1*(q0*w1 + q2*w3 - q3*w2)"
                          " + q2*(q0*w2 - q1*w3 + q3*w1) + q3*(q0*w3 + q1*w2 - q2*w1)",
        steps=(equals("0", by="normal"),),
        measure=_along, source=OURS,
    ),
    Claim(
        name="kuramoto.K33.mean",
        says="A sum of unit quaternions is its length times a unit quaternion: the mean returns "
             "to the group by a division.",
        start=f"{ADJOINT}*{UNITARY}",
        steps=(equals("(m0**2 + m1**2 + m2**2 + m3**2)*eye(2)", by="normal"),),
        measure=_length, source=OURS,
    ),
    Claim(
        name="kuramoto.K33.traceless",
        says="The skew part of conj(q) m has trace 0 by itself.",
        start="Trace(Matrix([[q0-I*q3, -q2-I*q1],[q2-I*q1, q0+I*q3]])*" + UNITARY
              + f" - {ADJOINT}*Matrix([[q0+I*q3, q2+I*q1],[-q2+I*q1, q0-I*q3]]))",
        steps=(equals("0", by="normal"),), measure=_trace, source=OURS,
    ),
    Claim(
        name="kuramoto.K33.circle",
        says="On the circle it is the layer's own move along the tangent.",
        start="Matrix([[X - (cos(theta)*X + sin(theta)*Y)*cos(theta)],"
              "[Y - (cos(theta)*X + sin(theta)*Y)*sin(theta)]])",
        steps=(equals("(-sin(theta)*X + cos(theta)*Y)*Matrix([[-sin(theta)],[cos(theta)]])",
                      by="normal"),),
        measure=_circle, source=OURS,
    ),
    Claim(
        name="kuramoto.K34.skew",
        says="The skew part of a rotation by phi is sin(phi) times the axis; derived by SymPy.",
        start=f"({ROTATION} - Transpose({ROTATION}))/2",
        steps=(equals(derived(kuramoto.rotation_skew()), by="normal"),
               equals(f"sin(phi)*{CROSS}", by="normal")),
        no_measure=WITHOUT_UNIT, source=OURS,
    ),
    Claim(
        name="kuramoto.K34.trace",
        says="The trace, derived by SymPy.",
        start=f"Trace({ROTATION})",
        steps=(equals(derived(kuramoto.rotation_trace()), by="normal"),
               equals("3 - 2*(1-cos(phi))*(n1**2 + n2**2 + n3**2)", by="normal")),
        no_measure=WITHOUT_UNIT, source=OURS,
    ),
    Claim(
        name="kuramoto.K34.defect",
        says="How far the formula is from a rotation for an axis of any length.",
        start=f"Transpose({ROTATION})*{ROTATION}",
        steps=(equals(f"eye(3) + (1-cos(phi))**2*(1 - n1**2 - n2**2 - n3**2)*{CROSS}*{CROSS}",
                      by="normal"),),
        no_measure=WITHOUT_UNIT, source=OURS,
    ),
    Claim(
        name="kuramoto.K34.rotation",
        says="For a unit axis, given by its two angles a and b, it is a rotation: its transpose is "
             "its inverse.",
        symbols={"a": "real", "b": "real"}, let=AXIS,
        start=f"Transpose({TURN})*{TURN}", steps=(equals("eye(3)", by="normal"),),
        measure=_orthogonal, tolerance=1e-6, source=OURS,
    ),
    Claim(
        name="kuramoto.K34.similarity",
        says="For a unit axis the trace is 1 + 2 cos(phi): the invariant similarity.",
        given=UNIT, start=f"Trace({ROTATION})",
        steps=(equals("3 - 2*(1-cos(phi))*(n1**2 + n2**2 + n3**2)", by="normal"),
               equals("1 + 2*cos(phi)", by="linear")),
        measure=_angle, tolerance=1e-6, source=OURS,
    ),
)
