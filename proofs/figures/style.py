"""One look for every figure: sizes of a paper, colours that the colour-blind tell apart.

Figures are made without pyplot, so nothing is kept between them and no window is needed. The
colours are those of Okabe and Ito (2008); shades are Matplotlib's cividis, cut where it pales.
"""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

COLUMN, PAGE = 3.3, 5.5  # inches: the width of a column, and of the text of a page
BLACK, ORANGE, SKY, GREEN, YELLOW, BLUE, RED, PINK = (
    "#000000", "#E69F00", "#56B4E9", "#009E73", "#F0E442", "#0072B2", "#D55E00", "#CC79A7")
GREY, PALE = "#777777", "#DDDDDD"
STYLE = {
    "font.family": "serif", "font.serif": ["STIXGeneral", "DejaVu Serif"],
    "mathtext.fontset": "stix", "font.size": 8, "axes.titlesize": 8, "axes.labelsize": 8,
    "xtick.labelsize": 7, "ytick.labelsize": 7, "legend.fontsize": 7, "axes.linewidth": 0.6,
    "xtick.major.width": 0.6, "ytick.major.width": 0.6, "xtick.minor.width": 0.4,
    "ytick.minor.width": 0.4, "xtick.major.size": 2.5, "ytick.major.size": 2.5,
    "xtick.minor.size": 1.5, "ytick.minor.size": 1.5, "lines.linewidth": 1.0,
    "axes.spines.top": False, "axes.spines.right": False, "legend.frameon": False,
    "legend.handlelength": 1.6, "axes.titlepad": 4.0, "axes.labelpad": 2.5,
    "pdf.fonttype": 42, "savefig.dpi": 300, "figure.dpi": 100}


@contextmanager
def look() -> Iterator[None]:
    """The settings of every figure, for the time of a block."""
    import matplotlib
    with matplotlib.rc_context(STYLE):
        yield


def canvas(rows: int, cols: int, width: float, height: float, **options: Any) -> tuple[Any, Any]:
    """A figure of `width` x `height` inches and its axes, an array rows x cols."""
    from matplotlib.figure import Figure
    figure = Figure(figsize=(width, height), layout="constrained")
    return figure, figure.subplots(rows, cols, squeeze=False, **options)


def shades(values: Sequence[float]) -> list[tuple[float, ...]]:
    """One colour a value, dark for the least, in equal steps of the value."""
    from matplotlib import colormaps
    low, high = min(values), max(values)
    room = (high - low) or 1.0
    return [colormaps["cividis"](0.9 * (v - low) / room) for v in values]


def panels(axes: Sequence[Any], titles: Sequence[str]) -> None:
    """Letter the panels (a), (b), ... before their titles."""
    for letter, axis, title in zip("abcdefghijklmnop", axes, titles, strict=False):
        axis.set_title(f"({letter}) {title}", loc="left")


def save(figure: Any, folder: Path, stem: str) -> tuple[Path, Path]:
    """Write `stem`.pdf and `stem`.png into a folder, which is made; the two paths.

    The same figure gives the same bytes: no date is written into the PDF.
    """
    folder.mkdir(parents=True, exist_ok=True)
    pdf, png = folder / f"{stem}.pdf", folder / f"{stem}.png"
    with look():
        figure.savefig(pdf, metadata={"CreationDate": None})
        figure.savefig(png)
    return pdf, png
