"""The deed of the agenda that holds events."""

from __future__ import annotations

from pbm.domain.tournaments.terms import Kind
from pbm.service.agenda import Occasion, when_due
from pbm.service.tournaments.directing import Director
from pbm.service.tournaments.ladders import Ladder
from pbm.service.tournaments.rounds import Rounds
from pbm.service.tournaments.settling import HOLDING


@when_due(HOLDING)
def hold(occasion: Occasion) -> None:
    """Let an event go on as far as it can now, and note when it must be looked at again."""
    event = occasion.tx.tournaments.get(int(occasion.item.key))
    if event is not None and not event.stage.ended:
        kind: type[Director] = Ladder if event.terms.kind is Kind.LADDER else Rounds
        kind(occasion.tx, occasion.tools, occasion.now, event).go_on()
