"""ResourceQuota: what a namespace may hold in all (Kubernetes v1.35, ResourceQuota admission)."""

from __future__ import annotations

from typing import Any

from scheduler_lab.engine.admission.amounts import NOTHING, total_of
from scheduler_lab.engine.admission.errors import Refusal
from scheduler_lab.engine.admission.quota_usage import covers, missing, usage
from scheduler_lab.engine.cluster.store import Store
from scheduler_lab.engine.objects.base import ResourceList
from scheduler_lab.engine.objects.config import ResourceQuota
from scheduler_lab.engine.objects.pod import Pod


def check_quotas(obj: Any, store: Store) -> None:
    """Raises Refusal for the first quota of the namespace, by name, that the new object would exceed.

    What is used is counted from the objects that there are, as the quota controller would have counted them by now.
    """
    quotas = [quota for quota in store.list("ResourceQuota") if quota.metadata.namespace == obj.metadata.namespace]
    if not quotas:
        return
    asked = usage(obj)
    for quota in sorted(quotas, key=lambda quota: str(quota.metadata.name)):
        _check(quota, obj, asked, store)


def _check(quota: ResourceQuota, obj: Any, asked: ResourceList, store: Store) -> None:
    hard, name = quota.spec.hard, quota.metadata.name
    if not covers(quota, obj):
        return
    if isinstance(obj, Pod) and (lacking := missing(obj, set(hard))):
        raise Refusal(f"failed quota: {name}: must specify {lacking}")
    asked = {resource: amount for resource, amount in asked.items() if resource in hard and amount}
    if not asked:
        return
    used = used_of(quota, store, set(asked))
    exceeded = sorted(resource for resource, amount in asked.items() if hard[resource] < used[resource] + amount)
    if exceeded:
        raise Refusal(
            f"exceeded quota: {name}, requested: {_shown(asked, exceeded)}, "
            f"used: {_shown(used, exceeded)}, limited: {_shown(hard, exceeded)}"
        )


def used_of(quota: ResourceQuota, store: Store, resources: set[str]) -> ResourceList:
    """What the objects of the quota's namespace and scopes use of these resources."""
    namespace = quota.metadata.namespace
    total = total_of(
        usage(obj)
        for kind in list(store.kinds())
        for obj in store.list(kind)
        if obj.metadata.namespace == namespace and covers(quota, obj)
    )
    return {resource: total.get(resource, NOTHING) for resource in resources}


def _shown(amounts: ResourceList, resources: list[str]) -> str:
    return ",".join(f"{resource}={amounts[resource]}" for resource in resources)
