"""Addresses inside one run, and what of the run a page was asked to show."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from urllib.parse import urlencode

from django.urls import reverse

from scheduler_lab.present.vocabulary import PHASES

MAX_NUMBER = 10_000_000
_DIGEST = r"[A-Za-z0-9_-]{22}"


@dataclass(frozen=True)
class Selection:
    """What is looked at. `cycle` counts from 1; 0 means the most telling one; "" phase means the overview.

    `against` is the hash of the run that this one is compared with; `find`, `by` (a plugin) and `verdict` choose
    nodes of the matrix; `step` asks for the first cycle that the last Timeline step caused.
    """

    cycle: int = 0
    phase: str = ""
    node: str = ""
    plugin: str = ""
    every: bool = False
    span: str = "run"
    group: int = -1
    page: int = 0
    against: str = ""
    find: str = ""
    by: str = ""
    verdict: str = ""
    step: bool = False

    def without_comparison(self) -> Selection:
        """The same, compared with no other run."""
        return replace(self, against="")

    @property
    def filtered(self) -> bool:
        """Whether only some nodes of the matrix are wanted."""
        return bool(self.find or self.by or self.verdict)


def _number(text: str, default: int) -> int:
    return min(int(text), MAX_NUMBER) if text.isascii() and text.isdigit() and len(text) < 9 else default


def parse_selection(query: Mapping[str, str]) -> Selection:
    """The selection in a query string; whatever makes no sense falls back to the default."""
    phase, against, verdict = query.get("phase", ""), query.get("against", ""), query.get("verdict", "")
    return Selection(
        cycle=_number(query.get("cycle", ""), 0),
        phase=phase if phase in PHASES else "",
        node=query.get("node", "")[:253],
        plugin=query.get("plugin", "")[:253],
        every=query.get("every") == "1",
        span="cycle" if query.get("span") == "cycle" else "run",
        group=_number(query.get("group", ""), -1),
        page=_number(query.get("page", ""), 0),
        against=against if re.fullmatch(_DIGEST, against) else "",
        find=query.get("find", "").strip()[:253],
        by=query.get("by", "")[:253],
        verdict=verdict if verdict in ("pass", "reject", "unresolvable") else "",
    )


CLEAN: dict[str, object] = {
    "node": "",
    "plugin": "",
    "every": False,
    "group": -1,
    "page": 0,
    "find": "",
    "by": "",
    "verdict": "",
}
"""What another cycle or extension point does not keep of the selection."""


@dataclass(frozen=True)
class Links:
    """Builds the addresses of one run; `embed` keeps a question page's embedded result an embedded one."""

    digest: str
    selection: Selection = Selection()
    embed: bool = False

    @cached_property
    def run(self) -> str:
        """The address of the run itself."""
        return reverse("lab:walk", args=[self.digest])

    @property
    def here(self) -> str:
        """The address of the selection as it is, with a query."""
        address = self.to()
        return address if "?" in address else f"{address}?cycle={self.selection.cycle}"

    def to(self, *, anchor: str = "", **changes: object) -> str:
        """The address of this run with some of the selection changed."""
        wanted = replace(self.selection, **changes)  # type: ignore[arg-type]
        query: dict[str, str | int] = {}
        if wanted.cycle:
            query["cycle"] = wanted.cycle
        if wanted.phase:
            query["phase"] = wanted.phase
        if wanted.node:
            query["node"] = wanted.node
        if wanted.plugin:
            query["plugin"] = wanted.plugin
        if wanted.every:
            query["every"] = 1
        if wanted.span != "run":
            query["span"] = wanted.span
        if wanted.group >= 0:
            query["group"] = wanted.group
        if wanted.page:
            query["page"] = wanted.page
        for name in ("against", "find", "by", "verdict"):
            if value := getattr(wanted, name):
                query[name] = value
        if self.embed:
            query["embed"] = 1
        return self.run + (f"?{urlencode(query)}" if query else "") + (f"#{anchor}" if anchor else "")

    def cycle(self, number: int) -> str:
        """The overview of a cycle."""
        return self.to(cycle=number, phase="", anchor="cycle", **CLEAN)

    def phase(self, name: str) -> str:
        return self.to(phase=name, anchor="cycle", **CLEAN)

    def download(self, kind: str) -> str:
        return reverse("lab:download", args=[self.digest, kind])
