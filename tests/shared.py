"""Where the shared data lies beside the project, and how tests that need it skip without it."""

from __future__ import annotations

from pathlib import Path

import pytest

SHARED = Path(__file__).resolve().parents[1].parent / "shared"
needs_shared = pytest.mark.skipif(
    not SHARED.is_dir(), reason="the folder ../shared with real payloads and logs is absent"
)
