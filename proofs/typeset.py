"""The appendix on disk: body, preamble beside it, and the PDF of both in a plain article."""

import shutil
import subprocess
import tempfile
from pathlib import Path

from proofs.report import Report, write_text
from proofs.writers import latex


def typeset(report: Report, output: Path, pdf: bool) -> str:
    """Write the preamble beside `output`, and the PDF where asked for and where TeX is installed.

    The body stands in `output` already. Returns what was written, in words; raises RuntimeError
    with the end of TeX's log where the appendix does not compile.
    """
    preamble = output.with_name(f"{output.stem}-preamble.tex")
    write_text(latex.preamble(), preamble)
    said = f"wrote {output} and {preamble}"
    if not pdf:
        return said
    program = shutil.which("latexmk")
    if program is None:
        return said + "; no PDF: latexmk is not installed (a TeX distribution brings it)"
    target = output.with_suffix(".pdf")
    with tempfile.TemporaryDirectory() as folder:
        source = Path(folder) / "appendix.tex"
        source.write_text(latex.standalone(report), encoding="utf-8")
        run = subprocess.run(
            [program, "-norc", "-pdf", "-interaction=nonstopmode", "-halt-on-error", source.name],
            cwd=folder, capture_output=True, text=True, errors="replace", check=False)
        made = source.with_suffix(".pdf")
        if run.returncode or not made.exists():
            raise RuntimeError(f"the appendix does not compile:\n{run.stdout[-2000:]}")
        shutil.move(made, target)
    return f"{said} and {target}"
