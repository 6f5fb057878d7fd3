"""InterPodAffinity: pods that want, or refuse, to share a topology value with other pods (kube-scheduler v1.35).

PreFilter counts the pods that required terms are about, by topology value; Filter looks the node's values up.
PreScore adds the weights of preferred terms, of the incoming pod and of those already there, and of their required
affinity terms with hardPodAffinityWeight; Normalize stretches the sums over 0 to 100.
"""

from scheduler_lab.engine.plugins.inter_pod_affinity.plugin import InterPodAffinity

__all__ = ["InterPodAffinity"]
