"""The tables. What is written here is what the migrations lead to."""

from __future__ import annotations

from sqlalchemy import (
    JSON,
    Column,
    Float,
    ForeignKey,
    ForeignKeyConstraint,
    Integer,
    LargeBinary,
    MetaData,
    Table,
    Text,
    UniqueConstraint,
)

METADATA = MetaData(
    naming_convention={
        "uq": "uq_%(table_name)s_%(column_0_N_name)s",
        "fk": "fk_%(table_name)s_%(column_0_N_name)s",
        "pk": "pk_%(table_name)s",
    }
)

PROJECT = Table(
    "project",
    METADATA,
    Column("id", Integer, primary_key=True),
    Column("name", Text, nullable=False, unique=True),
    Column("settings", JSON, nullable=False),
    Column("created", Float(53), nullable=False),
)

ITEM = Table(
    "item",
    METADATA,
    Column("project", ForeignKey("project.id"), primary_key=True),
    Column("position", Integer, primary_key=True),
    Column("key", Text, nullable=False),
    Column("kind", Text, nullable=False),
    Column("digest", Text, nullable=False),
    Column("shown", JSON, nullable=False),
    Column("status", Text, nullable=False),
    UniqueConstraint("project", "key"),
)

ARRAY_BLOCK = Table(
    "array_block",
    METADATA,
    Column("project", ForeignKey("project.id"), primary_key=True),
    Column("name", Text, primary_key=True),
    Column("number", Integer, primary_key=True),
    Column("n_rows", Integer, nullable=False),
    Column("content", LargeBinary, nullable=False),
)

EVENT = Table(
    "event",
    METADATA,
    Column("project", ForeignKey("project.id"), primary_key=True),
    Column("number", Integer, primary_key=True),
    Column("kind", Text, nullable=False),
    Column("body", JSON, nullable=False),
    Column("who", Text, nullable=False),
    Column("at", Float(53), nullable=False),
    Column("client_id", Text),
    Column("closed", Integer),  # the open question that it answered
    UniqueConstraint("project", "client_id"),
    UniqueConstraint("project", "closed"),
)

# A copy of what the bodies of told events say, for readers with SQL.
ANSWER = Table(
    "answer",
    METADATA,
    Column("project", Integer, primary_key=True),
    Column("event", Integer, primary_key=True),
    Column("place", Integer, primary_key=True),
    Column("id", Integer, nullable=False),
    Column("sample", Integer, nullable=False),
    Column("against", Integer, nullable=False),
    Column("verdict", Text, nullable=False),
    Column("how", Text, nullable=False),
    Column("predicted", JSON(none_as_null=True)),
    ForeignKeyConstraint(["project", "event"], ["event.project", "event.number"]),
)

OPEN_QUESTION = Table(
    "open_question",
    METADATA,
    Column("id", Integer, primary_key=True),
    Column("project", ForeignKey("project.id"), nullable=False),
    Column("who", Text, nullable=False),
    Column("sample", Integer, nullable=False),
    Column("against", Integer, nullable=False),
    Column("low", Integer, nullable=False),
    Column("high", Integer, nullable=False),
    Column("predicted", JSON(none_as_null=True)),
    Column("version", Integer, nullable=False),
    Column("until", Float(53), nullable=False),
    UniqueConstraint("project", "who"),
    UniqueConstraint("project", "sample"),
    UniqueConstraint("project", "low", "high"),
    sqlite_autoincrement=True,  # an id is never given twice
)
