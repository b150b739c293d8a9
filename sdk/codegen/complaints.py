"""The mistakes that a run of the generator finds. They are collected, so that one run reports all of them."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TypeVar

T = TypeVar("T")


class GenerationError(Exception):
    """Nothing was written: each line names a place and how to fix it."""

    def __init__(self, problems: Iterable[str]) -> None:
        self.problems = list(problems)
        super().__init__("\n".join(self.problems))


def all_or_complaints(steps: Iterable[Callable[[], T]]) -> list[T]:
    """Run all steps and return their results.

    Raises:
        GenerationError: Steps failed; it has the mistakes of all of them.
    """
    results: list[T] = []
    problems: list[str] = []
    for step in steps:
        try:
            results.append(step())
        except GenerationError as error:
            problems += error.problems
    if problems:
        raise GenerationError(problems)
    return results
