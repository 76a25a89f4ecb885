"""Renders a match: its map as text, or the observer's page."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path


def ansi(snapshot: bytes) -> str:
    """The map as an observer knows it, two characters for each tile. Zappy: the units of food, 9 for more, and the
    first letter of a player's team. Conquest: the last digit of the owner's number, and the first letter of a unit's type."""
    lines = [[word.decode(errors="replace") for word in line.split()] for line in snapshot.split(b"\n") if line]
    width, height = next((int(line[1]), int(line[2])) for line in lines if line[0] == "msz")
    tiles = [[".", " "] for _ in range(width * height)]
    names = [line[1] for line in lines if line[0] == "tna"]
    for word, *rest in lines:
        if word == "bct" and rest[2] != "0":
            tiles[int(rest[1]) * width + int(rest[0])][0] = str(min(int(rest[2]), 9))
        elif word == "loc" and rest[2] != "-":
            owner = names.index(rest[2]) if rest[2] in names else rest[2]
            tiles[int(rest[1]) * width + int(rest[0])][0] = str(owner)[-1]
        elif word == "pnw":
            tiles[int(rest[2]) * width + int(rest[1])][1] = rest[5][0]
        elif word == "unw":
            tiles[int(rest[4]) * width + int(rest[3])][1] = rest[2][0]
    rows = (tiles[start : start + width] for start in range(0, width * height, width))
    return "\n".join("".join(map("".join, row)) for row in rows)


def html(record: str) -> str:
    """The observer's page of a record, as far as it goes. The program ``zappy_arena`` makes it, with the viewer beside it."""
    program = shutil.which("zappy_arena") or shutil.which("./zappy_arena")
    if program is None:
        raise RuntimeError("render_mode 'html' needs the program zappy_arena with its viewer: in a checkout of the arena, "
                           "make zappy_arena web builds both; then start Python there, or put that folder on the PATH")
    page = Path(record).with_suffix(".html")
    done = subprocess.run([program, "show", record, "--html", str(page)], capture_output=True, text=True, timeout=60)
    if done.returncode != 0:
        raise RuntimeError(f"render_mode 'html': {done.stderr.strip()}")
    return page.read_text()
