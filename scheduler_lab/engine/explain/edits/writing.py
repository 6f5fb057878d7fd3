"""Values as the lines of a manifest."""

from __future__ import annotations

import json
from typing import Any

import yaml

from scheduler_lab.engine.manifests.scalars import resolve

_WIDE = 1 << 30
_TEXT = "tag:yaml.org,2002:str"


class _Dumper(yaml.SafeDumper):
    """Writes no anchors: everybody reads `{a: b}` twice more easily than `&id001`."""

    def ignore_aliases(self, data: Any) -> bool:
        return True


def _quoted(dumper: _Dumper, value: str) -> yaml.ScalarNode:
    """A text that YAML would read as something else, in the double quotes that Kubernetes' examples use."""
    resolver: Any = dumper
    plain = resolver.resolve(yaml.ScalarNode, value, (True, False)) == _TEXT and len(value) < 200
    quoted = not plain or not isinstance(resolve(value), str)
    return dumper.represent_scalar(_TEXT, value, style='"' if quoted and "\n" not in value else None)


_Dumper.add_representer(str, _quoted)


def block(value: Any, indent: int = 0) -> str:
    """The value in block style, every line indented, with a line end."""
    text: str = yaml.dump(
        value, Dumper=_Dumper, default_flow_style=False, sort_keys=False, allow_unicode=True, width=_WIDE
    )
    text = text.removesuffix("...\n")
    return "".join(f"{' ' * indent}{line}" if line.strip() else line for line in text.splitlines(keepends=True))


def flow(value: Any, as_json: bool) -> str:
    """The value in one line, as YAML's flow style or as JSON."""
    if as_json:
        return json.dumps(value, ensure_ascii=False)
    # As the item of a list, so that a text with a comma gets its quotes.
    text: str = yaml.dump(
        [value], Dumper=_Dumper, default_flow_style=True, sort_keys=False, allow_unicode=True, width=_WIDE
    )
    return text.strip()[1:-1]


def document(value: Any, as_json: bool) -> str:
    """A whole document."""
    return json.dumps(value, ensure_ascii=False, indent=2) + "\n" if as_json else block(value)
