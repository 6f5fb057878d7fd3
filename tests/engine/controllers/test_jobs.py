"""Job and CronJob."""

from __future__ import annotations

from tests.engine.controllers.texts import Run, apply, delete, job, node, pod, pod_spec, timeline

CRON = {
    "apiVersion": "batch/v1",
    "kind": "CronJob",
    "metadata": {"name": "hello"},
    "spec": {
        "schedule": "* * * * *",
        "jobTemplate": {"spec": {"parallelism": 2, "template": {"spec": pod_spec(restartPolicy="OnFailure")}}},
    },
}


def test_parallelism_bounds_what_runs_at_once() -> None:
    assert len(Run(node("n1"), job()).tried) == 1
    assert len(Run(node("n1"), job(parallelism=3)).tried) == 3
    assert len(Run(node("n1"), job(parallelism=3, completions=2)).tried) == 2
    assert len(Run(node("n1"), job(parallelism=3, completions=10)).tried) == 3
    assert Run(node("n1"), job(parallelism=3, suspend=True)).tried == []


def test_indexes_are_in_the_names() -> None:
    run = Run(node("n1"), job(parallelism=2, completions=5, completionMode="Indexed"))
    assert [name.rsplit("-", 1)[0] for name in run.tried] == ["pi-0", "pi-1"]


def test_what_is_done_is_not_done_again() -> None:
    done = job(parallelism=5, completions=4, completionMode="Indexed")
    done["status"] = {"succeeded": 2, "completedIndexes": "0,2"}
    assert [name.rsplit("-", 1)[0] for name in Run(node("n1"), done).tried] == ["pi-1", "pi-3"]
    ended = job(parallelism=2)
    ended["status"] = {"conditions": [{"type": "Complete", "status": "True"}]}
    assert Run(node("n1"), ended).tried == []
    finished = pod("pi-x", {}, {"kind": "Job", "name": "pi", "apiVersion": "batch/v1"})
    finished["status"] = {"phase": "Succeeded"}
    assert len(Run(node("n1"), job(parallelism=2, completions=2), finished).tried) == 1


def test_less_parallelism_deletes_pods_and_deleting_the_job_all() -> None:
    run = Run(node("n1"), job(parallelism=3, completions=9), timeline(apply(job(parallelism=1, completions=9))))
    assert len(run.pods) == 1
    assert Run(node("n1"), job(parallelism=3), timeline(delete("Job", "pi"))).pods == []


def test_a_cron_job_runs_once() -> None:
    run = Run(node("n1"), CRON)
    assert [name.rsplit("-", 1)[0] for name in run.tried] == ["hello-29453760"] * 2
    assert run.events("SuccessfulCreate")[0] == ("CronJob default/hello", "Created job hello-29453760")


def test_a_cron_job_that_is_suspended_or_has_run_does_not() -> None:
    suspended = {**CRON, "spec": {**CRON["spec"], "suspend": True}}  # type: ignore[dict-item]
    assert Run(node("n1"), suspended).tried == []
    assert Run(node("n1"), {**CRON, "status": {"lastScheduleTime": "2025-12-01T00:00:00Z"}}).tried == []


def test_deleting_a_cron_job_deletes_its_jobs_and_their_pods() -> None:
    assert Run(node("n1"), CRON, timeline(delete("CronJob", "hello"))).pods == []
