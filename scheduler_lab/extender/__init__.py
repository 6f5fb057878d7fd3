"""The site as an HTTP extender that a real kube-scheduler can call: the rules of published lab texts."""
