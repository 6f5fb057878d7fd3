"""What Go's fmt makes of a text that is used as a format string without arguments.

kube-scheduler hands the failure message of a pod to the event recorder that way, so every `%` in a reason is taken
for a directive. Checked against Go 1.25 over random texts.
"""

from __future__ import annotations

FLAGS = "#0+- "
DIGITS = "0123456789"
LARGEST_BEFORE_LAST_DIGIT = 1_000_000


def formatted(text: str) -> str:
    """The text with its directives replaced by Go's complaints: `90%` ends in `%!(NOVERB)`, `%d` is `%!d(MISSING)`."""
    if "%" not in text:
        return text
    pieces: list[str] = []
    position = 0
    while (start := text.find("%", position)) >= 0:
        pieces.append(text[position:start])
        directive = _Directive(text, start + 1)
        pieces.append(directive.result)
        position = directive.position
    pieces.append(text[position:])
    return "".join(pieces)


class _Directive:
    """One directive: flags, argument index, width, precision, verb. `position` is where the text goes on."""

    def __init__(self, text: str, position: int) -> None:
        self._text = text
        self.position = position
        self._indexed = False
        self._index_at_verb = False
        self.result = ""
        while self._next() and self._next() in FLAGS:
            self.position += 1
        self._index()
        self._star_or_number("%!(BADWIDTH)")
        if self._next() == "." and self.position + 1 < len(text):
            self.position += 1
            self._index()
            self._star_or_number("%!(BADPREC)")
        if not self._index_at_verb:
            self._index()
        self._verb()

    def _next(self) -> str:
        return self._text[self.position : self.position + 1]

    def _index(self) -> None:
        """An argument index like [2]; without arguments there is none that exists."""
        self._index_at_verb = False
        if self._next() != "[":
            return
        self._indexed = True
        end = self._text.find("]", self.position) if len(self._text) - self.position >= 3 else -1
        if end < 0:
            self.position += 1
            return
        number = self._text[self.position + 1 : end]
        self._index_at_verb = _is_number(number)
        self.position = end + 1

    def _star_or_number(self, complaint: str) -> None:
        if self._next() == "*":
            self.position += 1
            self.result += complaint
            self._index_at_verb = False
            return
        start = self.position
        while self._next() and self._next() in DIGITS:
            self.position += 1
        number = self._text[start : self.position]
        if number and not _is_number(number):
            self.position = len(self._text)

    def _verb(self) -> None:
        verb = self._next()
        self.position += len(verb)
        if not verb:
            self.result += "%!(NOVERB)"
        elif verb == "%":
            self.result += "%"
        else:
            self.result += f"%!{verb}({'BADINDEX' if self._indexed else 'MISSING'})"


def _is_number(digits: str) -> bool:
    """Whether Go takes it for a width, precision or index; with too large a number it gives up on the whole text."""
    head = digits.lstrip("0")[:-1]
    return (
        bool(digits)
        and all(c in DIGITS for c in digits)
        and len(head) < 8
        and int(head or 0) <= LARGEST_BEFORE_LAST_DIGIT
    )
