"""Seals: `protocol/identity.md`. Which replica a key names, what a seal signs, and whether it is right.
Owners: `protocol/owners.md`. Which store a replica founds, and the key of a recovery code.

Ed25519 (RFC 8032, section 5.1) in its plainest form: a signature takes some milliseconds.
"""

from hashlib import sha256, sha512

PRIME = 2**255 - 19
ORDER = 2**252 + 27742317777372353535851937790883648493
CURVE = -121665 * pow(121666, PRIME - 2, PRIME) % PRIME
ROOT = pow(2, (PRIME - 1) // 4, PRIME)


def replica(key):
    """The replica that a public key names."""
    return sha256(b"atoll replica" + key).digest()[:16]


def founded(founder):
    """The store that a replica founds."""
    store = bytearray(sha256(b"atoll store" + founder).digest()[:16])
    store[6] = store[6] & 0x0F | 0x80
    store[8] = store[8] & 0x3F | 0x80
    return bytes(store)


def is_owned(store):
    """Tells whether a store has owners."""
    return store[6] >> 4 == 8 and store[8] >> 6 == 2


def recovered(code):
    """The private key that the bytes of a recovery code stand for."""
    return sha256(b"atoll recovery" + code).digest()


def message(store, author, sequence, chain):
    """The signed bytes of a seal; an author's branch is no part of it."""
    named, incarnation = author.split(".")[:2]
    return (
        b"atoll seal" + bytes.fromhex(store) + bytes.fromhex(named + incarnation)
        + sequence.to_bytes(8, "big") + chain
    )


def vouches(key, signature, store, author, sequence, chain):
    """Tells whether a key and a signature prove that an author wrote a changeset and all before it."""
    named = replica(key).hex() == author.split(".")[0]
    return named and is_valid(key, signature, message(store, author, sequence, chain))


def is_valid(key, signature, text):
    point, commitment = decompressed(key), decompressed(signature[:32])
    scalar = int.from_bytes(signature[32:], "little")
    if point is None or commitment is None or scalar >= ORDER:
        return False
    challenge = number(signature[:32] + key + text)
    return same(times(scalar, BASE), plus(commitment, times(challenge, point)))


def signed(secret, text):
    """The signature of the 32 bytes of a private key."""
    scalar, prefix = expanded(secret)
    nonce = number(prefix + text)
    commitment = compressed(times(nonce, BASE))
    challenge = number(commitment + public(secret) + text)
    return commitment + ((nonce + challenge * scalar) % ORDER).to_bytes(32, "little")


def public(secret):
    return compressed(times(expanded(secret)[0], BASE))


def expanded(secret):
    digest = sha512(secret).digest()
    scalar = int.from_bytes(digest[:32], "little") & (1 << 254) - 8 | 1 << 254
    return scalar, digest[32:]


def number(data):
    return int.from_bytes(sha512(data).digest(), "little") % ORDER


# Points are (X, Y, Z, T) with x = X/Z, y = Y/Z, xy = T/Z.


def plus(a, b):
    left, right = (a[1] - a[0]) * (b[1] - b[0]), (a[1] + a[0]) * (b[1] + b[0])
    product, depth = 2 * a[3] * b[3] * CURVE, 2 * a[2] * b[2]
    e, f, g, h = right - left, depth - product, depth + product, right + left
    return e * f % PRIME, g * h % PRIME, f * g % PRIME, e * h % PRIME


def times(scalar, point):
    result = (0, 1, 1, 0)
    while scalar:
        if scalar & 1:
            result = plus(result, point)
        point, scalar = plus(point, point), scalar >> 1
    return result


def same(a, b):
    return (a[0] * b[2] - b[0] * a[2]) % PRIME == 0 and (a[1] * b[2] - b[1] * a[2]) % PRIME == 0


def abscissa(y, sign):
    square = (y * y - 1) * pow(CURVE * y * y + 1, PRIME - 2, PRIME) % PRIME
    x = pow(square, (PRIME + 3) // 8, PRIME)
    if (x * x - square) % PRIME:
        x = x * ROOT % PRIME
    if (x * x - square) % PRIME or (x == 0 and sign):
        return None
    return PRIME - x if x & 1 != sign else x


def compressed(point):
    inverse = pow(point[2], PRIME - 2, PRIME)
    x, y = point[0] * inverse % PRIME, point[1] * inverse % PRIME
    return (y | (x & 1) << 255).to_bytes(32, "little")


def decompressed(data):
    whole = int.from_bytes(data, "little")
    y = whole & (1 << 255) - 1
    x = abscissa(y, whole >> 255) if y < PRIME else None
    return None if x is None else (x, y, 1, x * y % PRIME)


BASE = decompressed((4 * pow(5, PRIME - 2, PRIME) % PRIME).to_bytes(32, "little"))
