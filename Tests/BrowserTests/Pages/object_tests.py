"""One object: every kind of value is edited by clicking and typing on A and read on C."""

from selenium.webdriver.common.keys import Keys

from stage import Failure, wait


def edit(page, name, text, label=None):
    """Opens the field of a property, types, and saves."""
    page.click("button", f"Edit {name}")
    page.fill("textbox", label or name, text)
    page.click("button", "Save")
    page.wait_gone("button", "Save")


def change_a_string(world):
    """A string that is typed on A's page is on C within ten seconds."""
    page = world.page
    page.go("0/objects/Airport", "Airport")
    page.click("link", "00AK", ("grid", None))
    page.wait_for("heading", "Airport 00AK")
    edit(page, "name", "“Ålesund” & <b>")
    page.shows("“Ålesund” & <b>")
    world.stage.holds("C", "Airport", "00AK", lambda one: one["name"] == "“Ålesund” & <b>")


def add_to_an_integer(world):
    """A step of an integer is added on C; a whole number can be typed too."""
    page, stage = world.page, world.stage
    page.go("0/object/Buoy/north", "Buoy north")
    before = stage.objects("A", "Buoy")["north"]["depth"]
    page.click("button", "Add 1 to depth")
    stage.holds("C", "Buoy", "north", lambda one: one["depth"] == before + 1)
    edit(page, "depth", "-9007199254740993")
    stage.holds("C", "Buoy", "north", lambda one: one["depth"] == -9007199254740993)
    page.shows("-9007199254740993")


def change_a_coordinate(world):
    """A coordinate inside an embedded object changes alone."""
    page = world.page
    before = world.stage.objects("A", "Airport", 'icao == "00AL"')["00AL"]["coordinate"]
    page.go("0/object/Airport/00AL", "Airport 00AL")
    edit(page, "coordinate.latitude", "12.5")
    world.stage.holds(
        "C", "Airport", "00AL", lambda one: one["coordinate"]
        == {"latitude": 12.5, "longitude": before["longitude"]})


def create_and_delete(world):
    """An object that is made in the form is on C, and is gone there when it is deleted."""
    page, stage = world.page, world.stage
    page.go("0/objects/Airport", "Airport")
    page.click("button", "New")
    form = ("dialog", "New Airport")
    page.fill("textbox", "icao", "ZZZZ", form)
    page.fill("textbox", "name", "Made by hand", form)
    page.fill("textbox", "elevation", "12.25", form)
    page.fill("textbox", "country", "US", form)
    page.click("button", "Create", form)
    page.wait_for("heading", "Airport ZZZZ")
    stage.holds("C", "Airport", "ZZZZ", lambda one: one and one["name"] == "Made by hand"
                and one["elevation"] == 12.25 and one["country"]["key"] == "US"
                and one.get("iata") is None)
    page.click("button", "Delete")
    page.click("button", "Delete", ("dialog", None))
    page.wait_for("heading", "Airport", ("main", None))
    stage.holds("C", "Airport", "ZZZZ", lambda one: one is None)


def edit_a_list(world):
    """Elements of a list are added, replaced, moved and removed."""
    page, stage = world.page, world.stage
    page.go("0/object/Buoy/south", "Buoy south")

    def holds(*tags):
        stage.holds("C", "Buoy", "south", lambda one: one["tags"] == list(tags))
        wait(f"{tags} on the page", lambda: all(tag in page.text("region", "Values")
                                               for tag in tags))
    page.click("button", "Add to tags")
    page.fill("textbox", "tags", "blue")
    page.press(Keys.ENTER)
    holds("red", "green", "blue")
    page.click("button", "Edit 1 of tags")
    page.fill("textbox", "tags", "yellow")
    page.click("button", "Save")
    holds("red", "yellow", "blue")
    page.click("button", "Move up 2 of tags")
    holds("red", "blue", "yellow")
    page.click("button", "Remove 0 of tags")
    holds("blue", "yellow")


def edit_a_set(world):
    """Members of a set come and go, each by a button with a name of its own."""
    page, stage = world.page, world.stage
    page.go("0/object/Buoy/south", "Buoy south")
    page.click("button", "Add to colours")
    page.fill("textbox", "colours", "black")
    page.click("button", "Save")
    stage.holds("C", "Buoy", "south", lambda one: sorted(one["colours"]) == ["black", "white"])
    page.wait_gone("button", "Save")
    names = [one.accessible_name for one in page.all("button", world.pattern("^Remove .* of col"))]
    if names != sorted(set(names)) or "Remove black of colours" not in names:
        raise Failure(f"the buttons that remove the members black and white are named {names}")
    page.click("button", "Remove black of colours")
    stage.holds("C", "Buoy", "south", lambda one: one["colours"] == ["white"])


def edit_a_map(world):
    """Entries of a map come, change and go."""
    page, stage = world.page, world.stage
    page.go("0/object/Buoy/south", "Buoy south")
    page.click("button", "Add to readings")
    page.fill("textbox", "Key of the entry", "tuesday")
    page.fill("textbox", "readings", "5")
    page.click("button", "Save")
    stage.holds("C", "Buoy", "south", lambda one: one["readings"] == {"monday": 1, "tuesday": 5})
    page.click("button", "Edit monday of readings")
    page.fill("textbox", "readings", "8")
    page.click("button", "Save")
    stage.holds("C", "Buoy", "south", lambda one: one["readings"] == {"monday": 8, "tuesday": 5})
    page.click("button", "Remove tuesday of readings")
    stage.holds("C", "Buoy", "south", lambda one: one["readings"] == {"monday": 8})


def edit_other_types(world):
    """A link, a date, a value of any type, a flag, a UUID, a decimal, data and nil are written."""
    page, stage = world.page, world.stage
    page.go("0/object/Buoy/north", "Buoy north")
    uuid = "00000000-0000-4000-8000-00000000002A"
    for name, text, json in (
            ("next", "east", {"class": "Buoy", "key": "east"}),
            ("note", '{"depths": [1, 2.5, "x"]}', None),
            ("serial", uuid, {"uuid": uuid}),
            ("mass", "0.10", {"decimal": "0.10"}),
            ("photo", "0a 0B", {"data": "0a0b"})):
        edit(page, name, text)
        if json is not None:
            stage.holds("C", "Buoy", "north", lambda one: one[name] == json)
    stage.holds("C", "Buoy", "north", lambda one: "2.5" in str(one["note"])
                and "depths" in str(one["note"]))
    page.click("button", "Edit seen")
    field = page.wait_for("textbox", world.pattern("^seen"))
    page.script("arguments[0].focus()", field)
    page.click("button", "nil")
    page.click("button", "Save")
    stage.holds("C", "Buoy", "north", lambda one: one.get("seen") is None)
    page.wait_gone("button", "Save")
    page.click("button", "Edit seen")
    page.click("button", "Now")
    page.click("button", "Save")
    stage.holds("C", "Buoy", "north", lambda one: one.get("seen")
                and one["seen"]["date"].startswith("20"))
    page.wait_gone("button", "Save")
    page.click("button", "Edit isLit")
    page.select("isLit", "false")
    page.click("button", "Save")
    stage.holds("C", "Buoy", "north", lambda one: one["isLit"] is False)
    page.wait_gone("button", "Save")
    page.click("button", "Edit depth")
    page.fill("textbox", "depth", "seven")
    page.click("button", "Save")
    page.shows("Write a whole number", "alert")
    page.click("button", "Cancel")


def undo_by_the_button(world):
    """The Undo button takes the last edit back, on every replica."""
    page, stage = world.page, world.stage
    page.go("0/object/Airport/00AN", "Airport 00AN")
    before = stage.objects("A", "Airport", 'icao == "00AN"')["00AN"]["name"]
    edit(page, "name", "A mistake")
    stage.holds("C", "Airport", "00AN", lambda one: one["name"] == "A mistake")
    page.click("button", "Undo", ("complementary", None))
    stage.holds("C", "Airport", "00AN", lambda one: one["name"] == before)
    page.shows(before)


TESTS = [change_a_string, add_to_an_integer, change_a_coordinate, create_and_delete, edit_a_list,
         edit_a_set, edit_a_map, edit_other_types, undo_by_the_button]
