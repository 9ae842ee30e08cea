"""The first tables."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None


def upgrade() -> None:
    """Make every table of version 1."""
    op.create_table(
        "project",
        sa.Column("id", sa.Integer, nullable=False),
        sa.Column("name", sa.Text, nullable=False),
        sa.Column("settings", sa.JSON, nullable=False),
        sa.Column("created", sa.Float(53), nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_project"),
        sa.UniqueConstraint("name", name="uq_project_name"),
    )
    op.create_table(
        "item",
        sa.Column("project", sa.Integer, nullable=False),
        sa.Column("position", sa.Integer, nullable=False),
        sa.Column("key", sa.Text, nullable=False),
        sa.Column("kind", sa.Text, nullable=False),
        sa.Column("digest", sa.Text, nullable=False),
        sa.Column("shown", sa.JSON, nullable=False),
        sa.Column("status", sa.Text, nullable=False),
        sa.PrimaryKeyConstraint("project", "position", name="pk_item"),
        sa.UniqueConstraint("project", "key", name="uq_item_project_key"),
        _of_project("item"),
    )
    op.create_table(
        "array_block",
        sa.Column("project", sa.Integer, nullable=False),
        sa.Column("name", sa.Text, nullable=False),
        sa.Column("number", sa.Integer, nullable=False),
        sa.Column("n_rows", sa.Integer, nullable=False),
        sa.Column("content", sa.LargeBinary, nullable=False),
        sa.PrimaryKeyConstraint("project", "name", "number", name="pk_array_block"),
        _of_project("array_block"),
    )
    _make_events()
    _make_open_questions()


def _make_events() -> None:
    op.create_table(
        "event",
        sa.Column("project", sa.Integer, nullable=False),
        sa.Column("number", sa.Integer, nullable=False),
        sa.Column("kind", sa.Text, nullable=False),
        sa.Column("body", sa.JSON, nullable=False),
        sa.Column("who", sa.Text, nullable=False),
        sa.Column("at", sa.Float(53), nullable=False),
        sa.Column("client_id", sa.Text),
        sa.Column("closed", sa.Integer),
        sa.PrimaryKeyConstraint("project", "number", name="pk_event"),
        sa.UniqueConstraint("project", "client_id", name="uq_event_project_client_id"),
        sa.UniqueConstraint("project", "closed", name="uq_event_project_closed"),
        _of_project("event"),
    )
    op.create_table(
        "answer",
        sa.Column("project", sa.Integer, nullable=False),
        sa.Column("event", sa.Integer, nullable=False),
        sa.Column("place", sa.Integer, nullable=False),
        sa.Column("id", sa.Integer, nullable=False),
        sa.Column("sample", sa.Integer, nullable=False),
        sa.Column("against", sa.Integer, nullable=False),
        sa.Column("verdict", sa.Text, nullable=False),
        sa.Column("how", sa.Text, nullable=False),
        sa.Column("predicted", sa.JSON),
        sa.PrimaryKeyConstraint("project", "event", "place", name="pk_answer"),
        sa.ForeignKeyConstraint(
            ["project", "event"],
            ["event.project", "event.number"],
            name="fk_answer_project_event",
        ),
    )


def _make_open_questions() -> None:
    op.create_table(
        "open_question",
        sa.Column("id", sa.Integer, primary_key=True, autoincrement=True),
        sa.Column("project", sa.Integer, nullable=False),
        sa.Column("who", sa.Text, nullable=False),
        sa.Column("sample", sa.Integer, nullable=False),
        sa.Column("against", sa.Integer, nullable=False),
        sa.Column("low", sa.Integer, nullable=False),
        sa.Column("high", sa.Integer, nullable=False),
        sa.Column("predicted", sa.JSON),
        sa.Column("version", sa.Integer, nullable=False),
        sa.Column("until", sa.Float(53), nullable=False),
        sa.UniqueConstraint("project", "who", name="uq_open_question_project_who"),
        sa.UniqueConstraint(
            "project", "sample", name="uq_open_question_project_sample"
        ),
        sa.UniqueConstraint(
            "project", "low", "high", name="uq_open_question_project_low_high"
        ),
        _of_project("open_question"),
        sqlite_autoincrement=True,
    )


def _of_project(table: str) -> sa.ForeignKeyConstraint:
    return sa.ForeignKeyConstraint(
        ["project"], ["project.id"], name=f"fk_{table}_project"
    )
