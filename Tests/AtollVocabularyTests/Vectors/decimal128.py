#!/usr/bin/env python3
"""Writes decimal128.txt: what Python's `decimal` (libmpdec) answers in the decimal128 format.

Run in this folder without arguments; the seed is fixed, so the file changes only with this script.
A line is an operation and its operands and result, divided by spaces:

  + - * /   two operands, the rounded result
  ?         two operands, the numerical comparison: -1, 0, 1, or NaN
  =         a text, the value it is read as, printed
  d         the bits of a double in hexadecimal, the shortest decimal that reads back as it
"""

import random
import struct
from decimal import ROUND_HALF_EVEN, Context, Decimal

context = Context(
    prec=34, rounding=ROUND_HALF_EVEN, Emin=-6143, Emax=6144, clamp=1, capitals=1, traps=[])
generator = random.Random(1754)
FIRST, LAST = -6176, 6111
SPECIAL = ["0", "-0", "Infinity", "-Infinity", "NaN", "1", "-1"]


def coefficient():
    kind = generator.random()
    if kind < 0.35:
        return generator.randrange(10 ** generator.randint(1, 6))
    if kind < 0.8:
        return generator.randrange(10 ** generator.randint(1, 34))
    if kind < 0.9:
        return 10 ** generator.randint(30, 34) - generator.randint(1, 3)
    return generator.randrange(1, 1000) * 10 ** generator.randint(0, 31)


def exponent(near=None):
    kind = generator.random()
    if near is not None and kind < 0.6:
        return max(FIRST, min(LAST, near + generator.randint(-40, 40)))
    if kind < 0.8:
        return generator.randint(-12, 4)
    if kind < 0.88:
        return generator.randint(FIRST, FIRST + 70)
    if kind < 0.96:
        return generator.randint(LAST - 70, LAST)
    return generator.randint(FIRST, LAST)


def operand(near=None):
    if generator.random() < 0.02:
        return Decimal(generator.choice(SPECIAL))
    sign = "-" if generator.random() < 0.5 else ""
    return context.create_decimal(f"{sign}{coefficient()}E{exponent(near)}")


def pair():
    a = operand()
    near = a.as_tuple().exponent if a.is_finite() else None
    return (a, operand(near)) if generator.random() < 0.5 else (operand(near), a)


def tie():
    """Two operands whose exact sum ends in a 5 beyond the last digit, or next to it."""
    a = Decimal(generator.randrange(10 ** 33, 10 ** 34))
    shift = generator.randint(1, 36)
    b = Decimal(f"{5 * 10 ** (shift - 1) + generator.choice([-1, 0, 0, 1])}E-{shift}")
    b = context.plus(b)
    return (a if generator.random() < 0.5 else -a), (b if generator.random() < 0.5 else -b)


def text(value):
    return "NaN" if value.is_nan() else str(value)


def parsed():
    digits = str(generator.randrange(10 ** generator.randint(1, 60)))
    if generator.random() < 0.2:
        # A tie, or a hair beside one.
        digits = str(generator.randrange(10 ** 33, 10 ** 34)) + generator.choice(
            ["5", "50", "500000001", "49999", "5" + "0" * 30, "5" + "0" * 30 + "1"])
    if generator.random() < 0.5:
        place = generator.randint(0, len(digits))
        digits = digits[:place] + "." + digits[place:]
    if generator.random() < 0.3:
        digits = "0" * generator.randint(1, 40) + digits
    sign = generator.choice(["", "", "-", "+"])
    kind = generator.random()
    tail = ""
    if kind < 0.3:
        tail = generator.choice("eE") + str(generator.randint(-20, 20))
    elif kind < 0.6:
        tail = generator.choice("eE") + generator.choice(["", "+", "-"]) + str(
            generator.randint(6050, 6250))
    elif kind < 0.65:
        tail = "E" + generator.choice(["", "-"]) + "9" * generator.randint(4, 12)
    return sign + digits + tail


def double():
    kind = generator.random()
    if kind < 0.4:
        value = struct.unpack(">d", struct.pack(">Q", generator.getrandbits(64)))[0]
    elif kind < 0.7:
        value = round(generator.uniform(-1e6, 1e6), generator.randint(0, 6))
    elif kind < 0.85:
        value = float(generator.randrange(10 ** generator.randint(1, 25)))
    else:
        value = generator.choice([5e-324, 2.2250738585072014e-308, 1.7976931348623157e308, 0.1,
                                  0.2, 1 / 3, 1e16, 1e22, 1e23, 1e33, 1e34, -0.0, 0.0, 2.0 ** 53,
                                  float("inf"), float("-inf")]) * generator.choice([1, -1])
    if value != value:
        return double()
    decimal = Decimal(repr(value))
    if decimal.is_finite():
        decimal = decimal.normalize(Context(prec=40))
        sign, digits, power = decimal.as_tuple()
        if power > 0 and len(digits) + power <= 34:
            decimal = decimal.quantize(Decimal(1), context=context)
    return value, decimal


def main():
    lines = []

    def add(*words):
        line = " ".join(words)
        if line not in seen:
            seen.add(line)
            lines.append(line)

    seen = set()
    operations = [("+", context.add, 2500), ("-", context.subtract, 1900),
                  ("*", context.multiply, 2100), ("/", context.divide, 2400),
                  ("?", context.compare, 1300)]
    for name, function, count in operations:
        for a in SPECIAL:
            for b in SPECIAL:
                add(name, a, b, text(function(Decimal(a), Decimal(b))))
        for index in range(count):
            a, b = tie() if name in "+-" and index % 5 == 0 else pair()
            if name == "?" and index % 3 == 0 and a.is_finite():
                # The same number with other zeros, or the next one.
                b = a.normalize(context) if index % 2 else context.next_plus(a)
            if name == "/" and index % 4 == 0:
                # An exact quotient.
                a, b = context.multiply(Decimal(generator.randrange(10 ** 12)), b), b
            add(name, text(a), text(b), text(function(a, b)))
    for word in ["NaN", "-nan", "nan123", "sNaN", "SNAN7", "inf", "-INF", "+Infinity", "iNFINITY"]:
        value = context.create_decimal(word)
        add("=", word, text(value))
    for word in ["0", "-0", "+0", "0.0", ".0", "0.", "00", "0E9999", "-0E-9999", "5.", ".5", "1e5",
                 "0.000001", "0.0000001", "12E0", "-0.00", "9" * 34 + ".5", "1E6144", "1E6145",
                 "1E-6176", "5E-6177", "5.0000000001E-6177", "1.5E-6176", "2.5E-6176"]:
        add("=", word, text(context.create_decimal(word)))
    for digits in ["0", "1", "-7", "10", "1200", "-123456789", "1" + "0" * 33, "9" * 34]:
        for power in [*range(-45, 13), FIRST, FIRST + 1, LAST - 1, LAST]:
            word = f"{digits}E{power}"
            add("=", word, text(context.create_decimal(word)))
    for _ in range(1500):
        word = parsed()
        add("=", word, text(context.create_decimal(word)))
    for _ in range(1100):
        value, decimal = double()
        add("d", struct.pack(">d", value).hex(), text(decimal))
    with open("decimal128.txt", "w", encoding="ascii") as file:
        file.write("# Written by decimal128.py; see there.\n")
        file.write("\n".join(lines) + "\n")
    print(len(lines), "vectors")


main()
