"""Neighboring Distribution Divergence: edits, sentence compression, tree pruning, predicate detection."""
