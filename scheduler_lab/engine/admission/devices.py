"""Defaults of requests for devices: one device, counted exactly; a toleration compares for equality."""

from __future__ import annotations

from typing import TypeVar

from msgspec.structs import replace

from scheduler_lab.engine.objects.resource import (
    DeviceRequest,
    DeviceSubRequest,
    DeviceToleration,
    ExactDeviceRequest,
    ResourceClaim,
    ResourceClaimSpec,
    ResourceClaimTemplate,
)

EXACT_COUNT = "ExactCount"

Request = TypeVar("Request", ExactDeviceRequest, DeviceSubRequest)


def admit_resource_claim(claim: ResourceClaim) -> ResourceClaim:
    """The claim with its requests completed."""
    return replace(claim, spec=_spec(claim.spec))


def admit_claim_template(template: ResourceClaimTemplate) -> ResourceClaimTemplate:
    """The template with its requests completed."""
    return replace(template, spec=replace(template.spec, spec=_spec(template.spec.spec)))


def _spec(spec: ResourceClaimSpec) -> ResourceClaimSpec:
    requests = [_request(request) for request in spec.devices.requests]
    return replace(spec, devices=replace(spec.devices, requests=requests))


def _request(request: DeviceRequest) -> DeviceRequest:
    return replace(
        request,
        exactly=_completed(request.exactly) if request.exactly is not None else None,
        first_available=[_completed(alternative) for alternative in request.first_available],
    )


def _completed(request: Request) -> Request:
    mode = request.allocation_mode or EXACT_COUNT
    count = 1 if mode == EXACT_COUNT and not request.count else request.count
    tolerations = [_toleration(toleration) for toleration in request.tolerations]
    return replace(request, allocation_mode=mode, count=count, tolerations=tolerations)


def _toleration(toleration: DeviceToleration) -> DeviceToleration:
    return replace(toleration, operator=toleration.operator or "Equal")
