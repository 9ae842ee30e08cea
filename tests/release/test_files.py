"""The files around the package say the same as the package."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

import pytest
import yaml
from release.lowest import lowest

ROOT = Path(__file__).parents[2]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))[
    "project"
]
RECIPE = yaml.safe_load((ROOT / "recipe/recipe.yaml").read_text(encoding="utf-8"))
CITATION = yaml.safe_load((ROOT / "CITATION.cff").read_text(encoding="utf-8"))
WORKFLOW = yaml.safe_load(
    (ROOT / ".github/workflows/ci.yml").read_text(encoding="utf-8")
)
CHANGELOG = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")


def test_every_file_names_the_same_version() -> None:
    latest = re.search(r"^## ([\d.]+) \((.*)\)$", CHANGELOG, re.MULTILINE)

    assert latest is not None
    assert latest[1] == PROJECT["version"] == CITATION["version"]
    assert latest[2] == str(CITATION["date-released"])
    assert RECIPE["context"]["version"] == PROJECT["version"]


def test_the_recipe_asks_for_what_the_package_asks_for() -> None:
    asked = ["python" + PROJECT["requires-python"], *PROJECT["dependencies"]]

    assert [line.replace(" ", "") for line in RECIPE["requirements"]["run"]] == asked


def test_the_lowest_versions_are_those_that_are_allowed() -> None:
    asked = PROJECT["dependencies"] + PROJECT["optional-dependencies"]["app"]

    assert [line.replace("==", ">=") for line in lowest(["app"])] == asked


def test_each_python_that_is_named_is_tried() -> None:
    named = {
        line.rpartition(" ")[2]
        for line in PROJECT["classifiers"]
        if re.search(r":: 3\.\d+$", line)
    }

    assert named <= set(WORKFLOW["jobs"]["versions"]["strategy"]["matrix"]["python"])


def test_only_what_publishes_may_sign() -> None:
    jobs = WORKFLOW["jobs"]

    assert WORKFLOW["permissions"] == {}
    assert [name for name in jobs if "id-token" in jobs[name]["permissions"]] == [
        "publish"
    ]
    assert set(jobs["publish"]["needs"]) == set(jobs) - {"publish"}


def test_what_the_workflow_makes_is_in_the_makefile() -> None:
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    targets = re.findall(r"^([a-z -]+):", makefile, re.MULTILINE)
    versions = WORKFLOW["jobs"]["versions"]["strategy"]["matrix"]["versions"]

    assert {"dist", *versions} <= {name for line in targets for name in line.split()}


@pytest.mark.parametrize("path", sorted((ROOT / "changes").iterdir()), ids=str)
def test_what_comes_next_says_of_which_kind_it_is(path: Path) -> None:
    assert path.name == "README.md" or re.fullmatch(
        r"[\w-]+\.(added|changed|fixed)\.md", path.name
    )
