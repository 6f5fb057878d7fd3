"""Pod templates: their comparison, their hash, and the pods made from them."""

from __future__ import annotations

from msgspec.structs import replace

from scheduler_lab.engine.cluster.generated_names import content_hash
from scheduler_lab.engine.objects.containers import Container
from scheduler_lab.engine.objects.meta import KubeObject, ObjectMeta, OwnerReference
from scheduler_lab.engine.objects.pod import Pod, PodSecurityContext, PodTemplateSpec

POD_TEMPLATE_HASH = "pod-template-hash"
REVISION_HASH = "controller-revision-hash"


def defaulted(template: PodTemplateSpec) -> PodTemplateSpec:
    """The template as the API server would have stored it, without the label that a ReplicaSet's copy carries.

    Fills in what a manifest usually leaves out and a dump shows, so that the two compare equal.
    """
    spec = template.spec
    labels = {key: value for key, value in template.metadata.labels.items() if key != POD_TEMPLATE_HASH}
    grace = spec.termination_grace_period_seconds
    return replace(
        template,
        metadata=replace(template.metadata, labels=labels, creation_timestamp=None),
        spec=replace(
            spec,
            restart_policy=spec.restart_policy or "Always",
            dns_policy=spec.dns_policy or "ClusterFirst",
            scheduler_name=spec.scheduler_name or "default-scheduler",
            termination_grace_period_seconds=30 if grace is None else grace,
            security_context=spec.security_context or PodSecurityContext(),
            service_account=spec.service_account or spec.service_account_name,
            containers=[_container(c) for c in spec.containers],
            init_containers=[_container(c) for c in spec.init_containers],
        ),
    )


def _container(container: Container) -> Container:
    resources = container.resources
    latest = ":" not in container.image.rpartition("/")[2] or container.image.endswith(":latest")
    return replace(
        container,
        image_pull_policy=container.image_pull_policy or ("Always" if latest else "IfNotPresent"),
        termination_message_path=container.termination_message_path or "/dev/termination-log",
        termination_message_policy=container.termination_message_policy or "File",
        ports=[replace(port, protocol=port.protocol or "TCP") for port in container.ports],
        resources=replace(resources, requests={**resources.limits, **resources.requests}),
    )


def template_hash(template: PodTemplateSpec) -> str:
    """What tells this template from another, as a label value."""
    return content_hash(defaulted(template))


def same_template(one: PodTemplateSpec, other: PodTemplateSpec) -> bool:
    """Whether both make the same pods."""
    return defaulted(one) == defaulted(other)


def owner_reference(owner: KubeObject) -> OwnerReference:
    """A reference to the controller of an object."""
    return OwnerReference(
        api_version=owner.api_version,
        kind=owner.kind,
        name=owner.metadata.name,
        uid=owner.metadata.uid,
        controller=True,
        block_owner_deletion=True,
    )


def pod_from(template: PodTemplateSpec, owner: KubeObject, name: str) -> Pod:
    """A pod of the owner, not yet created."""
    given = template.metadata
    return Pod(
        metadata=ObjectMeta(
            name=name,
            namespace=owner.metadata.namespace,
            labels=dict(given.labels),
            annotations=dict(given.annotations),
            finalizers=list(given.finalizers),
            owner_references=[owner_reference(owner)],
        ),
        spec=template.spec,
    )


def with_labels(pod: Pod, labels: dict[str, str]) -> Pod:
    """The pod with further labels."""
    return replace(pod, metadata=replace(pod.metadata, labels={**pod.metadata.labels, **labels}))
