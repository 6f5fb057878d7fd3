"""Giving the extenders of a text an address, and finding the rules behind one.

An address names an extender in one of two ways: `racks.<hash of the text>`, which stands for that text for ever, or the
short name `racks`. The first to publish a name has it; their later texts move it, nobody else's do. The names of the
shipped examples' extenders are always those of the examples.
"""

from __future__ import annotations

import re
import secrets
from dataclasses import dataclass

from django.db import IntegrityError, transaction
from django.http import HttpRequest

from scheduler_lab import share
from scheduler_lab.engine.objects.lab import Extender
from scheduler_lab.extender.documents import extenders_of, from_json, is_short, of_examples, to_json
from scheduler_lab.models import PublishedExtender

MOST_AT_ONCE = 50
"""Extenders of one text that are published."""
_FULL = re.compile(rf"(?P<extender>.+)\.(?P<digest>[A-Za-z0-9_-]{{{share.DIGEST_LENGTH}}})")
_OWNER = "extender-owner"


@dataclass(frozen=True)
class Published:
    """An extender's names in addresses.

    `short` is "" where that name belongs to somebody else's text; `shipped` is set where it is that of an example with
    the same rules.
    """

    extender: str
    full: str
    short: str = ""
    shipped: bool = False


def full_name(extender: str, digest: str) -> str:
    """The name that stands for one text's extender for ever."""
    return f"{extender}.{digest}"


def owner_of(request: HttpRequest) -> str:
    """Who publishes: a random mark in the session, so that the same browser can move its names."""
    mark: str = request.session.setdefault(_OWNER, secrets.token_urlsafe(16))
    return mark


def publish(text: str, owner: str) -> list[Published]:
    """Keep a text with its extenders and give them their addresses; an empty list when it has none."""
    documents = extenders_of(text)
    if not documents:
        return []
    digest = share.save(text)
    found = []
    for name, document in list(documents.items())[:MOST_AT_ONCE]:
        PublishedExtender.objects.get_or_create(
            text_id=digest, extender=name, defaults={"rules": to_json(document), "owner": owner}
        )
        shipped = of_examples().get(name) == document
        short = name if shipped or _take(name, digest, owner) else ""
        found.append(Published(name, full_name(name, digest), short, shipped))
    return found


def _take(name: str, digest: str, owner: str) -> bool:
    """Whether the short name stands for this text now."""
    if not is_short(name) or name in of_examples():
        return False
    mine = PublishedExtender.objects.filter(text_id=digest, extender=name)
    try:
        with transaction.atomic():
            holder = PublishedExtender.objects.select_for_update().filter(name=name).first()
            if holder is not None and holder.text_id != digest:
                if holder.owner != owner:
                    return False
                PublishedExtender.objects.filter(pk=holder.pk).update(name=None)
            mine.update(name=name, owner=owner if holder is None or holder.owner == owner else holder.owner)
    except IntegrityError:
        # Somebody else was quicker.
        return False
    return True


def find(name: str) -> Extender | None:
    """The rules behind the name in an address, None when there are none."""
    if match := _FULL.fullmatch(name):
        row = PublishedExtender.objects.filter(text_id=match["digest"], extender=match["extender"])
    elif name in of_examples():
        return of_examples()[name]
    else:
        row = PublishedExtender.objects.filter(name=name)
    rules = row.values_list("rules", flat=True).first()
    return from_json(rules) if rules is not None else None
