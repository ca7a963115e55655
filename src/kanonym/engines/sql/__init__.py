"""Tables that stay where they are: counted, recoded and verified by the engine that holds them."""
