#!/usr/bin/python3
"""Tests of the studio's pages in Chromium, on three stores with three daemons.

Usage: studio.py BINARIES [SCREENSHOTS]

BINARIES is the folder of `atoll`, `atolld` and `atoll-cluster`. With SCREENSHOTS pictures of each
page are written to that folder. ATOLL_SITE may name a folder to read the site from, and
ATOLL_TESTS a pattern of names of tests. Prints a line for each test and exits with
0 if all have passed. Needs `chromium`, `chromium-driver` and `python3-selenium`.
"""

import os
import re
import signal
import sys
import time
import traceback

# The folder of the tests stays as it is.
sys.dont_write_bytecode = True

import live_tests
import looks_tests
import loss_tests
import object_tests
import objects_tests
import session_tests
from page import Page, browser, close
from selenium.common.exceptions import WebDriverException
from stage import Failure, Stage, wait

TESTS = [
    *session_tests.TESTS, *objects_tests.TESTS, *object_tests.TESTS, *live_tests.TESTS,
    *looks_tests.TESTS, *loss_tests.TESTS]


class World:
    """The tools of a test: the stage, the page, and words about them."""

    def __init__(self, stage, driver):
        self.stage = stage
        self.program, address = stage.studio()
        self.page = Page(driver, address)
        self.window = driver.current_window_handle
        driver.get(address)
        self.page.wait_for("heading", "Airport")

    pattern = staticmethod(re.compile)

    @staticmethod
    def matches(pattern, text):
        return re.search(pattern, text) is not None

    @staticmethod
    def note(text):
        print(f"note {text}", flush=True)

    def is_at(self, place):
        """True once the page of an address is the one that is shown."""
        page = place.split("/")[1].split("?")[0]
        words = place.split("?")[0].split("/")[2:]
        heading = self.page.text("heading", None, ("main", None))
        wanted = {"objects": (words or ["Airport"])[0], "object": " ".join(words)}
        return heading == wanted.get(page, page.capitalize())

    def settle(self, place):
        """Waits until a page is there with what it reads."""
        wait(f"page {place}", lambda: self.is_at(place))
        if "objects/" in place:
            self.page.wait_for("link", None, ("grid", None))
        if "why=" in place:
            self.page.wait_for("listitem", None, ("region", "History"))

    def restore(self):
        """Closes everything that a test has left open."""
        driver = self.page.driver
        for window in driver.window_handles:
            if window != self.window:
                driver.switch_to.window(window)
                driver.close()
        driver.switch_to.window(self.window)
        self.page.usual()
        self.page.script("document.querySelector('dialog[open]')?.close()")


def run(world, test):
    """Runs one test; answers whether it has passed."""
    world.page.log.clear()
    world.page.messages()
    world.page.log.clear()
    began = time.monotonic()
    name = test.__name__.replace("_", " ")
    try:
        test(world)
        faults = world.page.faults()
        if faults:
            raise Failure(f"the console has {sorted(set(faults))[:3]}")
        failure = None
    except Failure as one:
        failure = str(one)
    except Exception as one:
        place = traceback.extract_tb(one.__traceback__)[1]
        failure = (f"{type(one).__name__} in line {place.lineno} of "
                   f"{os.path.basename(place.filename)}: {str(one)[:200]!r}")
    if failure is None:
        print(f"passed {name} ({time.monotonic() - began:.1f} s)", flush=True)
        return True
    try:
        world.page.messages()
        console = [one["message"] for one in world.page.log[-3:]]
    except WebDriverException:
        console = ["the browser does not answer"]
    print(f"failed {name}: {failure}" + (f"; console: {console}" if console else ""), flush=True)
    return False


def tell(world, tests, pictures_folder):
    """Runs the tests one after the other; answers the number that failed."""
    failed = 0
    for test in tests:
        failed += not run(world, test)
        if test is not loss_tests.studio_dies:
            world.restore()
        if test is looks_tests.TESTS[-1] and pictures_folder:
            looks_tests.pictures(world, pictures_folder)
    return failed


def main():
    if len(sys.argv) not in (2, 3):
        print(__doc__.strip(), file=sys.stderr)
        return 64
    wanted = os.environ.get("ATOLL_TESTS", "")
    tests = [one for one in TESTS if re.search(wanted, one.__name__)]
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    began = time.monotonic()
    stage, driver = Stage(sys.argv[1]), None
    try:
        stage.open()
        driver = browser()
        world = World(stage, driver)
        failed = tell(world, tests, sys.argv[2] if len(sys.argv) == 3 else None)
        print(f"{len(tests) - failed} of {len(tests)} passed in {time.monotonic() - began:.0f} s")
        return 1 if failed else 0
    except Failure as failure:
        print(f"failed to begin: {failure}")
        return 1
    finally:
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
        try:
            if driver is not None:
                close(driver)
        finally:
            stage.close()


if __name__ == "__main__":
    sys.exit(main())
