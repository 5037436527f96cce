"""Tests of infoflow, a package so that its files may share names with those of numeric."""
