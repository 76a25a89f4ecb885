"""Programs of the arena, where they are built."""

import os
import shutil
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]


def program(name: str) -> str:
    """The path of a program; the test is skipped where it isn't built."""
    target = Path(os.environ.get("CARGO_TARGET_DIR", ROOT / "target"))
    places = [ROOT / name, target / "release" / name, target / "debug" / name]
    built = [place for place in places if place.exists()]
    if not built and shutil.which(name) is None:
        pytest.skip(f"{name} isn't built; make builds it")
    newest = max(built, key=lambda place: place.stat().st_mtime, default=None)
    return str(newest or shutil.which(name))
