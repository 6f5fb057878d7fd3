"""The file format of question sets: YAML text to typed content and back (docs/question-set-format.md)."""

from quizzes.content_format.parse import parse
from quizzes.content_format.problem import Problem
from quizzes.content_format.write import write, write_value

__all__ = ["Problem", "parse", "write", "write_value"]
