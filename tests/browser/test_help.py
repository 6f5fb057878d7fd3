"""Help pages: axe finds nothing, nothing overflows, and an example opens in the lab at the cell it is about."""

from tests.browser.conftest import OpenPage
from tests.browser.looks import check, each_look

PAGES = ("", "plugins/DefaultPreemption/", "points/Filter/", "points/Queue/")


@each_look
def test_help_pages(open_page: OpenPage, language: str, scheme: str, width: int) -> None:
    page = open_page(f"/{language}/help/", width=width, color_scheme=scheme)
    for path in PAGES:
        page.goto(f"/{language}/help/{path}")
        check(page, f"help-{path.strip('/').replace('/', '-')}-{language}-{scheme}-{width}")


def test_an_example_opens_in_the_lab(open_page: OpenPage) -> None:
    page = open_page("/en/help/plugins/NodePorts/")
    page.locator("form button[type=submit]").click()
    page.locator("#result").get_by_text("host port").first.wait_for()
