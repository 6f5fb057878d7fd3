import pytest

from quizzes.models import QuestionSet
from quizzes.storing import store
from tests.quizzes.samples import SAMPLE


@pytest.fixture
def sample(db: None) -> QuestionSet:
    return store(SAMPLE, shipped=True)
