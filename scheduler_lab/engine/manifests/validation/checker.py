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
    """Collects the findings about one object; `warning` for what upstream's own records show accepted."""

    __slots__ = ("_receive",)

    def __init__(self, receive: Receive) -> None:
        self._receive = receive

    def error(self, template: str, path: Path, suggestion: str = "", **params: str) -> None:
        """Report what the API server refuses."""
        self._receive("error", template, path, {"path": format_path(path), **params}, suggestion)

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
