"""What was found: evidence, estimates, tables in the papers' layout, claims and their verdicts."""
