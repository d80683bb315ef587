"""Swiss, by FIDE's Dutch system (C.04.3): in each round everybody meets somebody with about as many points.

Nobody has a second bye, meets the same opponent twice, or has a seat that is absolutely not due, the leaders in the
last round excepted. Where no round can be paired so, as in small tournaments, these rules are given up as far as must
be, the last of them first.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence, Set
from dataclasses import dataclass
from itertools import combinations, count, groupby, product

from pbm.domain.tournaments.bouts import ABSOLUTE, DRAW, LOSS, Bout, Entrant, Seats, seated
from pbm.domain.tournaments.brackets import Bracket
from pbm.domain.tournaments.contenders import Contender, contenders
from pbm.domain.tournaments.matching import best
from pbm.domain.tournaments.measures import Field

Pair = tuple[Contender, Contender]


def rounds(number: int) -> int:
    """As many as find a winner among so many entrants, and one more."""
    return max(1, min((number - 1).bit_length() + 1, number - 1))


def is_enterable(started: int, of: int) -> bool:
    """Whether somebody may still come in when so many of the rounds have started: up to the middle."""
    return 2 * started <= of


def rest(entrant: Entrant, before: Iterable[Bout], *, is_last: bool = False) -> Bout:
    """A round without a bout, on request or before a late entry: half a point once, but not in the last round."""
    rested = any(bout.holds(entrant) and not bout.played and bout.score(entrant) == DRAW for bout in before)
    return Bout(entrant, None, (LOSS if rested or is_last else DRAW, LOSS), played=False)


def bouts(
    seeded: Sequence[Entrant],
    before: Sequence[Sequence[Bout]],
    *,
    absent: Collection[Entrant] = (),
    is_last: bool = False,
) -> list[Bout]:
    """The bouts of the next round, the highest pair first, a bye last.

    seeded: all who are in, the strongest first. before: the bouts of each round. absent: who of them is not paired.
    """
    ranked = contenders(seeded, before, absent, is_last=is_last)
    pairs = next(found for rules in _rules(ranked) if (found := _Round(ranked, rules).pairs()) is not None)
    pairs.sort(key=lambda pair: (-pair[0].points, -pair[1].points, pair[0].number))
    paired = {contender.entrant for pair in pairs for contender in pair}
    resting = [Bout(each.entrant, played=False) for each in ranked if each.entrant not in paired]
    return [*map(_bout, pairs), *resting]


def _bout(pair: Pair) -> Bout:
    higher, lower = pair
    seats: dict[Entrant, Seats] = {each.entrant: each.seats for each in pair}
    return Bout(*seated(higher.entrant, lower.entrant, seats, is_odd=higher.number % 2 == 1))


@dataclass(frozen=True, slots=True)
class _Rules:
    """What no pair and no bye may be. byes: who has had more gets none. meetings: of two who may meet again."""

    byes: int
    meetings: int
    are_seats_kept: bool

    def allow(self, one: Contender, two: Contender) -> bool:
        if one.met.count(two.entrant) > self.meetings:
            return False
        clash = one.seats.due == two.seats.due and one.seats.claim == two.seats.claim == ABSOLUTE
        return not (clash and self.are_seats_kept) or one.is_leader or two.is_leader


def _rules(ranked: Sequence[Contender]) -> Iterator[_Rules]:
    """FIDE's, and then those that ask for less and less."""
    most = max((each.met.count(other) for each in ranked for other in each.met), default=0)
    for byes in count():
        yield from (_Rules(byes, meetings, kept) for meetings, kept in product(range(most + 1), (True, False)))


class _Round:
    """ranked: who is paired, the highest first."""

    def __init__(self, ranked: Sequence[Contender], rules: _Rules) -> None:
        self._ranked, self._rules = ranked, rules
        self._allowed = {
            frozenset((one.number, two.number)) for one, two in combinations(ranked, 2) if rules.allow(one, two)
        }

    def pairs(self) -> list[Pair] | None:
        """All pairs; None if the rules allow no round."""
        if not self._can_complete(self._ranked):
            return None
        groups = [list(group) for _, group in groupby(self._ranked, key=lambda each: each.points)]
        pairs: list[Pair] = []
        moved: list[Contender] = []
        while groups:
            residents = groups.pop(0)
            below = [each for group in groups for each in group]
            found = self._paired(moved, residents, groups[0] if groups else [])
            left = _without([*moved, *residents], found)
            if below and not self._can_complete([*left, *below]):
                groups = [below]
                found = self._bracket(moved, residents, below, must_complete=True)
                left = _without([*moved, *residents], found)
            pairs += found
            moved = left
        return pairs

    def _paired(
        self, moved: Sequence[Contender], residents: Sequence[Contender], following: Sequence[Contender]
    ) -> list[Pair]:
        """The pairs of a bracket that are best for it, and, if they can be chosen, for the following one (C.7)."""
        found = self._bracket(moved, residents, [], must_complete=not following)
        floaters = _without([*moved, *residents], found)
        if following and floaters and not self._take_all(floaters, following):
            found = self._bracket(moved, residents, following, must_complete=False)
        return found

    def _bracket(
        self,
        moved: Sequence[Contender],
        residents: Sequence[Contender],
        below: Sequence[Contender],
        *,
        must_complete: bool,
    ) -> list[Pair]:
        most_byes = self._rules.byes if must_complete else None
        size = len(moved) + len(residents)
        return Bracket(Field([*moved, *residents, *below], len(moved), size, self._allowed, most_byes)).pairs()

    def _take_all(self, floaters: Sequence[Contender], following: Sequence[Contender]) -> bool:
        """Whether the following bracket can pair all of them, and as many of its own as there could ever be."""
        return self._pairs_all([*floaters, *following], {each.number for each in floaters})

    def _can_complete(self, these: Sequence[Contender]) -> bool:
        """Whether all of these can be paired, but for one who may have a bye."""
        return self._pairs_all(these, {each.number for each in these if each.byes > self._rules.byes})

    def _pairs_all(self, these: Sequence[Contender], wanted: Set[int]) -> bool:
        """Whether at most one is left over if these are paired among themselves, and none of those who are wanted."""
        if self._pairs_all_at_sight(sorted(these, key=lambda each: each.number not in wanted), wanted):
            return True
        pairs = combinations(sorted(each.number for each in these), 2)
        edges = {pair: (1, len(wanted & {*pair})) for pair in pairs if frozenset(pair) in self._allowed}
        left = {each.number for each in these}.difference(*best(edges))
        return len(left) <= 1 and left.isdisjoint(wanted)

    def _pairs_all_at_sight(self, waiting: Sequence[Contender], wanted: Set[int]) -> bool:
        """Whether that comes of giving everybody in turn the first who will do; mostly it does."""
        left = []
        while waiting:
            one, *others = waiting
            two = next((each for each in others if frozenset((one.number, each.number)) in self._allowed), None)
            left += [one.number] if two is None else []
            waiting = [each for each in others if each is not two]
        return len(left) <= 1 and wanted.isdisjoint(left)


def _without(these: Sequence[Contender], pairs: Sequence[Pair]) -> list[Contender]:
    paired = {contender.entrant for pair in pairs for contender in pair}
    return [each for each in these if each.entrant not in paired]
