"""The starter of a new plugin: one that runs in the lab, and the same one in Go, with the chosen extension points."""
