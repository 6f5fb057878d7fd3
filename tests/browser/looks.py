"""How pages are looked at: languages, colour schemes and widths, what axe says, and whether anything overflows."""

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page

from tests.browser.conftest import keep_shot

EVERY_LOOK = [("en", "light", 1440), ("en", "dark", 360), ("ko", "light", 360), ("ko", "dark", 1440)]
"""(language, scheme, width): every language in every scheme, at either width in turn."""

each_look = pytest.mark.parametrize(("language", "scheme", "width"), EVERY_LOOK, ids=lambda value: str(value))
two_looks = pytest.mark.parametrize(
    ("language", "scheme", "width"), [("en", "light", 1440), ("ko", "dark", 360)], ids=lambda value: str(value)
)

# Without preload: axe would fetch style sheets, which the pages' policy refuses.
OPTIONS = {"preload": False, "resultTypes": ["violations"]}


def check(page: Page, name: str) -> None:
    """Assert that nothing is wider than the page and that axe finds nothing; keep a screenshot if one is asked for."""
    keep_shot(page, name)
    width = page.viewport_size["width"] if page.viewport_size else 0
    assert page.evaluate("document.documentElement.scrollWidth") <= width, f"{name} overflows"
    results = Axe().run(page, options=OPTIONS)
    assert results.violations_count == 0, f"{name}: {results.generate_report()}"
