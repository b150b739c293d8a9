"""Containment in the stub and in the SDK, compared with PostgreSQL's `jsonb @>`.

JSON is generated as text, so that `1`, `1.0`, `1e0` and `10E-1`, `-0`, huge numbers and duplicate keys occur. Without
PostgreSQL at hand the documented corners are still checked, and the comparison is skipped.
"""

from __future__ import annotations

import json
import math
import os
import random
import shutil
import struct
import subprocess
import tempfile
from collections import Counter
from decimal import Decimal
from pathlib import Path

import psycopg
import pytest

from project_platform.json_values import containment as sdk
from project_platform.json_values.exact_json import loads
from project_platform_stub.http.messages import parse_json, read_json, write_json
from project_platform_stub.operations.support import jsonb as stub

NOBODY = 65534  # the unprivileged user by convention; `initdb` refuses to run as root

NUMBERS = (
    "0",
    "-0",
    "0.0",
    "-0.0",
    "1",
    "1.0",
    "1.00",
    "1e0",
    "10E-1",
    "0.1",
    "0.10",
    "1e-1",
    "-1",
    "1e400",
    "10e399",
    "9007199254740992",
    "9007199254740993",
    "9007199254740993.0",
    "0.30000000000000004",
    "0.3",
    "1e2",
    "100.0",
)
TEXTS = tuple(json.dumps(text) for text in ("", "a", "A", "1", "null", "true", "é", "e\u0301", "🌾", "a ", "\n"))
KEYS = tuple(json.dumps(key) for key in ("a", "b", "c", "", "A", "é", "e\u0301"))
MAX_MEMBERS = 4
MAX_DEPTH = 3


def random_number(rng: random.Random) -> str:
    """Return the JSON text of a number: an integer of up to 80 bits, or any double."""
    if rng.random() < 0.5:
        return str(rng.getrandbits(rng.randrange(1, 81)) * rng.choice((1, -1)))
    (number,) = struct.unpack("d", rng.randbytes(8))
    return repr(number) if math.isfinite(number) else "0"


def random_text(rng: random.Random) -> str:
    """Return the JSON text of a string of up to four characters that PostgreSQL can store."""
    codes = (rng.choice((rng.randrange(1, 128), rng.randrange(1, 0x110000))) for _ in range(rng.randrange(5)))
    return json.dumps("".join(chr(code) for code in codes if not 0xD800 <= code < 0xE000))  # no half of a pair


def random_json(rng: random.Random, depth: int = 0) -> str:
    """Return the JSON text of a random value; an object may have the same key twice, of which the last one wins."""
    roll = rng.random()
    if depth == MAX_DEPTH or roll < (0.1, 0.4, 0.6)[depth]:
        kind = rng.randrange(8)
        match kind:
            case 0:
                return rng.choice(("null", "true", "false"))
            case 1 | 2 | 3:
                return rng.choice(NUMBERS)
            case 4 | 5:
                return rng.choice(TEXTS)
            case 6:
                return random_number(rng)
            case _:
                return random_text(rng)
    values = [random_json(rng, depth + 1) for _ in range(rng.randrange(MAX_MEMBERS + 1))]
    if rng.random() < 0.5:
        return f"[{','.join(values)}]"
    return f"{{{','.join(f'{rng.choice(KEYS)}:{value}' for value in values)}}}"


def near(value, rng: random.Random):
    """Return a variation of a value: often contained in it, often almost contained."""
    roll = rng.random()
    match value:
        case dict():
            smaller = {key: near(member, rng) for key, member in value.items() if rng.random() < 0.75}
            return {**smaller, rng.choice("abcd"): rng.choice([None, 1, "a", [], {}])} if roll < 0.06 else smaller
        case list():
            smaller = [near(element, rng) for element in value if rng.random() < 0.7]
            if smaller and roll > 0.97:
                return smaller[0]  # an array contains a scalar at the top level, and nowhere else
            if smaller and roll < 0.35:
                smaller.append(rng.choice(smaller))
            if roll < 0.25:
                rng.shuffle(smaller)
            return smaller
        case int() if not isinstance(value, bool) and roll < 0.5:
            return Decimal(f"{value}.0")
        case _:
            return rng.choice([None, True, False, 0, 1, "1", "", [], {}, [value]]) if roll < 0.04 else value


def random_pairs(rng: random.Random, count: int) -> list[tuple[str, str]]:
    """Return pairs of JSON texts: half of the second ones are variations of the first."""
    values = [random_json(rng) for _ in range(count)]
    return [
        (value, random_json(rng) if rng.random() < 0.5 else write_json(near(parse_json(value), rng)).decode())
        for value in values
    ]


CORNERS = [
    ('"foo"', '"foo"', True),
    ("[1,2,3]", "[1,3]", True),
    ("[1,2,3]", "[3,1]", True),
    ("[1,2,3]", "[1,2,2]", True),
    ("[1,2,[1,3]]", "[1,3]", False),
    ("[1,2,[1,3]]", "[[1,3]]", True),
    ('{"foo":{"bar":"baz"}}', '{"bar":"baz"}', False),
    ('{"foo":{"bar":"baz"}}', '{"foo":{}}', True),
    ('["foo","bar"]', '"bar"', True),
    ('"bar"', '["bar"]', False),
    ('{"t":["x"]}', '{"t":"x"}', False),
    ('[["x"]]', '["x"]', False),
    ('{"t":[1,2]}', '{"t":[]}', True),
    ('{"t":{}}', '{"t":[]}', False),
    ('{"t":1}', '{"t":1.0}', True),
    ('{"t":1}', '{"t":true}', False),
    ('{"t":0}', '{"t":false}', False),
    ('{"t":true}', '{"t":1}', False),
    ('{"t":"1"}', '{"t":1}', False),
    ('{"t":null}', '{"t":null}', True),
    ("{}", '{"t":null}', False),
    ('{"t":0}', '{"t":null}', False),
    ('{"t":-0.0}', '{"t":0}', True),
    ('{"t":9007199254740993}', '{"t":9007199254740992}', False),
    ('{"t":9007199254740993}', '{"t":9007199254740993.0}', True),
    ('{"t":"é"}', '{"t":"e\u0301"}', False),
    ('{"t":1}', "{}", True),
    ("[]", "[]", True),
    ("{}", "{}", True),
    ("[]", "{}", False),
    ("{}", "[]", False),
    ('[{"a":1,"b":2}]', '[{"a":1},{"b":2}]', True),
    ('[{"a":1},{"b":2}]', '[{"a":1,"b":2}]', False),
    ("[null]", "null", True),
    ("[[]]", "[]", True),
    ("[[1]]", "[[]]", True),
    ("null", "null", True),
    ('{"t":[1,2,2]}', '{"t":[2,2,2,1]}', True),
    ('{"t":1e400}', '{"t":10e399}', True),
    ("1", "[1]", False),
    ("1", "[]", False),
    ("[]", "1", False),
]


def by_stub(value: str, part: str) -> bool:
    """Return the stub's result for two JSON texts."""
    return stub.contains(read_json(value.encode()), read_json(part.encode()))


def by_sdk(value: str, part: str) -> bool:
    """Return the SDK's result for two JSON texts."""
    return sdk.contains(loads(value), loads(part))


def by_definition(value, part) -> bool:
    """Return whether a value contains another, each element compared with each; the documentation in six lines."""
    if isinstance(part, dict):
        return isinstance(value, dict) and all(key in value and by_definition(value[key], part[key]) for key in part)
    if isinstance(part, list):
        return isinstance(value, list) and all(any(by_definition(have, want) for have in value) for want in part)
    return not isinstance(value, dict | list) and (type(value), value) == (type(part), part)


def long_arrays(rng: random.Random) -> tuple[str, str]:
    """Return an array of similar elements, and an array of the same with members or elements left out."""

    def element():
        kind = rng.random()
        if kind < 0.15:
            return [rng.randrange(4) for _ in range(rng.randrange(4))]
        members = {key: rng.randrange(3) for key in "abcd" if rng.random() < 0.7}
        return members if kind < 0.6 else {**members, "e": [{"f": rng.randrange(3)} for _ in range(rng.randrange(3))]}

    def less(value):
        if isinstance(value, dict):
            return {key: less(member) for key, member in value.items() if rng.random() < 0.9}
        if isinstance(value, list):
            smaller = [less(item) for item in value if rng.random() < 0.9]
            return rng.sample(smaller, len(smaller))
        return value if rng.random() < 0.995 else 3

    whole = [element() for _ in range(rng.randrange(20, 41))]
    part = [less(value) for value in rng.sample(whole, rng.randrange(9, len(whole)))]
    return json.dumps(whole), json.dumps(part)


JUDGES = pytest.mark.parametrize("decided", [by_stub, by_sdk])


@pytest.fixture(scope="session")
def postgres():
    """A connection to a PostgreSQL that runs only for these tests."""
    bin_ = next(iter(sorted(Path("/usr/lib/postgresql").glob("*/bin"), reverse=True)), None)
    initdb = str(bin_ / "initdb") if bin_ else shutil.which("initdb")
    if initdb is None:
        pytest.skip("PostgreSQL is not installed: neither initdb on PATH nor in /usr/lib/postgresql")
    pg_ctl = str(Path(initdb).resolve().with_name("pg_ctl"))
    # A short path: that of a Unix socket has at most 107 characters, and the PostgreSQL user needs access.
    folder = Path(tempfile.mkdtemp(prefix="pg-", dir="/tmp"))
    user = {}
    if os.getuid() == 0:
        os.chown(folder, NOBODY, NOBODY)
        user = {"user": NOBODY, "group": NOBODY, "extra_groups": []}

    def run(*command):
        finished = subprocess.run(
            command, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False, **user
        )
        assert finished.returncode == 0, finished.stdout

    data = str(folder / "data")
    try:
        run(initdb, "-D", data, "-U", "test", "-A", "trust", "-E", "UTF8", "--locale=C", "--no-sync")
        options = f"-F -c listen_addresses= -c unix_socket_directories={folder}"
        run(pg_ctl, "-D", data, "-w", "-l", str(folder / "log"), "-o", options, "start")
        try:
            with psycopg.connect(host=str(folder), user="test", dbname="postgres", autocommit=True) as connection:
                yield connection
        finally:
            run(pg_ctl, "-D", data, "-m", "immediate", "stop")
    finally:
        shutil.rmtree(folder)


def as_array(pairs) -> str:
    """Return pairs of JSON texts as one JSON text, which is read faster than each of its parts."""
    return f"[{','.join(f'[{pair[0]},{pair[1]}]' for pair in pairs)}]"


def verdicts(postgres, pairs) -> list[bool]:
    """Return PostgreSQL's results for pairs of JSON texts."""
    rows = postgres.execute(
        "select (pair -> 0) @> (pair -> 1) from jsonb_array_elements(%s::jsonb) with ordinality as pairs(pair, n) order by n",
        [as_array(pairs)],
    )
    return [row[0] for row in rows]


def disagreements(postgres, pairs, results: Counter[bool]) -> list[str]:
    """Return the pairs for which stub or SDK and PostgreSQL have different results, and count PostgreSQL's results."""
    text = as_array(pairs)
    contained = verdicts(postgres, pairs)
    results.update(contained)
    return [
        f"{pair[0]}  @>  {pair[1]}: PostgreSQL says {expected}"
        for pair, expected, in_stub, in_sdk in zip(pairs, contained, read_json(text.encode()), loads(text), strict=True)
        if (stub.contains(*in_stub), sdk.contains(*in_sdk)) != (expected, expected)
    ]


def test_postgresql_agrees_on_long_arrays(postgres):
    """Arrays of up to 40 similar objects and arrays, so that an index of them is worth its time."""
    rng = random.Random(33)
    results: Counter[bool] = Counter()

    assert disagreements(postgres, [long_arrays(rng) for _ in range(1500)], results) == []
    assert min(results.values()) >= 200


def test_the_sdk_agrees_with_the_definition_on_long_arrays():
    """Also where PostgreSQL is not installed."""
    rng = random.Random(34)
    results = Counter()

    for _ in range(500):
        value, part = long_arrays(rng)
        contained = by_definition(loads(value), loads(part))
        assert by_sdk(value, part) is contained, f"{value}  @>  {part}"
        results[contained] += 1

    assert min(results.values()) >= 60


@JUDGES
@pytest.mark.parametrize(("value", "part", "contained"), CORNERS)
def test_the_documented_corners(decided, value, part, contained):
    """The examples of the PostgreSQL manual, and more for numbers, nulls and nesting."""
    assert decided(value, part) is contained


def test_postgresql_agrees_on_the_corners(postgres):
    """It has the same results as the table above."""
    assert verdicts(postgres, CORNERS) == [contained for _, _, contained in CORNERS]


def test_postgresql_agrees_on_100_000_random_pairs(postgres):
    """Half of them contained or almost contained, in the stub and in the SDK."""
    rng = random.Random(35)
    results: Counter[bool] = Counter()

    for _ in range(100):
        assert disagreements(postgres, random_pairs(rng, 1000), results) == []

    assert results.total() == 100_000
    assert min(results.values()) >= 20_000
