"""The figures of "A unified perspective on the dynamics of deep Transformers", redrawn.

Castin, Ablin, Carrillo and Peyre, arXiv 2501.18322. `redraw` writes each as PDF, PNG and
LaTeX for \\input, with a sheet of all, and its settings as JSON: what is theirs, what is ours.
"""

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path

from proofs.figures.limiting import histograms
from proofs.figures.plane import (
    Result,
    Step,
    blow_up,
    start_decides,
    to_line,
    to_plane,
    to_two_lines,
    to_zero,
)
from proofs.figures.plate import Plate, Printed, printed
from symbolic.reading.names import shown, suggestion

FIGURES: Mapping[str, Callable[[Step], Result]] = {
    "to_zero": to_zero, "to_line": to_line, "to_plane": to_plane, "to_two_lines": to_two_lines,
    "blow_up": blow_up, "start_decides": start_decides,
    "ranks_softmax": lambda step: histograms("softmax", step),
    "ranks_l2": lambda step: histograms("l2", step)}


class NoFigure(ValueError):
    """A name that is no figure's: what was found, what was needed, what to do."""


def redraw(folder: Path, only: Sequence[str] | None = None,
           step: Step = lambda name, done, total: None) -> tuple[Printed, ...]:
    """Draw the figures, or only those named, into a folder, each written as soon as it is made.

    Raises NoFigure for a name that is none, and OSError.
    """
    names = list(dict.fromkeys(only or FIGURES))
    for name in names:
        if name not in FIGURES:
            raise NoFigure(f"--only: found {shown(name)}; needed one of {', '.join(FIGURES)}; "
                           + (suggestion(name, FIGURES) or "choose one"))
    folder.mkdir(parents=True, exist_ok=True)

    def drawn() -> Iterator[Plate]:
        for name in names:
            plate, said = FIGURES[name](step)
            (folder / f"{name}.json").write_text(json.dumps(
                {"caption": plate.caption, **said}, indent=1) + "\n", encoding="utf-8")
            yield plate
    return printed(drawn(), folder)
