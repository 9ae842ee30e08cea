"""Files on network drives are told from files on this machine."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.commands import Run

from likewise.cli._places import mounts_here, network_drive

MOUNTS = r"""
/dev/sda1 / ext4 rw,relatime 0 0
tmpfs /tmp tmpfs rw 0 0
server:/export /home nfs4 rw,vers=4.2 0 0
/dev/sdb1 /home/ann/disk ext4 rw 0 0
//nas/share /mnt/the\040share cifs rw 0 0
ann@host: /home/ann/far fuse.sshfs rw 0 0
/dev/sdc1 /over ext4 rw 0 0
server:/over /over nfs rw 0 0
gvfsd-fuse /run/gvfs fuse.gvfsd-fuse rw 0 0
/dev/fuse /boxes fuse.encfs rw 0 0
""".strip()


@pytest.mark.parametrize(
    ("path", "kind"),
    [
        ("/var/leaves.db", None),
        ("/tmp/leaves.db", None),
        ("/home/ann/leaves.db", "nfs4"),
        ("/home/ann/disk/leaves.db", None),
        ("/homely/leaves.db", None),
        ("/mnt/the share/leaves.db", "cifs"),
        ("/home/ann/far/a/b/leaves.db", "fuse.sshfs"),
        ("/over/leaves.db", "nfs"),
        ("/run/gvfs/leaves.db", "fuse.gvfsd-fuse"),
        ("/boxes/leaves.db", None),
    ],
)
def test_the_innermost_mount_decides(path: str, kind: str | None) -> None:
    assert network_drive(Path(path), MOUNTS) == kind


def test_where_nothing_is_known_nothing_is_said() -> None:
    assert network_drive(Path("/leaves.db"), "") is None


def test_this_machine_can_be_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    assert isinstance(mounts_here(), str)

    monkeypatch.setattr("likewise.cli._places.MOUNTS", Path("/nowhere/mounts"))
    assert mounts_here() == ""


@pytest.mark.parametrize(("fs", "is_told"), [("nfs", True), ("ext4", False)])
def test_a_network_drive_is_told_once_at_the_start(
    likewise: Run,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    fs: str,
    is_told: bool,
) -> None:
    (tmp_path / "mounts").write_text(f"server:/all {tmp_path} {fs} rw 0 0\n")
    (tmp_path / "table.csv").write_text("x\n1\n2\n3\n")
    monkeypatch.setattr("likewise.cli._places.MOUNTS", tmp_path / "mounts")
    monkeypatch.setenv("LIKEWISE_HOME", str(tmp_path / "home"))

    # It ends before it serves, because nobody is named.
    ran = likewise("app", "table.csv", "--no-browser", "--port", "0", "--who", " ")

    told = "That is a network drive (nfs)"
    assert ran.err.count(told) == is_told
