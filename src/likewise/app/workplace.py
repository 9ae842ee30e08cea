"""All that one server serves: a project, its pictures, and the door."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from likewise.app.messages import Settings, State
from likewise.app.people import Door
from likewise.app.pictures import Pictures
from likewise.app.preparing import CRITERION, Workshop
from likewise.storage.base import Item


@dataclass
class Workplace:
    """What the routes work with.

    Parameters
    ----------
    workshop : Workshop
    door : Door
    thumbs : Path
        Where small pictures are kept.
    """

    workshop: Workshop
    door: Door
    thumbs: Path

    def state(self, who: str) -> State:
        """Return what the question page shows, also while the pile is being read."""
        if self.workshop.shown is not None:
            return self.workshop.shown.state(who)
        info = self.workshop.project.info()
        return State(
            project=info.name,
            criterion=str(info.settings.get("criterion") or CRITERION["row"]),
            about="",
            who=who,
            kind="row",
            n_items=info.n_items,
            version=info.n_acts,
            status="preparing",
            preparing=self.workshop.status,
        )

    def change(self, settings: Settings) -> None:
        """Change settings of the project, for everybody."""
        said = settings.model_dump(exclude_none=True)
        if "criterion" in said:
            said["criterion"] = said["criterion"].strip()
        self.workshop.project.change(said)
        if self.workshop.shown is not None:
            shown = self.workshop.shown
            criterion = said.get("criterion", shown.criterion)
            shown.criterion = criterion or CRITERION[shown.kind]
            shown.hints = said.get("hints", shown.hints)

    def item(self, position: int) -> Item | None:
        """Return an item by its number."""
        if not 0 <= position < 2**31:
            return None
        return next(iter(self.workshop.project.items(position, position + 1)), None)

    def pictures(self) -> Pictures:
        """Return where pictures come from."""
        return Pictures(self.workshop.root or Path(), self.thumbs)
