"""What evidence has in common: how amounts are written, which fields are marked."""
