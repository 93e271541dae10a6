"""A client that behaves badly, and one beside it that asks for a page.

Usage: hostile.py PORT TOKEN. Prints a line for each thing it did: its name, and what came of it.
"""

import socket
import sys
import time

PORT, TOKEN = int(sys.argv[1]), sys.argv[2]


def connect():
    return socket.create_connection(("127.0.0.1", PORT), timeout=20)


def status(data):
    """The status of an answer; `closed` if there is none."""
    return data.split(b" ")[1].decode() if data.startswith(b"HTTP/") else "closed"


def answer(data):
    """The answer to some bytes."""
    with connect() as connection:
        try:
            connection.sendall(data)
            return status(connection.recv(4096))
        except ConnectionError:
            return "closed"


def head(extra="", host=f"127.0.0.1:{PORT}", path="/api/v1/session", method="GET"):
    return (
        f"{method} {path} HTTP/1.1\r\nHost: {host}\r\nAuthorization: Bearer {TOKEN}\r\n"
        f"{extra}\r\n").encode()


def page():
    """The status of a page, and the seconds until it came."""
    began = time.monotonic()
    return answer(head()), time.monotonic() - began


JSON = "Content-Type: application/json\r\n"
print("page", page()[0])
print("garbage", answer(bytes(range(256)) * 4))
print("hello of TLS", answer(b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03" + b"\x00" * 500))
print("header of 1 MB", answer(head(f"X: {'x' * (1 << 20)}\r\n")))
print("address of 1 MB", answer(head(path="/" + "x" * (1 << 20))))
print("two hosts", answer(head("Host: evil.example\r\n")))
print("no host", answer(b"GET / HTTP/1.1\r\n\r\n"))
print("absolute address", answer(head(path="http://evil.example/api/v1/session")))
print("both lengths", answer(
    head(JSON + "Content-Length: 3\r\nTransfer-Encoding: chunked\r\n", method="POST")))
print("body of 9 MB", answer(
    head(JSON + f"Content-Length: {9 << 20}\r\n", method="POST") + b"x" * (9 << 20)))
# The second request is part of the first one's body, and no request.
inner = head(path="/nothing")
with connect() as connection:
    connection.sendall(
        head(f"Content-Length: {len(inner)}\r\nConnection: close\r\n", path="/main.js") + inner)
    received = b""
    while piece := connection.recv(65536):
        received += piece
    print("request in a body", received.count(b"HTTP/1.1 "))

held = []
for number in range(900):
    connection = connect()
    connection.sendall(b"GET / HTTP/1.1\r\nHost: 127")
    held.append(connection)
times = [page() for _ in range(20)]
print("page beside 900 slow ones", *{code for code, _ in times})
print("slowest", f"{max(seconds for _, seconds in times):.3f}")
