"""MeaningBERT (Beauchemin, Saggion & Khoury 2023): its data, audited and split, the metric, and its training."""
