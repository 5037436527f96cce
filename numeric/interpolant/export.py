"""A network as a float64 module, with its error measured on the data it was built for.

The exact network has numbers of hundreds of bits, and layers that cancel: in float64 its outputs
are only near the targets, and may be far from them. The error is measured, never promised.
"""

import inspect
from collections.abc import Sequence
from typing import Any

import numpy as np

from numeric.interpolant import floats
from numeric.interpolant.build import Built
from numeric.interpolant.exact import Vector, bits, ratio
from numeric.interpolant.layers import Block, Matrix, Network, bit_length

WARNING = "NOT EXACT: float64 rounds the weights and every step. Measured on its own data:"


def blocks(network: Network) -> list[dict[str, Any]]:
    """The blocks for `floats.forward`. Raises OverflowError where a number exceeds float64."""
    return [_block(block, network.d) for block in network.blocks]


def _block(block: Block, d: int) -> dict[str, Any]:
    neurons = block.ff.neurons
    width = max(len(neurons), 1)
    missing = [[0.0] * d] * (width - len(neurons))
    sa = block.sa
    return {"eta": rounded(block.ff.eta), "W": [_row(n.w) for n in neurons] + missing,
            "U": [_row(n.u) for n in neurons] + missing,
            "b": [rounded(n.b) for n in neurons] + [0.0] * len(missing),
            "rho": rounded(sa.rho), **_matrix(sa.V, d, "nu", "V"), **_matrix(sa.A, d, "alpha", "A")}


def _matrix(m: Matrix, d: int, scale: str, name: str) -> dict[str, Any]:
    zero = [0.0] * d
    return {scale: rounded(m.scale), f"{name}_left": _row(m.left) if m.left else zero,
            f"{name}_right": _row(m.right) if m.left else zero}


def rounded(x: Any) -> float:
    """The float64 next to a rational. Raises OverflowError, saying what to do."""
    p, q = ratio(x)
    try:
        return p / q
    except OverflowError:
        raise OverflowError(f"export: found a parameter of {bits(x)} bits; needed numbers below "
                            "1.8e308 for float64: keep the exact network, or rescale the "
                            "data") from None


def _row(x: Vector) -> list[float]:
    return [rounded(c) for c in x]


def temperature(built: Built) -> float:
    """The temperature of the export: 0 (hardmax), or for softmax half of tau*, 1 if infinite."""
    if built.certificate is None:
        return 0.0
    return 1.0 if built.certificate.tau is None else rounded(built.certificate.tau / 2)


def errors(built: Built, weights: list[dict[str, Any]], tau: float) -> list[float]:
    """For each sequence the Hausdorff distance of the float64 outputs from Y_j.

    Infinite where float64 overflows on the way.
    """
    found = []
    for X, Y in built.data.pairs:
        with np.errstate(all="ignore"):
            out = floats.forward(weights, [_row(x) for x in X], tau)
        found.append(hausdorff(out, np.array([_row(y) for y in Y])))
    return found


def hausdorff(a: np.ndarray, b: np.ndarray) -> float:
    """The Hausdorff distance of two finite sets of rows, Euclidean."""
    if not np.isfinite(a).all():
        return float("inf")
    with np.errstate(over="ignore"):
        apart = np.linalg.norm(a[:, None, :] - b[None, :, :], axis=2)
    return float(max(apart.min(axis=1).max(), apart.min(axis=0).max()))


def source(built: Built) -> tuple[str, float]:
    """A Python module that stands alone (NumPy, and torch if `module` is called), and the largest
    measured Hausdorff error. Raises OverflowError where the numbers do not fit."""
    network, weights, tau = built.network, blocks(built.network), temperature(built)
    measured = errors(built, weights, tau)
    worst = max(measured)
    code = inspect.getsource(floats).split('"""', 2)[2].lstrip()
    return (f'"""{_head(built, measured, tau)}"""\n\n{code}\n\n'
            f"D = {network.d}\nTAU = {tau!r}\nBLOCKS = [\n"
            + "".join(f"    {weights_text},\n" for weights_text in map(repr, weights)) + "]\n"),\
        worst


def _head(built: Built, measured: Sequence[float], tau: float) -> str:
    network = built.network
    attention = f"softmax at tau = {tau:.6g}" if tau else "hardmax"
    return (f"Construction {network.construction} in float64: {len(network.blocks)} blocks, "
            f"tokens in R^{network.d}.\n\n"
            f"{WARNING}\nlargest Hausdorff error {max(measured):.3g} over {len(measured)} "
            f"sequences ({attention}).\nThe exact network has parameters of up to "
            f"{bit_length(network.blocks)} bits; float64 has 53.\n\n"
            "forward(BLOCKS, tokens, TAU) maps an (n, d) array; module(BLOCKS, TAU) is a "
            "torch.nn.Module.\nFF comes first in a block, then attention; V = nu I + "
            "V_left V_right^T,\nA = alpha I + A_left A_right^T.\n")
