"""Answers with clusters that are kept for the next time the same is asked."""

from collections import OrderedDict
from collections.abc import Sequence

from codecompass.model.cluster import ClustersAnswer

_KEPT_ANSWERS = 128


class ClusterCache:
    """The last answers, by question, options and published state of the snapshot.

    What is published is known by its contents: a state that is gone has another key.
    """

    def __init__(self) -> None:
        self._answers: OrderedDict[object, ClustersAnswer] = OrderedDict()
        self._hot_spots: list[str] = []
        self.state: object = None  # of the snapshot that answers are made ahead for

    def get(self, key: object) -> ClustersAnswer | None:
        """An answer that was given before."""
        found = self._answers.get(key)
        if found is not None:
            self._answers.move_to_end(key)
        return found

    def put(self, key: object, answer: ClustersAnswer) -> None:
        """Keep an answer; the ones not asked for the longest go."""
        self._answers[key] = answer
        while len(self._answers) > _KEPT_ANSWERS:
            self._answers.popitem(last=False)

    def begin(self, state: object, names: Sequence[str]) -> None:
        """From now on make answers for these names ahead."""
        self.state = state
        self._hot_spots = list(reversed(names))

    def next_hot_spot(self) -> str | None:
        """The next name; None when all had their turn."""
        return self._hot_spots.pop() if self._hot_spots else None
