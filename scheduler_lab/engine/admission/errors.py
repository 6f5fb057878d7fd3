"""The refusal of an object by the API server."""

from __future__ import annotations

from typing import Any

from scheduler_lab.engine.admission.resource_names import resource_of


class AdmissionError(Exception):
    """The API server would not store the object; the text says why. Written in a text, it refuses the whole input."""

    def as_answer(self, obj: Any) -> str:
        """The API server's whole answer to the client that sent the object."""
        return f'{resource_of(obj.kind)} "{obj.metadata.name}" is forbidden: {self}'


class Refusal(AdmissionError):
    """The refusal of one object, after which the run goes on without it; the text says only why."""
