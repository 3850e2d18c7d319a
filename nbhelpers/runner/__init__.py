"""Runs the notebooks: parameters and profiles, execution with Papermill, the report, recording."""
