"""What learners bring themselves: scripted extenders, and later plugins of their own."""
