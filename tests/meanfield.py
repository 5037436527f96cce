"""`python -m tests.meanfield [--quick]`: particles against the Gaussian limit, in figures.

Rates of n tokens and of their distance to the limit, what the Gaussian flows conserve and what
particles lose, the energy identity of Sinkhorn attention, fields against tilted sampling, bounds of
the blow-up time. Exit code 1 where a figure misses its target. Minutes; --quick takes seconds, with
fewer samples and wider targets for the slopes.
"""

import argparse
import sys
from collections.abc import Iterator

import numpy as np

from numeric import energy, gaussian, meanfield
from numeric.flow import Model, by_score, flow
from numeric.slopes import slope
from tests.tilting import tilted

A = np.array([[0.30, -0.15, 0.10], [0.05, 0.25, -0.20], [-0.10, 0.15, 0.20]])
V = np.array([[0.60, 0.20, -0.10], [-0.30, 0.50, 0.20], [0.10, -0.20, 0.70]])
S = np.array([[0.80, 0.20, -0.10], [0.20, 0.60, 0.15], [-0.10, 0.15, 0.50]])
MEAN = np.array([0.3, -0.2, 0.1])
Q, K = np.array([[0.5, -0.2, 0.1], [0.1, 0.4, 0.3]]), np.array([[0.3, 0.1, -0.4], [-0.2, 0.5, 0.1]])
CASES = {"softmax": (by_score("softmax", A, V), 0.5), "l2": (Model("l2", Q, K, V), 0.5),
         "linear": (by_score("linear", A, V), 0.2)}
CLOSED = {
    "softmax": Model("softmax", Q, K, V), "l2": Model("l2", Q, K, V),
    "linear": Model("linear", Q, K, V), "sinkhorn": Model("sinkhorn", Q, K, V, 0.8),
    "multihead": Model("multihead", np.stack([Q[:1], 2 * K[:1]]), np.stack([K[1:], Q[1:]]),
                       np.stack([V, V.T]))}
DRIFTING = (Model("softmax", 3 * Q[:1], 3 * K[:1], V), 0.5)
Line = tuple[str, str, bool | None]  # what, the figure, whether within its target


def rates(quick: bool) -> Iterator[Line]:
    """Slopes of the errors of moments and of W_2, small kappa; then large kappa, without target."""
    counts, repetitions = ((20, 60, 180), 10) if quick else ((50, 100, 200, 400, 800, 1600), 24)
    wide = 0.25 if quick else 0.1
    rows = {**{name: (*case, MEAN, S) for name, case in CASES.items()},
            "softmax, d = 1": (by_score("softmax", 0.4, 0.7), 0.4, 0.3, 0.5)}
    if not quick:
        rows["large kappa"] = (by_score("softmax", A, V), 0.15, MEAN, 12 * S)
    for name, (model, horizon, mean, start) in rows.items():
        found = meanfield.rate(model, mean, start, horizon, counts, repetitions,
                               np.random.default_rng(1))
        kappa = "{:.2f} to {:.2f}".format(*found.kappa)
        for error, values in found.errors.items():
            # The distance to the law itself has a logarithm of n in it, even at d = 1.
            ok = None if name == "large kappa" else abs(found.slopes[error] + 0.5) <= wide
            shown = " ".join(f"{value:.3g}" for value in values)
            yield (f"rate of {name} (kappa {kappa}): {error}",
                   f"slope {found.slopes[error]:+.3f}   {shown}", ok)


def conserved(quick: bool) -> Iterator[Line]:
    """The conditional covariance along Gaussian flows and for particles."""
    for name, model in CLOSED.items():
        run = gaussian.integrate(model, MEAN, 2 * S, 1.0, 11)
        kept = gaussian.conditional(2 * S, model.Q)
        lost = max(np.abs(gaussian.conditional(C, model.Q) - kept).max() for C in run.covariances)
        moved = np.abs(run.covariances[-1] - 2 * S).max()
        yield (f"conserved by the Gaussian flow of {name}", f"{lost:.1e} (S moved by {moved:.2f})",
               bool(lost <= 1e-9 and run.status == "reached"))
    x = meanfield.sample(np.random.default_rng(2), MEAN, S, 200)
    start, end = (gaussian.conditional(np.cov(y.T, bias=True), Q) for y in flow(
        CLOSED["linear"], x, 0.5, samples=2, rtol=1e-12).tokens)
    lost = np.abs(end - start).max()
    yield "conserved by 200 linear particles", f"{lost:.1e}", bool(lost <= 1e-9)
    counts, repetitions = ((20, 200), 4) if quick else ((50, 100, 200, 400, 800), 24)
    model, horizon = DRIFTING
    found = meanfield.drift(model, None, S, horizon, counts, repetitions, np.random.default_rng(3))
    yield (f"drift of softmax particles, n = {', '.join(map(str, counts))}",
           f"slope {meanfield.slope(counts, found):+.2f}   "
           + " ".join(f"{value:.3g}" for value in found), None)


def energies(quick: bool) -> Iterator[Line]:
    """dF/dt = -int |Gamma|^2 dmu for Sinkhorn attention with V = A symmetric."""
    worst, rng = 0.0, np.random.default_rng(4)
    for d in (1, 2, 3):
        for _ in range(2 if quick else 10):
            G, mean = rng.normal(size=(d, d)), rng.normal(size=d)
            start, B = (G @ G.T + (G @ G.T).T) / 2, rng.normal(size=(d, d))
            B = (B + B.T) / 2
            there, back = by_score("sinkhorn", B, B, 0.7), by_score("sinkhorn", B, -B, 0.7)

            def along(h, there=there, back=back, mean=mean, start=start):
                run = gaussian.integrate(there if h >= 0 else back, mean, start, abs(h), 1,
                                         rtol=1e-13)
                return energy.gaussian_energy(there, run.means[-1], run.covariances[-1])
            wanted = energy.dissipation(there, mean, start)
            rate = slope(along, [0.1, 0.05, 0.02], 1e-12)[0]
            worst = max(worst, abs(rate + wanted) / (1 + wanted))
    yield "energy identity of Sinkhorn attention", f"{worst:.1e}", bool(worst <= 1e-8)


def fields(quick: bool) -> Iterator[Line]:
    """The affine field against tilted sampling, in standard errors."""
    n = 10**5 if quick else 10**6
    for name, model in CLOSED.items():
        if name == "sinkhorn":
            continue    # its kernel is not known before it is solved for: tests/numeric
        rng, worst = np.random.default_rng(5), 0.0
        b, B = gaussian.velocity(model, MEAN, S)
        for x in rng.normal(size=(3, 3)):
            sampled, error, _ = tilted(model, MEAN, S, x, rng, n)
            worst = max(worst, np.max(np.abs(b + B @ (x - MEAN) - sampled) / error))
        yield f"tilting with {n:.0e} samples, {name}", f"{worst:.2f} standard errors", worst < 5


def sinkhorn_columns(quick: bool) -> Iterator[Line]:
    """The Gaussian Sinkhorn kernel y|x ~ N(m(x), S_y): its other margin, by sampling."""
    n, model, rng = 10**5 if quick else 10**6, CLOSED["sinkhorn"], np.random.default_rng(6)
    score = model.K.T @ model.Q
    B = gaussian.velocity(Model("sinkhorn", Q, K, np.eye(3), 0.8), MEAN, S)[1]
    Sy = 0.8 * gaussian.coupling(score.T, S, 0.8)
    x = meanfield.sample(rng, MEAN, S, n) - MEAN
    worst = 0.0

    def log_density(z, C):
        return -(np.einsum("ni,ij,nj->n", z, np.linalg.inv(C), z) + np.linalg.slogdet(C)[1]) / 2
    for y in rng.normal(size=(3, 3)) * 0.5:
        ratio = np.exp(log_density(y - x @ B.T, Sy) - log_density(y[None], S))
        worst = max(worst, abs(ratio.mean() - 1) / (ratio.std() / np.sqrt(n)))
    yield f"tilting with {n:.0e} samples, sinkhorn's columns", f"{worst:.2f} standard errors", (
        worst < 5)


def bounds(quick: bool) -> Iterator[Line]:
    """C9: 1/(2|V||A||S0|) <= T* <= |w|^2/(2 lam a w'S0w) for random models that must blow up."""
    rng, low, high, ended, wanted = np.random.default_rng(7), np.inf, 0.0, 0, 20 if quick else 200
    for _ in range(wanted):
        d, left = int(rng.integers(1, 5)), []
        while not left:
            W = rng.normal(size=(d, d))
            values, vectors = np.linalg.eig(W.T)
            left = [(v.real, u.real) for v, u in zip(values, vectors.T, strict=True)
                    if v.imag == 0 and v.real > 0.05]
        a, G, turn, H = rng.uniform(0.2, 1), *rng.normal(size=(3, d, d))
        B, start = a * np.eye(d) + G @ G.T / d + turn - turn.T, H @ H.T / d + 0.05 * np.eye(d)
        start = (start + start.T) / 2
        upper = min(w @ w / (2 * lam * a * w @ start @ w) for lam, w in left)
        lower = 1 / (2 * np.linalg.norm(W, 2) * np.linalg.norm(B, 2) * np.linalg.norm(start, 2))
        run = gaussian.integrate(by_score("softmax", B, W), None, start, 1.01 * upper, 1, rtol=1e-8)
        if run.status == "blow_up":
            ended += 1
            low, high = min(low, run.blow_up / lower), max(high, run.blow_up / upper)
    yield (f"C9 bounds on {wanted} cases", f"{ended} blow up, T*/lower >= {low:.3f}, T*/upper <= "
           f"{high:.3f}", bool(ended == wanted and low >= 1 - 1e-6 and high <= 1 + 1e-6))


def spread(quick: bool) -> Iterator[Line]:
    """C9: after the Gaussian's T* = 0.5 the variance of n tokens is finite and grows with n."""
    for n in (50, 200) if quick else (100, 1000, 4000):
        x = np.random.default_rng(8).normal(size=(n, 1))
        path = flow(by_score("softmax", 1, 1), x, 1.0, samples=[0.6, 1.0], rtol=1e-6)
        shown = ", ".join(f"{y.var():.2f} at t = {t:g}" for t, y in
                          zip(path.times, path.tokens, strict=True))
        yield f"variance of {n} softmax tokens, T* = 0.5", shown, path.status == "reached"


def main(arguments: list[str] | None = None) -> int:
    """Print one line a figure; 1 where one is outside its target."""
    parser = argparse.ArgumentParser(prog="python -m tests.meanfield", description=__doc__)
    parser.add_argument("--quick", action="store_true", help="fewer samples, wider targets")
    quick, missed = parser.parse_args(arguments).quick, 0
    for part in (conserved, energies, fields, sinkhorn_columns, bounds, spread, rates):
        for what, figure, ok in part(quick):
            missed += ok is False
            mark = {True: "ok", False: "over target", None: ""}[ok]
            print(f"{what:<58} {figure}   {mark}".rstrip(), flush=True)
    print(f"{missed} figures outside their target")
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
