"""What apimachinery says about an illegal label key, label value or extended resource name."""

import re
from typing import Final

from scheduler_lab.engine.configuration.errors import invalid
from scheduler_lab.engine.objects.names import is_dns_subdomain, is_label_value

_NAME: Final = re.compile(r"([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]", re.ASCII)
_ALPHANUMERIC: Final = (
    "must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character"
)
_NAME_RULE: Final = (
    f"{_ALPHANUMERIC} (e.g. 'MyName',  or 'my.name',  or '123-abc', "
    "regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')"
)
_SUBDOMAIN_RULE: Final = (
    "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', "
    "and must start and end with an alphanumeric character (e.g. 'example.com', "
    r"regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')"
)
_VALUE_RULE: Final = (
    "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', "
    "and must start and end with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  or '12345', "
    "regex used for validation is '(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')"
)


def qualified_name_problems(text: str) -> list[str]:
    """Why the text is no qualified name (label key, resource name); empty if it is one."""
    parts = text.split("/")
    if len(parts) > 2:
        optional = "with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')"
        return [f"a qualified name {_NAME_RULE} {optional}"]
    problems = _prefix_problems(parts[0]) if len(parts) == 2 else []
    name = parts[-1]
    if not name:
        problems.append("name part must be non-empty")
    elif len(name) > 63:
        problems.append("name part must be no more than 63 characters")
    if _NAME.fullmatch(name) is None:
        problems.append(f"name part {_NAME_RULE}")
    return problems


def _prefix_problems(prefix: str) -> list[str]:
    if not prefix:
        return ["prefix part must be non-empty"]
    problems = ["prefix part must be no more than 253 characters"] if len(prefix) > 253 else []
    if not is_dns_subdomain(prefix[:253]):
        problems.append(f"prefix part {_SUBDOMAIN_RULE}")
    return problems


def label_value_problems(text: str) -> list[str]:
    """Why the text is no label value; empty if it is one."""
    problems = ["must be no more than 63 characters"] if len(text) > 63 else []
    if not is_label_value(text[:63]):
        problems.append(_VALUE_RULE)
    return problems


def label_name_errors(path: str, text: str) -> list[str]:
    """Field errors for a text that has to be a label key."""
    return [invalid(path, text, problem) for problem in qualified_name_problems(text)]


def extended_resource_errors(path: str, text: str) -> list[str]:
    """Field errors for a text that has to name an extended resource, such as example.com/gpu."""
    errors = label_name_errors(path, text)
    if errors:
        return errors
    native = "/" not in text or "kubernetes.io/" in text
    if native or text.startswith("requests.") or qualified_name_problems(f"requests.{text}"):
        return [invalid(path, text, "is an invalid extended resource name")]
    return []
