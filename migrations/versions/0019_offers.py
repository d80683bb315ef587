"""What is known of an offer moves from its tickets to the agenda, where it names those who have not agreed yet."""

import json
import time

import sqlalchemy as sa
from alembic import op

revision = "0019"
down_revision = "0018"
branch_labels = None
depends_on = None

_MOMENT = 60_000_000
"""How long before its last ticket runs out an offer is due, in microseconds."""

_tickets = sa.table(
    "tickets",
    sa.column("id", sa.BigInteger),
    sa.column("purpose", sa.String),
    sa.column("subject", sa.String),
    sa.column("player_id", sa.BigInteger),
    sa.column("payload", sa.Text),
    sa.column("expires_at", sa.BigInteger),
)
_agenda = sa.table(
    "agenda",
    sa.column("kind", sa.String),
    sa.column("key", sa.String),
    sa.column("due_at", sa.BigInteger),
    sa.column("payload", sa.Text),
    sa.column("attempts", sa.Integer),
)
_players = sa.table("players", sa.column("id", sa.BigInteger), sa.column("userid", sa.String))
_OF_OFFERS, _OFFERS = _tickets.c.purpose == "offer", _agenda.c.kind == "offer"


def upgrade() -> None:
    """A player who has agreed has no ticket left; an offer by somebody unknown was not on the agenda."""
    connection, now = op.get_bind(), time.time() * 1_000_000
    askers = {
        row.key: json.loads(row.payload)["player"] for row in connection.execute(sa.select(_agenda).where(_OFFERS))
    }
    found: dict[str, list[sa.Row[tuple[object, ...]]]] = {}
    for row in connection.execute(sa.select(_tickets).where(_OF_OFFERS).order_by(_tickets.c.id)):
        found.setdefault(row.subject, []).append(row)
    connection.execute(sa.delete(_agenda).where(_OFFERS))
    for key, rows in found.items():
        offer, ends_at = json.loads(rows[0].payload), max(row.expires_at for row in rows)
        if key in askers or (not offer["challenger"] and ends_at > now):
            waits = sorted({row.player_id for row in rows})
            kept = {name: value for name, value in offer.items() if name not in ("challenger", "asked")}
            payload = json.dumps({**kept, "player": askers.get(key), "waits": waits}, sort_keys=True)
            due_at = ends_at - _MOMENT
            connection.execute(
                sa.insert(_agenda).values(kind="offer", key=key, due_at=due_at, payload=payload, attempts=0)
            )
    connection.execute(sa.update(_tickets).where(_OF_OFFERS).values(payload="{}"))


def downgrade() -> None:
    connection = op.get_bind()
    names = {row.id: row.userid for row in connection.execute(sa.select(_players))}
    offers = {row.key: json.loads(row.payload) for row in connection.execute(sa.select(_agenda).where(_OFFERS))}
    connection.execute(sa.delete(_tickets).where(_OF_OFFERS, _tickets.c.subject.not_in(list(offers))))
    for key, offer in offers.items():
        kept = {name: value for name, value in offer.items() if name not in ("player", "waits", "left")}
        payload = json.dumps({**kept, "challenger": names.get(offer["player"], "")})
        of_offer, item = _OF_OFFERS & (_tickets.c.subject == key), _OFFERS & (_agenda.c.key == key)
        connection.execute(sa.update(_tickets).where(of_offer).values(payload=payload))
        asker = json.dumps({"player": offer["player"]})
        change = sa.update(_agenda).values(payload=asker) if offer["player"] else sa.delete(_agenda)
        connection.execute(change.where(item))
