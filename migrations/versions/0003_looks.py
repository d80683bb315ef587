"""What a userid looks like, so that nobody takes somebody else's name in letters that look the same."""

import sqlalchemy as sa
from alembic import op

revision = "0003"
down_revision = "0002"
branch_labels = None
depends_on = None


def _look(userid: str) -> str:
    text = userid.casefold().rstrip("._-").replace("rn", "m").replace("vv", "w")
    return text.translate(str.maketrans("01i5._", "olls--"))


def upgrade() -> None:
    op.add_column("players", sa.Column("look", sa.String(length=40), server_default="", nullable=False))
    op.create_index("ix_players_look", "players", ["look"], unique=False)
    connection = op.get_bind()
    players = sa.table("players", sa.column("id", sa.BigInteger), sa.column("userid", sa.String), sa.column("look"))
    known = connection.execute(sa.select(players.c.id, players.c.userid)).all()
    rows = [{"key": row.id, "value": _look(row.userid)} for row in known]
    if rows:
        changed = sa.update(players).where(players.c.id == sa.bindparam("key")).values(look=sa.bindparam("value"))
        connection.execute(changed, rows)


def downgrade() -> None:
    op.drop_index("ix_players_look", "players")
    op.drop_column("players", "look")
