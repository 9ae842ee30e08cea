"""Imported once, before servers are forked: what each of them would do again."""

from __future__ import annotations

from likewise.app._context import _templates

for name in _templates.list_templates():
    _templates.get_template(name)  # compiled, and kept
