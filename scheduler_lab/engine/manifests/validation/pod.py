"""Pods and pod templates."""

from collections.abc import Collection
from typing import Final

from scheduler_lab.engine.manifests import messages
from scheduler_lab.engine.manifests.located import Path
from scheduler_lab.engine.manifests.strict import cut
from scheduler_lab.engine.manifests.validation.checker import PROTOCOLS, Checker
from scheduler_lab.engine.manifests.validation.metadata import check_labels, check_name, check_time
from scheduler_lab.engine.manifests.validation.resources import check_amounts, check_resources
from scheduler_lab.engine.manifests.validation.selection import check_affinity, check_spread, check_tolerations
from scheduler_lab.engine.objects.containers import Container, ContainerPort
from scheduler_lab.engine.objects.names import is_dns_label, is_qualified_name
from scheduler_lab.engine.objects.pod import Pod, PodSpec, PodTemplateSpec

_RESTART: Final = ("Always", "OnFailure", "Never")
_SPEC: Final[Path] = ("spec",)


def check_pod(pod: Pod, checker: Checker) -> None:
    """What the API server refuses in a pod."""
    check_spec(pod.spec, _SPEC, checker)
    check_time(pod.status.start_time, ("status", "startTime"), checker)


def check_template(template: PodTemplateSpec, path: Path, checker: Checker, claimed: Collection[str] = ()) -> None:
    """What the API server refuses in a pod template. `claimed` names volumes that its controller adds."""
    check_labels(template.metadata.labels, (*path, "metadata", "labels"), checker)
    check_spec(template.spec, (*path, "spec"), checker, claimed)


def check_spec(spec: PodSpec, path: Path, checker: Checker, claimed: Collection[str] = ()) -> None:
    """What the API server refuses in a pod's spec. `claimed` names further volumes that it may mount."""
    if not spec.containers:
        # A template without containers is met in texts that only need its labels.
        report = checker.error if path == _SPEC else checker.warning
        report(messages.NO_CONTAINERS, (*path, "containers"))
    _check_containers(spec, path, checker, claimed)
    _check_volumes(spec, path, checker)
    checker.one_of(spec.restart_policy, _RESTART, (*path, "restartPolicy"))
    checker.one_of(spec.preemption_policy, ("PreemptLowerPriority", "Never"), (*path, "preemptionPolicy"))
    if spec.node_selector:
        check_labels(spec.node_selector, (*path, "nodeSelector"), checker)
    if spec.affinity is not None:
        check_affinity(spec.affinity, (*path, "affinity"), checker)
    if spec.tolerations:
        check_tolerations(spec.tolerations, (*path, "tolerations"), checker)
    if spec.topology_spread_constraints:
        check_spread(spec.topology_spread_constraints, (*path, "topologySpreadConstraints"), checker)
    if spec.resources is not None:
        check_resources(spec.resources, (*path, "resources"), checker)
    check_amounts(spec.overhead, (*path, "overhead"), checker)
    _check_gates(spec, path, checker)
    _check_claims(spec, path, checker)


def _check_containers(spec: PodSpec, path: Path, checker: Checker, claimed: Collection[str]) -> None:
    seen: set[str] = set()
    volumes = {*claimed, *(volume.name for volume in spec.volumes)}
    for field, containers in (("initContainers", spec.init_containers), ("containers", spec.containers)):
        for index, container in enumerate(containers):
            at = (*path, field, index)
            if checker.required(container.name, (*at, "name")):
                if not is_dns_label(container.name):
                    checker.error(messages.INVALID_LABEL_NAME, (*at, "name"), value=cut(container.name))
                if container.name in seen:
                    checker.error(messages.DUPLICATE_NAME, (*at, "name"), value=container.name)
                seen.add(container.name)
            if container.resources.requests or container.resources.limits:
                check_resources(container.resources, (*at, "resources"), checker)
            for number, port in enumerate(container.ports):
                _check_port(port, spec.host_network, (*at, "ports", number), checker)
            _check_mounts(container, volumes, at, checker)
            checker.one_of(container.restart_policy, _RESTART, (*at, "restartPolicy"))


def _check_mounts(container: Container, volumes: set[str], path: Path, checker: Checker) -> None:
    for index, mount in enumerate(container.volume_mounts):
        if mount.name not in volumes and mount.name:
            checker.error(messages.UNKNOWN_VOLUME, (*path, "volumeMounts", index, "name"), value=cut(mount.name))


def _check_port(port: ContainerPort, host_network: bool, path: Path, checker: Checker) -> None:
    checker.within(port.container_port, 1, 65535, (*path, "containerPort"))
    checker.within(port.host_port, 0, 65535, (*path, "hostPort"))
    checker.one_of(port.protocol, PROTOCOLS, (*path, "protocol"))
    if host_network and port.host_port and port.host_port != port.container_port:
        checker.error(messages.HOST_PORT_MISMATCH, (*path, "hostPort"))


def _check_volumes(spec: PodSpec, path: Path, checker: Checker) -> None:
    seen: set[str] = set()
    for index, volume in enumerate(spec.volumes):
        at = (*path, "volumes", index)
        if checker.required(volume.name, (*at, "name")):
            check_name(volume.name, True, (*at, "name"), checker)
            if volume.name in seen:
                checker.error(messages.DUPLICATE_NAME, (*at, "name"), value=volume.name)
            seen.add(volume.name)
        sources = [
            field for field in volume.__struct_fields__ if field != "name" and getattr(volume, field) is not None
        ]
        if len(sources) > 1:
            checker.error(messages.ONE_OF, at, choices=", ".join(sources))
        claim = volume.persistent_volume_claim
        if claim is not None:
            checker.required(claim.claim_name, (*at, "persistentVolumeClaim", "claimName"))


def _check_gates(spec: PodSpec, path: Path, checker: Checker) -> None:
    seen: set[str] = set()
    for index, gate in enumerate(spec.scheduling_gates):
        at = (*path, "schedulingGates", index, "name")
        if not is_qualified_name(gate.name):
            checker.error(messages.INVALID_NAME, at, value=cut(gate.name))
        if gate.name in seen:
            checker.error(messages.DUPLICATE_NAME, at, value=gate.name)
        seen.add(gate.name)


def _check_claims(spec: PodSpec, path: Path, checker: Checker) -> None:
    seen: set[str] = set()
    for index, claim in enumerate(spec.resource_claims):
        at = (*path, "resourceClaims", index)
        checker.required(claim.name, (*at, "name"))
        if claim.name in seen:
            checker.error(messages.DUPLICATE_NAME, (*at, "name"), value=cut(claim.name))
        seen.add(claim.name)
        if (claim.resource_claim_name is None) == (claim.resource_claim_template_name is None):
            checker.error(messages.ONE_OF, at, choices="resourceClaimName, resourceClaimTemplateName")
