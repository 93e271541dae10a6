"""Writes of others: they appear, lose, are explained, and are told in words."""

import time

from stage import NAMES, Failure, wait

WATCH = """
    const [text, name] = arguments;
    window.paintedAt = undefined;
    const isHere = () => [...document.querySelectorAll('[role=gridcell]')]
      .some((cell) => cell.textContent === text);
    new MutationObserver((changes, observer) => {
      if (!isHere()) return;
      observer.disconnect();
      requestAnimationFrame(() => setTimeout(() => { window.paintedAt = Date.now(); }));
    }).observe(document.body, { subtree: true, childList: true, characterData: true });"""


def commits_appear(world):
    """An object that another process writes on A appears on A's and C's pages by itself."""
    page, driver = world.page, world.page.driver
    text = f"Seen at once {time.time_ns()}"
    page.go("0/objects/Airport", "Airport")
    page.wait_for("link", "00AA", ("grid", None))
    driver.switch_to.new_window("window")
    try:
        other = driver.current_window_handle
        page.go("2/objects/Airport", "Airport")
        page.wait_for("link", "00AA", ("grid", None))
        windows = {"A": world.window, "C": other}
        for window in windows.values():
            driver.switch_to.window(window)
            wait("the live events", lambda: page.first("button", "Live"))
            page.script(WATCH, text)
        ended = world.stage.imports("A", [{"class": "Airport", "key": "00AA", "name": text}])
        painted = {}
        for name, window in windows.items():
            driver.switch_to.window(window)
            at = wait(f"the name on the page of {name}",
                      lambda: page.script("return window.paintedAt"), 5)
            painted[name] = at - ended
        world.note(f"painted after {painted['A']:.0f} ms on A, {painted['C']:.0f} ms on C")
        slow = {name: value for name, value in painted.items() if value > 1000}
        if slow:
            raise Failure(f"it took more than 1,000 ms: {slow}")
        driver.switch_to.window(other)
        page.shows(f"changed by {NAMES['A']}")
    finally:
        driver.switch_to.window(other)
        driver.close()
        driver.switch_to.window(world.window)


def conflict_is_restored(world):
    """Of two concurrent writes the lost one is on the Conflicts page and can be restored."""
    page, stage = world.page, world.stage
    key = "00AR"
    page.go("0/conflicts", "Conflicts")
    stage.atoll("pause", stage.stores["A"])
    try:
        for name in "AC":
            stage.imports(name, [{"class": "Airport", "key": key, "name": f"as {name} has it"}])
    finally:
        stage.atoll("resume", stage.stores["A"])
    row = page.wait_for("row", world.pattern(f"{key} Airport.name"), ("main", None), 20)
    name = wait("the winner", lambda: stage.objects("A", "Airport")[key]["name"])
    loser = "as A has it" if name == "as C has it" else "as C has it"
    if loser not in row.text or name not in row.text:
        raise Failure(f"expected that {loser} lost to {name}, found {row.text!r}")
    stage.holds("C", "Airport", key, lambda one: one["name"] == name)
    page.click("button", "Restore", row)
    page.shows(loser, "dialog")
    page.click("button", "Restore", ("dialog", None))
    stage.holds("C", "Airport", key, lambda one: one["name"] == loser)
    page.wait_gone("row", world.pattern(f"{key} Airport.name"), ("main", None))


def history_shows_both_writes(world):
    """The history of a property shows both of two concurrent writes, and who wrote them."""
    page = world.page
    page.go("0/object/Airport/00AR", "Airport 00AR")
    page.click("button", "History of name")
    page.wait_for("listitem", world.pattern("as A has it"), ("region", "History"))
    page.wait_for("listitem", world.pattern("as C has it"), ("region", "History"))
    for name in "AC":
        writes = page.all("listitem", world.pattern(f"as {name} has it"), ("region", "History"))
        texts = [one.text for one in writes]
        if not any(NAMES[name] in text for text in texts):
            raise Failure(f"the write of {NAMES[name]} does not name it: {texts}")
        if not any("Changeset" in text for text in texts):
            raise Failure(f"the write of {NAMES[name]} does not name its changeset: {texts}")
    if "why=name" not in page.driver.current_url:
        raise Failure(f"the address has no history: {page.driver.current_url}")
    now = world.stage.objects("A", "Airport")["00AR"]["name"]
    earlier = "as A has it" if now == "as C has it" else "as C has it"
    page.click("button", world.pattern(f"Restore .{earlier}"), ("region", "History"))
    world.stage.holds("C", "Airport", "00AR", lambda one: one["name"] == earlier)
    page.click("button", "Close the history")
    page.wait_gone("region", "History")


def log_shows_words(world):
    """A changeset that is written while the log is open is in it, with its operation in words."""
    page, stage = world.page, world.stage
    page.go("0/log", "Log")
    page.wait_for("row", None, ("table", None))
    before = len(stage.atoll("log", stage.stores["A"], "--json").splitlines())
    stage.imports("A", [{"class": "Airport", "key": "00AS", "name": "Words in the log"}])
    wait("the changeset in the store", lambda: before
         < len(stage.atoll("log", stage.stores["A"], "--json").splitlines()))

    def choose():
        rows = page.all("row", None, ("table", None))
        if len(rows) < 2:
            return False
        page.script("arguments[0].scrollIntoView({block: 'center'})", rows[1])
        rows[1].click()
        page.shows("operation", "complementary", "Changeset", 3)
        return "Words in the log" in page.text("complementary", "Changeset")
    wait("the newest changeset with its operation", choose)
    text = page.text("complementary", "Changeset")
    for word in ("Airport", "00AS", "name", NAMES["A"]):
        if word not in text:
            raise Failure(f"the words of the changeset have no {word}: {text[:600]!r}")
    page.wait_for("image", world.pattern("changesets of"))


def query_shows_sql_and_plan(world):
    """The query page shows SQL, plan, rows and time of a predicate, beside each other."""
    page = world.page
    page.go("0/query", "Query")
    page.select("Class", "Airport")
    page.fill("combobox", "Predicate", 'icao == "08AK"')
    page.press("\ue007")
    page.shows("08AK", "region", "Rows")
    text = page.text()
    for word in ("SQL", "SELECT", "Plan", "SEARCH", "Time", "uses an index"):
        if word not in text:
            raise Failure(f"the page has no {word}: {text[:500]!r}")
    if "where=" not in page.driver.current_url:
        raise Failure(f"the address has no predicate: {page.driver.current_url}")
    page.fill("combobox", "Predicate", 'name CONTAINS "x"')
    page.press("\ue007")
    page.shows("reads every row")


def verify_gives_a_result(world):
    """Verify and backup on the health page say what came of them."""
    page, stage = world.page, world.stage
    page.go("0/health", "Health")
    page.shows("Store file")
    page.click("button", "Verify")
    page.shows("Sound: ", seconds=20)
    path = stage.folder / "backup.atoll"
    page.fill("textbox", "Path of the backup", str(path))
    page.click("button", "Back up")
    page.shows("Done", seconds=20)
    if not path.exists():
        raise Failure("the page says that the backup is done, and there is no file")


TESTS = [commits_appear, conflict_is_restored, history_shows_both_writes, log_shows_words,
         query_shows_sql_and_plan, verify_gives_a_result]
