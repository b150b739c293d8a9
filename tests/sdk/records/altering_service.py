"""A service with one record that alters what it stores or answers, and the alterations.

It follows the specification otherwise: an update whose `expectedData` is not contained in the record is refused with 409,
and any other is merged and applied atomically. It shares no code with the SDK and the stub server.
"""

from __future__ import annotations

import json
import random
import unicodedata
from collections import Counter
from collections.abc import Callable
from typing import Any, TypeAlias

from project_platform import Response

Data: TypeAlias = dict[str, Any]
Alteration: TypeAlias = Callable[[Data], Data]

TOKEN, RING = "token", "ring"


class AlteringService:
    """A service with one record.

    Attributes:
        data: The data of the record.
        landed: How often an update was applied, by the body of its request.
        doubled: The updates that were applied twice with no other update in between.
    """

    def __init__(self, data: Data, store: Alteration, show: Alteration) -> None:
        self.data = store(data)
        self.landed: Counter[bytes] = Counter()
        self.doubled: set[bytes] = set()
        self._last = b""
        self._store = store
        self._show = show

    @property
    def seen(self) -> Data:
        """The data of the record as a client sees it."""
        shown: Data = self._show(json.loads(json.dumps(self.data)))
        return shown

    def answer(self, body: bytes) -> Response:
        """Carry out an update and return the response."""
        update = json.loads(body)
        if not _contains(self.data, update.get("expectedData", {})):
            return Response(409, body=b'{"message": "stale"}')
        if update["data"]:
            self.landed[body] += 1
            self.doubled |= {body} & {self._last}
            self._last = body
            merged = {**self.data, **update["data"]}
            self.data = self._store({key: value for key, value in merged.items() if value is not None})
        return Response(200, body=json.dumps({"record": {"id": "rec_1", "data": self.seen}}).encode())


def _contains(have: Any, want: Any) -> bool:
    if isinstance(want, dict):
        return isinstance(have, dict) and all(key in have and _contains(have[key], want[key]) for key in want)
    if isinstance(want, list):
        return isinstance(have, list) and all(any(_contains(one, other) for one in have) for other in want)
    # To JSON 1 is 1.0, and true is not 1.
    return isinstance(have, bool) == isinstance(want, bool) and have == want


def texts(alter: Callable[[str], Any]) -> Alteration:
    """Return the alteration of every string, also inside arrays."""

    def walk(value: Any) -> Any:
        if isinstance(value, list):
            return [walk(item) for item in value]
        return alter(value) if isinstance(value, str) else value

    return lambda data: {key: walk(value) for key, value in data.items()}


def arrays(alter: Callable[[list[Any]], Any]) -> Alteration:
    """Return the alteration of every array."""
    return lambda data: {key: alter(value) if isinstance(value, list) else value for key, value in data.items()}


def numbers(alter: Callable[[int], Any]) -> Alteration:
    """Return the alteration of every number."""
    return lambda data: {key: alter(value) if type(value) is int else value for key, value in data.items()}


def without(*names: str) -> Alteration:
    """Return the alteration that drops keys."""
    return lambda data: {key: value for key, value in data.items() if key not in names}


def sometimes(alter: Alteration, rng: random.Random) -> Alteration:
    """Return an alteration that is made every other time."""
    return lambda data: alter(data) if rng.random() < 0.5 else data


def untouched(data: Data) -> Data:
    """Alter nothing."""
    return data


ALTERATIONS: dict[str, Alteration] = {
    "nothing": untouched,
    "trims": texts(str.strip),
    "lower case": texts(str.lower),
    "upper case": texts(str.upper),
    "title case": texts(str.title),
    "swaps case": texts(str.swapcase),
    "NFKC": texts(lambda text: unicodedata.normalize("NFKC", text)),
    "NFD": texts(lambda text: unicodedata.normalize("NFD", text)),
    "letters and digits only": texts(lambda text: "".join(filter(str.isalnum, text))),
    "pads texts": texts(lambda text: f" {text} "),
    "reverses texts": texts(lambda text: text[::-1]),
    "cuts texts to 40": texts(lambda text: text[:40]),
    "cuts texts to 20": texts(lambda text: text[:20]),
    "cuts texts to 3": texts(lambda text: text[:3]),
    "cuts the start of texts": texts(lambda text: text[-12:]),
    "masks texts": texts(lambda text: "***" if len(text) > 12 else text),
    "sorts arrays": arrays(sorted),
    "sorts arrays downward": arrays(lambda array: sorted(array, reverse=True)),
    "reverses arrays": arrays(lambda array: array[::-1]),
    "rotates arrays": arrays(lambda array: [*array[1:], *array[:1]]),
    "deduplicates arrays": arrays(lambda array: sorted(set(array))),
    "doubles arrays": arrays(lambda array: [*array, *array]),
    "the first two of an array": arrays(lambda array: array[:2]),
    "the last two of an array": arrays(lambda array: array[-2:]),
    "the first of an array": arrays(lambda array: array[:1]),
    "every other of an array": arrays(lambda array: array[::2]),
    "without the last of an array": arrays(lambda array: array[:-1]),
    "empties arrays": arrays(lambda array: []),
    "arrays as text": arrays(json.dumps),
    "arrays joined": arrays(",".join),
    "arrays as objects": arrays(lambda array: {str(index): item for index, item in enumerate(array)}),
    "nested arrays": arrays(lambda array: [array]),
    "texts as objects": texts(lambda text: {"text": text}),
    "drops the token": without(TOKEN),
    "drops the ring": without(RING),
    "drops both": without(TOKEN, RING),
    "numbers as floats": numbers(float),
    "numbers as text": numbers(str),
    "rounds numbers": numbers(lambda number: round(number, -2)),
    "null for missing keys": lambda data: {"stage": None, "count": None, "owner": None, **data},
    "null for empty values": lambda data: {key: value or None for key, value in data.items()},
    "drops empty values": lambda data: {key: value for key, value in data.items() if value},
    "computed keys": lambda data: {
        **data,
        "title": f"{data.get('stage')} {data.get('count')}",
        "revision": len(str(data)),
    },
    "another order of keys": lambda data: dict(reversed(data.items())),
    "ignores a key": without("stage"),
}
