"""Feature gates of kube-scheduler v1.35: what is on, what may be switched, and what depends on what."""

from collections.abc import Mapping
from typing import Final

from msgspec import Struct

from scheduler_lab.engine.configuration import gate_table as table
from scheduler_lab.engine.configuration.errors import ConfigurationError, raise_if_any


class Gate(Struct, frozen=True):
    """One gate: its stage (Alpha, Beta, GA, Deprecated), default, and whether the default is final."""

    name: str
    stage: str
    default: bool
    locked: bool = False
    depends_on: tuple[str, ...] = ()


def _gates() -> dict[str, Gate]:
    groups = (
        (table.ALPHA, "Alpha", False, False),
        (table.BETA_OFF, "Beta", False, False),
        (table.BETA_ON, "Beta", True, False),
        (table.GA, "GA", True, False),
        (table.GA_LOCKED, "GA", True, True),
        (table.DEPRECATED_ON, "Deprecated", True, False),
        (table.DEPRECATED_OFF, "Deprecated", False, False),
        (table.DEPRECATED_ON_LOCKED, "Deprecated", True, True),
        (table.DEPRECATED_OFF_LOCKED, "Deprecated", False, True),
    )
    gates = [
        Gate(name, stage, default, locked, table.DEPENDENCIES.get(name, ()))
        for names, stage, default, locked in groups
        for name in names
    ]
    return {gate.name: gate for gate in sorted(gates, key=lambda gate: gate.name)}


GATES: Final = _gates()
"""Every gate by name, sorted."""

_STAGE_GATES: Final = {"AllAlpha": "Alpha", "AllBeta": "Beta"}


class FeatureGates:
    """The gates in force for one scheduler."""

    __slots__ = ("_enabled", "overrides")

    def __init__(self, enabled: Mapping[str, bool], overrides: Mapping[str, bool]) -> None:
        self._enabled = dict(enabled)
        self.overrides = dict(overrides)

    def enabled(self, name: str) -> bool:
        """Whether the gate is on; raises KeyError for a name that v1.35 does not know."""
        return self._enabled[name]


def resolve(overrides: Mapping[str, bool] | None = None) -> FeatureGates:
    """The gates after `--feature-gates`; raises ConfigurationError with the scheduler's text.

    Errors are an unknown gate, a locked gate set against its default, and a gate that is on while one it depends on is
    off. `AllAlpha` and `AllBeta` set the gates of a stage that are not set by name.
    """
    wanted = dict(overrides or {})
    for name in sorted(wanted):
        if name not in GATES and name not in _STAGE_GATES:
            raise ConfigurationError(f"unrecognized feature gate: {name}")
    raise_if_any(
        f"cannot set feature gate {name} to {_bool(value)}, feature is locked to {_bool(GATES[name].default)}"
        for name, value in sorted(wanted.items())
        if name in GATES and GATES[name].locked and GATES[name].default is not value
    )
    enabled = {name: wanted.get(name, gate.default) for name, gate in GATES.items()}
    for group, stage in _STAGE_GATES.items():
        if group in wanted:
            enabled.update(
                {name: wanted[group] for name, gate in GATES.items() if gate.stage == stage and name not in wanted}
            )
    raise_if_any(_dependency_errors(enabled))
    return FeatureGates(enabled, wanted)


def _dependency_errors(enabled: Mapping[str, bool]) -> list[str]:
    errors = []
    for name, gate in GATES.items():
        missing = [needed for needed in gate.depends_on if not enabled[needed]]
        if enabled[name] and missing:
            errors.append(f"{name} is enabled, but depends on features that are disabled: [{' '.join(missing)}]")
    return errors


def _bool(value: bool) -> str:
    return "true" if value else "false"
