"""References between objects and node selectors, shared by several API groups."""

from scheduler_lab.engine.objects.base import KubeStruct


class NodeSelectorRequirement(KubeStruct):
    key: str = ""
    operator: str = ""
    values: list[str] = []


class NodeSelectorTerm(KubeStruct):
    match_expressions: list[NodeSelectorRequirement] = []
    match_fields: list[NodeSelectorRequirement] = []


class NodeSelector(KubeStruct):
    node_selector_terms: list[NodeSelectorTerm] = []


class LocalObjectReference(KubeStruct):
    name: str = ""


class TypedLocalObjectReference(KubeStruct):
    api_group: str | None = None
    kind: str = ""
    name: str = ""


class TypedObjectReference(KubeStruct):
    api_group: str | None = None
    kind: str = ""
    name: str = ""
    namespace: str | None = None


class ObjectReference(KubeStruct):
    api_version: str = ""
    field_path: str = ""
    kind: str = ""
    name: str = ""
    namespace: str = ""
    resource_version: str = ""
    uid: str = ""


class SecretReference(KubeStruct):
    name: str = ""
    namespace: str = ""


class TopologySelectorLabelRequirement(KubeStruct):
    key: str = ""
    values: list[str] = []


class TopologySelectorTerm(KubeStruct):
    match_label_expressions: list[TopologySelectorLabelRequirement] = []
