"""How a check reports: a sentence, a severity, and the path of the field."""

from collections.abc import Callable
from typing import Final

from scheduler_lab.engine.manifests import messages
from scheduler_lab.engine.manifests.located import Path, format_path
from scheduler_lab.engine.manifests.problem import Severity
from scheduler_lab.engine.manifests.strict import cut, near

Receive = Callable[[Severity, str, Path, dict[str, str], str], None]
PROTOCOLS: Final = ("TCP", "UDP", "SCTP")


class Checker:
    """Collects the findings about one object.

    The scheduler itself validates nothing, so what only the API server refuses does not stop a run: one may want to
    see what the scheduler would make of it.
    """

    __slots__ = ("_receive", "_refusal")

    def __init__(self, receive: Receive, refusal: Severity = "refused") -> None:
        self._receive = receive
        self._refusal: Severity = refusal

    def fatal(self, template: str, path: Path, suggestion: str = "", **params: str) -> None:
        """Report what nothing can be made of."""
        self._receive("error", template, path, {"path": format_path(path), **params}, suggestion)

    def error(self, template: str, path: Path, suggestion: str = "", **params: str) -> None:
        """Report what the API server refuses; in the lab's own documents what cannot be meant."""
        self._receive(self._refusal, template, path, {"path": format_path(path), **params}, suggestion)

    def warning(self, template: str, path: Path, suggestion: str = "", **params: str) -> None:
        """Report what is likely a mistake but does not stop a run."""
        self._receive("warning", template, path, {"path": format_path(path), **params}, suggestion)

    def required(self, value: str, path: Path) -> bool:
        """Whether a text is given; reports it when it is not."""
        if not value:
            self.error(messages.REQUIRED, path)
        return bool(value)

    def one_of(self, value: str | None, choices: tuple[str, ...], path: Path) -> None:
        """Report a given value that is none of the choices; unset is fine."""
        if value and value not in choices:
            shown = ", ".join(choices)
            self.error(messages.UNSUPPORTED, path, near(value, choices), value=cut(value), choices=shown)

    def within(self, value: int, low: int, high: int, path: Path) -> None:
        """Report a number outside low..high."""
        if not low <= value <= high:
            self.error(messages.OUT_OF_BOUNDS, path, value=str(value), low=str(low), high=str(high))
