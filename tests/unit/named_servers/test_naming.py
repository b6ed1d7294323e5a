"""Names that several tools share are distinguished by numbers."""

import pytest

from paddock.named_servers.server_builder import number_duplicate_names


@pytest.mark.parametrize(
    ("names", "distinct"),
    [
        ([], []),
        (["A", "B"], ["A", "B"]),
        (["Search", "Search"], ["Search1", "Search2"]),
        (["Search", "Other", "Search"], ["Search1", "Other", "Search2"]),
        (["Search", "Search1", "Search"], ["Search2", "Search1", "Search3"]),
        (["A", "A", "A1", "A1"], ["A2", "A3", "A11", "A12"]),
        (["A1", "A1", "A", "A", "A11"], ["A12", "A13", "A2", "A3", "A11"]),
    ],
)
def test_shared_names_get_numbers_that_lead_to_no_taken_name(
    names: list[str], distinct: list[str]
) -> None:
    assert number_duplicate_names(names) == distinct
    assert len(set(distinct)) == len(distinct)
