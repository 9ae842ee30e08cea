"""The widget: it carries messages between a page and a desk."""

from __future__ import annotations

from functools import cache
from secrets import token_hex
from typing import TYPE_CHECKING, Any

from likewise._arrays import described
from likewise.errors import InputError, MissingExtraError
from likewise.notebook._bundle import script, style
from likewise.notebook._contents import Titles, contents_of
from likewise.notebook._desk import Desk
from likewise.session import Session

if TYPE_CHECKING:
    from anywidget import AnyWidget

SCREENS = {"all": ("pair", "sheet", "overview"), "pairs": ("pair",)}
CRITERION = "Do these belong together?"


def widget(
    session: Session,
    items: object = None,
    *,
    kind: str | None = None,
    titles: Titles = None,
    criterion: str | None = None,
    screens: str = "all",
) -> AnyWidget:
    """Return the questions of a session for a cell of a notebook.

    Pairs, sheets of items beside a group, and groups at a glance, with the keys of the
    app. Each answer is in the session as soon as it is given: look at its labels in the
    next cell. What is told to the session elsewhere shows with the next answer. Needs
    the extra ``notebook``.

    Parameters
    ----------
    session : Session
    items : sequence, array-like or DataFrame, optional
        What people see of each sample, in the order of the samples: paths of pictures
        or texts, pictures of Pillow, arrays of shape (height, width) or (height, width,
        3), texts, rows as mappings, or a DataFrame of pandas or polars. The features of
        the session unless given. Only what is shown is read and sent.
    kind : {"image", "text", "row"}, optional
        What the items are, where it cannot be seen from them.
    titles : sequence or str, optional
        What names each item; or the column of a DataFrame that does.
    criterion : str, optional
        What people are asked about two of them.
    screens : {"all", "pairs"}
        Whether several items are shown at once, too, which is faster.

    Returns
    -------
    anywidget.AnyWidget
    """
    if not isinstance(session, Session):
        raise InputError(f"A widget shows a Session, not {described(session)}.")
    if screens not in SCREENS:
        raise InputError(f"screens must be 'all' or 'pairs', not {described(screens)}.")
    made = _base()
    shown = contents_of(session.n_samples, items, session.features, kind, titles)
    asked, kinds = criterion or CRITERION, SCREENS[screens]
    return made(Desk(session, shown, asked, kinds, token_hex(4)), shown.kind)


@cache
def _base() -> Any:
    """Return the class of widgets, which needs what `import likewise` does not."""
    try:
        import anywidget
        import traitlets
    except ImportError:
        raise MissingExtraError("anywidget", "notebook") from None

    class Widget(anywidget.AnyWidget):  # type: ignore[misc]
        """Carries what a view asks for to a desk, and the reply back."""

        _esm = script()
        _style = traitlets.Unicode(style()).tag(sync=True)
        _kind = traitlets.Unicode().tag(sync=True)

        def __init__(self, desk: Desk, kind: str) -> None:
            super().__init__(_kind=kind)
            self._desk = desk
            self.on_msg(self._hear)

        def _hear(self, _: object, request: Any, __: object) -> None:
            reply = self._desk.reply(request)
            message = {**reply.message, "id": request.get("id")}
            self.send(message, buffers=list(reply.pictures))

    return Widget
