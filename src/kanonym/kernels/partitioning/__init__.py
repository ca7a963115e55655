"""Records into classes: Mondrian and its variants, segmentation, joining."""
