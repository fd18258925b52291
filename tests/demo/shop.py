"""The repository of the demonstration and the three changes that agents make to it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

WORKFLOW = """\
name: CI
on: [pull_request, merge_group]
permissions:
  contents: read
jobs:
  test:
    runs-on: ubuntu-latest
    steps:
      - uses: actions/checkout@v4
      - run: python -m pytest -q
  compile:
    runs-on: ubuntu-latest
    steps:
      - uses: actions/checkout@v4
      - run: python -m compileall -q shop
"""
POLICY = """\
version: 1
risk:
  areas:
    payment: {risk: medium}   # here one approval is enough
ci:
  jobs: [test, compile]
queue:
  enqueue: "on"               # no probation: this is a demonstration
"""
FILES: Mapping[str, str] = {
    ".github/workflows/ci.yml": WORKFLOW,
    ".github/mergegate.yml": POLICY,
    "README.md": "# A small shop\n",
    "shop/__init__.py": "",
    "shop/cart.py": "def total(prices):\n    return sum(prices)\n",
    "shop/payment.py": "def charge(amount):\n    return round(amount, 2)\n",
    "test_shop.py": (
        "from shop.cart import total\nfrom shop.payment import charge\n\n\n"
        "def test_total():\n    assert total([1, 2]) == 3\n\n\ndef test_charge():\n    assert charge(1.006) == 1.01\n"
    ),
}


def bundle(reason: str, risk: str, exit_code: int = 0) -> str:
    """A pull request's body with an evidence bundle in the short form."""
    return f"""{reason}

```mergegate
reason: {reason}
commands:
  - command: python -m pytest -q
    exit_code: {exit_code}
    where: ci
risk:
  level: {risk}
  known: [rounding of totals]
rollback:
  strategy: revert
  steps: [git revert the merge commit]
  data_loss: false
```
"""


@dataclass(frozen=True)
class Change:
    """What an agent does: branch, title, files (whole new texts), and what it says about it."""

    branch: str
    title: str
    files: Mapping[str, str]
    body: str
    story: str


CHANGES = (
    Change(
        "agent/discount",
        "Add a discount to the cart",
        {
            "shop/discount.py": "def discounted(price, percent):\n    return price * (100 - percent) / 100\n",
            "test_discount.py": (
                "from shop.discount import discounted\n\n\n"
                "def test_ten_percent():\n    assert discounted(50, 10) == 45\n"
            ),
        },
        bundle("Customers asked for a discount.", "low"),
        "honest and low risk: it should be merged by itself",
    ),
    Change(
        "agent/shipping",
        "Add shipping costs",
        {
            "shop/shipping.py": "def shipping(weight):\n    return 3 + weight * 2\n",
            "test_shipping.py": (
                "from shop.shipping import shipping\n\n\n"
                "def test_free_for_light_parcels():\n    assert shipping(0) == 0\n"
            ),
        },
        bundle("Parcels need shipping costs.", "low"),
        "its bundle says that the tests passed, and they fail: it should be refused",
    ),
    Change(
        "agent/payment",
        "Charge in whole cents",
        {
            "shop/payment.py": "def charge(amount):\n    return int(amount * 100 + 0.5) / 100\n",
            "test_cents.py": (
                "from shop.payment import charge\n\n\n"
                "def test_half_cent_rounds_up():\n    assert charge(0.125) == 0.13\n"
            ),
        },
        bundle("Half cents must be rounded up.", "medium"),
        "it touches payment: it should wait for a person",
    ),
)
