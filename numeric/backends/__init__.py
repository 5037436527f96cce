"""A folder is a table: one arithmetic a file, each with `NAME`, `available`, `accuracy`,
`compile_term` and `evaluate`."""
