"""Generated tables that benches read."""
