"""The simulated API server: object store and watch, admission, and the scheduler's cache of it."""
