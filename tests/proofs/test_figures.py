"""Figures: what they draw is where it should be, and every file is written."""

import json

import numpy as np
import pytest
from matplotlib.image import imread

from proofs.figures import clouds, cone, paper, plane, weights
from proofs.figures.limiting import case, histograms
from proofs.figures.outcome import plates
from proofs.figures.plate import Plate, latex, plain, printed
from proofs.figures.style import save
from proofs.simulate.experiment import read
from proofs.simulate.run import simulate

BLOW_UP = """title = "A % of {blow-up}"
variant = "softmax"
A = [[0, 1], [0, 0]]
V = "identity"
S0 = [[1, 0], [0, 1]]
horizon = 3
particles = [10, 20]
"""
SPACE = BLOW_UP.replace("[[0, 1], [0, 0]]", "[[-1, 0, 0], [0, -1, 0], [0, 0, 0]]").replace(
    "[[1, 0], [0, 1]]", "[[1, 0, 0], [0, 2, 0], [0, 0, 3]]").replace("[10, 20]", "10")
LINE = 'variant = "softmax"\nA = -1\nV = 1\nS0 = 1\nhorizon = 1\nparticles = 1\n'


def test_an_experiment_is_drawn(tmp_path):
    """PDF and PNG of each figure that fits, a sheet of all, and LaTeX that names them."""
    done = printed(plates(simulate(read(BLOW_UP))), tmp_path)
    assert {p.name for p in done} == {"eigenvalues", "cone", "blow_up", "clouds", "rates"}
    for p in done:
        picture = imread(p.png)
        assert p.pdf.read_bytes().startswith(b"%PDF") and picture.min() < 0.5
        assert picture.shape[1] == round(300 * p.width)
        assert f"{{\\apfigures {p.name}.pdf}}" in (tmp_path / f"{p.name}.tex").read_text()
    assert (tmp_path / "sheet.pdf").exists() and (tmp_path / "sheet.png").exists()


def test_space_and_the_line_have_their_own(tmp_path):
    """No cone beyond the plane; tokens against time on the line; equal figures, equal bytes."""
    space, line = ({p.name: p for p in plates(simulate(read(text)))} for text in (SPACE, LINE))
    assert set(space) == set(line) == {"eigenvalues", "clouds"}
    assert len(space["clouds"].figure.axes) == 4 and len(line["clouds"].figure.axes) == 1
    pdfs = [save(line["clouds"].figure, tmp_path / n, "x")[0].read_bytes() for n in "ab"]
    assert pdfs[0] == pdfs[1]


def test_captions_are_harmless():
    """Text of a user prints; mathematics of ours stays, and reads plainly on a terminal."""
    text = latex(Plate("x", r"50% of {it}: $WW^\top$ & more", None, 7.0))
    assert r"50\% of $\{$it$\}$: $WW^\top$ \& more" in text
    assert plain(r"$V=WW^\top$") == "V=WW'"


def test_the_cone():
    """S is positive semidefinite exactly when it lies in the cone, singular on its boundary."""
    rng = np.random.default_rng(0)
    for S in (M + M.T for M in rng.standard_normal((50, 2, 2))):
        u, w, trace = cone.coordinates(S[None])[:, 0]
        assert np.linalg.eigvalsh(S)[0] == pytest.approx((trace - np.hypot(u, w)) / 2)
    starts = cone.starts(10, 1.0)
    assert len(starts) == 60 and np.allclose(np.trace(starts, axis1=1, axis2=2), 1)
    assert np.linalg.eigvalsh(starts).min() > 0


def test_ellipses():
    """On the ellipse of radius r, (x - m)' S^-1 (x - m) = r^2."""
    S, m = np.array([[2, 0.5], [0.5, 1]]), np.array([1.0, -1])
    gap = clouds.ellipse(m, S, 2.0) - m[:, None]
    assert np.allclose(np.einsum("it,ij,jt->t", gap, np.linalg.inv(S), gap), 4)


def test_a_thinned_curve_keeps_its_ends():
    curve = np.stack([np.linspace(0, 1, 1001), np.zeros(1001)])
    thin = cone.thinned(curve, 0.1)
    assert thin[0, 0] == 0 and thin[0, -1] == 1 and 10 <= thin.shape[1] <= 12


def ends(drawn, variant, reach, horizon):
    model = weights.of(variant, *drawn)
    return [plane.trajectory(model, S, horizon)[0][-1] for S in cone.starts(4, reach)]


def test_the_limits_drawn_are_the_limits():
    """Lines ww' with Qw = 0; the plane e1'Sq = 0; lines ww' with w'Aw = 0; each within 1/t."""
    drawn = weights.one_query()
    q = drawn[0][0]
    for S in ends(drawn, "softmax", 0.5, 1000):
        assert np.abs(S @ q).max() < 2e-3 and np.trace(S) > 0.05
    for S in ends(drawn, "multihead", 0.5, 1000):
        assert abs(S[0] @ q) < 2e-3 and np.trace(S) > 0.05
    drawn = weights.indefinite(32)
    A = drawn[1].T @ drawn[0]
    for S in ends(drawn, "softmax", 0.9, 500):
        (low, _), basis = np.linalg.eigh(S)
        directions = np.array([w / np.linalg.norm(w) for w in plane._isotropic(A)])
        assert low < 1e-3 and np.abs(directions @ basis[:, 0]).min() < 0.05


def test_trajectories_that_blow_up_say_so():
    drawn = weights.positive()
    S, ended = plane.trajectory(weights.of("softmax", *drawn), np.eye(2) / 2, 50.0)
    assert ended and np.isfinite(S).all() and np.trace(S[-1]) > 1e3
    S, ended = plane.trajectory(weights.of("sinkhorn", *drawn), np.eye(2) / 2, 8.0)
    assert not ended and np.trace(S[-1]) <= plane.CEILING


def test_ranks():
    """K = -Q, V > 0: the exact rank of the limit is d - floor(d/2), whatever is counted."""
    found = [case("softmax", drawn) for d in (3, 4, 5) for drawn in weights.draws(d, 3, None)]
    assert [rank for rank, *_ in found] == [2] * 3 + [2] * 3 + [3] * 3
    assert all(seen < 1e-2 and kept > 0 for _, _, seen, kept in found)


def test_histograms_say_how_they_were_made(tmp_path, monkeypatch):
    """Two draws a panel: exact ranks in the record, which is plain JSON."""
    monkeypatch.setattr(paper, "FIGURES", {"ranks_l2": lambda step: histograms("l2", step, 2)})
    paper.redraw(tmp_path)
    record = json.loads((tmp_path / "ranks_l2.json").read_text())
    assert record["histograms"]["V = 1, d = 5"]["exact"] == [0, 0, 0, 2, 0, 0]
    assert len(record["histograms"]) == 6 and record["time"] == 1e6


def test_the_paper_is_redrawn(tmp_path, monkeypatch):
    """One figure with its settings; a name that is none is refused."""
    monkeypatch.setattr(plane, "STARTS", 3)
    done = paper.redraw(tmp_path, ["to_line"])
    assert [p.name for p in done] == ["to_line"] and done[0].png.exists()
    settings = json.loads((tmp_path / "to_line.json").read_text())
    assert set(settings) >= {"caption", "Q", "K", "V", "horizon", "theirs", "ours"}
    with pytest.raises(paper.NoFigure, match="did you mean to_line"):
        paper.redraw(tmp_path, ["to_lime"])
