"""What everything else stands on: errors, paths and files, statistics, plots, resumable work, teaching."""
