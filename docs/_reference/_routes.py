"""The HTTP API in Markdown, from what a running app says of itself at ``/api``."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any, cast

from jinja2 import Environment

from likewise.app import AppContext, create_app
from likewise.app._api import kinds, sections

PAGE = """
{%- macro table(fields) %}

| field | | what it is |
|---|---|---|
{%- for field in fields %}
| `{{ field.name }}` | {{ field.kind | replace("|", "or") }}{{ "" if field.is_needed else ", optional" }} | {{ field.about | replace("\n", " ") }} |
{%- endfor %}
{% endmacro %}
{%- for tag, here in routes.items() %}
## {{ tag }}
{% for route in here %}
### {{ route.method }} {{ route.path }}

{{ route.about }}
{% if route.parameters %}{{ table(route.parameters) }}{% endif %}
{%- if route.takes %}
Send {{ route.takes }}; you get {{ route.gives }}.
{% else %}
You get {{ route.gives }}.
{% endif %}
Refused with: {{ route.troubles | join(", ") }}.
{% if route.request %}
```json
{{ route.request }}
```
{% endif %}
{% endfor %}
{% endfor %}
## Messages

Unknown fields are refused in requests; replies may gain fields.
{% for kind in messages.values() %}
### {{ kind.name }}

{{ kind.about }}
{% if kind.fields %}{{ table(kind.fields) }}{% endif %}
{% endfor %}
## Refusals

| code | why |
|---|---|
{%- for code, said in refusals.items() %}
| {{ code }} | {{ said.description }} |
{%- endfor %}
"""


def document() -> dict[str, Any]:
    """Return what an app says of itself; for that it needs no project."""
    nobody = cast(AppContext, SimpleNamespace(door=None))
    return create_app(nobody, port=8757, hosts=frozenset()).openapi()


def routes() -> str:
    """Return a section for each kind of route, then the messages and refusals."""
    said = document()
    page = Environment(autoescape=False).from_string(PAGE)  # noqa: S701 - Markdown
    return page.render(
        routes=sections(said),
        messages=kinds(said),
        refusals=said["components"]["responses"],
    )
