"""A figure on its way to a paper: drawn, named, with its caption; a folder of them on disk."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from proofs.figures.style import COLUMN, look, save
from symbolic.writing import prose

TITLE, SHEET = 0.3, 2 * COLUMN  # inches: the name over a figure of the sheet, its width


@dataclass(frozen=True)
class Plate:
    """A Matplotlib figure, the name of its files, its caption (math in dollars), its inches."""

    name: str
    caption: str
    figure: Any
    width: float


@dataclass(frozen=True)
class Printed:
    """The files of a plate: `pdf` for a paper, `png` for a screen."""

    name: str
    caption: str
    width: float
    pdf: Path
    png: Path


def printed(plates: Iterable[Plate], folder: Path) -> tuple[Printed, ...]:
    """Write every plate into the folder: PDF, PNG, and LaTeX for \\input; and a sheet of them."""
    done = []
    for p in plates:
        done.append(Printed(p.name, p.caption, p.width, *save(p.figure, folder, p.name)))
        (folder / f"{p.name}.tex").write_text(latex(p), encoding="utf-8")
    if len(done) > 1:
        save(sheet(done), folder, "sheet")
    return tuple(done)


def latex(p: Plate | Printed) -> str:
    """LaTeX that shows a figure with its caption and the label `fig:<name>`.

    It is shown at its size, or as wide as the line. The host document may set \\apfigures to the
    folder of the files, as seen from itself.
    """
    return ("\\providecommand{\\apfigures}{}\n\\begin{figure}[htbp]\n  \\centering\n"
            f"  \\includegraphics[width=\\ifdim{p.width:.2f}in<\\linewidth {p.width:.2f}in"
            "\\else\\linewidth\\fi]"
            f"{{\\apfigures {p.name}.pdf}}\n"
            f"  \\caption{{{_tex(p.caption)}}}\n  \\label{{fig:{p.name}}}\n"
            "\\end{figure}\n")


def _tex(caption: str) -> str:
    """Text made harmless; what stands between dollars is ours and stays."""
    return "".join(f"${part}$" if k % 2 else prose.escaped(part, "")
                   for k, part in enumerate(caption.split("$")))


def plain(caption: str) -> str:
    """The caption for a terminal."""
    text = caption.replace("$", "")
    for tex, said in ((r"^\top", "'"), (r"\lambda ", ""), (r"\to", " ->"), ("_", ""), ("{", ""),
                      ("}", ""), (r"\lfloor ", "floor("), (r"\rfloor", ")")):
        text = text.replace(tex, said)
    return text


def sheet(done: Sequence[Printed]) -> Any:
    """All figures on one page at their width, two narrow ones side by side, to look at."""
    from matplotlib.figure import Figure
    from matplotlib.image import imread
    placed, left, top, tall = [], 0.0, 0.0, 0.0
    for plate in done:
        picture = imread(plate.png)
        height = plate.width * picture.shape[0] / picture.shape[1]
        if left and left + plate.width > SHEET + 1e-9:
            left, top, tall = 0.0, top + tall + TITLE, 0.0
        placed.append((plate.name, picture, left, top + TITLE, plate.width, height))
        left, tall = left + plate.width, max(tall, height)
    whole = top + tall + TITLE
    with look():
        figure = Figure(figsize=(SHEET, whole))
        for name, picture, x, y, width, height in placed:
            axis = figure.add_axes((x / SHEET, 1 - (y + height) / whole, width / SHEET,
                                    height / whole))
            axis.imshow(picture, aspect="auto", interpolation="antialiased")
            axis.set_axis_off()
            axis.set_title(name, fontweight="bold")
    return figure
