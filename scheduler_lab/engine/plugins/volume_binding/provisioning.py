"""Whether a volume that does not exist yet could be made on a node."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

from scheduler_lab.engine.cluster.claims import NO_PROVISIONER, STORAGE, claim_class, claim_key
from scheduler_lab.engine.cluster.store import Store
from scheduler_lab.engine.framework.node_info import NodeInfo
from scheduler_lab.engine.framework.runtime import quoted
from scheduler_lab.engine.objects.claims import PersistentVolumeClaim
from scheduler_lab.engine.objects.quantity import Quantity
from scheduler_lab.engine.objects.references import TopologySelectorTerm
from scheduler_lab.engine.objects.selectors import InvalidSelector, label_selector_matches
from scheduler_lab.engine.objects.storage import CSIDriver, CSIStorageCapacity, StorageClass
from scheduler_lab.engine.plugins.pod_claims import CLASS
from scheduler_lab.engine.plugins.volume_binding.claims import BindingError


class Obstacle(Enum):
    """Why no volume can be made."""

    NO_PROVISIONER = "no provisioner"
    TOPOLOGY = "topology"
    CAPACITY = "capacity"


@dataclass(frozen=True, slots=True)
class Provision:
    """A volume to be made for the claim, with the capacity object that promises room, where there is one."""

    claim: PersistentVolumeClaim
    room: CSIStorageCapacity | None = None


class Provisioner:
    """Asks storage classes, drivers and their published capacity."""

    def __init__(self, store: Store) -> None:
        self._store = store

    def class_of(self, claim: PersistentVolumeClaim) -> StorageClass:
        """The claim's storage class. Raises BindingError when it has none or it does not exist."""
        name = claim_class(claim)
        if not name:
            raise BindingError(f"no class for claim {quoted(claim_key(claim))}")
        found: StorageClass | None = self._store.get(CLASS, "", name)
        if found is None:
            raise BindingError(f"failed to find storage class {quoted(name)}")
        return found

    def ask(self, claim: PersistentVolumeClaim, node: NodeInfo) -> Provision | Obstacle:
        """Whether the claim's volume can be made on the node. Raises BindingError without a storage class."""
        storage_class = self.class_of(claim)
        if storage_class.provisioner in ("", NO_PROVISIONER):
            return Obstacle.NO_PROVISIONER
        if not topology_allows(storage_class.allowed_topologies, node):
            return Obstacle.TOPOLOGY
        size = claim.spec.resources.requests.get(STORAGE)
        if size is None or not self.tracks_capacity(storage_class):
            return Provision(claim)
        room = next((c for c in self.capacities(storage_class, node) if sufficient(c, size)), None)
        return Provision(claim, room) if room is not None else Obstacle.CAPACITY

    def tracks_capacity(self, storage_class: StorageClass) -> bool:
        """Whether the class's driver publishes how much room it has."""
        driver: CSIDriver | None = self._store.get("CSIDriver", "", storage_class.provisioner)
        return driver is not None and bool(driver.spec.storage_capacity)

    def capacities(self, storage_class: StorageClass, node: NodeInfo) -> list[CSIStorageCapacity]:
        """The capacity objects of the class that hold for the node, of any namespace."""
        return [
            found
            for found in self._store.list("CSIStorageCapacity")
            if found.storage_class_name == storage_class.metadata.name and _reaches(found, node)
        ]


def volume_limit(room: CSIStorageCapacity) -> Quantity | None:
    """The largest volume that the object promises: maximumVolumeSize, else the capacity; None for none."""
    return room.maximum_volume_size if room.maximum_volume_size is not None else room.capacity


def sufficient(room: CSIStorageCapacity, size: Quantity) -> bool:
    """Whether a volume of that size can be made."""
    limit = volume_limit(room)
    return limit is not None and limit.value() >= size.value()


def _reaches(room: CSIStorageCapacity, node: NodeInfo) -> bool:
    if room.node_topology is None:
        return False
    try:
        return label_selector_matches(room.node_topology, node.labels)
    except InvalidSelector:
        return False


def topology_allows(terms: list[TopologySelectorTerm], node: NodeInfo) -> bool:
    """Whether a node is in one of a class's allowed topologies; none means everywhere, an empty one nowhere."""
    if not terms:
        return True
    return any(
        term.match_label_expressions
        and all(node.labels.get(expression.key) in expression.values for expression in term.match_label_expressions)
        for term in terms
    )
