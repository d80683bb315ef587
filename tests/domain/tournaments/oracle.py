"""Swiss rounds as py4swiss pairs them, which agrees with bbpPairings: FIDE's Dutch system."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from py4swiss.engines import DutchEngine
from py4swiss.engines.common import PairingError
from py4swiss.trf import ParsedTrf
from py4swiss.trf.codes import PlayerCode
from py4swiss.trf.results import ColorToken, ResultToken, RoundResult
from py4swiss.trf.sections import PlayerSection, XSection

from pbm.domain.tournaments.bouts import DRAW, WIN, Bout

_PLAYED = {WIN: ResultToken.WIN, DRAW: ResultToken.DRAW, 0: ResultToken.LOSS}
_FORFEITED = {WIN: ResultToken.FORFEIT_WIN, 0: ResultToken.FORFEIT_LOSS}
_BYES = {WIN: ResultToken.PAIRING_ALLOCATED_BYE, DRAW: ResultToken.HALF_POINT_BYE, 0: ResultToken.ZERO_POINT_BYE}


def bouts(
    number: int, rounds: Sequence[Sequence[Bout]], absent: Collection[int] = (), *, is_last: bool = False
) -> list[tuple[int, int | None]] | None:
    """The pairs of first and second players, the highest pair first, a bye last; None if FIDE's rules allow no round.

    The entrants are 1 to number, by seed.
    """
    sections = [_section(entrant, rounds, is_absent=entrant in absent) for entrant in range(1, number + 1)]
    extra = XSection(number_of_rounds=len(rounds) + (1 if is_last else 2))
    try:
        found = DutchEngine.generate_pairings(ParsedTrf(player_sections=sections, x_section=extra))
    except PairingError:
        return None
    return [(pairing.white, pairing.black or None) for pairing in found]


def _section(entrant: int, rounds: Sequence[Sequence[Bout]], *, is_absent: bool) -> PlayerSection:
    results = [_result(entrant, bouts) for bouts in rounds]
    points = sum(bout.score(entrant) for bouts in rounds for bout in bouts if bout.holds(entrant))
    if is_absent:
        results.append(RoundResult(id=0, color=ColorToken.BYE_OR_NOT_PAIRED, result=ResultToken.ZERO_POINT_BYE))
    return PlayerSection(
        code=PlayerCode.PLAYER, starting_number=entrant, points_times_ten=5 * points, rank=entrant, results=results
    )


def _result(entrant: int, bouts: Sequence[Bout]) -> RoundResult:
    bout = next((each for each in bouts if each.holds(entrant)), None)
    opponent = None if bout is None else bout.opponent(entrant)
    if bout is None or opponent is None:
        result = _BYES[0 if bout is None else bout.score(entrant)]
        return RoundResult(id=0, color=ColorToken.BYE_OR_NOT_PAIRED, result=result)
    color = ColorToken.WHITE if bout.first == entrant else ColorToken.BLACK
    results = _PLAYED if bout.played else _FORFEITED
    return RoundResult(id=opponent, color=color, result=results[bout.score(entrant)])
