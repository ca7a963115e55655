"""Files of text: separated cells and JSON."""
