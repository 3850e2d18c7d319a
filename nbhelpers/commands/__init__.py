"""Commands on text and evidence: thin, strict, without a state of their own."""
