"""Two tables side by side: an original and a release of it, its labels read back."""
