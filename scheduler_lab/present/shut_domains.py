"""Domains that count for an even spread although the pod cannot go there: what keeps it from the others."""

from __future__ import annotations

from django.utils.translation import gettext as _

from scheduler_lab.present.facts import CycleFacts
from scheduler_lab.present.vocabulary import short_reason

ZONE = "topology.kubernetes.io/zone="
PLUGIN = "PodTopologySpread"


def shut_domains(facts: CycleFacts) -> list[str]:
    """A sentence for each zone with the fewest matching pods where other plugins reject every node."""
    emptiest = _emptiest(facts)
    if not emptiest:
        return []
    zones: dict[str, list[str]] = {}
    for node in facts.cycle.get("x-cluster", []):
        zones.setdefault(ZONE + node.get("zone", ""), []).append(node["name"])
    why = {
        node: (plugin, reasons[0] if reasons else "")
        for (plugin, _code, reasons), nodes in facts.rejections().items()
        for node in nodes
    }
    said = []
    for domain, count in emptiest.items():
        nodes = zones.get(domain, [])
        if nodes and all(why.get(node, (PLUGIN, ""))[0] != PLUGIN for node in nodes):
            shut = ", ".join(f"{node} ({short_reason(why[node][1])})" for node in nodes[:4])
            said.append(
                _(
                    "%(domain)s has the fewest matching pods (%(count)s) and so sets the limit for the other domains, "
                    "although no node there can take the pod: %(nodes)s."
                )
                % {"domain": domain.removeprefix(ZONE), "count": count, "nodes": shut}
            )
    return said


def _emptiest(facts: CycleFacts) -> dict[str, str]:
    """The domains whose matching pods are the minimum, by the evidence of the nodes that the spread rejects."""
    found: dict[str, str] = {}
    for node in facts.cycle.get("x-evidence", {}).get("filter", {}):
        evidence = facts.evidence("filter", node, PLUGIN)
        columns = [column.get("template") for column in ((evidence or {}).get("table") or {}).get("columns", [])]
        if "Domain" not in columns or "Minimum" not in columns:
            continue
        at = columns.index("Domain"), columns.index("Matching pods"), columns.index("Minimum")
        for row in (evidence or {})["table"]["rows"]:
            if row[at[1]] == row[at[2]]:
                found[row[at[0]]] = row[at[1]]
    return found
