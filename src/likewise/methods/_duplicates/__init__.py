"""The same thing entered more than once: many tiny groups, and how many nobody knows."""

from likewise.methods._duplicates._method import DUPLICATES

__all__ = ["DUPLICATES"]
