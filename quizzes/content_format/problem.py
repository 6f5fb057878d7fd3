from dataclasses import dataclass


@dataclass(frozen=True, order=True)
class Problem:
    """What is wrong with a file, and where: `line` and `column` count from 1."""

    line: int
    column: int
    path: str
    message: str

    def __str__(self) -> str:
        where = f"{self.line}:{self.column}"
        return f"{where}: {self.path}: {self.message}" if self.path else f"{where}: {self.message}"
