"""Authorization, and the opening of every page."""

import http.client
import http.server
import json
import threading
import urllib.parse

from page import browser, close
from stage import NAMES, Failure, wait

PAGES = ["Objects", "Schema", "Conflicts", "Log", "Replication", "Query", "Health"]


def heading_of(name):
    return "Airport" if name == "Objects" else name


def every_page_opens(world):
    """Every page of every store opens from the navigation, and the console stays empty."""
    page = world.page
    page.messages()
    for number, title in enumerate(NAMES.values()):
        page.go("0/objects", "Airport")
        page.select("Store", title)
        wait(f"the address of store {number}",
             lambda: page.driver.current_url.endswith(f"#/{number}/objects"))
        for name in PAGES:
            page.click("link", name, ("navigation", "Pages"))
            page.wait_for("heading", heading_of(name), ("main", None))
            found = [one["message"] for one in page.messages()]
            if found:
                raise Failure(f"page {name} of store {title} wrote to the console: {found}")
        page.click("link", world.pattern("^Airport"), ("navigation", "Classes"))
        page.click("link", "00AA", ("grid", None))
        page.wait_for("heading", "Airport 00AA")
        found = [one["message"] for one in page.messages()]
        if found:
            raise Failure(f"an object of store {title} wrote to the console: {found}")


def token_leaves_the_address(world):
    """The token leaves the address, and its cookie is strict and out of reach of scripts."""
    driver = world.page.driver
    token = urllib.parse.parse_qs(urllib.parse.urlparse(world.page.address).query)["token"][0]
    driver.get(world.page.address)
    world.page.wait_for("heading", "Airport")
    if token in driver.current_url or token in world.page.script("return document.referrer"):
        raise Failure(f"the address still has the token: {driver.current_url}")
    port = urllib.parse.urlparse(world.page.base).port
    cookie = driver.get_cookie(f"atoll-studio-{port}")
    if not cookie or cookie.get("sameSite") != "Strict" or not cookie["httpOnly"]:
        raise Failure(f"expected a strict cookie that scripts cannot read, found {cookie}")


def addresses_can_be_sent(world):
    """The address of a filtered and sorted table shows the same when it is loaded anew."""
    page = world.page
    page.go("0/objects/Airport", "Airport")
    page.filter("Airport", 'timeZone == "America/Anchorage"')
    page.shows("objects in")
    page.click("button", None, page.wait_for("columnheader", world.pattern("^name")))

    def state():
        rows = page.all("row", None, ("grid", None))
        return [page.text("status", world.pattern("object")).split(" in ")[0],
                [one.text for one in rows[:4]]]
    wait("the order by name", lambda: page.all("columnheader", world.pattern("^name ?↑")))
    names = [one["name"] for one in world.stage.objects(
        "A", "Airport", 'timeZone == "America/Anchorage" SORT(name ASC) LIMIT(3)').values()]
    wait(f"{names} in the first rows; found {state()}",
         lambda: all(name in text for name, text in zip(names, state()[1][1:])))
    before = state()
    page.driver.refresh()
    wait(f"{before} again; found {state()}", lambda: state() == before)
    field = page.first("combobox", "Filter Airport")
    if field.get_property("value") != 'timeZone == "America/Anchorage"':
        raise Failure(f"the filter has {field.get_property('value')!r} after a reload")


def stranger_gets_nothing(world):
    """A second browser without the token gets nothing of the stores."""
    other = browser()
    try:
        other.get(f"{world.page.base}/#/0/objects/Airport")
        text = other.page_source
        if any(word in text for word in ("Airport", "00AA", "airports.atoll")):
            raise Failure(f"a browser without the token shows {text[:300]}")
        for path in ("session", "stores/0/schema", "stores/0/objects?class=Airport",
                     "stores/0/export?class=Airport&format=csv", "stores/0/events"):
            code, text = other.execute_async_script(
                "const done = arguments[1]; fetch(arguments[0]).then(async (answer) =>"
                " done([answer.status, await answer.text()]), (error) => done([0, `${error}`]));",
                f"{world.page.base}/api/v1/{path}")
            if code != 401 or "00AA" in text:
                raise Failure(f"{path} answered a browser without the token {code}: {text[:200]}")
    finally:
        close(other)


def foreign_requests_get_nothing(world):
    """A wrong token, a foreign host, a foreign origin and a form of another site get nothing."""
    port = urllib.parse.urlparse(world.page.base).port
    name = f"atoll-studio-{port}"
    cookie = f"{name}={world.page.driver.get_cookie(name)['value']}"
    requests = {
        "the right cookie": ({"Cookie": cookie}, 200),
        "a wrong token": ({"Cookie": f"{name}={'0' * 32}"}, 401),
        "a foreign host": ({"Cookie": cookie, "Host": f"evil.example:{port}"}, 421),
        "a foreign origin": ({"Cookie": cookie, "Origin": "http://evil.example"}, 403)}
    for name, (headers, expected) in requests.items():
        connection = http.client.HTTPConnection("127.0.0.1", port, timeout=10)
        connection.request("GET", "/api/v1/stores/0/objects?class=Airport", headers=headers)
        answer = connection.getresponse()
        text = answer.read().decode()
        connection.close()
        if answer.status != expected or ("00AA" in text) != (expected == 200):
            raise Failure(f"{name} got {answer.status} instead of {expected}: {text[:200]}")
    cross_site_form(world)


def cross_site_form(world):
    """A page of another site sends a form that would set a name, with what cookies there are."""
    edit = json.dumps({"edits": [{"kind": "set", "class": "Airport", "key": "00AA",
                                  "values": {"name": "stolen"}}], "x": "="})
    name, value = edit.split("=")
    address = f"{world.page.base}/api/v1/stores/0/edits"
    form = (f"<form method=post enctype=text/plain action='{address}'>"
            f"<input name='{name}' value='{value}'></form><script>document.forms[0].submit()"
            "</script>").encode()

    class Site(http.server.BaseHTTPRequestHandler):
        def do_GET(self):
            self.send_response(200)
            self.send_header("Content-Type", "text/html")
            self.end_headers()
            self.wfile.write(form)

        def log_message(self, *words):
            pass

    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Site)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    driver = world.page.driver
    try:
        # Another name of this machine is another site.
        driver.get(f"http://localhost:{server.server_port}/")
        wait("the answer to the form",
             lambda: driver.current_url.startswith(world.page.base))
        text = driver.page_source
        if "nothing was done" not in text or "canUndo" in text:
            raise Failure(f"a form of another site was answered {text[:300]}")
    finally:
        server.shutdown()
        server.server_close()
    found = world.stage.objects("A", "Airport", 'icao == "00AA"')["00AA"]["name"]
    if found == "stolen":
        raise Failure("a form of another site changed an object")


def two_studios_side_by_side(world):
    """A second studio in the same browser leaves the session of the first as it is."""
    page, driver = world.page, world.page.driver
    program, address = world.stage.studio()
    page.go("0/schema", "Schema")
    driver.switch_to.new_window("window")
    try:
        driver.get(address)
        page.wait_for("heading", "Airport")
        driver.close()
        driver.switch_to.window(world.window)
        page.click("link", "Objects", ("navigation", "Pages"))
        try:
            page.wait_for("link", "00AA", ("grid", None), 5)
        except Failure:
            raise Failure("after a second studio was opened the first shows "
                          f"{page.text()[:400]!r}") from None
    finally:
        program.terminate()
        driver.switch_to.window(world.window)
        driver.get(page.address)
        page.wait_for("heading", "Airport")


def read_only_edits_nothing(world):
    """A studio that may only read shows no edit control on any page, and refuses edits."""
    page = world.page
    words = r"^(New|Delete|Undo|Restore|Dismiss|Set a property|Compact|Back up|Pause|Resume|" \
        r"Retire|Readmit|Admit|Remove|Accept|Revoke|Add|Save)( .*)?$|" \
        r"^(Edit|Make|Set nil|Add 1|Take 1)"
    program, address = world.stage.studio("--read-only")
    # Another name of this machine, so that the cookies of the two studios do not meet.
    address = address.replace("127.0.0.1", "localhost")
    base = address.split("/?")[0]
    driver = page.driver
    driver.switch_to.new_window("window")
    usual, page.base = page.base, base
    try:
        driver.get(address)
        page.wait_for("heading", "Airport")
        places = [f"0/{name.lower()}" for name in PAGES]
        for place in [*places, "0/object/Airport/00AA", "0/object/Buoy/north",
                      "0/object/Airport/08AK?why=name"]:
            page.go(place)
            wait(f"page {place}", lambda: world.is_at(place))
            found = page.names("button", "checkbox")
            wrong = [one for one in found if world.matches(words, one)]
            if page.all("checkbox") or wrong:
                raise Failure(f"page {place} of a studio that may only read has {wrong or found}")
            page.press("n")
            if page.all("dialog"):
                raise Failure(f"the key n opens a form on page {place}")
        code = driver.execute_async_script(
            "const done = arguments[0]; fetch('/api/v1/stores/0/edits', {method: 'POST',"
            " headers: {'content-type': 'application/json'}, body: JSON.stringify({edits: ["
            "{kind: 'delete', class: 'Airport', key: '00AA'}]})}).then((one) => done(one.status));")
        if code != 403 or "00AA" not in world.stage.objects("A", "Airport", 'icao == "00AA"'):
            raise Failure(f"an edit to a studio that may only read was answered {code}")
    finally:
        page.base = usual
        driver.close()
        driver.switch_to.window(world.window)
        program.terminate()


TESTS = [every_page_opens, addresses_can_be_sent, token_leaves_the_address, stranger_gets_nothing,
         foreign_requests_get_nothing, two_studios_side_by_side, read_only_edits_nothing]
