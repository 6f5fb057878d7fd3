"""From the data of a KubeSchedulerConfiguration document to its struct with typed plugin args."""

from collections.abc import Mapping, Sequence
from typing import Any, Final

from msgspec import structs

from scheduler_lab.engine.configuration.decode import Decoder
from scheduler_lab.engine.configuration.errors import ConfigurationError, quote
from scheduler_lab.engine.configuration.types import (
    API_VERSION,
    ARGS,
    KIND,
    KubeSchedulerConfiguration,
    PluginArgs,
    PluginConfig,
    Profile,
)
from scheduler_lab.engine.objects.raw import DuplicateKey

_SCHEME: Final = "k8s.io/kubernetes/pkg/scheduler/apis/config/scheme/scheme.go:29"
_GROUP: Final = API_VERSION.partition("/")[0]
_ARGS_KINDS: Final = {f"{name}Args": struct for name, struct in ARGS.items()}
_TYPE_META: Final = (
    'struct { APIVersion string "json:\\"apiVersion,omitempty\\""; Kind string "json:\\"kind,omitempty\\"" }'
)


class _StrictErrorsError(Exception):
    """The args were decoded, but with unknown fields."""

    def __init__(self, args: PluginArgs, errors: list[str]) -> None:
        super().__init__(strict_error(errors))
        self.args_object = args


def strict_error(errors: Sequence[str]) -> str:
    """The text of a strict decoding error."""
    return f"strict decoding error: {', '.join(errors)}"


def duplicate_key_error(duplicates: Sequence[DuplicateKey], *, json_document: bool = False) -> str:
    """What decoding says about keys written twice: with their lines in YAML, as duplicate fields in JSON."""
    if json_document:
        return ", ".join(f"duplicate field {quote(duplicate.key)}" for duplicate in duplicates)
    lines = [f"  line {duplicate.line}: key {quote(duplicate.key)} already set in map" for duplicate in duplicates]
    return "\n".join(["yaml: unmarshal errors:", *lines])


def decode_document(
    raw: Mapping[str, Any], duplicates: Sequence[DuplicateKey] = (), *, json_document: bool = False
) -> KubeSchedulerConfiguration:
    """The document decoded strictly, args of in-tree plugins typed, nothing defaulted.

    `duplicates` are the keys that the text holds twice (`raw` has one value of each). Raises ConfigurationError for
    another version or kind, a wrong type, and for unknown fields and duplicate keys, all of them in one text.
    """
    _check_kind(raw)
    strict = [duplicate_key_error(duplicates, json_document=json_document)] if duplicates else []
    decoder = Decoder(sort_keys=not json_document)
    document = decoder.decode(KubeSchedulerConfiguration, raw)
    strict += decoder.strict_errors
    profiles = [
        _typed_profile(profile, f".profiles[{index}]", strict, sort_keys=not json_document)
        for index, profile in enumerate(document.profiles)
    ]
    if strict:
        raise ConfigurationError(strict_error(strict))
    return structs.replace(document, profiles=profiles)


def _check_kind(raw: Mapping[str, Any]) -> None:
    api_version, kind = str(raw.get("apiVersion", "")), str(raw.get("kind", ""))
    if api_version == API_VERSION and kind == KIND:
        return
    if api_version == API_VERSION and kind in _ARGS_KINDS:
        group, _, version = api_version.partition("/")
        message = f"couldn't decode as KubeSchedulerConfiguration, got {group}/{version}, Kind={kind}: "
        raise ConfigurationError(message)
    raise ConfigurationError(_not_registered(api_version, kind))


def _not_registered(api_version: str, kind: str) -> str:
    return f"no kind {quote(kind)} is registered for version {quote(api_version)} in scheme {quote(_SCHEME)}"


def _typed_profile(profile: Profile, path: str, strict: list[str], *, sort_keys: bool) -> Profile:
    """The profile with typed args; strict errors are appended to `strict`, others raised."""
    entries = []
    for index, entry in enumerate(profile.plugin_config):
        where = f"decoding {path}.pluginConfig[{index}]"
        try:
            entries.append(_typed_entry(entry, sort_keys=sort_keys))
        except _StrictErrorsError as error:
            strict.append(f"{where}: {error}")
            entries.append(PluginConfig(name=entry.name, args=error.args_object))
        except ConfigurationError as error:
            raise ConfigurationError(f"{where}: {error}") from None
    return structs.replace(profile, plugin_config=entries)


def _typed_entry(entry: PluginConfig, *, sort_keys: bool) -> PluginConfig:
    if entry.name not in ARGS:
        return entry
    wanted = f"{entry.name}Args"
    prefix = f"decoding args for plugin {entry.name}"
    strict: list[str] = []
    try:
        kind, args, strict = _decode_args(entry.args, wanted, sort_keys=sort_keys)
    except ConfigurationError as error:
        raise ConfigurationError(f"{prefix}: {error}") from None
    if kind != wanted:
        message = f"args for plugin {entry.name} were not of type {wanted}.{_GROUP}, got {kind}.{_GROUP}"
        raise ConfigurationError(message)
    if strict:
        raise _StrictErrorsError(args, [f"{prefix}: {strict_error(strict)}"])
    return PluginConfig(name=entry.name, args=args)


def _decode_args(raw: Any, wanted: str, *, sort_keys: bool) -> tuple[str, PluginArgs, list[str]]:
    """The kind of the args, the decoded args and the strict errors; absent args are empty ones."""
    data = {} if raw is None else raw
    if not isinstance(data, Mapping):
        what = _json_kind(data)
        message = f"couldn't get version/kind; json parse error: json: cannot unmarshal {what} into Go value of type "
        raise ConfigurationError(message + _TYPE_META)
    kind, api_version = str(data.get("kind") or wanted), str(data.get("apiVersion") or API_VERSION)
    struct: type[PluginArgs] | type[KubeSchedulerConfiguration] | None = _ARGS_KINDS.get(kind)
    if kind == KIND:
        struct = KubeSchedulerConfiguration
    if api_version != API_VERSION or struct is None:
        raise ConfigurationError(_not_registered(api_version, kind))
    decoder = Decoder(sort_keys=sort_keys)
    decoded = decoder.decode(struct, data)
    args = decoded if isinstance(decoded, PluginArgs) else PluginArgs()
    return kind, args, decoder.strict_errors


def _json_kind(value: Any) -> str:
    if isinstance(value, bool):
        return "bool"
    if isinstance(value, str):
        return "string"
    return "array" if isinstance(value, list | tuple) else "number"
