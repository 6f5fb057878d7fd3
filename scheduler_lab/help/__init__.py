"""Help: a page for each plugin and each extension point, in both languages."""
