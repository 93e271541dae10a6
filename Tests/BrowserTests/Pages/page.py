"""A page in the browser, used as a person uses it: by roles, names and keys."""

import pathlib
import re
import time

from selenium import webdriver
from selenium.common.exceptions import (
    ElementClickInterceptedException, ElementNotInteractableException, JavascriptException,
    StaleElementReferenceException)
from selenium.webdriver.chrome.options import Options
from selenium.webdriver.chrome.service import Service
from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.common.keys import Keys
from selenium.webdriver.support.ui import Select

from stage import Failure, wait

FOLDER = pathlib.Path(__file__).resolve().parent
FINDER = (FOLDER / "finder.js").read_text()
# It was drawn anew between the look and the touch.
MOVED = (StaleElementReferenceException, ElementClickInterceptedException,
         ElementNotInteractableException)


def browser():
    """A new Chromium without a display and without anything of a session."""
    options = Options()
    for word in ("--headless=new", "--no-sandbox", "--disable-gpu", "--window-size=1280,900",
                 "--disable-renderer-backgrounding", "--disable-background-timer-throttling",
                 "--disable-backgrounding-occluded-windows"):
        options.add_argument(word)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
    service = Service("/usr/bin/chromedriver")
    try:
        driver = webdriver.Chrome(service=service, options=options)
    except BaseException:
        service.stop()
        raise
    driver.set_page_load_timeout(20)
    driver.set_script_timeout(20)
    return driver


def close(driver):
    """Ends a browser, also one that does not answer any more."""
    try:
        driver.quit()
    finally:
        driver.service.stop()


class Page:
    """The window that is looked at. `within` names the part of the page that is meant."""

    def __init__(self, driver, address):
        self.driver, self.address = driver, address
        self.base = address.split("/?")[0]
        self.log = []

    # Its place.

    def go(self, place, heading=None):
        """Opens an address within the studio, as a bookmark does, and waits for its heading."""
        self.driver.get(f"{self.base}/#/{place}")
        if heading is not None:
            self.wait_for("heading", heading, ("main", None))

    def press(self, *keys):
        ActionChains(self.driver).send_keys(*keys).perform()

    def script(self, text, *arguments):
        return self.driver.execute_script(text, *arguments)

    # Finding.

    def all(self, role, name=None, within=None):
        """All visible elements of a role, and of a name or a pattern of names."""
        root = None
        if within is not None:
            root = within if not isinstance(within, tuple) else self.first(*within)
            if root is None:
                return []
        is_pattern = isinstance(name, re.Pattern)
        try:
            return self.script(FINDER, role, name.pattern if is_pattern else name, is_pattern, root)
        except (StaleElementReferenceException, JavascriptException):
            return []

    def first(self, role, name=None, within=None):
        found = self.all(role, name, within)
        return found[0] if found else None

    def names(self, *roles):
        """The names of all visible elements of these roles, also while they are drawn anew."""
        def once():
            try:
                return [[one.accessible_name for role in roles for one in self.all(role)]]
            except StaleElementReferenceException:
                return None
        return wait(f"the names of {', '.join(roles)}", once)[0]

    def wait_for(self, role, name=None, within=None, seconds=10):
        title = name.pattern if isinstance(name, re.Pattern) else name
        return wait(f"{role} {title or ''}", lambda: self.first(role, name, within), seconds)

    def wait_gone(self, role, name=None, within=None, seconds=10):
        title = name.pattern if isinstance(name, re.Pattern) else name
        wait(f"no {role} {title or ''}", lambda: not self.all(role, name, within), seconds)

    def text(self, role="main", name=None, within=None):
        """The text as it is shown; empty if there is no such element."""
        found = self.first(role, name, within)
        try:
            return found.text if found else ""
        except StaleElementReferenceException:
            return ""

    def shows(self, text, role="main", name=None, seconds=10):
        """Waits for a text; a pattern is searched, a string is contained."""
        pattern = text if isinstance(text, re.Pattern) else re.compile(re.escape(text))
        last = [""]

        def look():
            last[0] = self.text(role, name)
            return pattern.search(last[0])
        try:
            return wait("it", look, seconds)
        except Failure:
            raise Failure(f"after {seconds} s {role} {name or ''} has no "
                          f"“{pattern.pattern}”: {last[0][:400]!r}") from None

    # Doing.

    def click(self, role, name=None, within=None, seconds=10):
        def once():
            element = self.first(role, name, within)
            try:
                if element is not None:
                    element.click()
                    return True
            except MOVED:
                pass
            return False
        title = name.pattern if isinstance(name, re.Pattern) else name
        wait(f"{role} {title or ''} that can be clicked", once, seconds)

    def fill(self, role, name, text, within=None):
        """Types a text in the place of what a field has."""
        self.wait_for(role, name, within)
        self.click(role, name, within)
        ActionChains(self.driver).key_down(Keys.CONTROL).send_keys("a").key_up(Keys.CONTROL) \
            .send_keys(Keys.DELETE, text).perform()

    def select(self, name, text, within=None):
        """Chooses in a list the option whose text has `text`."""
        box = Select(self.wait_for("combobox", name, within))
        found = [one.text for one in box.options]
        wanted = [one for one in found if text in one]
        if not wanted:
            raise Failure(f"list {name} has no {text} but {found}")
        box.select_by_visible_text(wanted[0])

    def filter(self, class_name, text):
        self.fill("combobox", f"Filter {class_name}", text)
        self.press(Keys.ENTER)

    # Looks.

    def size(self, width, height, is_phone=False):
        self.driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", {
            "width": width, "height": height, "deviceScaleFactor": 1, "mobile": is_phone})

    def scheme(self, name):
        self.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {
            "features": [{"name": "prefers-color-scheme", "value": name}]})

    def usual(self):
        """Back to the size and the colours that tests begin with."""
        self.driver.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})
        self.scheme("light")

    # The console.

    def messages(self):
        """The console's messages since the last call."""
        new = self.driver.get_log("browser")
        self.log = (self.log + new)[-30:]
        return new

    def faults(self):
        """Exceptions and violations of the policy; refused requests are no fault by themselves."""
        return [one["message"] for one in self.messages()
                if one["source"] in ("security", "javascript", "rendering")
                or "Content Security Policy" in one["message"]
                or one["level"] == "SEVERE" and one["source"] != "network"]


def pause_for_frame(page):
    """Waits until the browser has painted what it has."""
    page.driver.execute_async_script(
        "const done = arguments[0]; requestAnimationFrame(() => setTimeout(done));")
    return time.time() * 1000
