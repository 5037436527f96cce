"""Random tests draw the same examples everywhere: a failure on one machine is a failure on all."""

from hypothesis import settings

settings.register_profile("fixed", derandomize=True, deadline=None, database=None)
settings.load_profile("fixed")
