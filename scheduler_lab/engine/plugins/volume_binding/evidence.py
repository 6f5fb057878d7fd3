"""Evidence of VolumeBinding: claim by claim, which volumes were looked at and what spoke against them."""

from __future__ import annotations

from collections.abc import Sequence

from scheduler_lab.engine.cluster.claims import (
    SELECTED_NODE,
    capacity,
    claim_class,
    requested,
    volume_class,
)
from scheduler_lab.engine.cluster.store import Store
from scheduler_lab.engine.evidence import N_, Evidence, Mark, Row, Table, Text, text
from scheduler_lab.engine.evidence.format import amounts
from scheduler_lab.engine.evidence.marks import entry
from scheduler_lab.engine.framework.node_info import NodeInfo, PodInfo
from scheduler_lab.engine.objects.claims import PersistentVolumeClaim
from scheduler_lab.engine.objects.persistent import PersistentVolume
from scheduler_lab.engine.plugins.pod_claims import VOLUME, claim_mark, class_mark, pod_volume_marks, volume_mark
from scheduler_lab.engine.plugins.volume_binding.assumed import AssumedObjects
from scheduler_lab.engine.plugins.volume_binding.claims import BindingError, PodClaims
from scheduler_lab.engine.plugins.volume_binding.finding import VolumeFinder, by_size
from scheduler_lab.engine.plugins.volume_binding.matching import Misfit
from scheduler_lab.engine.plugins.volume_binding.provisioning import Obstacle
from scheduler_lab.engine.plugins.volume_binding.scoring import CapacityScorer, ClassUse

_SIZE = "spec.resources.requests.storage"
_AFFINITY = "spec.nodeAffinity.required"
# The first check that a volume fails gets the cross; the columns stand in the order in which they are asked.
_CHECKS = (
    (N_("Unclaimed"), (Misfit.CHOSEN, Misfit.RESERVED, Misfit.DELETED, Misfit.PHASE)),
    (N_("Size"), (Misfit.SIZE,)),
    (N_("Mode"), (Misfit.MODE, Misfit.ATTRIBUTES)),
    (N_("Labels"), (Misfit.SELECTOR,)),
    (N_("Node affinity"), (Misfit.AFFINITY,)),
    (N_("Access modes"), (Misfit.ACCESS,)),
)
_OTHERS_SHOWN = 20


def unusable(pod: PodInfo, claim: str, problem: str) -> Evidence:
    """A claim of the pod cannot be used."""
    sentence = text(N_("%(pod)s cannot use its claims: %(problem)s."), pod=pod.key, problem=problem)
    return Evidence(sentence, marks=pod_volume_marks(pod, claim))


def no_claims(pod: PodInfo) -> Evidence:
    """The pod has none."""
    return Evidence(text(N_("%(pod)s uses no claim."), pod=pod.key))


def sorted_claims(pod: PodInfo, claims: PodClaims) -> Evidence:
    """What can be done with each claim."""
    rows: list[Row] = []
    for claim in claims.bound:
        rows.append(_bound_row(claim))
    for claim in claims.delayed:
        rows.append(
            Row(
                text(
                    N_("%(claim)s waits for its first pod (class %(class)s)"),
                    claim=claim.metadata.name,
                    **{"class": claim_class(claim)},
                ),
                "✓",
                tone="ok",
                mark=claim_mark(claim, "spec.storageClassName"),
            )
        )
    for claim in claims.immediate:
        rows.append(Row(_immediate(claim), "✗", tone="bad", mark=claim_mark(claim, "spec")))
    if claims.immediate:
        sentence = text(
            N_("A claim of %(pod)s should have been bound before any pod is scheduled, but is not."), pod=pod.key
        )
    else:
        sentence = text(N_("The claims of %(pod)s are bound or wait for this pod."), pod=pod.key)
    return Evidence(sentence, rows, marks=_marks(rows))


def _immediate(claim: PersistentVolumeClaim) -> Text:
    name, volume = claim.metadata.name, claim.spec.volume_name
    if volume:
        return text(N_("%(claim)s names %(volume)s, but is not bound to it"), claim=name, volume=volume)
    if not claim_class(claim):
        return text(N_("%(claim)s has no storage class, so it does not wait for a pod"), claim=name)
    return text(
        N_("%(claim)s is to be bound at once (class %(class)s) and still has no volume"),
        claim=name,
        **{"class": claim_class(claim)},
    )


def scored(pod: PodInfo, node: NodeInfo, uses: Sequence[ClassUse], scorer: CapacityScorer) -> Evidence:
    """Room by class and the score it gives."""
    rows: list[Row] = []
    for use in uses:
        wanted, room = amounts("ephemeral-storage", [use.requested, use.capacity])
        label = text(
            N_("%(class)s: %(wanted)s of %(room)s is %(percent)d%%"),
            wanted=wanted,
            room=room,
            percent=use.utilization,
            **{"class": use.storage_class},
        )
        points = scorer.of(use)
        rows.append(Row(label, str(points), "+" if rows else "", "pod", points))
    total = scorer.score(uses)
    rows.append(Row(text(N_("mean of the classes")), str(total), "=", amount=total))
    sentence = text(
        N_("The volumes of %(pod)s would leave %(node)s a storage score of %(score)d."),
        pod=pod.key,
        node=node.name,
        score=total,
    )
    return Evidence(sentence, rows)


class Explainer:
    """Goes through a pod's claims for one node as Filter does, and keeps what it sees."""

    def __init__(self, store: Store, volumes: AssumedObjects, finder: VolumeFinder) -> None:
        self._store = store
        self._volumes = volumes
        self._finder = finder
        self._rows: list[Row] = []
        self._looked_at: list[list[str]] = []
        self._failed: list[int] = []
        self._more: list[Mark] = []

    def on_node(self, pod: PodInfo, node: NodeInfo, claims: PodClaims) -> Evidence:
        """What becomes of every claim on the node."""
        try:
            for claim in claims.bound:
                self._bound(claim, node)
            self._delayed(claims, node)
        except BindingError as failure:
            return unusable(pod, "", str(failure))
        bad = next((row for row in self._rows if row.tone == "bad"), None)
        if bad is not None:
            sentence = bad.label
        else:
            sentence = text(
                N_("Every volume of %(pod)s can be used, found or made on %(node)s."), pod=pod.key, node=node.name
            )
        return Evidence(sentence, self._rows, self._table(), list(dict.fromkeys([*_marks(self._rows), *self._more])))

    def _table(self) -> Table | None:
        if not self._looked_at:
            return None
        columns = [N_("Claim"), N_("Volume"), N_("Class"), *(title for title, _ in _CHECKS)]
        return Table([text(column) for column in columns], self._looked_at, self._failed)

    def _add(self, label: Text, ok: bool, mark: Mark | None) -> None:
        self._rows.append(Row(label, "✓" if ok else "✗", tone="ok" if ok else "bad", mark=mark))

    # -- bound claims ------------------------------------------------------------------------------------------

    def _bound(self, claim: PersistentVolumeClaim, node: NodeInfo) -> None:
        name = claim.spec.volume_name
        volume: PersistentVolume | None = self._volumes.get("", name)
        names = {"claim": claim.metadata.name, "volume": name, "node": node.name}
        if volume is None:
            label = text(N_("%(claim)s is bound to %(volume)s, which does not exist."), **names)
            self._add(label, False, claim_mark(claim, "spec.volumeName"))
        elif self._finder.usable(volume, node):
            self._rows.append(_bound_row(claim))
        else:
            label = text(
                N_("The node affinity of %(volume)s, the volume of %(claim)s, does not match %(node)s."), **names
            )
            self._add(label, False, volume_mark(name, _AFFINITY))
            self._more.append(claim_mark(claim, "spec.volumeName"))

    # -- claims that wait --------------------------------------------------------------------------------------

    def _delayed(self, claims: PodClaims, node: NodeInfo) -> None:
        to_match: list[PersistentVolumeClaim] = []
        to_make: list[PersistentVolumeClaim] = []
        for claim in claims.delayed:
            selected = claim.metadata.annotations.get(SELECTED_NODE)
            if selected is None:
                to_match.append(claim)
            elif selected == node.name:
                to_make.append(claim)
            else:
                label = text(
                    N_("The volume of %(claim)s is being made for %(node)s and for no other node."),
                    claim=claim.metadata.name,
                    node=selected,
                )
                self._add(label, False, claim_mark(claim, entry("metadata.annotations", SELECTED_NODE)))
                return
        chosen: set[str] = set()
        for claim in by_size(to_match):
            volume = self._match(claim, claims.volumes[claim_class(claim)], node, chosen)
            if volume is None:
                to_make.append(claim)
            else:
                chosen.add(volume)
        for claim in to_make:
            if not self._make(claim, node):
                return

    def _match(
        self, claim: PersistentVolumeClaim, volumes: Sequence[PersistentVolume], node: NodeInfo, chosen: set[str]
    ) -> str | None:
        found = self._finder.matcher.find(claim, volumes, node.labels, chosen)
        for volume in volumes:
            misfit = self._finder.matcher.misfit(claim, volume, node.labels, chosen)
            self._look(claim, volume, misfit)
        self._look_at_others(claim, {volume.metadata.name for volume in volumes})
        if found is None:
            return None
        label = text(N_("%(claim)s gets the volume %(volume)s"), claim=claim.metadata.name, volume=found.metadata.name)
        self._add(label, True, volume_mark(found.metadata.name, "spec"))
        return found.metadata.name

    def _look(self, claim: PersistentVolumeClaim, volume: PersistentVolume, misfit: Misfit | None) -> None:
        checks: list[str] = []
        for _, misfits in _CHECKS:
            checks.append("✗" if misfit in misfits else "✓" if misfit is None else "")
        size, wanted = str(capacity(volume)), str(requested(claim))
        checks[1] = f"{size} {'<' if misfit is Misfit.SIZE else '≥'} {wanted}" if checks[1] else size
        if misfit is not None:
            self._failed.append(len(self._looked_at))
            self._more += _misfit_marks(claim, volume, misfit)
        self._looked_at.append([claim.metadata.name, volume.metadata.name, volume_class(volume), *checks])

    def _look_at_others(self, claim: PersistentVolumeClaim, considered: set[str]) -> None:
        """Volumes of other classes, which are not even considered."""
        others = [v for v in self._store.list(VOLUME) if v.metadata.name not in considered]
        for volume in others[:_OTHERS_SHOWN]:
            self._failed.append(len(self._looked_at))
            row = [claim.metadata.name, volume.metadata.name, f"{volume_class(volume) or '—'} ✗"]
            self._looked_at.append([*row, *([""] * len(_CHECKS))])

    def _make(self, claim: PersistentVolumeClaim, node: NodeInfo) -> bool:
        answer = self._finder.provisioner.ask(claim, node)
        storage_class = self._finder.provisioner.class_of(claim)
        names = {
            "claim": claim.metadata.name,
            "class": storage_class.metadata.name,
            "node": node.name,
            "size": str(requested(claim)),
            "provisioner": storage_class.provisioner,
        }
        mark = class_mark(storage_class.metadata.name, "provisioner")
        if answer is Obstacle.NO_PROVISIONER:
            label = text(N_("No free volume suits %(claim)s on %(node)s, and the class %(class)s makes none."), **names)
        elif answer is Obstacle.TOPOLOGY:
            label = text(N_("The class %(class)s may not make the volume of %(claim)s for %(node)s."), **names)
            mark = class_mark(storage_class.metadata.name, "allowedTopologies")
        elif answer is Obstacle.CAPACITY:
            label = text(
                N_("No capacity published for %(node)s suffices for the %(size)s of %(claim)s (class %(class)s)."),
                **names,
            )
            mark = claim_mark(claim, _SIZE)
            for room in self._finder.provisioner.capacities(storage_class, node):
                meta = room.metadata
                path = "maximumVolumeSize" if room.maximum_volume_size is not None else "capacity"
                self._more.append(Mark("CSIStorageCapacity", meta.name, path, meta.namespace))
        else:
            label = text(N_("%(provisioner)s makes a volume of %(size)s for %(claim)s (class %(class)s)"), **names)
        made = not isinstance(answer, Obstacle)
        self._add(label, made, mark)
        return made


def _bound_row(claim: PersistentVolumeClaim) -> Row:
    label = text(N_("%(claim)s is bound to %(volume)s"), claim=claim.metadata.name, volume=claim.spec.volume_name)
    return Row(label, "✓", tone="ok", mark=claim_mark(claim, "spec.volumeName"))


def _misfit_marks(claim: PersistentVolumeClaim, volume: PersistentVolume, misfit: Misfit) -> list[Mark]:
    name = volume.metadata.name
    marks = {
        Misfit.RESERVED: [volume_mark(name, "spec.claimRef")],
        Misfit.SIZE: [volume_mark(name, "spec.capacity.storage"), claim_mark(claim, _SIZE)],
        Misfit.MODE: [volume_mark(name, "spec.volumeMode"), claim_mark(claim, "spec.volumeMode")],
        Misfit.ATTRIBUTES: [
            volume_mark(name, "spec.volumeAttributesClassName"),
            claim_mark(claim, "spec.volumeAttributesClassName"),
        ],
        Misfit.SELECTOR: [volume_mark(name, "metadata.labels"), claim_mark(claim, "spec.selector")],
        Misfit.AFFINITY: [volume_mark(name, _AFFINITY)],
        Misfit.ACCESS: [volume_mark(name, "spec.accessModes"), claim_mark(claim, "spec.accessModes")],
    }
    return marks.get(misfit, [])


def _marks(rows: Sequence[Row]) -> list[Mark]:
    return [row.mark for row in rows if row.mark is not None]
