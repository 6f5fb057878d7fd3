"""One kube-scheduler process: the scheduling and binding cycles, and what they are put together from."""
