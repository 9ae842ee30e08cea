"""Copies: files or rows with the content of an item."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0003"
down_revision = "0002"


def upgrade() -> None:
    """Let an item have copies; none has any before."""
    op.add_column("item", sa.Column("copies", sa.Text))
