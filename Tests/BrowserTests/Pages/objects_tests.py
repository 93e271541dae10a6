"""The table of objects: filter, completion, sorting, scrolling, many at once, and the keys."""

import re

from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.common.actions.wheel_input import ScrollOrigin
from selenium.webdriver.common.keys import Keys

from stage import Failure, wait

MOST_ROWS = 100


def first_key(page):
    """The key in the first row of the table; nothing while there is none."""
    rows = page.all("row", None, ("grid", None))
    return next((one.text.split("\n")[0].strip() for one in rows
                 if one.get_attribute("aria-rowindex") == "2"), None)


def filter_finds(world):
    """The filter finds, by clicking and typing, and clearing it brings all back."""
    page = world.page
    page.go("0/objects/Airport", "Airport")
    page.filter("Airport", 'icao == "08AK"')
    page.shows("1 object in")
    page.wait_for("link", "08AK", ("grid", None))
    page.wait_gone("link", "00AA", ("grid", None))
    page.click("button", "Clear the filter")
    page.shows("500 objects")
    page.wait_for("link", "00AA", ("grid", None))


def predicate_error_has_its_place(world):
    """An error in a predicate is shown in words below the word that causes it."""
    page = world.page
    page.go("0/objects/Airport", "Airport")
    page.filter("Airport", "elevation > 100 AND altitude > 3")
    field = page.wait_for("combobox", "Filter Airport")
    wait("a field that is marked as invalid",
         lambda: field.get_attribute("aria-invalid") == "true")
    message = wait("the sentence of the error", lambda: page.script(
        "const it = document.getElementById(arguments[0].getAttribute('aria-describedby'));"
        "return it.textContent && it.checkVisibility() && {text: it.textContent,"
        " left: it.getBoundingClientRect().left};", field))
    if "altitude" not in message["text"]:
        raise Failure(f"the error does not name the word altitude: {message['text']}")
    # The text behind the field has a piece for each word; the wrong one looks other.
    words = page.script("""
        const looks = (one) => { const style = getComputedStyle(one); return [one.textContent,
          style.textDecorationLine, style.backgroundColor, style.borderBottomStyle,
          one.getBoundingClientRect().left]; };
        return [...arguments[0].parentElement.querySelectorAll('[aria-hidden=true] span')]
          .filter((one) => !one.children.length && one.textContent.trim()).map(looks);""", field)
    looks = {one[0]: one[1:4] for one in words}
    lefts = {one[0]: one[4] for one in words}
    if looks.get("altitude") == looks.get("elevation"):
        raise Failure(f"the word altitude looks like any other: {words}")
    if abs(message["left"] - lefts["altitude"]) > 40:
        raise Failure(f"the sentence begins at {message['left']:.0f}, "
                      f"the word at {lefts['altitude']:.0f}")
    page.click("button", "Clear the filter")


def completion_offers_properties(world):
    """Typing a part of a property's name offers it, and Tab takes it."""
    page = world.page
    page.go("0/objects/Airport", "Airport")
    page.fill("combobox", "Filter Airport", "elev")
    page.wait_for("option", None, ("listbox", "Completions"))
    found = [one.text for one in page.all("option", None, ("listbox", "Completions"))]
    if not found[0].startswith("elevation"):
        raise Failure(f"elev offers {found}")
    page.press(Keys.TAB)
    field = page.first("combobox", "Filter Airport")
    wait("the property in the field", lambda: field.get_property("value") == "elevation ")
    page.wait_for("option", None, ("listbox", "Completions"))
    found = [one.text for one in page.all("option", None, ("listbox", "Completions"))]
    if ">" not in [one.split("\n")[0] for one in found]:
        raise Failure(f"after a number's property there is {found}, not >")
    page.press(Keys.ESCAPE)
    page.wait_gone("listbox", "Completions")
    page.click("button", "Clear the filter")


def sorting_by_a_column(world):
    """A click on a column's head sorts by it, a second one the other way round."""
    page = world.page
    page.go("0/objects/Airport", "Airport")
    for order, spoken in (("ASC", "ascending"), ("DESC", "descending")):
        found = world.stage.objects("A", "Airport", f"TRUEPREDICATE SORT(name {order}) LIMIT(1)")
        key = next(iter(found))
        page.click("button", None, page.wait_for("columnheader", world.pattern("^name")))
        wait(f"{key} in the first row, by name {order}; found {first_key(page)}",
             lambda: first_key(page) == key)
        head = page.first("columnheader", world.pattern("^name"))
        if head.get_attribute("aria-sort") != spoken:
            raise Failure(f"aria-sort is {head.get_attribute('aria-sort')}, not {spoken}")
    page.click("button", None, page.wait_for("columnheader", world.pattern("^name")))
    wait("the order of the store", lambda: first_key(page) == "00AA")


def scrolling_to_the_end(world):
    """Scrolled to its end the table shows the last object, with a bounded number of rows."""
    page = world.page
    page.go("0/objects/Airport", "Airport")
    page.shows("500 objects")
    last = list(world.stage.objects("A", "Airport"))[-1]
    grid = page.first("grid")
    most = 0

    def scroll():
        nonlocal most
        origin = ScrollOrigin.from_element(grid)
        ActionChains(page.driver).scroll_from_origin(origin, 0, 6000).perform()
        rows = page.script("return arguments[0].querySelectorAll('[role=row]').length", grid)
        most = max(most, rows)
        return page.all("link", last, grid)
    wait(f"the last object {last}", scroll)
    row = page.script("return arguments[0].closest('[role=row]').ariaRowIndex ??"
                      " arguments[0].closest('[role=row]').getAttribute('aria-rowindex')",
                      page.first("link", last, grid))
    count = grid.get_attribute("aria-rowcount")
    if row != "501" or count != "501":
        raise Failure(f"the last row is row {row} of {count}, expected 501 of 501")
    if most > MOST_ROWS:
        raise Failure(f"there were {most} row elements, at most {MOST_ROWS} are wanted")


def many_at_once(world):
    """Rows that are selected are changed together, and deleted together, on every replica."""
    page, stage = world.page, world.stage
    keys = ["many 1", "many 2"]
    stage.imports("A", [{"class": "Buoy", "key": key, "depth": 1} for key in [*keys, "other"]])
    page.go("0/objects/Buoy", "Buoy")
    for key in keys:
        page.click("checkbox", f"Select {key}")
    page.shows("2 selected", "region", "Selection")
    page.click("button", "Set a property", ("region", "Selection"))
    page.select("Property", "depth", ("dialog", None))
    page.fill("textbox", "depth", "77", ("dialog", None))
    page.click("button", "Set 2 objects", ("dialog", None))
    page.wait_gone("dialog")
    for key in keys:
        stage.holds("C", "Buoy", key, lambda one: one and one["depth"] == 77)
    if stage.objects("A", "Buoy")["other"]["depth"] != 1:
        raise Failure("an object that was not selected was changed")
    for key in keys:
        page.click("checkbox", f"Select {key}")
    page.click("button", "Delete", ("region", "Selection"))
    page.click("button", "Delete", ("dialog", None))
    for key in keys:
        stage.holds("C", "Buoy", key, lambda one: one is None)
        page.wait_gone("link", key, ("grid", None))
    page.wait_for("link", "other", ("grid", None))


def collections_open_in_place(world):
    """A click on the cell of a list shows its elements beside it, and Escape closes them."""
    page = world.page
    page.go("0/objects/Buoy", "Buoy")
    page.wait_for("button", "2 elements", ("grid", None))
    page.click("button", "2 elements", ("grid", None))
    page.shows(re.compile("red.*green", re.S), "dialog", "tags")
    page.press(Keys.ESCAPE)
    page.wait_gone("dialog")


def map_shows_coordinates(world):
    """The map opens beside the table, draws something, and closes."""
    page = world.page
    page.go("0/objects/Airport", "Airport")
    page.click("button", "Map")
    picture = page.wait_for("image", "Map of Airport")
    wait("points on the map", lambda: page.script(
        "const it = arguments[0]; const { data } = it.getContext('2d')"
        ".getImageData(0, 0, it.width, it.height); const seen = new Set();"
        "for (let at = 0; at < data.length; at += 4) seen.add(data[at] << 16 | data[at + 1] << 8"
        " | data[at + 2]); return seen.size > 2;", picture))
    page.click("button", "Map")
    page.wait_gone("image", "Map of Airport")


def export_has_what_is_shown(world):
    """The links of Export answer what the filter shows, as CSV and as JSON lines."""
    page = world.page
    page.go("0/objects/Airport", "Airport")
    page.filter("Airport", 'timeZone == "America/Chicago"')
    page.shows("objects in")
    wanted = set(world.stage.objects("A", "Airport", 'timeZone == "America/Chicago"'))
    page.click("button", "Export")
    for name in ("CSV", "JSON lines"):
        link = page.wait_for("link", name)
        text = page.driver.execute_async_script(
            "const done = arguments[1]; fetch(arguments[0]).then((one) => one.text()).then(done);",
            link.get_attribute("href"))
        lines = text.splitlines()[1 if name == "CSV" else 0:]
        if len(lines) != len(wanted) or not all(key in text for key in wanted):
            raise Failure(f"{name} has {len(lines)} lines, expected {len(wanted)}: {text[:200]!r}")
    page.click("button", "Export")
    page.wait_gone("link", "CSV")
    page.click("button", "Clear the filter")


def escape_closes_the_menu(world):
    """Escape closes the menu of Export and leaves the filter as it is."""
    page = world.page
    page.go("0/objects/Airport?where=elevation+%3E+100", "Airport")
    page.shows("objects in")
    page.click("button", "Export")
    page.wait_for("link", "CSV")
    page.press(Keys.ESCAPE)
    found = page.first("combobox", "Filter Airport").get_property("value")
    if page.first("link", "CSV") or found != "elevation > 100":
        raise Failure(f"the menu is {'open' if page.first('link', 'CSV') else 'closed'} "
                      f"and the filter is {found!r}")


def keys_walk_and_open(world):
    """`/` filters, arrows walk, Enter opens, Escape goes back, `?` lists the keys."""
    page = world.page
    page.go("0/health", "Health")
    page.go("0/objects/Airport", "Airport")
    page.wait_for("link", "00AA", ("grid", None))

    def focus():
        return page.script(
            "const it = document.activeElement;"
            "return [it.getAttribute('role'), it.getAttribute('aria-label'),"
            " it.closest('[role=row]')?.getAttribute('aria-rowindex'),"
            " it.getAttribute('aria-colindex')]")
    page.press("/")
    wait("the focus in the filter", lambda: focus()[1] == "Filter Airport")
    page.press(Keys.ESCAPE)
    page.press(Keys.ESCAPE)
    wait("the focus in the table", lambda: focus()[2] is not None)
    start = [int(one) for one in focus()[2:]]
    page.press(Keys.ARROW_DOWN, Keys.ARROW_DOWN, Keys.ARROW_RIGHT, Keys.ARROW_UP)
    wanted = [start[0] + 1, start[1] + 1]
    wait(f"the focus in row and column {wanted}; found {focus()}",
         lambda: focus()[2] and [int(one) for one in focus()[2:]] == wanted)
    key = list(world.stage.objects("A", "Airport"))[wanted[0] - 2]
    page.press(Keys.ENTER)
    page.wait_for("heading", f"Airport {key}")
    page.press(Keys.ESCAPE)
    page.wait_for("heading", "Airport", ("main", None))
    page.press("?")
    page.wait_for("dialog", "Keys")
    page.shows("To the filter", "dialog", "Keys")
    page.press(Keys.ESCAPE)
    page.wait_gone("dialog")
    page.press("g", "l")
    page.wait_for("heading", "Log")


def tab_passes_the_fields(world):
    """The Tab key leaves a field that has a predicate, and the predicate stays as it was."""
    page = world.page
    for place, name in (("0/objects/Airport?where=elevation+%3E+100", "Filter Airport"),
                        ("0/query/Airport?where=elevation+%3E+100", "Predicate")):
        page.go("0/health", "Health")
        page.go(place)
        field = page.wait_for("combobox", name)
        wait(f"the predicate in {name}", lambda: field.get_property("value"))
        for _ in range(30):
            page.press(Keys.TAB)
            if page.script("return document.activeElement === arguments[0]", field):
                break
        page.press(Keys.TAB)
        stays = page.script("return document.activeElement === arguments[0]", field)
        text = field.get_property("value")
        if stays or text != "elevation > 100":
            raise Failure(f"after Tab into {name} and Tab again the focus "
                          f"{'is still there' if stays else 'has left'} and the text is {text!r}")


def keys_work_on_every_page(world):
    """Letters and arrows that mean nothing on a page do nothing there, and `?` lists the keys."""
    page = world.page
    for place in ("0/schema", "0/conflicts", "0/log", "0/replication", "0/query", "0/health",
                  "0/object/Airport/00AA"):
        page.go(place)
        wait(f"page {place}", lambda: world.is_at(place))
        page.messages()
        page.script("document.activeElement?.blur()")
        page.press("x", Keys.ARROW_DOWN, "?")
        page.wait_for("dialog", "Keys")
        page.press(Keys.ESCAPE)
        page.wait_gone("dialog")
        faults = page.faults()
        if faults:
            raise Failure(f"keys on page {place} wrote to the console {sorted(set(faults))}")


TESTS = [filter_finds, predicate_error_has_its_place, completion_offers_properties,
         tab_passes_the_fields,
         sorting_by_a_column, scrolling_to_the_end, collections_open_in_place,
         map_shows_coordinates, export_has_what_is_shown, escape_closes_the_menu, many_at_once,
         keys_walk_and_open, keys_work_on_every_page]
