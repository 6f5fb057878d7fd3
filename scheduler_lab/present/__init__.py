"""From the record of a run to what a page shows: pure functions, one module a part of the page."""
