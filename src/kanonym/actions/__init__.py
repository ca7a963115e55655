"""What is done to single columns: masking, perturbation, pseudonyms."""
