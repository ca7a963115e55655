"""What flows: frames, files, schema, hierarchies, encoded tables and partitions."""
