"""Lease (coordination.k8s.io/v1)."""

from msgspec import field

from scheduler_lab.engine.objects.base import Int32, KubeStruct
from scheduler_lab.engine.objects.meta import KubeObject


class LeaseSpec(KubeStruct):
    acquire_time: str | None = None
    holder_identity: str | None = None
    lease_duration_seconds: Int32 | None = None
    lease_transitions: Int32 | None = None
    preferred_holder: str | None = None
    renew_time: str | None = None
    strategy: str | None = None


class Lease(KubeObject):
    api_version: str = "coordination.k8s.io/v1"
    kind: str = "Lease"
    spec: LeaseSpec = field(default_factory=LeaseSpec)
