"""The report as JSON: every key, statements and certificates included."""

from proofs.report import Report, to_json


def write(report: Report) -> str:
    """The text that `proofs.report.from_json` reads and `attnproof recheck` checks again."""
    return to_json(report)
