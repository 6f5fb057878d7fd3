"""What the scheduler's behaviour owes to Go's own library: the order its sort leaves, and how it formats texts."""
