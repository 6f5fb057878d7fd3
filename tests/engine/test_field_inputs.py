"""What `kubectl get … -o yaml|json` of live clusters prints, pasted as it is."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from scheduler_lab.engine import load, run_text

DUMPS = Path(__file__).parent / "data" / "field"


def run(name: str) -> dict[str, Any]:
    record = run_text((DUMPS / name).read_text()).to_builtins()
    assert "error" not in record and "scenarioError" not in record
    return record


def nodes(record: dict[str, Any]) -> dict[str, str]:
    return {key: pod.get("nodeName", "") for key, pod in record["pods"].items()}


@pytest.mark.parametrize("name", sorted(path.name for path in DUMPS.iterdir()))
def test_a_dump_is_run_as_it_is(name: str) -> None:
    record = run(name)
    assert "x-problems" not in record
    assert "x-events" not in record
    assert "deleted" not in record


def test_k3s_waits_for_no_default_class_that_stands_later_in_the_text() -> None:
    record = run("k3s-pods-nodes-claims.yaml")
    assert [cycle["pod"] for cycle in record["cycles"]] == ["git/gitea-0"]
    assert nodes(record)["git/gitea-0"] == "pi-server"
    assert "kube-system/helm-install-traefik-k8vqv" not in record["pods"]


def test_eks_finds_classes_and_claims_that_stand_after_the_pods() -> None:
    record = run("eks-everything-out-of-order.json")
    placed = nodes(record)
    assert placed["shop/shop-6d5f7c9b8d-pm4xd"].startswith("ip-10-0-12-17")
    assert placed["shop/legacy-report"].startswith("ip-10-0-99-99")
    assert "shop/migrate-wq6bn" not in placed
    message = record["cycles"][1]["result"]["message"]
    assert "1 node(s) didn't match PersistentVolume's node affinity" in message
    assert "1 node(s) were unschedulable" in message


def test_what_is_stored_is_not_held_against_quota_or_limits() -> None:
    record = run("kubeadm-quota-and-static-pods.yaml")
    assert nodes(record)["ml/probe"] == "cp-1"
    assert "1 Insufficient cpu" in record["pods"]["ml/trainer-7b9d-ccccc"]["scheduled"]["message"]


def test_controllers_leave_alone_what_the_dump_already_holds() -> None:
    record = run("kubectl-get-all.yaml")
    assert [cycle["pod"] for cycle in record["cycles"]] == ["prod/api-5c8f9d6b7d-tq5vn"]
    manifest = load((DUMPS / "kubectl-get-all.yaml").read_text())
    assert [entry.object.kind for entry in manifest.ignored] == ["HorizontalPodAutoscaler", "Ingress"]
