"""challenge.yaml: read, as data, as a schema, as a kit."""
