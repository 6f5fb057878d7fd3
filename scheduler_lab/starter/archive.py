"""A new plugin as a Go module to download."""

from __future__ import annotations

import io
import re
import zipfile

from scheduler_lab.starter.go_code import main_go, plugin_go
from scheduler_lab.starter.lab_text import configuration, lab_text
from scheduler_lab.starter.wanted import Wanted

_FIRST_DAY = (1980, 1, 1, 0, 0, 0)
_STAGING = re.findall(
    r"[\w-]+",
    "api apiextensions-apiserver apimachinery apiserver cli-runtime client-go cloud-provider cluster-bootstrap "
    "code-generator component-base component-helpers controller-manager cri-api cri-client csi-translation-lib "
    "dynamic-resource-allocation endpointslice externaljwt kms kube-aggregator kube-controller-manager kube-proxy "
    "kube-scheduler kubectl kubelet metrics mount-utils pod-security-admission sample-apiserver sample-cli-plugin "
    "sample-controller",
)
_GO_MOD = """\
module example.com/scheduler

go 1.25.0

require k8s.io/kubernetes v1.35.4

// k8s.io/kubernetes names its own parts as v0.0.0.
replace (
{replacements}
)
"""


def files(plugin: Wanted) -> dict[str, str]:
    """The files of the module by their paths; `go mod tidy` completes go.mod."""
    replacements = "\n".join(f"\tk8s.io/{name} => k8s.io/{name} v0.35.4" for name in _STAGING)
    return {
        "go.mod": _GO_MOD.format(replacements=replacements),
        "main.go": main_go(plugin),
        f"{plugin.package}/plugin.go": plugin_go(plugin),
        "config.yaml": configuration(plugin),
        "lab.yaml": lab_text(plugin),
    }


def archive(plugin: Wanted) -> bytes:
    """The files as a zip; the same plugin always gives the same bytes."""
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w", zipfile.ZIP_DEFLATED) as into:
        for path, text in files(plugin).items():
            into.writestr(zipfile.ZipInfo(f"{plugin.package}-scheduler/{path}", _FIRST_DAY), text)
    return made.getvalue()
