"""People: links by which they come in, and who they are."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0004"
down_revision = "0003"


def upgrade() -> None:
    """Make the tables of invites and members; nobody is in them before."""
    op.create_table(
        "invite",
        sa.Column("id", sa.Integer, primary_key=True, autoincrement=True),
        sa.Column("project", sa.Integer, nullable=False),
        sa.Column("role", sa.Text, nullable=False),
        sa.Column("digest", sa.Text, nullable=False),
        sa.Column("made_by", sa.Text, nullable=False),
        sa.Column("made", sa.Float(53), nullable=False),
        sa.Column("expires", sa.Float(53), nullable=False),
        sa.Column("uses", sa.Integer),
        sa.Column("who", sa.Text, nullable=False),
        sa.Column("revoked", sa.Float(53)),
        sa.UniqueConstraint("digest", name="uq_invite_digest"),
        sa.ForeignKeyConstraint(["project"], ["project.id"], name="fk_invite_project"),
        sqlite_autoincrement=True,
    )
    op.create_table(
        "member",
        sa.Column("project", sa.Integer, nullable=False),
        sa.Column("folded", sa.Text, nullable=False),
        sa.Column("name", sa.Text, nullable=False),
        sa.Column("role", sa.Text, nullable=False),
        sa.Column("joined", sa.Float(53), nullable=False),
        sa.Column("invite", sa.Integer),
        sa.Column("removed", sa.Float(53)),
        sa.PrimaryKeyConstraint("project", "folded", name="pk_member"),
        sa.ForeignKeyConstraint(["project"], ["project.id"], name="fk_member_project"),
        sa.ForeignKeyConstraint(["invite"], ["invite.id"], name="fk_member_invite"),
    )
