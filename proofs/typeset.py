"""The appendix on disk: body, preamble and figures beside it, and a PDF in a plain article."""

import shutil
import subprocess
import tempfile
from collections.abc import Callable
from pathlib import Path

from proofs.report import Report, write_text
from proofs.writers import latex

Step = Callable[[str, int, int], None]


def typeset(report: Report, output: Path, pdf: bool,
            step: Step = lambda name, done, total: None) -> str:
    """Write the preamble beside `output`, and the PDF where asked for and where TeX is installed.

    The body stands in `output` already. Figures that pages name and that are not in the folder
    `figures` beside it are drawn there first, which `step` is told of. Returns what was written,
    in words; raises RuntimeError with the end of TeX's log where the appendix does not compile.
    """
    preamble = output.with_name(f"{output.stem}-preamble.tex")
    write_text(latex.preamble(), preamble)
    said = f"wrote {output} and {preamble}"
    drawn = draw(report, output.with_name("figures"), step)
    if drawn:
        said += f", drew {', '.join(drawn)}"
    if not pdf:
        return said
    program = shutil.which("latexmk")
    if program is None:
        return said + "; no PDF: latexmk is not installed (a TeX distribution brings it)"
    target = output.with_suffix(".pdf")
    with tempfile.TemporaryDirectory() as folder:
        source = Path(folder) / "appendix.tex"
        source.write_text(latex.standalone(report), encoding="utf-8")
        if output.with_name("figures").is_dir():
            shutil.copytree(output.with_name("figures"), Path(folder) / "figures")
        run = subprocess.run(
            [program, "-norc", "-pdf", "-interaction=nonstopmode", "-halt-on-error", source.name],
            cwd=folder, capture_output=True, text=True, errors="replace", check=False)
        made = source.with_suffix(".pdf")
        if run.returncode or not made.exists():
            raise RuntimeError(f"the appendix does not compile:\n{run.stdout[-2000:]}")
        shutil.move(made, target)
    return f"{said} and {target}"


def draw(report: Report, folder: Path, step: Step) -> list[str]:
    """Draw the figures of the pages that are ours and not yet in the folder; their names.

    A name that is not ours is the author's own: `name.tex` and what it includes lie there already.
    """
    wanted = dict.fromkeys(name for page in report.pages for name in page.figures
                           if not (folder / f"{name}.tex").exists())
    if not wanted:
        return []
    from proofs.figures import paper
    ours = [name for name in wanted if name in paper.FIGURES]
    if ours:
        paper.redraw(folder, ours, step)
    return ours
