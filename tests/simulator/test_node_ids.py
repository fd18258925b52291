"""Node ids: round trips, and agreement with ids that GitHub publishes."""

from __future__ import annotations

import pytest

from tests.github import node_ids


@pytest.mark.parametrize("type_name", sorted(node_ids.PREFIXES))
def test_an_id_names_its_record(type_name: str) -> None:
    node_id = node_ids.encode(type_name, 4711)
    assert node_ids.decode(node_id) == node_ids.NodeId(type_name, (4711,))
    assert node_ids.decode(node_id).database_id == 4711


def test_git_objects_carry_repository_and_object_id() -> None:
    sha = "6dcb09b5b57875f334f61aebed695e2e4193db5e"
    decoded = node_ids.decode(node_ids.encode("Commit", 2**40, sha))
    assert decoded == node_ids.NodeId("Commit", (2**40, sha))
    with pytest.raises(ValueError, match="no database id"):
        _ = decoded.database_id


@pytest.mark.parametrize(
    ("type_name", "database_id", "node_id"),
    [("Organization", 123865115, "O_kgDOB2IIGw"), ("Repository", 616901961, "R_kgDOJMUtSQ")],
)
def test_the_form_is_github_s(type_name: str, database_id: int, node_id: str) -> None:
    """Pairs of `id` and `node_id` from the payload examples of @octokit/webhooks-examples."""
    assert node_ids.encode(type_name, database_id) == node_id


@pytest.mark.parametrize(
    "text", ["", "PR", "PR_", "PR_x", "PR_!!!!", "XX_kgDOGvRYNQ", "R_kgDOGvRYNQAA", "R_kgDBGvRYNQ", "R_kw"]
)
def test_other_text_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match="is no node id"):
        node_ids.decode(text)
