"""A record as text to read outside the lab: like `kubectl describe`, or as Markdown to paste."""
