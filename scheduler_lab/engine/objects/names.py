"""The syntax of names, label keys and label values, as apimachinery's validation has it."""

import re
from functools import lru_cache
from typing import Final

_LABEL: Final = re.compile(r"[a-z0-9](?:[-a-z0-9]*[a-z0-9])?", re.ASCII)
_LABEL_1035: Final = re.compile(r"[a-z](?:[-a-z0-9]*[a-z0-9])?", re.ASCII)
_SUBDOMAIN: Final = re.compile(r"[a-z0-9](?:[-a-z0-9]*[a-z0-9])?(?:\.[a-z0-9](?:[-a-z0-9]*[a-z0-9])?)*", re.ASCII)
_QUALIFIED: Final = re.compile(r"(?:[A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]", re.ASCII)

_NAME_RULE: Final = (
    "must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character "
    "(e.g. 'MyName',  or 'my.name',  or '123-abc', "
    "regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')"
)
_VALUE_RULE: Final = (
    "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', "
    "and must start and end with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  or '12345', "
    "regex used for validation is '(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')"
)
_SUBDOMAIN_RULE: Final = (
    "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', "
    "and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is "
    "'[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')"
)


def is_dns_label(text: str) -> bool:
    """Whether text is an RFC 1123 label: at most 63 of a-z, 0-9 and inner hyphens."""
    return len(text) <= 63 and _LABEL.fullmatch(text) is not None


def is_dns_1035_label(text: str) -> bool:
    """Whether text is an RFC 1035 label: as the above, beginning with a letter."""
    return len(text) <= 63 and _LABEL_1035.fullmatch(text) is not None


def is_dns_subdomain(text: str) -> bool:
    """Whether text is an RFC 1123 subdomain: dot-separated labels, at most 253 characters."""
    return len(text) <= 253 and _SUBDOMAIN.fullmatch(text) is not None


@lru_cache(maxsize=16384)
def is_qualified_name(text: str) -> bool:
    """Whether text is a label key or resource name: an optional DNS prefix, a slash, and at most 63 characters."""
    prefix, slash, name = text.rpartition("/")
    if slash and not is_dns_subdomain(prefix):
        return False
    return 0 < len(name) <= 63 and _QUALIFIED.fullmatch(name) is not None


@lru_cache(maxsize=16384)
def is_label_value(text: str) -> bool:
    """Whether text is a label value: empty, or at most 63 of A-Z, a-z, 0-9, -, _ and . with alphanumeric ends."""
    return text == "" or (len(text) <= 63 and _QUALIFIED.fullmatch(text) is not None)


def qualified_name_errors(text: str) -> list[str]:
    """What upstream's validation says is wrong with a label key or resource name (empty when nothing is)."""
    prefix, slash, name = text.partition("/")
    errors: list[str] = []
    if not slash:
        name = text
    elif "/" in name:
        return [
            f"a qualified name {_NAME_RULE} with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')"
        ]
    elif not prefix:
        errors.append("prefix part must be non-empty")
    else:
        errors += [f"prefix part {error}" for error in dns_subdomain_errors(prefix)]
    if not name:
        errors.append("name part must be non-empty")
    elif len(name) > 63:
        errors.append("name part must be no more than 63 characters")
    if _QUALIFIED.fullmatch(name) is None:
        errors.append(f"name part {_NAME_RULE}")
    return errors


def label_value_errors(text: str) -> list[str]:
    """What upstream's validation says is wrong with a label value (empty when nothing is)."""
    errors = ["must be no more than 63 characters"] if len(text) > 63 else []
    if text and _QUALIFIED.fullmatch(text) is None:
        errors.append(_VALUE_RULE)
    return errors


def dns_subdomain_errors(text: str) -> list[str]:
    """What upstream's validation says is wrong with a DNS subdomain (empty when nothing is)."""
    errors = ["must be no more than 253 characters"] if len(text) > 253 else []
    if _SUBDOMAIN.fullmatch(text) is None:
        errors.append(_SUBDOMAIN_RULE)
    return errors


def label_key_problem(key: str) -> str | None:
    """A sentence that says what is wrong with a label key, or None."""
    if is_qualified_name(key):
        return None
    return f"{_cut(key)} is not a label key: write name or prefix/name, at most 63 letters, digits, -, _ or ."


def label_value_problem(value: str) -> str | None:
    """A sentence that says what is wrong with a label value, or None."""
    if is_label_value(value):
        return None
    return (
        f"{_cut(value)} is not a label value: at most 63 letters, digits, -, _ or ., "
        "beginning and ending with a letter or digit"
    )


def _cut(text: str) -> str:
    return repr(text if len(text) <= 80 else text[:80] + "…")
