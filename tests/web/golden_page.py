"""Golden pages: what people see, compared byte for byte.

`MERGEGATE_REWRITE_GOLDEN=1 pytest tests/web` writes them anew; look at the pictures (`MERGEGATE_PICTURES=folder`)
before keeping them.
"""

from __future__ import annotations

import os
from pathlib import Path

FOLDER = Path(__file__).parent / "golden"


def assert_golden(name: str, page: str) -> None:
    path = FOLDER / f"{name}.html"
    if os.environ.get("MERGEGATE_REWRITE_GOLDEN") == "1":
        path.write_text(page, encoding="utf-8")
    assert page == path.read_text(encoding="utf-8"), f"{path.name} differs; see tests/web/golden_page.py"
