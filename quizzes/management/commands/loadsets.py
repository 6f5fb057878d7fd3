"""Loads question set files into the database, those that ship by default."""

from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from quizzes.content_format import parse, schema
from quizzes.models import QuestionSet
from quizzes.storing import content_of, digest, store

CONTENT = Path(__file__).resolve().parents[2] / "content"


class Command(BaseCommand):
    help = (
        "Load question sets. A set whose file has not changed is left alone; a set that was edited here since it "
        "was loaded is kept, unless --force is given. Answers are kept in every case."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("files", nargs="*", type=Path, help="default: every file in quizzes/content")
        parser.add_argument("--force", action="store_true", help="load the files over edits made here")

    def handle(self, *args: Any, files: list[Path], force: bool, **options: Any) -> None:
        problems = 0
        for path in files or sorted(CONTENT.glob("*.yaml")):
            content, found = parse(path.read_bytes())
            for problem in found:
                self.stderr.write(f"{path.name}:{problem}")
            problems += len(found)
            if content:
                self.stdout.write(f"{content.name}: {load(content, force)}")
        if problems:
            raise CommandError(f"{problems} problems; the files that have them were not loaded.")


def load(content: schema.QuestionSet, force: bool) -> str:
    """Bring one set up to date and return in a few words what was done."""
    known = QuestionSet.objects.filter(name=content.name).first()
    new = digest(content)
    if known and not force:
        if known.source_digest == new:
            return "unchanged"
        if digest(content_of(known)) not in (known.source_digest, new):
            return "kept as edited here (--force loads the file)"
    store(content, shipped=True)
    return f"{len(content.questions)} questions loaded"
