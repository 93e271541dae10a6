"""Decimals (`protocol/changeset.md`, "Values") as numbers, and as the bytes that digests take."""

DIGITS, FIRST = 34, -6176


def parts(data):
    """Sign, whole number and power of ten; the power is None for an infinity or a NaN, whose number is 0."""
    bits = int.from_bytes(data, "big")
    is_negative = bits >> 127 == 1
    if bits >> 125 & 3 == 3:
        return is_negative, 0, None
    return is_negative, bits & (1 << 113) - 1, (bits >> 113 & 0x3FFF) + FIRST


def is_nan(data):
    return data[0] == 0x7C


def stripped(number, power):
    """The same without trailing zeros, and how many there were."""
    zeros = 0
    while number % 10 == 0:
        number, zeros = number // 10, zeros + 1
    return number, power + zeros, zeros


def number_bytes(data):
    """The beginning of the bytes of equal numbers."""
    is_negative, number, power = parts(data)
    if power is None:
        return bytes([0 if is_nan(data) else 1 if is_negative else 5])
    if number == 0:
        return b"\x03"
    number, power, _ = stripped(number, power)
    digits = str(number)
    first = power + len(digits) - 1 - FIRST
    digits += "0" * (len(digits) % 2)
    pairs = bytes(int(digits[place : place + 2]) + 1 for place in range(0, len(digits), 2))
    rest = first.to_bytes(2, "big") + pairs + b"\0"
    return b"\x02" + bytes(255 - byte for byte in rest) if is_negative else b"\x04" + rest


def ordered_bytes(data):
    """Bytes that sort as the numbers do, and tell equal ones apart."""
    is_negative, number, power = parts(data)
    if power is None:
        return number_bytes(data)
    if number == 0:
        return b"\x03" + ((0 if is_negative else 0x8000) | power - FIRST).to_bytes(2, "big")
    return number_bytes(data) + bytes([stripped(number, power)[2]])


def member_bytes(data):
    """The name of a decimal among a set's members: its number; zero has a sign."""
    is_negative, number, power = parts(data)
    zero = power is not None and number == 0
    return number_bytes(data) + (bytes([0 if is_negative else 0x80]) if zero else b"")
