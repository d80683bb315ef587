"""A mail in the outbox knows whether the text of its last attempt was sent and not answered."""

import sqlalchemy as sa
from alembic import op

revision = "0020"
down_revision = "0019"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("outbox", sa.Column("maybe_taken", sa.Boolean(), nullable=False, server_default=sa.false()))


def downgrade() -> None:
    with op.batch_alter_table("outbox") as table:
        table.drop_column("maybe_taken")
