"""What a release is still good for, beside its original."""
