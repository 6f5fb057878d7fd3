"""Buttons that act on nodes. A picture has hundreds of them, so they are written here rather than by templates."""

from __future__ import annotations

from django import template
from django.urls import reverse
from django.utils.html import escape, format_html
from django.utils.safestring import SafeString, mark_safe
from django.utils.translation import gettext as _

from scheduler_lab.acting import EFFECTS, LAB_TAINT
from scheduler_lab.present.cluster import NodeBox

register = template.Library()


@register.simple_tag
def node_menu(node: NodeBox) -> SafeString:
    """The menu of a node of the picture: what can be done to it and its pods at the end of the run."""
    address, name = reverse("lab:act"), node.name
    title = escape(_("Act on %(name)s") % {"name": name})
    shut = ("uncordon", _("Uncordon")) if node.shut else ("cordon", _("Cordon"))
    parts = [_button(address, f"{shut[0]}:{name}", shut[1], name), _taint(address, "box", name)]
    parts += [
        _button(address, f"untaint:{name}|{flag.taint}", _("Remove %(taint)s") % {"taint": flag.taint}, name)
        for flag in node.flags
        if flag.taint and flag.change != "del"
    ]
    parts.append(_button(address, f"another:{name}", _("Add a node like this"), name))
    parts.append(_button(address, f"remove-node:{name}", _("Remove the node"), name))
    parts += [
        _button(address, f"delete-pod:{pod.key}", _("Delete pod %(pod)s") % {"pod": pod.name})
        for pod in node.pods
        if pod.change != "gone" and pod.key
    ]
    return mark_safe(
        f'<details class="menu act" data-menu><summary class="btn quiet" aria-label="{title}" title="{title}">⋯'
        f'</summary><div class="sheet small">{"".join(parts)}</div></details>'
    )


@register.simple_tag
def taint_fields(slot: str, name: str) -> SafeString:
    """What taint to put on a node, and the button; `slot` tells several of one node apart, as acting.wish_of does."""
    return _taint(reverse("lab:act"), slot, name)


def _button(address: str, do: str, label: str, name: str = "") -> str:
    spoken = format_html(' aria-label="{}: {}"', label, name) if name else ""
    return (
        f'<button class="btn quiet" type="submit" form="lab-form" formaction="{address}" name="do" value="{escape(do)}"'
        f"{spoken}>{escape(label)}</button>"
    )


def _taint(address: str, slot: str, name: str) -> SafeString:
    label = _("Taint: key or key=value")
    options = "".join(f"<option>{effect}</option>" for effect in EFFECTS)
    return format_html(
        '<div class="taint" role="group" aria-label="{}"><input class="select" type="text" form="lab-form" '
        'name="taint-{slot}:{name}" value="{}" aria-label="{label}" title="{label}" autocomplete="off" '
        'spellcheck="false"><select class="select" form="lab-form" name="effect-{slot}:{name}" aria-label="{}">{}'
        "</select>{}</div>",
        *(_("Taint of %(name)s") % {"name": name}, LAB_TAINT, _("Effect"), mark_safe(options)),
        mark_safe(_button(address, f"taint-{slot}:{name}", _("Add the taint"), name)),
        slot=slot,
        name=name,
        label=label,
    )
