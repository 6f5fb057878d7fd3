"""The feature gates that change what DynamicResources does."""

from __future__ import annotations

from dataclasses import dataclass

from scheduler_lab.engine.cluster.device_taint_rules import rules_count
from scheduler_lab.engine.configuration.feature_gates import FeatureGates


@dataclass(frozen=True, slots=True)
class Features:
    """Gates of v1.35 by what they allow."""

    admin_access: bool = True
    prioritized_list: bool = True
    filter_timeout: bool = True
    partitionable_devices: bool = False
    device_taints: bool = False
    taint_rules: bool = False
    binding_conditions: bool = False
    consumable_capacity: bool = False
    extended_resource: bool = False

    @classmethod
    def of(cls, gates: FeatureGates) -> Features:
        """The gates in force; binding conditions need the devices' status as well."""
        on = gates.enabled
        return cls(
            admin_access=on("DRAAdminAccess"),
            prioritized_list=on("DRAPrioritizedList"),
            filter_timeout=on("DRASchedulerFilterTimeout"),
            partitionable_devices=on("DRAPartitionableDevices"),
            device_taints=on("DRADeviceTaints"),
            taint_rules=rules_count(gates),
            binding_conditions=on("DRADeviceBindingConditions") and on("DRAResourceClaimDeviceStatus"),
            consumable_capacity=on("DRAConsumableCapacity"),
            extended_resource=on("DRAExtendedResource"),
        )
