"""What was found: the ledger of recorded numbers and the tables that the papers printed."""
