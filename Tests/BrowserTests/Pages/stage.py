"""Three daemons in a line, their stores, and the studio on them: started, spoken to, ended."""

import json
import os
import pathlib
import re
import shutil
import signal
import subprocess
import tempfile
import time

REPOSITORY = pathlib.Path(__file__).resolve().parents[3]
NAMES = {"A": "Aare", "B": "Birs", "C": "Cher"}

BUOYS = {"classes": [
    {"name": "Buoy", "key": {"name": "name", "type": "String"}, "properties": [
        {"name": "label", "type": "String"},
        {"name": "depth", "type": "Int"},
        {"name": "tags", "type": "String", "collection": "list"},
        {"name": "colours", "type": "String", "collection": "set"},
        {"name": "readings", "type": "Int", "collection": "map"},
        {"name": "next", "type": "link", "target": "Buoy"},
        {"name": "seen", "type": "Date"},
        {"name": "note", "type": "any value"},
        {"name": "isLit", "type": "Bool"},
        {"name": "serial", "type": "UUID"},
        {"name": "mass", "type": "Decimal128"},
        {"name": "photo", "type": "Data"},
        {"name": "place", "type": "embedded object", "target": "Location"}]},
    {"name": "Location", "isEmbedded": True, "properties": [
        {"name": "latitude", "type": "Double"}, {"name": "longitude", "type": "Double"}]}]}

BUOY = {
    "class": "Buoy", "label": "first", "depth": 7, "tags": ["red", "green"], "colours": ["white"],
    "readings": {"monday": 1}, "seen": {"date": "2024-02-29T12:30:00Z"}, "note": 1, "isLit": True,
    "serial": {"uuid": "1C2E3F40-5162-4738-8495-A6B7C8D9EAFB"}, "mass": {"decimal": "12.50"},
    "photo": {"data": "00ff10"}, "place": {"latitude": 46.9, "longitude": 7.4}}


class Failure(Exception):
    """The expectation and the finding."""


def wait(what, condition, seconds=10.0):
    """The first true answer of `condition`; fails after so many seconds."""
    end = time.monotonic() + seconds
    while True:
        found = condition()
        if found:
            return found
        if time.monotonic() > end:
            raise Failure(f"waited {seconds:g} s for {what}")
        time.sleep(0.04)


def is_running(pid):
    """A process that ended and that nobody asked about does not count."""
    try:
        state = pathlib.Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0]
    except (FileNotFoundError, ProcessLookupError):
        return False
    return state not in "ZX"


class Stage:
    """All that runs beside the browser; `close` ends it and removes its folder."""

    def __init__(self, binaries):
        self.binaries = pathlib.Path(binaries).resolve()
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="atoll-pages-"))
        self.programs = []
        self.daemons = {}
        self.ports = {}
        self.stores = {}

    def open(self):
        environment = {**os.environ, "TMPDIR": str(self.folder)}
        demo = subprocess.Popen(
            [self.binaries / "atoll-cluster", "demo", "--keep", "--limit", "500"], cwd=REPOSITORY,
            env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        self.programs.append(demo)
        text, _ = demo.communicate(timeout=60)
        if demo.returncode != 0:
            raise Failure(f"the demonstration ended with {demo.returncode}: {text[-2000:]}")
        line = re.compile(r"^  ([ABC])  process \d+, port (\d+), (\S+)$", re.M)
        for name, port, store in line.findall(text):
            self.ports[name], self.stores[name] = int(port), store
        numbers = re.search(r"^  kill (\d+) (\d+) (\d+);", text, re.M).groups()
        self.daemons = dict(zip("ABC", map(int, numbers)))
        for name, title in NAMES.items():
            self.atoll("name", self.stores[name], title)
        schema = self.folder / "buoys.json"
        schema.write_text(json.dumps(BUOYS))
        self.imports("A", [
            {**BUOY, "key": "north", "next": {"class": "Buoy", "key": "south"}},
            {**BUOY, "key": "south"}, {**BUOY, "key": "east"}], "--schema", str(schema))
        wait("the buoys on C", lambda: '"Buoy"' in self.atoll("schema", self.stores["C"], "--json")
             and len(self.objects("C", "Buoy")) == 3)

    def close(self):
        for program in self.programs:
            if program.poll() is None:
                program.terminate()
        for program in self.programs:
            try:
                program.wait(timeout=5)
            except subprocess.TimeoutExpired:
                program.kill()
                program.wait(timeout=5)
        for name in list(self.daemons):
            self.kill_daemon(name)
        self.kill_strays()
        shutil.rmtree(self.folder, ignore_errors=True)

    def kill_strays(self):
        """Daemons of a demonstration that was cut off: they name this stage's folder."""
        for entry in pathlib.Path("/proc").glob("[0-9]*"):
            try:
                words = (entry / "cmdline").read_bytes().split(b"\0")
            except OSError:
                continue
            own = f"{self.folder}/".encode()
            if words[0].endswith(b"/atolld") and any(word.startswith(own) for word in words):
                os.kill(int(entry.name), signal.SIGKILL)

    # The stores.

    def atoll(self, *arguments):
        """The output of a command of `atoll`."""
        done = subprocess.run(
            [self.binaries / "atoll", *arguments], capture_output=True, text=True, timeout=30)
        if done.returncode != 0:
            raise Failure(f"atoll {' '.join(arguments)} ended with {done.returncode}: "
                          f"{done.stderr.strip()}")
        return done.stdout

    def imports(self, name, objects, *options):
        """Writes objects into a store; answers when the process had ended, in ms since 1970."""
        file = self.folder / "import.jsonl"
        file.write_text("".join(json.dumps(one) + "\n" for one in objects))
        self.atoll("import", self.stores[name], str(file), *options)
        return time.time() * 1000

    def objects(self, name, class_name, where=None):
        """The objects of a class by their keys, in the order that the store has them."""
        options = ["--where", where] if where else []
        text = self.atoll("objects", self.stores[name], class_name, "--json", *options)
        return {one["key"]: one for one in map(json.loads, text.splitlines())}

    def holds(self, name, class_name, key, condition, seconds=10):
        """Waits until an object on a replica is as it should be; a missing one is None."""
        found = [None]

        def look():
            found[0] = self.objects(name, class_name).get(key)
            return condition(found[0])
        try:
            wait("it", look, seconds)
        except Failure:
            raise Failure(f"{class_name} {key} of {name} is after {seconds} s "
                          f"{json.dumps(found[0])}") from None

    # The daemons.

    def kill_daemon(self, name):
        pid = self.daemons.pop(name, None)
        if pid is None or not is_running(pid):
            return
        os.kill(pid, signal.SIGKILL)
        wait(f"the end of daemon {name}", lambda: not is_running(pid), 5)

    def start_daemon(self, name):
        """As `atoll-cluster` does: the one in the middle connects to the others."""
        store, port_file = pathlib.Path(self.stores[name]), self.folder / f"port-{name}"
        port_file.unlink(missing_ok=True)
        peers = [f"127.0.0.1:{self.ports[other]}" for other in "AC"] if name == "B" else []
        with open(self.folder / f"daemon-{name}.log", "ab") as log:
            program = subprocess.Popen(
                [self.binaries / "atolld", "--store", store,
                 "--listen", f"127.0.0.1:{self.ports[name]}", "--data", store.parent,
                 *(word for peer in peers for word in ("--peer", peer)),
                 "--port-file", port_file], stdout=log, stderr=log)
        self.programs.append(program)
        self.daemons[name] = program.pid
        wait(f"the port of daemon {name}", port_file.exists, 20)

    # The studio.

    def studio(self, *options):
        """Starts a studio on the three stores; answers its process and its address."""
        site = os.environ.get("ATOLL_SITE")
        output = self.folder / f"studio-{len(self.programs)}.log"
        with open(output, "wb") as log:
            program = subprocess.Popen(
                [self.binaries / "atoll", "studio", *self.stores.values(), "--no-browser", *options,
                 *(["--site", site] if site else [])], stdout=log, stderr=log)
        self.programs.append(program)
        return program, wait("the address of the studio", lambda: re.search(
            r"http://\S+(?=\n)", output.read_text()), 20).group()
