"""A daemon dies and comes back; the studio dies. These come last."""

from stage import NAMES, Failure


def daemon_dies_and_comes_back(world):
    """A killed daemon is told on its own page and on A's, and both recover without a reload."""
    page, stage, driver = world.page, world.stage, world.page.driver
    page.go("0/replication", "Replication")
    row = world.pattern(f"^{NAMES['B']}")
    connected = world.pattern(f"^{NAMES['B']}(?!.*not connected).* connected")
    away = world.pattern(f"^{NAMES['B']}.* not connected")
    replicas = ("region", "Replicas")
    page.wait_for("row", connected, replicas, 20)
    page.script("window.isSamePage = true")
    driver.switch_to.new_window("window")
    try:
        other = driver.current_window_handle
        page.go("1/replication", "Replication")
        page.shows("serves, process")
        page.script("window.isSamePage = true")
        stage.kill_daemon("B")
        page.shows("No daemon serves this store", seconds=15)
        driver.switch_to.window(world.window)
        page.wait_for("row", away, replicas, 15)
        page.wait_for("image", "This replica is connected to no other")
        stage.start_daemon("B")
        page.wait_for("row", connected, replicas, 20)
        driver.switch_to.window(other)
        page.shows("serves, process", seconds=15)
        for window in (world.window, other):
            driver.switch_to.window(window)
            if not page.script("return window.isSamePage"):
                raise Failure("a page was loaded anew")
    except Failure as failure:
        raise Failure(f"{failure}; the row is {page.text('row', row, replicas)!r}") from None
    finally:
        driver.switch_to.window(other)
        driver.close()
        driver.switch_to.window(world.window)
        if "B" not in stage.daemons:
            stage.start_daemon("B")


def studio_dies(world):
    """After the studio is killed, the page says that the connection is lost."""
    page = world.page
    page.go("0/objects/Airport", "Airport")
    page.wait_for("button", "Live")
    world.program.kill()
    page.shows("does not answer", "alert")
    page.wait_for("button", "Not connected")
    page.shows("00AA")


TESTS = [daemon_dies_and_comes_back, studio_dies]
