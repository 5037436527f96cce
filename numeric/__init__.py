"""What can be tried: evaluation of terms, simulated layers, admissible points, cross-checks."""

ATTNPROOF = "numeric"
