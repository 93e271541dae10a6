"""Frames: `protocol/frames.md`. Each becomes lines: its kind and fields, then what it lists."""

import seals
from octets import SEQUENCE_NUMBER, Octets, Refused, quoted

FRAME_BYTES = 2 << 20
DECOMPRESSED_BYTES = 4 << 20
CHANGESET_BYTES = 512 << 20
REASON_BYTES = 1024
UNACKNOWLEDGED_BYTES = 4 << 20
WALL_CLOCK_MILLISECONDS = (1 << 48) - 1
NONE_WANTED = 2**64 - 1
VECTOR_ENTRIES = 1 << 14
ACKNOWLEDGED_HEADS = 256
DIGEST_LEVELS = 12
DIGEST_PREFIXES = 256
DIGEST_OBJECTS = 512
SNAPSHOT_PAGES = 1 << 24
SNAPSHOT_WINDOW = 8
SNAPSHOT_PAGE_BYTES = 256 << 10
VERSION = 3
LAST_CODE = 13
PREAMBLE = bytes.fromhex("8941544f4c4c0d0a")


def decode(data):
    """The lines of one frame; raises Refused for bytes that are none."""
    if data == PREAMBLE:
        return ["preamble"]
    octets = Octets(data)
    length, kind = octets.fixed(4), octets.u8()
    if kind not in KINDS:
        raise Refused("unknownKind", 4)
    if length > FRAME_BYTES:
        raise Refused("overLimit", 0)
    payload = Octets(octets.take(length))
    if octets.fixed(4) != checksum(data[: 5 + length]):
        raise Refused("checksum", 5 + length)
    if octets.remaining:
        raise Refused("notCanonical", octets.place)
    lines = KINDS[kind](payload)
    if payload.remaining:
        raise Refused("notCanonical", 5 + payload.place)
    return lines


def stream(data):
    """The lines of every frame of one direction of a link, preamble first."""
    if not data.startswith(PREAMBLE):
        raise Refused("notAtoll", 0)
    place = len(PREAMBLE)
    while place < len(data):
        end = place + 9 + int.from_bytes(data[place : place + 4], "big")
        yield decode(data[place:end])
        place = end


def remainder(byte):
    for _ in range(8):
        byte = byte >> 1 ^ (0x82F63B78 if byte & 1 else 0)
    return byte


REMAINDERS = [remainder(byte) for byte in range(256)]


def checksum(data):
    """CRC-32C, a byte at a time."""
    crc = 0xFFFFFFFF
    for byte in data:
        crc = crc >> 8 ^ REMAINDERS[(crc ^ byte) & 0xFF]
    return crc ^ 0xFFFFFFFF


def hello(payload):
    lowest, highest = payload.u8(), payload.u8()
    if highest < lowest:
        raise Refused("outOfRange", 6)
    if not lowest <= VERSION <= highest:
        payload.take(payload.remaining)
        return [f"hello of versions {lowest} to {highest}"]
    store, author = payload.take(16).hex(), branched(payload)
    agent, eager = quoted(payload.text(REASON_BYTES)), payload.u8()
    if eager > 1:
        raise Refused("outOfRange", 6)
    head = f"hello of versions {lowest} to {highest}, store {store}, author {author}, agent {agent}"
    return [head + (", eager" if eager else ", lazy")] + holdings(payload)


def goodbye(payload):
    code = payload.u8()
    known = code if code <= LAST_CODE else 0
    return [f"goodbye {known} {quoted(payload.text(REASON_BYTES))}"]


def changesets(payload, name="changesets"):
    body, lines = whole_body(payload), [name]
    if body is None:
        return lines + ["compressed"]
    for _ in range(body.count(2**32, each=155)):
        author, first, count = branched(body), sequence(body), body.count(2**32)
        if count == 0 or first + count - 1 > SEQUENCE_NUMBER:
            raise Refused("outOfRange", body.place)
        for number in range(first, first + count):
            data = body.take(body.varint())
            lines.append(f"changeset {author}:{number} <{data.hex()}>")
        lines.append(f"hash {body.take(32).hex()}, sealed by {seal(body)}")
    if body.remaining:
        raise Refused("notCanonical", body.place)
    return lines


def expedited(payload):
    return changesets(payload, "expedited")


def seal(octets):
    """The replica that the key names; the signature needs the store's id to be checked."""
    key, _ = octets.take(32), octets.take(64)
    return seals.replica(key).hex()


def optional_seal(octets):
    place = octets.place
    flag = octets.u8()
    if flag > 1:
        raise Refused("unknownTag", place)
    return seal(octets) if flag else None


def chunk(payload):
    author, number, chain = branched(payload), sequence(payload), payload.take(32).hex()
    signer = optional_seal(payload)
    if signer is None:
        raise Refused("outOfRange", payload.place)
    total = payload.varint(CHANGESET_BYTES)
    offset, body = payload.varint(total), whole_body(payload)
    if body and not 0 < body.remaining <= total - offset:
        raise Refused("outOfRange", payload.place)
    data = "compressed" if body is None else f"<{body.take(body.remaining).hex()}>"
    return [f"chunk of {author}:{number} {chain}, {data} at {offset} of {total}, sealed by {signer}"]


def chunk_receipt(payload):
    author, number = branched(payload), sequence(payload)
    return [f"receipt of {author}:{number}, {payload.varint(CHANGESET_BYTES)} bytes"]


def progress(payload):
    return ["progress"] + holdings(payload)


def request(payload):
    lines = ["request"]
    for author in ascending(payload, each=26):
        lines.append(f"after {author}:{wanted_sequence(payload)}")
    return lines


def snapshot_wanted(payload):
    lines = ["request a snapshot"]
    for author in ascending(payload, each=26):
        lines.append(f"that has {author}:{wanted_sequence(payload)}")
    return lines


def keep_alive(payload):
    return ["keep alive"] + holdings(payload)


def digest(payload):
    return [held(payload)]


def question(payload):
    store, wanted, level = payload.take(16).hex(), payload.u8(), payload.u8()
    if wanted > 1 or level > DIGEST_LEVELS:
        raise Refused("outOfRange", 5 + payload.place)
    lines = [f"question about {'objects' if wanted else 'sums'} of store {store}"]
    last = -1
    for _ in range(payload.count(DIGEST_PREFIXES)):
        prefix = payload.varint()
        if prefix >= 16**level or prefix <= last:
            raise Refused("outOfRange", 5 + payload.place)
        lines.append(f"prefix {prefix} of {level} digits")
        last = prefix
    return lines


def answer(payload):
    lines, found = [held(payload)], payload.u8()
    if found == 0:
        return lines + ["nothing " + quoted(payload.text(REASON_BYTES))]
    if found == 1:
        for _ in range(payload.count(16 * DIGEST_PREFIXES, each=17)):
            lines.append(f"{payload.varint()} objects, {payload.take(16).hex()}")
        return lines
    if found != 2:
        raise Refused("outOfRange", 5 + payload.place)
    for _ in range(payload.count(DIGEST_OBJECTS, each=35)):
        identity = payload.take(16).hex()
        name, key = quoted(payload.text(REASON_BYTES)), quoted(payload.text(REASON_BYTES))
        generation = payload.varint(2**32 - 1)
        lines.append(f"object {identity} {name} {key}, generation {generation}, {payload.take(16).hex()}")
    return lines


def held(payload):
    return f"digest at {payload.take(32).hex()}: {payload.take(16).hex()}"


def prune(_):
    return ["prune"]


def pair(payload):
    return [f"pair by {payload.take(32).hex()}"]


def paired(payload):
    return [f"paired for store {payload.take(16).hex()}"]


def declined(payload):
    return [f"declined of {branched(payload)}: {quoted(payload.text(REASON_BYTES))}"]


def credit(payload):
    window = payload.varint(UNACKNOWLEDGED_BYTES)
    return [f"credit of {window} bytes {quoted(payload.text(REASON_BYTES))}"]


def clock(payload):
    said = f"clock at {payload.varint(WALL_CLOCK_MILLISECONDS)}"
    place = payload.place
    flag = payload.u8()
    if flag > 1:
        raise Refused("unknownTag", place)
    if flag == 0:
        return [said]
    sent = payload.varint(WALL_CLOCK_MILLISECONDS)
    return [f"{said}, received {sent} at {payload.varint(WALL_CLOCK_MILLISECONDS)}"]


def acknowledgements(payload):
    number = payload.varint()
    news = payload.varint(number)
    if (news == 0) != (number == 0):
        raise Refused("outOfRange", 5 + payload.place)
    lines = [f"acknowledgements {number} after {number - news}, received {payload.varint()}"]
    authors, heads = [], []
    for _ in range(payload.count(2 * ACKNOWLEDGED_HEADS, each=25)):
        author = branched(payload)
        if authors and author <= authors[-1]:
            raise Refused("notCanonical", payload.place - 25)
        authors.append(author)
    for _ in range(payload.count(ACKNOWLEDGED_HEADS, each=34)):
        author = one_of(authors, payload)
        heads.append((author, sequence(payload), payload.take(32).hex()))
    last = ""
    for _ in range(payload.count(len(authors), each=2)):
        replica, author = one_of(authors, payload), ""
        if replica <= last:
            raise Refused("notCanonical", payload.place)
        last = replica
        lines.append(f"of {replica}")
        for _ in range(payload.count(len(heads), each=2)):
            head = one_of(heads, payload)
            if head[0] <= author:
                raise Refused("notCanonical", payload.place)
            author, held, chain = head
            lines.append(f"stores {author}:{held} {chain}, applied {held - payload.varint(held)}")
    return lines


def one_of(values, payload):
    place = payload.varint()
    if place >= len(values):
        raise Refused("outOfRange", payload.place - 1)
    return values[place]


def snapshot_offer(payload):
    name, pages = payload.take(32).hex(), payload.varint(SNAPSHOT_PAGES)
    objects = payload.varint()
    return [f"snapshot {name} of {pages} pages, {objects} objects"] + holdings(payload)


def snapshot_request(payload):
    name, first, count = payload.take(32).hex(), payload.varint(SNAPSHOT_PAGES), payload.u8()
    if not 1 <= count <= SNAPSHOT_WINDOW:
        raise Refused("outOfRange", 5 + payload.place)
    return [f"request {count} pages from {first} of snapshot {name}"]


def snapshot_page(payload):
    name, page = payload.take(32).hex(), payload.varint(SNAPSHOT_PAGES)
    chain, body = payload.take(32).hex(), whole_body(payload)
    if body and not 0 < body.remaining <= SNAPSHOT_PAGE_BYTES:
        raise Refused("outOfRange", 5 + payload.place)
    data = "compressed" if body is None else f"<{body.take(body.remaining).hex()}>"
    return [f"page {page} of snapshot {name}, hash {chain}, {data}"]


def backfill_request(payload):
    after = {author: wanted_sequence(payload) for author in ascending(payload, each=26)}
    lines = ["request the backfill"]
    for author in ascending(payload, each=26):
        lines.append(f"of {author} after {after.get(author, 0)} through {wanted_sequence(payload)}")
    flag = payload.u8()
    if flag > 1:
        raise Refused("outOfRange", 5 + payload.place)
    if flag:
        author, number = branched(payload), sequence(payload)
        lines.append(f"{payload.varint(CHANGESET_BYTES)} bytes of {author}:{number} are here")
    return lines


def backfill(payload):
    state = payload.u8()
    if state > 2:
        raise Refused("outOfRange", 5 + payload.place)
    lines = [f"backfill, state {state}"] + holdings(payload)
    body = whole_body(payload)
    if body is None:
        return lines + ["compressed"]
    for _ in range(body.count(DECOMPRESSED_BYTES)):
        author, number, chain = branched(body), sequence(body), body.take(32).hex()
        signer = optional_seal(body)
        total = body.varint(CHANGESET_BYTES)
        offset = body.varint(total)
        size = body.varint(total - offset)
        if size == 0:
            raise Refused("outOfRange", body.place)
        lines.append(
            f"part of {author}:{number} {chain}, <{body.take(size).hex()}> at {offset} of {total}"
            + (f", sealed by {signer}" if signer else "")
        )
    if body.remaining:
        raise Refused("notCanonical", body.place)
    return lines


def local_hello(payload):
    process = payload.fixed(4)
    return [f"local hello of {process} {quoted(payload.text(REASON_BYTES))}"]


def committed(payload):
    return [f"committed {payload.varint()}"]


def holdings(payload):
    lines = []
    for author in ascending(payload, each=59):
        held = sequence(payload)
        behind = payload.varint(held)
        lines.append(f"stores {author}:{held} {payload.take(32).hex()}, applied {held - behind}")
    return lines


def branched(payload):
    """An author, and one of its histories where it has several."""
    author, start = payload.author(), payload.place
    tag = payload.u8()
    if tag == 0:
        return author
    branch = payload.take(8)
    if tag != 1 or not any(branch):
        raise Refused("unknownTag", start)
    return f"{author}.{branch.hex()}"


def ascending(payload, each):
    """The author of each of a row of entries, which reads the rest of the entry itself."""
    previous = ""
    for _ in range(payload.count(VECTOR_ENTRIES, each)):
        author = branched(payload)
        if author <= previous:
            raise Refused("notCanonical", payload.place - 25)
        previous = author
        yield author


def sequence(payload):
    number = wanted_sequence(payload)
    if number == NONE_WANTED:
        raise Refused("outOfRange", payload.place - 1)
    return number


def wanted_sequence(payload):
    """A changeset's number, or what stands for "none of this author's"."""
    number = payload.varint()
    if number == 0 or SEQUENCE_NUMBER < number != NONE_WANTED:
        raise Refused("outOfRange", payload.place - 1)
    return number


def whole_body(payload):
    """The contents of a body; nil where it is compressed, since Python 3 reads no Zstandard by itself."""
    start = payload.place
    encoding = payload.u8()
    if encoding == 0:
        return Octets(payload.take(payload.remaining))
    if encoding != 1:
        raise Refused("unknownTag", start)
    payload.varint(DECOMPRESSED_BYTES)
    payload.take(payload.remaining)
    return None


KINDS = {
    1: hello, 2: goodbye, 3: changesets, 4: chunk, 5: chunk_receipt, 6: progress, 7: request,
    8: keep_alive, 9: digest, 10: question, 11: answer, 12: prune, 20: pair, 21: paired, 22: declined,
    30: acknowledgements, 40: snapshot_offer, 41: snapshot_request, 42: snapshot_page,
    43: backfill_request, 44: backfill, 45: snapshot_wanted, 50: credit, 51: expedited, 52: clock,
    0x40: local_hello, 0x41: committed,
}
