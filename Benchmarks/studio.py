"""Measures the studio in Chromium on a store of a million objects.

Usage: studio.py FOLDER [OBJECTS], with the folder of a release build's `atoll`. Needs chromium,
chromium-driver and python3-selenium. Prints a Markdown table; times are medians of five,
after one round that does not count.
"""

import json
import random
import socket
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from selenium import webdriver
from selenium.webdriver.chrome.options import Options
from selenium.webdriver.chrome.service import Service

ATOLL = Path(sys.argv[1]) / "atoll"
OBJECTS = int(sys.argv[2]) if len(sys.argv) > 2 else 1_000_000
ROUNDS = 5

SCHEMA = {"classes": [
    {"name": "Airport", "key": {"name": "icao", "type": "String"}, "properties": [
        {"name": "name", "type": "String"}, {"name": "city", "type": "String"},
        {"name": "elevation", "type": "Int"}, {"name": "opened", "type": "Date"}]}]}


def airport(number, name=None):
    return json.dumps({
        "class": "Airport", "key": f"K{number:07d}",
        "name": name or f"Airport {random.randrange(10**6)}", "city": f"City {number % 5000}",
        "elevation": random.randrange(15_000), "opened": {"date": "1994-05-17T08:30:00Z"}})


def atoll(*words, text=None):
    return subprocess.run(
        [ATOLL, *words], input=text, text=True, check=True, capture_output=True).stdout


class Studio:
    """A studio that runs, and its address."""

    def __init__(self, store):
        self.process = subprocess.Popen(
            [ATOLL, "studio", store, "--no-browser"], stdout=subprocess.PIPE, text=True)
        self.process.stdout.readline()
        self.address = self.process.stdout.readline().strip()
        self.base = self.address.split("/?")[0]
        self.port = int(self.base.rsplit(":", 1)[1])

    def memory(self):
        """Its own memory in MiB, pages of files left out."""
        status = Path(f"/proc/{self.process.pid}/status").read_text()
        return int(status.split("RssAnon:")[1].split()[0]) / 1024

    def end(self):
        self.process.terminate()
        self.process.wait(timeout=10)


def browser():
    options = Options()
    for flag in ("--headless=new", "--no-sandbox", "--disable-gpu", "--window-size=1280,800"):
        options.add_argument(flag)
    return webdriver.Chrome(service=Service("/usr/bin/chromedriver"), options=options)


# Waits for a frame in which the condition holds, and tells when that was.
PAINTED = """
const [condition, done] = [new Function("return " + arguments[0]), arguments[arguments.length - 1]];
const look = () => {
  if (condition()) requestAnimationFrame(() => setTimeout(() => done(Date.now())));
  else requestAnimationFrame(look);
};
look();
"""


def painted(page, condition):
    """The milliseconds since 1970 of the frame in which a condition of JavaScript holds."""
    page.set_script_timeout(60)
    return page.execute_async_script(PAINTED, condition)


def row(words):
    return f"[...document.querySelectorAll('[role=row]')].some(r => r.innerText.includes('{words}'))"


def median(measure):
    return statistics.median(measure() for _ in range(ROUNDS))


def main():
    random.seed(1)
    with tempfile.TemporaryDirectory(prefix="atoll-studio-") as folder:
        store = f"{folder}/airports.atoll"
        Path(f"{folder}/schema.json").write_text(json.dumps(SCHEMA))
        with open(f"{folder}/airports.jsonl", "w", encoding="utf-8") as lines:
            for number in range(OBJECTS):
                lines.write(airport(number) + "\n")
        atoll("init", store)
        atoll("import", store, f"{folder}/airports.jsonl", "--schema", f"{folder}/schema.json")
        page = browser()
        try:
            measure(page, store)
        finally:
            page.quit()


def measure(page, store):
    def first_page():
        began = time.time() * 1000
        studio = Studio(store)
        page.get(studio.address)
        time_painted = painted(page, row("K0000000"))
        studio.end()
        return time_painted - began

    first_page()  # A browser that has just been started is slow with whatever it opens.
    print(f"| on {OBJECTS:,} objects | measured | target |\n|---|--:|--:|")
    print(f"| from the command to the first page painted, ms | {median(first_page):.0f} | 300 |")
    studio = Studio(store)
    page.get(f"{studio.address}")
    painted(page, row("K0000000"))

    def filtered():
        # Another key each time, so that nothing is there already.
        key = f"K{random.randrange(OBJECTS):07d}"
        began = page.execute_script(
            "location.hash = arguments[0]; return Date.now()",
            f"#/0/objects/Airport?where=icao%20%3D%3D%20%22{key}%22")
        return painted(page, row(key)) - began

    print(f"| from a filter on an index to its rows painted, ms | {median(filtered):.0f} | 50 |")
    page.execute_script("location.hash = '#/0/objects/Airport'")
    painted(page, row("K0000000"))

    def jump():
        """Any place of the scroll bar, until its rows are there."""
        place = random.random()
        began = page.execute_script(
            "const g = document.querySelector('[role=grid]');"
            "g.scrollTop = g.scrollHeight * arguments[0]; return Date.now()", place)
        # The rows in sight are there when none of their cells waits.
        full = "[...document.querySelectorAll('[role=gridcell]')].filter(c => c.innerText).length > 40"
        return painted(page, full) - began

    print(f"| from a jump of the scroll bar to its rows painted, ms | {median(jump):.0f} | – |")
    elements = page.execute_script("return document.querySelectorAll('[role=row]').length")
    print(f"| row elements in the page | {elements} | – |")
    page.execute_script("document.querySelector('[role=grid]').scrollTop = 0")
    painted(page, row("K0000000"))

    def edited():
        """Another process's commit, from the end of that process."""
        name = f"Edited {random.randrange(10**9)}"
        atoll("import", store, "-", "--format", "jsonl", text=airport(0, name) + "\n")
        began = time.time() * 1000
        return max(painted(page, row(name)) - began, 0)

    print(f"| from the end of another process that edits to the row painted, ms | {median(edited):.0f}"
          " | 200 |")
    print(f"| memory, MiB | {studio.memory():.0f} | 60 |")
    held = [socket.create_connection(("127.0.0.1", studio.port)) for _ in range(500)]
    for connection in held:
        connection.sendall(b"GET / HTTP/1.1\r\nHost: 127")
    others = subprocess.Popen(
        [sys.executable, "-c", HOLD, str(studio.port)], stdin=subprocess.PIPE,
        stdout=subprocess.PIPE, text=True)
    others.stdout.readline()
    print(f"| the filter beside 1,000 connections that never send a whole request, ms "
          f"| {median(filtered):.0f} | – |")
    print(f"| memory beside them, MiB | {studio.memory():.0f} | 60 |")
    others.stdin.close()
    others.wait(timeout=10)
    studio.end()


# 500 more connections in a process of its own, because of the limit of descriptors.
HOLD = """
import socket, sys
held = [socket.create_connection(("127.0.0.1", int(sys.argv[1]))) for _ in range(500)]
for connection in held: connection.sendall(b"GET / HTTP/1.1\\r\\nHost: 127")
print("held", flush=True)
sys.stdin.read()
"""

main()
