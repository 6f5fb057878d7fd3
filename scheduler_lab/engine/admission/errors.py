"""The refusal of an object by the API server."""

from __future__ import annotations


class AdmissionError(Exception):
    """The API server would not store the object; the text says why."""
