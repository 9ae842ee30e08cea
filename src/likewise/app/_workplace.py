"""All that one server serves: a project, its pictures, and the door."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from likewise.app._desk import EVERY
from likewise.app._messages import Settings, State, Written
from likewise.app._people import Door
from likewise.app._pictures import Pictures
from likewise.app._preparing import CRITERION, Workshop
from likewise.errors import InputError
from likewise.exports import rows_of, traces_of, write_folders
from likewise.storage import Item


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
            checks=int(info.settings.get("checks", EVERY)),
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
            shown.desk.checks = said.get("checks", shown.desk.checks)

    def item(self, position: int) -> Item | None:
        """Return an item by its number."""
        if not 0 <= position < 2**31:
            return None
        return next(iter(self.workshop.project.items(position, position + 1)), None)

    def pictures(self) -> Pictures:
        """Return where pictures come from."""
        return Pictures(self.workshop.root or Path(), self.thumbs)

    def folders(self, how: str) -> Written:
        """Write a folder for each group, into a new folder beside the project.

        The page never names a place on the disk; the reply does.
        """
        shown, root = self.workshop.shown, self.workshop.root
        has_files = root is not None and root.is_dir()
        if shown is None or root is None or shown.kind == "row" or not has_files:
            raise InputError("Only the files of a folder can be sorted into folders.")
        with shown.desk.lock:
            items, numbers = traces_of(shown.desk.project), shown.overview().numbers
            rows = rows_of(shown.desk.session, items, numbers)
        place = self.thumbs.parent / "sorted"
        taken = [int(path.name) for path in place.glob("[0-9]*") if path.is_dir()]
        target = place / str(max(taken, default=0) + 1)
        done = write_folders(rows, root, target, how)
        missing = list(done.missing)
        return Written(folder=str(target), n_files=done.n_files, missing=missing)
