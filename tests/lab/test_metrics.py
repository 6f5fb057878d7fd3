"""Metrics and events of a run: kubectl's tables, the page with its filter, downloads, the command line."""

from __future__ import annotations

import io
from pathlib import Path

import pytest
from django.core.management import call_command
from django.test import Client
from django.utils.translation import override
from prometheus_client.parser import text_string_to_metric_families

from scheduler_lab import runs
from scheduler_lab.engine import load
from scheduler_lab.engine.metrics import Measurement, measure
from scheduler_lab.engine.metrics.catalogue import families
from scheduler_lab.engine.metrics.families import Told
from scheduler_lab.present import metrics
from scheduler_lab.present.kubectl_events import events, get_events, human, objects, of_pod

EXAMPLES = Path(__file__).resolve().parents[2] / "scheduler_lab" / "examples"
PREEMPTION = (EXAMPLES / "preemption-by-priority.yaml").read_text(encoding="utf-8")
REFUSED = "apiVersion: kubescheduler.config.k8s.io/v1\nkind: KubeSchedulerConfiguration\nparallelism: -1\n"
UNSERVED = """
apiVersion: v1
kind: Pod
metadata: {name: lonely}
spec: {schedulerName: nobody, containers: [{name: c, image: i}]}
"""


def told(time: float, *, pod: str = "web", namespace: str = "default", version: int = 0, message: str = "no") -> Told:
    about = f"Pod {namespace}/{pod}"
    return Told("Warning", "FailedScheduling", about, message, time, "scheduler", "default-scheduler", version)


def made(number: int, time: float = 0.0, message: str = "") -> Told:
    text = message or f"Created pod: web-{number}"
    return Told(
        "Normal", "SuccessfulCreate", "ReplicaSet default/web", text, time, "controllers", "replicaset-controller"
    )


def found(*events: Told, now: float) -> Measurement:
    return Measurement(events=list(events), now=now)


# -- kubectl --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("seconds", "text"),
    [
        (0, "0s"),
        (-1, "0s"),
        (-2, "<invalid>"),
        (119, "119s"),
        (120, "2m"),
        (125, "2m5s"),
        (599, "9m59s"),
        (605, "10m"),
        (3 * 3600 - 1, "179m"),
        (3 * 3600 + 60, "3h1m"),
        (8 * 3600 + 60, "8h"),
        (48 * 3600, "2d"),
        (51 * 3600, "2d3h"),
        (8 * 24 * 3600, "8d"),
        (730 * 24 * 3600, "2y"),
    ],
)
def test_durations_are_written_as_kubectl_writes_them(seconds: float, text: str) -> None:
    assert human(seconds) == text


def test_get_events_is_kubectls_table_in_the_order_of_names() -> None:
    text = get_events(found(told(0, pod="web"), told(5, pod="api"), told(6, pod="web-2"), now=65), "default")
    assert text == (
        "LAST SEEN   TYPE      REASON             OBJECT      MESSAGE\n"
        "60s         Warning   FailedScheduling   pod/api     no\n"
        "59s         Warning   FailedScheduling   pod/web-2   no\n"
        "65s         Warning   FailedScheduling   pod/web     no\n"
    )


def test_all_namespaces_have_a_column() -> None:
    text = get_events(found(told(0, namespace="team"), told(1), now=1), None)
    assert text.splitlines()[0] == "NAMESPACE   LAST SEEN   TYPE      REASON             OBJECT    MESSAGE"
    assert text.splitlines()[1].startswith("default     0s          Warning")
    assert text.splitlines()[2].startswith("team        1s          Warning")


def test_nothing_is_told_as_kubectl_tells_it() -> None:
    nothing = found(now=3)
    assert get_events(nothing, "default") == "No resources found in default namespace.\n"
    assert get_events(nothing, None) == "No resources found\n"
    assert events(nothing, "team") == "No events found in team namespace.\n"
    assert events(nothing, None) == "No events found\n"
    assert of_pod(nothing, "default/web") == "Events:  <none>\n"


def test_the_second_event_about_an_unchanged_pod_makes_a_series() -> None:
    three = found(told(0), told(10, version=1), told(20, version=1), now=30)
    assert [line.partition("Warning")[0].strip() for line in events(three, "default").splitlines()[1:]] == [
        "30s",
        "10s (x2 over 20s)",
    ]
    assert "10s (x2 over 20s)  default-scheduler" in of_pod(three, "default/web")


def test_a_series_is_written_with_its_second_event_and_when_it_is_over() -> None:
    four = [told(time, version=1) for time in (0, 10, 20, 30)]
    assert objects(found(*four, now=40))[0].count == 2
    assert objects(found(*four, now=30 + 361))[0].count == 4
    assert objects(found(*four, told(1790, version=1), now=1801))[0].count == 4


def test_after_six_idle_minutes_an_equal_event_is_a_new_one() -> None:
    assert len(objects(found(told(0), told(361), now=361))) == 2


def test_events_are_kept_for_an_hour() -> None:
    assert objects(found(told(0), now=3601)) == []


def test_controllers_count_equal_messages_and_join_similar_ones() -> None:
    equal = objects(found(made(1, 0, "same"), made(2, 4, "same"), now=9))
    assert [(one.message, one.count, one.first, one.last) for one in equal] == [("same", 2, 0, 4)]
    similar = objects(found(*(made(number) for number in range(12)), now=0))
    assert [one.count for one in similar] == [1] * 9 + [3]
    assert similar[-1].message.startswith("(combined from similar events): Created pod: web-")


def test_controllers_fall_silent_about_an_object() -> None:
    shown = objects(found(*(made(number) for number in range(40)), now=0))
    assert sum(one.count for one in shown) == 25


def test_a_run_is_told_in_its_virtual_time() -> None:
    text = (EXAMPLES / "permit-waiting.yaml").read_text(encoding="utf-8")
    _, measured = measure(load(text))
    assert "105s        Warning   FailedScheduling   pod/miner" in get_events(measured, "default")
    assert "15s (x2 over 105s)" in events(measured, "default")


def test_a_pod_of_a_scheduler_that_is_not_there_has_no_events() -> None:
    _, measured = measure(load(UNSERVED))
    assert get_events(measured, "default") == "No resources found in default namespace.\n"
    assert of_pod(measured, "default/lonely") == "Events:  <none>\n"


# -- the page -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("language", ["en", "ko"])
def test_every_metric_has_its_sentence(language: str) -> None:
    with override(language):
        for name in (*families(), "kube_pod_resource_limit", "kube_pod_resource_request"):
            assert metrics.about(name), name
            assert (language == "ko") == any("가" <= letter <= "힣" for letter in metrics.about(name)), name


def test_the_query_finds_names_plugins_and_queues() -> None:
    _, measured = measure(load(PREEMPTION))
    view = metrics.build(measured, ["default/api"], query="backoff")
    assert [one.name for one in view.metrics] == ["scheduler_pending_pods", "scheduler_queue_incoming_pods_total"]
    assert view.metrics[0].lines == ['scheduler_pending_pods{queue="backoff"} 0']
    assert metrics.build(measured, [], query="no such thing").metrics == []
    everything = metrics.build(measured, [])
    assert everything.total == len(everything.metrics) + len(everything.resources)


def test_the_pod_described_first_is_one_that_was_warned_of() -> None:
    _, measured = measure(load(PREEMPTION))
    pods = ["default/api", "default/payment"]
    assert metrics.build(measured, pods).pod == "default/payment"
    assert metrics.build(measured, pods, pod="default/api").pod == "default/api"
    assert metrics.build(measured, pods, pod="default/none").pod == "default/payment"


@pytest.mark.django_db
def test_the_result_offers_metrics_and_asks_for_them_when_opened(client: Client) -> None:
    run = runs.perform(PREEMPTION)
    page = client.get(f"/en/lab/run/{run.digest}/").content.decode()
    address = f"/en/lab/run/{run.digest}/metrics/"
    assert f'hx-get="{address}"' in page
    assert "scheduler_schedule_attempts_total" not in page
    partial = client.get(address, {"q": "victims"}, headers={"HX-Request": "true"}).content.decode()
    assert "<html" not in partial
    assert "scheduler_preemption_victims_bucket{le=&quot;2&quot;} 1" in partial
    assert "$ kubectl get events" in partial


@pytest.mark.django_db
def test_without_scripts_it_is_a_page(client: Client) -> None:
    run = runs.perform(PREEMPTION)
    page = client.get(f"/ko/lab/run/{run.digest}/metrics/", {"ns": "*", "pod": "default/report"}).content.decode()
    assert "<html" in page
    assert "메트릭과 이벤트" in page
    assert "$ kubectl get events -A" in page
    assert "$ kubectl describe pod report" in page


@pytest.mark.django_db
def test_downloads(client: Client) -> None:
    run = runs.perform(PREEMPTION)
    answer = client.get(f"/en/lab/run/{run.digest}/metrics")
    assert answer["Content-Disposition"].endswith('.metrics.txt"')
    names = {family.name for family in text_string_to_metric_families(answer.content.decode())}
    assert {"scheduler_schedule_attempts", "scheduler_pending_pods", "kube_pod_resource_request"} <= names
    answer = client.get(f"/en/lab/run/{run.digest}/events")
    assert answer["Content-Disposition"].endswith('.events.txt"')
    assert answer.content.decode().startswith("$ kubectl get events\nLAST SEEN   TYPE")


@pytest.mark.django_db
def test_refused_input_has_no_metrics(client: Client) -> None:
    for text in ("kind: Pod", REFUSED):
        run = runs.perform(text)
        for place in ("metrics/", "metrics", "events"):
            assert client.get(f"/en/lab/run/{run.digest}/{place}").status_code == 404


# -- the command line -----------------------------------------------------------------------------------------------


def simulate(*args: str | Path) -> str:
    out = io.StringIO()
    with pytest.raises(SystemExit):
        call_command("simulate", *map(str, args), stdout=out, stderr=io.StringIO(), no_color=True)
    return out.getvalue()


def test_the_command_line_prints_metrics_and_events() -> None:
    path = EXAMPLES / "preemption-by-priority.yaml"
    assert '\nscheduler_pending_pods{queue="unschedulable"} 1\n' in simulate(path, "-o", "metrics")
    assert "\n$ kubectl events\nLAST SEEN" in simulate(path, "-o", "events")


def test_text_has_pods_that_nobody_schedules(tmp_path: Path) -> None:
    path = tmp_path / "lonely.yaml"
    path.write_text(UNSERVED, encoding="utf-8")
    assert "Name:              lonely" in simulate(path)
    assert "Events:            <none>" in simulate(path)


def test_a_refused_configuration_has_nothing_to_count(tmp_path: Path) -> None:
    path = tmp_path / "refused.yaml"
    path.write_text(REFUSED, encoding="utf-8")
    assert simulate(path, "-o", "metrics") == ""


def test_a_page_shows_the_first_lines_and_says_how_many_more_there_are() -> None:
    many = found(*(told(number, pod=f"p{number}") for number in range(400)), now=400)
    output = metrics.build(many, []).outputs[0]
    assert (output.shown.count("\n"), output.more) == (metrics.MOST_LINES, 401 - metrics.MOST_LINES)
