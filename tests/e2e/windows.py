"""Windows of one browser, used again from test to test: to open one anew takes long."""

from __future__ import annotations

import time
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any

from playwright.sync_api import Browser, Error, Page, Request, ViewportSize
from tests.e2e.running import Server

PATIENCE = 20_000  # milliseconds; a loaded machine is slow, a broken page never comes
DESKTOP = ViewportSize(width=1280, height=720)
SOON = 0.02  # seconds until a pile is looked at again that is being read
HERE = ("http://127.0.0.1:", "about:", "data:", "blob:")
FORGET = "() => { localStorage.clear(); sessionStorage.clear(); }"


@dataclass
class Windows:
    """Windows that share nothing with each other, and nothing with the test before.

    Attributes
    ----------
    browser : Browser
    leaks : list of str
        Addresses outside of this machine that a page has asked for.
    """

    browser: Browser
    leaks: list[str] = field(default_factory=list)
    _open: list[tuple[str, Page]] = field(default_factory=list)
    _free: dict[str, list[Page]] = field(default_factory=dict)
    _cookies: dict[str, Any] = field(default_factory=dict)

    def open(
        self,
        *,
        viewport: Any = None,
        color_scheme: Any = "light",
        reduced_motion: Any = "no-preference",
        **fixed: Any,
    ) -> Page:
        """Return an empty page; what is ``fixed`` holds for the life of a window."""
        kind = repr(sorted(fixed.items()))
        free = self._free.setdefault(kind, [])
        page = free.pop() if free else self._new(**fixed)
        self._open.append((kind, page))
        page.set_viewport_size(viewport or DESKTOP)
        page.emulate_media(color_scheme=color_scheme, reduced_motion=reduced_motion)
        return page

    def close(self) -> list[str]:
        """Put all windows away; return what they have asked others for."""
        for kind, page in self._open:
            self._empty(page)
            self._free[kind].append(page)
        leaks = self.leaks.copy()
        self._open.clear()
        self.leaks.clear()
        return leaks

    def let_in(self, page: Page, server: Server) -> None:
        """Let somebody in once the pile is read; the printed address is good once."""
        context = page.context
        if server.url in self._cookies:
            context.add_cookies(self._cookies[server.url])
        else:
            context.request.get(server.url, max_redirects=0)
            self._cookies[server.url] = context.cookies()
        while context.request.get(f"{server.root}api/state").json()["preparing"]:
            time.sleep(SOON)

    def _new(self, **fixed: Any) -> Page:
        context = self.browser.new_context(**fixed)
        context.set_default_timeout(PATIENCE)
        context.on("request", self._watch)
        return context.new_page()

    def _watch(self, request: Request) -> None:
        if not request.url.startswith(HERE):
            self.leaks.append(request.url)

    def _empty(self, page: Page) -> None:
        for other in page.context.pages:
            other.unroute_all(behavior="ignoreErrors")
            with suppress(Error):  # of a page that could not be loaded
                other.evaluate(FORGET)
            if other is not page:
                other.close()
        page.goto("about:blank")
        page.context.clear_cookies()
