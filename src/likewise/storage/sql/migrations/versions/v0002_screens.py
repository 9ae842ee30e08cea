"""Screens of several questions beside single ones."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"


def upgrade() -> None:
    """Let what is open be a screen; all that was before is a question alone."""
    op.add_column("open_question", sa.Column("screen", sa.JSON))
