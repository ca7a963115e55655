"""The lattice of generalization levels."""
