"""Measurements beside the tests: run by hand, none is part of `make test`."""
