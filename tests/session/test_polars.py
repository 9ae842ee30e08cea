"""Tables of polars come in as those of pandas do, and go out."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from likewise import ActiveClustering, InputError, LabelOracle, Session

polars = pytest.importorskip("polars")
pandas = pytest.importorskip("pandas")

COLUMNS = {"leaf": ["oak", "elm", "oak", "elm"], "cm": [8.0, 3.0, 8.5, 3.5]}
NUMBERS = {"cm": [8.0, 3.0, 8.5, 3.5], "teeth": [4, 9, 5, 8]}


@pytest.mark.parametrize("columns", [COLUMNS, NUMBERS])
def test_a_table_is_the_same_in_both(columns: dict[str, Any]) -> None:
    mine = Session(polars.DataFrame(columns), n_clusters=2)
    theirs = Session(pandas.DataFrame(columns), n_clusters=2)

    np.testing.assert_array_equal(mine.features, theirs.features)
    np.testing.assert_array_equal(mine.labels, theirs.labels)


def test_a_missing_value_is_refused_with_its_column() -> None:
    with pytest.raises(InputError, match="Column 'cm' has 1 missing value"):
        Session(polars.DataFrame({**NUMBERS, "cm": [8.0, None, 8.5, 3.5]}))


def test_rows_are_added() -> None:
    session = Session(polars.DataFrame(COLUMNS))
    session.add(polars.DataFrame({"leaf": ["elm"], "cm": [3.2]}))

    assert session.n_samples == 5


def test_a_session_is_a_table_of_polars() -> None:
    session = Session(polars.DataFrame(COLUMNS), n_clusters=2)
    session.tell_pair(0, 2, "same")

    table = session.to_frame("polars")

    assert isinstance(table, polars.DataFrame)
    assert table["status"].to_list() == session.to_frame().status.tolist()


def test_other_libraries_are_refused() -> None:
    with pytest.raises(InputError, match="Tables are of 'pandas' or 'polars'"):
        Session([[0.0], [1.0]]).to_frame("arrow")  # type: ignore[call-overload]


def test_it_ends_a_pipeline() -> None:
    last = ActiveClustering(n_clusters=2)
    pipeline = make_pipeline(StandardScaler().set_output(transform="polars"), last)
    pipeline.fit(
        polars.DataFrame(NUMBERS),
        activeclustering__oracle=LabelOracle([0, 1, 0, 1]),
    )

    assert len(set(last.labels_.tolist())) == 2
    assert last.labels_[0] == last.labels_[2]
