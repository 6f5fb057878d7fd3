"""Controllers that make pods: Deployment, ReplicaSet, ReplicationController, StatefulSet, DaemonSet, Job, CronJob.

Modelled on kube-controller-manager v1.35, acting at once. There is no kubelet: a pod with a node counts as running.
"""

from scheduler_lab.engine.controllers.manager import Controllers

__all__ = ["Controllers"]
