"""Ways to print a report: each file defines `write(report) -> str`."""
