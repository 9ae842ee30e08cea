"""Pictures of all kinds are opened, and what is none is refused in one sentence."""

from __future__ import annotations

import io
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from PIL import Image
from tests.generated import bomb, left_half_red, noise, packed

from likewise.encoders import open_picture, thumbnail
from likewise.encoders._pictures import centre_crop
from likewise.errors import UnreadableFileError

ROTATED = 6  # EXIF: the camera was held upright, turn clockwise to see it


def rotated_by_exif() -> bytes:
    exif = Image.Exif()
    exif[0x0112] = ROTATED
    return packed(left_half_red(), "JPEG", exif=exif.tobytes())


@pytest.mark.parametrize("kind", ["JPEG", "PNG", "WEBP", "GIF", "BMP", "TIFF"])
def test_every_known_format_is_opened(kind: str) -> None:
    picture = open_picture(packed(left_half_red(), kind))

    assert (picture.mode, picture.size) == ("RGB", (64, 32))
    red, _, blue = picture.getpixel((10, 10))  # type: ignore[misc]
    assert red > 200
    assert blue < 60


@pytest.mark.parametrize(
    ("mode", "kind"),
    [
        ("1", "PNG"),
        ("L", "JPEG"),
        ("LA", "PNG"),
        ("P", "GIF"),
        ("RGBA", "WEBP"),
        ("CMYK", "JPEG"),
        ("YCbCr", "JPEG"),
        ("I;16", "PNG"),
        ("I;16", "TIFF"),
        ("I", "TIFF"),
        ("F", "TIFF"),
    ],
)
def test_every_mode_becomes_rgb(mode: str, kind: str) -> None:
    half_white = Image.new("L", (64, 32))
    half_white.paste(255, (0, 0, 32, 32))

    picture = open_picture(packed(half_white.convert(mode), kind))

    assert (picture.mode, picture.size) == ("RGB", (64, 32))
    left, right = np.asarray(picture)[16, [5, 60]].mean(axis=1)
    assert left > 200
    assert right < 50


def test_sixteen_bits_are_stretched_to_what_is_there() -> None:
    dark = np.array([[100, 300], [180, 300]], dtype=np.uint16)

    picture = np.asarray(open_picture(packed(Image.fromarray(dark))))

    assert picture[:, :, 0].tolist() == [[0, 255], [102, 255]]


def test_transparent_parts_are_white() -> None:
    clear = Image.new("RGBA", (4, 4), (0, 0, 0, 0))

    assert open_picture(packed(clear)).getpixel((1, 1)) == (255, 255, 255)


def test_a_transparent_colour_of_a_palette_is_white() -> None:
    drawn = Image.new("P", (4, 4))
    drawn.putpalette([0, 0, 0, 255, 0, 0])

    picture = open_picture(packed(drawn, "GIF", transparency=0))

    assert picture.getpixel((1, 1)) == (255, 255, 255)


def test_a_picture_is_turned_as_its_camera_says() -> None:
    picture = open_picture(rotated_by_exif())

    assert picture.size == (32, 64)
    red, _, blue = picture.getpixel((16, 5))  # type: ignore[misc]
    assert red > blue


def test_of_an_animation_the_first_frame_is_taken() -> None:
    frames = [Image.new("RGB", (8, 8), colour) for colour in ("red", "blue")]
    moving = packed(frames[0], "GIF", save_all=True, append_images=frames[1:])

    assert open_picture(moving).getpixel((3, 3)) == (255, 0, 0)


@pytest.mark.parametrize("kind", ["JPEG", "PNG"])
def test_a_large_picture_is_shrunk_to_its_shorter_edge(kind: str) -> None:
    assert open_picture(packed(noise((900, 600)), kind), 100).size == (150, 100)


def test_a_small_picture_stays_as_it_is() -> None:
    assert open_picture(packed(noise((9, 6)))).size == (9, 6)


def test_the_name_does_not_matter(tmp_path: Path) -> None:
    path = tmp_path / "holiday.png"
    path.write_bytes(packed(noise(), "JPEG"))

    assert open_picture(path).size == (40, 30)


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (b"", "is empty"),
        (b"<svg xmlns='http://www.w3.org/2000/svg'/>", "is no JPEG, PNG"),
        (b"<html><body>404</body></html>", "is no JPEG, PNG"),
        (b"%PDF-1.7", "is damaged or cut off"),
        (b"%!PS-Adobe-3.0 EPSF-3.0", "is no JPEG, PNG"),
        (packed(noise(), "JPEG")[:-200], "is damaged or cut off"),
        (packed(noise(), "PNG")[:-200], "is damaged or cut off"),
        (packed(noise(), "WEBP")[:-200], "is damaged or cut off"),
        (bomb(), "would unpack to more than"),
        (bomb(10_000, 10_000), "would unpack to more than"),
        (bomb(100, 100), "is damaged or cut off"),
    ],
)
def test_what_is_no_whole_picture_is_refused(
    content: bytes, reason: str, tmp_path: Path
) -> None:
    path = tmp_path / "cat.jpg"
    path.write_bytes(content)

    for read in (open_picture, lambda file: thumbnail(file, 64)):
        with pytest.raises(UnreadableFileError, match=rf"^cat\.jpg {reason}.*\.$"):
            read(path)


def test_an_enormous_file_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("likewise.encoders._pictures.MAX_PICTURE_BYTES", 1000)

    with pytest.raises(UnreadableFileError, match="give a smaller copy"):
        open_picture(packed(noise((100, 100))))


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(UnreadableFileError, match=r"^gone\.jpg cannot be read"):
        open_picture(tmp_path / "gone.jpg")


@given(st.data())
def test_damaged_bytes_are_opened_or_refused_but_never_fail(
    data: st.DataObject,
) -> None:
    kind = data.draw(st.sampled_from(["JPEG", "PNG", "WEBP", "GIF", "BMP", "TIFF"]))
    content = bytearray(packed(noise((12, 9)), kind))
    for _ in range(data.draw(st.integers(1, 4))):
        content[data.draw(st.integers(0, len(content) - 1))] = data.draw(
            st.integers(0, 255)
        )

    try:
        assert open_picture(bytes(content)).mode == "RGB"
    except UnreadableFileError as error:
        assert str(error).startswith("The file ")  # noqa: PT017 - both ends are fine


def test_a_thumbnail_is_small_upright_and_carries_pixels_only() -> None:
    small = Image.open(io.BytesIO(thumbnail(rotated_by_exif(), 16)))

    assert (small.format, small.size) == ("JPEG", (8, 16))
    assert not small.getexif()


def test_a_crop_is_the_middle_of_the_picture() -> None:
    striped = Image.new("RGB", (300, 100), "blue")
    striped.paste("red", (100, 0, 200, 100))

    cropped = np.asarray(centre_crop(striped, 50, 50))

    assert cropped.shape == (50, 50, 3)
    assert (cropped[:, 2:-2, 0] > 200).all()


WITHOUT = """
import sys
sys.modules["PIL"] = None
from likewise.encoders import encoder_for, open_picture
from likewise.errors import MissingExtraError
import likewise.items
assert encoder_for("text", "tfidf").name == "tfidf/1"
try:
    open_picture(b"")
except MissingExtraError as error:
    print(error)
"""


def test_without_pillow_only_pictures_cannot_be_read() -> None:
    words = [sys.executable, "-c", WITHOUT]
    done = subprocess.run(words, capture_output=True, check=True, text=True)

    assert "likewise[images]" in done.stdout
