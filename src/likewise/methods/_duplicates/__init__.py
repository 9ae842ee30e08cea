"""The same thing entered more than once: thousands of tiny groups."""

from likewise.methods._duplicates._method import DUPLICATES

__all__ = ["DUPLICATES"]
