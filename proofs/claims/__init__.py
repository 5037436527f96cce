"""The shipped pages, one theorem and its corollaries a file: each defines `CLAIMS`."""
