"""Cell suppression."""
