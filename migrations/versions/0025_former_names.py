"""Names that players had before they took others: they still find them, and nobody else can take them."""

import sqlalchemy as sa
from alembic import op

revision = "0025"
down_revision = "0024"
branch_labels = None
depends_on = None


def upgrade() -> None:
    word = sa.String(40).with_variant(sa.String(40, collation="C"), "postgresql")
    key = sa.BigInteger().with_variant(sa.Integer, "sqlite")
    op.create_table(
        "former_names",
        sa.Column("name_key", word, primary_key=True),
        sa.Column("player_id", key, sa.ForeignKey("players.id"), nullable=False),
        sa.Column("look", sa.String(40), nullable=False),
    )
    op.create_index("ix_former_names_player_id", "former_names", ["player_id"])
    op.create_index("ix_former_names_look", "former_names", ["look"])


def downgrade() -> None:
    op.drop_table("former_names")
