"""How the values of a release are distributed: in figures that show no rare value."""
