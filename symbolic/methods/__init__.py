"""The methods: a file each, `find(statement)` searches for certificates; none is believed."""
