"""How much: risk, utility and the values of privacy models, without a threshold."""
