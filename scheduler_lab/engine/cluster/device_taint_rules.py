"""DeviceTaintRules: taints that administrators put on devices, beside those of the drivers (kube-scheduler v1.35).

With DRADeviceTaints and DRADeviceTaintRules on, the scheduler sees every ResourceSlice with the taints of the rules
that select its devices added to the devices' own, and a rule that changes these is to it a change of the slice. The
eviction of running pods is the controller manager's business and not modelled.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from msgspec.structs import replace

from scheduler_lab.engine.cluster.store import Store
from scheduler_lab.engine.configuration.feature_gates import FeatureGates
from scheduler_lab.engine.objects.resource import Device, DeviceTaintRule, ResourceSlice

KIND = "DeviceTaintRule"
_SLICE = "ResourceSlice"


def rules_count(gates: FeatureGates) -> bool:
    """Whether the scheduler heeds DeviceTaintRules."""
    return gates.enabled("DRADeviceTaints") and gates.enabled("DRADeviceTaintRules")


def selects(rule: DeviceTaintRule, each: ResourceSlice, device: Device) -> bool:
    """Whether the rule is for that device of the slice.

    A rule without a selector selects every device, as an empty one does: v1.35 takes them for the same, although the
    API's description says that without one no device is selected.
    """
    selector = rule.spec.device_selector
    return selector is None or (
        selector.driver in (None, each.spec.driver)
        and selector.pool in (None, each.spec.pool.name)
        and selector.device in (None, device.name)
    )


def with_taints(each: ResourceSlice, rules: Sequence[DeviceTaintRule]) -> ResourceSlice:
    """The slice with the rules' taints after the devices' own; the very slice if no rule selects any device."""
    devices = [_tainted(each, device, rules) for device in each.spec.devices]
    if all(after is before for after, before in zip(devices, each.spec.devices, strict=True)):
        return each
    return replace(each, spec=replace(each.spec, devices=devices))


def _tainted(each: ResourceSlice, device: Device, rules: Sequence[DeviceTaintRule]) -> Device:
    taints = [rule.spec.taint for rule in rules if selects(rule, each, device)]
    return replace(device, taints=[*device.taints, *taints]) if taints else device


class TaintRuleEvents:
    """Listens to the store and tells `tell` of slices whose devices' taints a changed rule changes."""

    def __init__(self, store: Store, tell: Callable[[str, Any, Any], None]) -> None:
        self._store = store
        self._tell = tell

    def __call__(self, kind: str, old: Any, new: Any) -> None:
        """A change in the store."""
        if kind != KIND:
            return
        rules: list[DeviceTaintRule] = self._store.list(KIND)
        former = [old if rule is new else rule for rule in rules] if new is not None else [*rules, old]
        former = [rule for rule in former if rule is not None]
        for each in self._store.list(_SLICE):
            before, after = with_taints(each, former), with_taints(each, rules)
            if before.spec.devices != after.spec.devices:
                self._tell(_SLICE, before, after)
