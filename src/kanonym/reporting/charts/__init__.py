"""Charts of a report, drawn as SVG text that needs nothing else."""
