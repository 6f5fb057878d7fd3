"""Runs a question's lab and grades the learner's prediction by the record."""

from django.utils.translation import gettext as _

from quizzes.models import Answer, Lab
from quizzes.prediction import grade
from scheduler_lab.runs import perform


def run_prediction(lab: Lab, answer: Answer, prediction: str) -> str:
    """Run the lab, keep prediction and outcome with the answer. Returns "" or a sentence on why there is no outcome."""
    outcome = perform(lab.text).outcome
    if outcome.stopped == "busy":
        return _("Every worker is busy right now. Try again in a moment.")
    if outcome.record is None or outcome.errors:
        detail = outcome.errors[0].message if outcome.errors else ""
        return " ".join(filter(None, (_("The lab could not run this scenario."), detail)))
    verdict = grade(outcome.record, lab.predict_ask, lab.predict_pod, prediction)
    answer.prediction = prediction
    answer.predicted_right = verdict.right
    answer.run = {"answers": list(verdict.answers)}
    answer.save(update_fields=["prediction", "predicted_right", "run"])
    return ""
