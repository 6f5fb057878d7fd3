from scheduler_lab.engine.plugins.default_binder import DefaultBinder
from tests.engine.plugins.builders import FakeHandle, make, pod


def test_it_binds_through_the_handle() -> None:
    handle = FakeHandle()
    assert make(DefaultBinder, handle=handle).bind(None, pod(), "n1") is None
    assert handle.bound == [("default/web", "n1")]
