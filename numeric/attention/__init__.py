"""A folder is a table: one attention variant a file, each with `forward`."""
