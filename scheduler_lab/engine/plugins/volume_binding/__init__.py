"""VolumeBinding: nodes where the pod's volumes are, or can be found or made (kube-scheduler v1.35).

PreFilter turns away pods whose claims cannot be waited for; Filter checks bound volumes' node affinity, matches free
volumes and asks whether missing ones can be made; Reserve assumes the outcome, PreBind writes it. Score only with
StorageCapacityScoring. Arguments: bindTimeoutSeconds 600, shape (only with StorageCapacityScoring).
"""

from scheduler_lab.engine.plugins.volume_binding.plugin import VolumeBinding

__all__ = ["VolumeBinding"]
