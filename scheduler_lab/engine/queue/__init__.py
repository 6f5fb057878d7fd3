"""The scheduling queue: activeQ, backoffQ, unschedulable pods, and what moves pods between them."""
