"""StatefulSet: numbers, order and claims."""

from __future__ import annotations

from typing import Any

from tests.engine.controllers.texts import Run, apply, delete, node, pod, pod_spec, timeline, workload

CLASS = {
    "apiVersion": "storage.k8s.io/v1",
    "kind": "StorageClass",
    "metadata": {"name": "late"},
    "provisioner": "example.com/disks",
    "volumeBindingMode": "WaitForFirstConsumer",
}


def claims(storage_class: str) -> list[dict[str, Any]]:
    spec = {"accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": "1Gi"}}}
    return [{"metadata": {"name": "data"}, "spec": {**spec, "storageClassName": storage_class}}]


def stateful(**spec: Any) -> dict[str, Any]:
    return workload("StatefulSet", "db", serviceName="db", **spec)


def test_pods_are_numbered_and_come_one_after_the_other() -> None:
    run = Run(node("n1"), stateful(replicas=3), pod("after"))
    assert run.tried == ["db-0", "after", "db-1", "db-2"]
    assert run.events("SuccessfulCreate")[0] == (
        "StatefulSet default/db",
        "create Pod db-0 in StatefulSet db successful",
    )


def test_the_next_pod_waits_for_the_one_before() -> None:
    run = Run(node("n1"), stateful(replicas=3, pod=pod_spec(cpu="5")))
    assert run.pods == ["db-0", "db-1"]
    assert run.nodes() == {"db-0": "n1", "db-1": ""}


def test_parallel_does_not_wait() -> None:
    run = Run(node("n1"), stateful(replicas=3, podManagementPolicy="Parallel", pod=pod_spec(cpu="5")))
    assert run.tried == ["db-0", "db-1", "db-2"]


def test_ordinals_may_begin_elsewhere() -> None:
    assert Run(node("n1"), stateful(replicas=2, ordinals={"start": 5})).tried == ["db-5", "db-6"]


def test_claims_are_made_and_bound_where_the_pod_goes() -> None:
    run = Run(node("n1"), stateful(replicas=2, volumeClaimTemplates=claims("late")), CLASS)
    assert run.nodes() == {"db-0": "n1", "db-1": "n1"}
    assert (
        "StatefulSet default/db",
        "create Claim data-db-0 Pod db-0 in StatefulSet db success",
    ) in run.events("SuccessfulCreate")


def test_a_missing_class_is_what_the_scheduler_says() -> None:
    run = Run(node("n1"), stateful(replicas=2, volumeClaimTemplates=claims("nowhere")))
    assert run.tried == ["db-0"]
    message = run.record["pods"]["default/db-0"]["scheduled"]["message"]
    assert message.startswith("0/1 nodes are available: pod has unbound immediate PersistentVolumeClaims")


def test_the_template_may_mount_what_the_claims_bring() -> None:
    spec = pod_spec()
    spec["containers"][0]["volumeMounts"] = [{"name": "data", "mountPath": "/data"}]
    assert Run(node("n1"), stateful(pod=spec, volumeClaimTemplates=claims("late")), CLASS).tried == ["db-0"]


def test_scaling_down_deletes_the_highest_number_first() -> None:
    run = Run(node("n1"), stateful(replicas=3), timeline(apply(stateful(replicas=1))))
    assert run.pods == ["db-0"]
    assert [message for _, message in run.events("SuccessfulDelete")] == [
        "delete Pod db-2 in StatefulSet db successful",
        "delete Pod db-1 in StatefulSet db successful",
    ]


def test_a_deleted_pod_is_made_again_under_its_name() -> None:
    run = Run(node("n1"), stateful(replicas=2), timeline(delete("Pod", "db-0")))
    assert run.tried == ["db-0", "db-1", "db-0"]


def test_an_update_goes_down_to_the_partition() -> None:
    new = stateful(
        replicas=3,
        pod=pod_spec(cpu="1"),
        updateStrategy={"type": "RollingUpdate", "rollingUpdate": {"partition": 1}},
    )
    run = Run(node("n1"), stateful(replicas=3), timeline(apply(new)))
    assert run.tried == ["db-0", "db-1", "db-2", "db-2", "db-1"]


def test_an_update_waits_for_each_pod() -> None:
    run = Run(node("n1"), stateful(replicas=3), timeline(apply(stateful(replicas=3, pod=pod_spec(cpu="50")))))
    assert run.nodes() == {"db-0": "n1", "db-1": "n1", "db-2": ""}


def test_pods_of_the_text_are_left_alone() -> None:
    written = [pod(f"db-{i}", {"app": "db"}, {"kind": "StatefulSet", "name": "db"}) for i in range(2)]
    assert Run(node("n1"), stateful(replicas=2), *written).tried == ["db-0", "db-1"]
    assert Run(node("n1"), stateful(replicas=3), *written).tried == ["db-0", "db-1"]
