"""An interpolating transformer in float64: fast, and not exact.

blocks: a list of dicts of nested lists, in order. W, U are (width, d), b (width,); the matrices are
V = nu I + V_left V_right^T and A = alpha I + A_left A_right^T. FF comes first, then attention.
"""

from typing import Any

import numpy as np


def forward(blocks: list, tokens: Any, tau: float = 0.0) -> np.ndarray:
    """The tokens (n, d) of one sequence through all blocks. tau = 0 is hardmax attention."""
    x = np.asarray(tokens, dtype=float)
    for block in blocks:
        p = {name: np.asarray(value, dtype=float) for name, value in block.items()}
        x = p["eta"] * x + np.maximum(x @ p["U"].T + p["b"], 0) @ p["W"]
        mean = weights(p, x, tau) @ x
        x = p["rho"] * x + p["nu"] * mean + np.outer(mean @ p["V_right"], p["V_left"])
    return x


def weights(p: dict, x: np.ndarray, tau: float) -> np.ndarray:
    """The attention weights (n, n) of one block; equal scores share."""
    scores = p["alpha"] * (x @ x.T) + np.outer(x @ p["A_right"], x @ p["A_left"])
    gap = scores - scores.max(axis=1, keepdims=True)
    mass = np.exp(gap / tau) if tau > 0 else (gap == 0).astype(float)
    return mass / mass.sum(axis=1, keepdims=True)


def module(blocks: list, tau: float = 0.0) -> Any:
    """The same map as a torch.nn.Module in float64, its numbers trainable parameters.

    Takes one sequence, (n, d). Hardmax weights have no gradient. Needs torch.
    """
    import torch

    class Interpolant(torch.nn.Module):
        """FF, then attention, block after block."""

        def __init__(self) -> None:
            super().__init__()
            self.blocks = torch.nn.ModuleList(torch.nn.ParameterDict(
                {name: torch.nn.Parameter(torch.tensor(value, dtype=torch.float64))
                 for name, value in block.items()}) for block in blocks)

        def forward(self, tokens: Any) -> Any:
            """(n, d) to (n, d)."""
            x = torch.as_tensor(tokens, dtype=torch.float64)
            for p in self.blocks:
                x = p["eta"] * x + torch.relu(x @ p["U"].T + p["b"]) @ p["W"]
                scores = p["alpha"] * (x @ x.T) + torch.outer(x @ p["A_right"], x @ p["A_left"])
                gap = scores - scores.max(dim=1, keepdim=True).values
                mass = torch.exp(gap / tau) if tau > 0 else (gap == 0).to(x.dtype)
                mean = (mass / mass.sum(dim=1, keepdim=True)) @ x
                x = p["rho"] * x + p["nu"] * mean + torch.outer(mean @ p["V_right"], p["V_left"])
            return x
    return Interpolant()
