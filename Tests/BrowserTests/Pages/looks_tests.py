"""Names, headings, tables, focus, contrast, and a narrow window; and the pictures of each page."""

import pathlib

from selenium.webdriver.common.keys import Keys

from page import pause_for_frame
from stage import Failure

LOOKS = (pathlib.Path(__file__).resolve().parent / "looks.js").read_text()
PLACES = {
    "objects": "0/objects/Airport", "object": "0/object/Buoy/north?why=depth",
    "schema": "0/schema", "conflicts": "0/conflicts", "log": "0/log",
    "replication": "0/replication", "query": "0/query/Airport?where=elevation+%3E+100",
    "health": "0/health"}
CONTROLS = ["button", "textbox", "combobox", "checkbox", "link", "searchbox", "listbox", "grid",
            "table", "dialog", "image", "img"]
TABS = 40


def each_place(world):
    """Opens the pages one after the other."""
    for name, place in PLACES.items():
        world.page.go(place)
        world.settle(place)
        yield name


def controls_have_names(world):
    """Every button, field, link, table and picture has an accessible name on every page."""
    page, found = world.page, []
    for name in each_place(world):
        nodes = page.driver.execute_cdp_cmd("Accessibility.getFullAXTree", {})["nodes"]
        for node in nodes:
            role = node.get("role", {}).get("value")
            if node.get("ignored") or role not in CONTROLS:
                continue
            # A static table is named by the heading of its panel.
            if role != "table" and not node.get("name", {}).get("value", "").strip():
                shown = page.driver.execute_cdp_cmd(
                    "DOM.describeNode", {"backendNodeId": node["backendDOMNodeId"]})["node"]
                found.append(f"{role} on {name}: {shown['localName']} {shown['attributes']}")
    if found:
        raise Failure(f"no accessible name: {'; '.join(found[:8])}")


def one_main_heading(world):
    """Every page has one h1, one main, a title and a language."""
    page = world.page
    for name in each_place(world):
        found = page.script(
            "const count = (tag) => [...document.querySelectorAll(tag)]"
            ".filter((one) => one.checkVisibility()).length;"
            "return [count('h1'), count('main'), document.title !== '',"
            " document.documentElement.lang]")
        if found != [1, 1, True, "en"]:
            raise Failure(f"h1, main, title and language of page {name} are {found}")


def tables_are_tables(world):
    """The table of objects is a grid that tells its rows, columns and their places."""
    page = world.page
    page.go("0/objects/Airport", "Airport")
    page.wait_for("link", "00AA", ("grid", None))
    rows = str(len(world.stage.objects("A", "Airport")) + 1)
    found = page.script("""
        const grid = document.querySelector("[role=grid], [role=table], main table");
        const rows = [...grid.querySelectorAll("[role=row][aria-rowindex]")];
        const cell = "[role=gridcell], [role=rowheader], [role=columnheader]";
        const cells = rows.flatMap((row) => [...row.querySelectorAll(cell)]);
        return { role: grid.getAttribute("role"), rows: grid.getAttribute("aria-rowcount"),
          columns: grid.getAttribute("aria-colcount"), drawn: rows.length,
          heads: grid.querySelectorAll("[role=columnheader]").length,
          places: cells.every((one) => one.hasAttribute("aria-colindex")),
          isSorted: Boolean(grid.querySelector("[role=columnheader][aria-sort]")) };""")
    is_good = (found["role"] == "grid" and found["rows"] == rows and found["places"]
              and found["columns"] == str(found["heads"]) and found["drawn"] > 5
              and found["isSorted"])
    if not is_good:
        raise Failure(f"the table of objects tells {found}")
    for name in each_place(world):
        found = page.script("return [...document.querySelectorAll('main table')].filter((one) =>"
                            " !one.querySelector('th[scope=col]')).length")
        if found:
            raise Failure(f"{found} tables on page {name} have no heads of columns")


def focus_is_visible(world):
    """Whatever the Tab key leads to looks other than without the focus."""
    page, found = world.page, []
    for name in each_place(world):
        page.click("link", "Objects" if name == "object" else name.capitalize(),
                   ("navigation", "Pages"))
        page.go(PLACES[name])
        world.settle(PLACES[name])
        seen = set()
        for _ in range(TABS):
            # A list of completions that is open would take the Tab key.
            if page.all("listbox", "Completions"):
                page.press(Keys.ESCAPE)
            page.press(Keys.TAB)
            focus = page.script(LOOKS, "focus")
            if focus is not None:
                seen.add(focus[0])
                if not focus[1]:
                    found.append(f"{focus[0]} on {name}")
        if len(seen) < 8:
            found.append(f"Tab reaches only {sorted(seen)} on {name}")
    if found:
        raise Failure(f"the focus cannot be seen: {'; '.join(found[:8])}")


def contrast_is_enough(world):
    """Texts have a contrast of 4.5 to what is behind them, in the light and in the dark."""
    page, found = world.page, []
    for scheme in ("light", "dark"):
        page.scheme(scheme)
        for name in each_place(world):
            pause_for_frame(page)
            found += [f"{text} on {name} in {scheme}" for text in page.script(LOOKS, "contrast")]
    if found:
        raise Failure(f"{len(found)} texts: {'; '.join(found[:12])}")


def narrow_window_fits(world):
    """In a window of 390 by 844 no page scrolls sideways."""
    page, found = world.page, []
    page.size(390, 844, True)
    for name in each_place(world):
        pause_for_frame(page)
        found += [f"{name} {text}" for text in page.script(LOOKS, "width", 390)]
    if found:
        raise Failure(f"wider than the window: {'; '.join(found)}")


def pictures(world, folder):
    """Writes a picture of each page in the light and in the dark."""
    page, folder = world.page, pathlib.Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    for scheme in ("light", "dark", "phone"):
        page.scheme("light" if scheme == "phone" else scheme)
        if scheme == "phone":
            page.size(390, 844, True)
        else:
            page.size(1280, 800)
        for name in each_place(world):
            if name == "log":
                page.click("row", world.pattern("\\d"), ("table", None))
            pause_for_frame(page)
            page.driver.save_screenshot(str(folder / f"{name}-{scheme}.png"))
    page.usual()


TESTS = [controls_have_names, one_main_heading, tables_are_tables, focus_is_visible,
         contrast_is_enough, narrow_window_fits]
