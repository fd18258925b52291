"""The demonstration's second repository: without a merge queue of GitHub's, and two changes that do not go together."""

from __future__ import annotations

from collections.abc import Mapping

from tests.demo.shop import Change, bundle

REPOSITORY = "acme/till"
WORKFLOW = """\
name: CI
on:
  pull_request:
  push:
    branches: ["mergegate/queue/**"]   # where the gate tries a merge
permissions:
  contents: read
jobs:
  test:
    runs-on: ubuntu-latest
    steps:
      - uses: actions/checkout@v4
      - run: python -m pytest -q
"""
POLICY = """\
version: 1
ci:
  jobs: [test]
queue:
  kind: serial
  enqueue: "on"               # no probation: this is a demonstration
"""
FILES: Mapping[str, str] = {
    ".github/workflows/ci.yml": WORKFLOW,
    ".github/mergegate.yml": POLICY,
    "README.md": "# A till\n",
    "till/__init__.py": "",
    "till/labels.py": "def label(item):\n    return item.strip()\n",
    "test_labels.py": (
        "from till.labels import label\n\n\ndef test_blanks_are_gone():\n    assert label(' 12 ') == '12'\n"
    ),
}
CHANGES = (
    Change(
        "agent/capitals",
        "Labels begin with a capital",
        {
            "till/labels.py": "def label(item):\n    return item.strip().capitalize()\n",
            "test_capitals.py": (
                "from till.labels import label\n\n\ndef test_a_capital():\n    assert label('tea') == 'Tea'\n"
            ),
        },
        bundle("Labels look better with a capital.", "low"),
        "green alone",
    ),
    Change(
        "agent/receipts",
        "Print receipts",
        {
            "till/receipts.py": (
                "from till.labels import label\n\n\n"
                "def receipt(items):\n    return ', '.join(label(item) for item in items)\n"
            ),
            "test_receipts.py": (
                "from till.receipts import receipt\n\n\n"
                "def test_a_receipt():\n    assert receipt(['tea', 'milk']) == 'tea, milk'\n"
            ),
        },
        bundle("Customers want a receipt.", "low"),
        "green alone; it takes labels as they were",
    ),
)
