"""The five published studies, one folder each. No study imports another."""
