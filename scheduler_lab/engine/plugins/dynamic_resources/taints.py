"""Taints of devices and the tolerations of requests (DRADeviceTaints)."""

from __future__ import annotations

from collections.abc import Sequence

from scheduler_lab.engine.objects.resource import Device, DeviceTaint, DeviceToleration

_PREVENTING = ("NoSchedule", "NoExecute")


def untolerated(device: Device, tolerations: Sequence[DeviceToleration]) -> DeviceTaint | None:
    """The first taint that keeps the device from being allocated, or None."""
    for taint in device.taints:
        if taint.effect in _PREVENTING and not any(_tolerates(toleration, taint) for toleration in tolerations):
            return taint
    return None


def _tolerates(toleration: DeviceToleration, taint: DeviceTaint) -> bool:
    if toleration.effect and toleration.effect != taint.effect:
        return False
    if toleration.key and toleration.key != taint.key:
        return False
    if toleration.operator in ("", "Equal"):
        return toleration.value == taint.value
    return toleration.operator == "Exists"
