"""Putting one kube-scheduler process together: profiles, plugins, queue, cache and the handlers that feed them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from scheduler_lab.engine.clock import Clock
from scheduler_lab.engine.cluster.api_server import APIServer
from scheduler_lab.engine.cluster.cache import Cache
from scheduler_lab.engine.cluster.device_taint_rules import TaintRuleEvents, rules_count
from scheduler_lab.engine.cluster.picture import cluster_picture
from scheduler_lab.engine.cluster.store import Store
from scheduler_lab.engine.configuration import Configuration, FeatureGates, ProfileConfiguration
from scheduler_lab.engine.configuration.registry import IN_TREE
from scheduler_lab.engine.custom.extenders import Extenders
from scheduler_lab.engine.custom.plugins.registry import FAILED, CustomPlugins
from scheduler_lab.engine.evidence.mode import EvidenceMode
from scheduler_lab.engine.framework.events import ClusterEvent
from scheduler_lab.engine.framework.interfaces import POINTS
from scheduler_lab.engine.framework.node_info import PodInfo
from scheduler_lab.engine.framework.resources import RequestFeatures
from scheduler_lab.engine.framework.runtime import Framework
from scheduler_lab.engine.objects.lab_plugin import Plugin
from scheduler_lab.engine.objects.pod import Pod
from scheduler_lab.engine.plugins.registry import plugin_class
from scheduler_lab.engine.problems import Problems
from scheduler_lab.engine.queue.entry import QueuedPod
from scheduler_lab.engine.queue.hints import HintMap, default_registrations, with_taint_registration
from scheduler_lab.engine.queue.nominator import Nominator
from scheduler_lab.engine.queue.scheduling_queue import SchedulingQueue
from scheduler_lab.engine.record import PreEnqueueVerdict, Record
from scheduler_lab.engine.scheduler.batching import Batching
from scheduler_lab.engine.scheduler.binding import Binding
from scheduler_lab.engine.scheduler.cycle import Scheduler
from scheduler_lab.engine.scheduler.failure import FailureHandler
from scheduler_lab.engine.scheduler.handle import ProfileHandle
from scheduler_lab.engine.scheduler.handlers import EventHandlers
from scheduler_lab.engine.scheduler.search import EXTENDER
from scheduler_lab.engine.scheduler.workloads import WorkloadManager

Seen = set[tuple[str, str, str, tuple[str, ...]]]
"""PreEnqueue verdicts that the record has: pod, plugin, code, reasons."""


class SchedulerProcess:
    """A scheduler with everything it consists of, listening to the store.

    Among several, `name` is what the record calls it; replicas of one scheduler share `seen`.
    """

    def __init__(
        self,
        *,
        configuration: Configuration,
        gates: FeatureGates,
        store: Store,
        api_server: APIServer,
        queue_clock: Clock,
        wait_clock: Clock,
        evidence: EvidenceMode,
        record: Record,
        custom: CustomPlugins | None = None,
        name: str = "",
        seen: Seen | None = None,
    ) -> None:
        self.name = name
        self.store = store
        self.gates = gates
        self._custom = custom or CustomPlugins(())
        self.record = record
        self.cache = Cache()
        self.features = RequestFeatures(
            pod_level=gates.enabled("PodLevelResources"),
            pod_level_in_place=gates.enabled("InPlacePodLevelResourcesVerticalScaling"),
        )
        self._infos: dict[str, PodInfo] = {}
        self._seen: Seen = set() if seen is None else seen
        self.extenders = Extenders(
            configuration.extenders,
            store.list("Extender"),
            lambda pod, node: api_server.bind(pod.pod, node),
        )
        self.frameworks: dict[str, Framework] = {}
        workloads = WorkloadManager()
        shared: dict[str, Any] = {}
        handles: list[ProfileHandle] = []
        for profile in configuration.profiles:
            handle = ProfileHandle(
                scheduler_name=profile.scheduler_name,
                cache=self.cache,
                store=store,
                api_server=api_server,
                clock=wait_clock,
                gates=gates,
                request_features=self.features,
                extenders=self.extenders,
                workloads=workloads,
                shared=shared,
                pod_info=self.pod_info,
                events=record.events,
            )
            handle.framework = self.frameworks[profile.scheduler_name] = self._framework(profile, handle)
            handles.append(handle)
        self.nominator = Nominator(self._is_pending)
        self.queue = SchedulingQueue(
            queue_clock,
            self._less(),
            self._pre_enqueue,
            self._hints(gates),
            self.nominator,
            initial_backoff=configuration.pod_initial_backoff_seconds,
            max_backoff=configuration.pod_max_backoff_seconds,
            popped_early=gates.enabled("SchedulerPopFromBackoffQ"),
            on_move=self._note_move,
        )
        failures = FailureHandler(store, self.queue, self.pod_info, record.events, self.frameworks.__contains__)
        self.binding = Binding(
            cache=self.cache,
            queue=self.queue,
            store=store,
            extenders=self.extenders,
            failures=failures,
            clock=wait_clock,
            pod_info=self.pod_info,
            events=record.events,
            nominate_before_binding=gates.enabled("NominatedNodeNameForExpectation"),
        )
        overall = configuration.percentage_of_nodes_to_score
        self.scheduler = Scheduler(
            cache=self.cache,
            queue=self.queue,
            frameworks=self.frameworks,
            percentages={
                p.scheduler_name: overall if p.percentage_of_nodes_to_score is None else p.percentage_of_nodes_to_score
                for p in configuration.profiles
            },
            batches={p.scheduler_name: self._batching(p) for p in configuration.profiles},
            extenders=self.extenders,
            binding=self.binding,
            failures=failures,
            evidence=evidence,
            describe_cluster=self.describe_cluster,
        )
        self.binding.activate_requested = self._activate_requested
        for handle in handles:
            handle.scheduler = self.scheduler
        handlers = EventHandlers(
            self.cache,
            self.queue,
            self.binding.waiting,
            self.pod_info,
            self.frameworks.__contains__,
            gates,
            before_pods=workloads.observe,
        )
        store.subscribe(handlers)
        if rules_count(gates):
            store.subscribe(TaintRuleEvents(store, handlers))

    def describe_cluster(self) -> list[dict[str, Any]]:
        """The cluster now, as data for a drawing."""
        return cluster_picture(self.cache, self.nominator.pods, self.binding.waiting)

    # -- plugins -------------------------------------------------------------------------------------------------

    def _framework(self, profile: ProfileConfiguration, handle: ProfileHandle) -> Framework:
        names = _in_order(profile, {name for point in POINTS for name in profile.points[point]})
        plugins = {name: self._plugin(name, profile.args.get(name), handle) for name in names}
        return Framework(profile.scheduler_name, profile.points, profile.score_weights, plugins)

    def _plugin(self, name: str, args: Any, handle: ProfileHandle) -> Any:
        if name in self._custom:
            return self._custom.make(name, args, handle, self._note_failure)
        return plugin_class(name)(args, handle)

    def _note_failure(self, document: Plugin, failure: str) -> None:
        Problems(self.record.x_problems).add(FAILED, document, plugin=document.metadata.name, failure=failure)

    def _batching(self, profile: ProfileConfiguration) -> Batching:
        spread = profile.args.get("PodTopologySpread")
        by_default = spread is None or spread.defaulting_type != "List" or bool(spread.default_constraints)
        return Batching(
            self.frameworks[profile.scheduler_name],
            self.cache,
            self.features,
            signing=frozenset(IN_TREE),
            spreads_by_default=by_default,
            allowed=self.gates.enabled("OpportunisticBatching")
            and not self.gates.enabled("DRAExtendedResource")
            and not self.extenders,
        )

    # -- pods --------------------------------------------------------------------------------------------------

    def pod_info(self, pod: Pod) -> PodInfo:
        """The pod with its derived data; the same version of a pod is derived once."""
        known = self._infos.get(pod.metadata.uid)
        if known is None or known.pod is not pod:
            known = self._infos[pod.metadata.uid] = PodInfo(pod, self.features)
        return known

    def _is_pending(self, pod: PodInfo) -> bool:
        current: Pod | None = self.store.get("Pod", pod.namespace, pod.pod.metadata.name)
        return current is not None and current.metadata.uid == pod.uid and not current.spec.node_name

    # -- the queue's questions -----------------------------------------------------------------------------------

    def _less(self) -> Callable[[QueuedPod, QueuedPod], bool]:
        first = next(iter(self.frameworks.values()))
        less: Callable[[QueuedPod, QueuedPod], bool] = first.at("queueSort")[0].less
        return less

    def _pre_enqueue(self, entry: QueuedPod) -> str:
        framework = self.frameworks[entry.pod.pod.spec.scheduler_name]
        status = framework.run_pre_enqueue(entry.pod, entry.gating_plugin)
        if status is None:
            return ""
        seen = (entry.key, status.plugin, status.code.value, status.reasons)
        if seen not in self._seen:
            self._seen.add(seen)
            self.record.pre_enqueue.append(PreEnqueueVerdict(*seen, self.scheduler.step, self.name))
        return status.plugin

    def _hints(self, gates: FeatureGates) -> HintMap:
        hints = HintMap()
        default = default_registrations(gates.enabled("GenericWorkload"))
        for name, framework in self.frameworks.items():
            for plugin in framework.plugins.values():
                registered = plugin.events_to_register() if hasattr(plugin, "events_to_register") else default
                hints.register(name, plugin.name, with_taint_registration(registered))
            if self.extenders:
                hints.register(name, EXTENDER, default)
        return hints

    def _note_move(self, entry: QueuedPod, event: ClusterEvent, plugin: str, hint: str, where: str) -> None:
        note = {"pod": entry.key, "event": event.label, "plugin": plugin, "hint": hint, "to": where}
        self.scheduler.requeues.append({key: value for key, value in note.items() if value})

    def _activate_requested(self) -> None:
        keys, self.scheduler.to_activate = self.scheduler.to_activate, []
        self.queue.activate(keys)


def _in_order(profile: ProfileConfiguration, names: set[str]) -> list[str]:
    """Plugin names in the order in which the points mention them first."""
    ordered = [name for point in POINTS for name in profile.points[point] if name in names]
    return list(dict.fromkeys(ordered))
