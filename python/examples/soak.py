"""Plays random episodes and prints the memory that is held, then proves the records of a hundred more.

    python3 examples/soak.py --episodes 10000
"""

from __future__ import annotations

import argparse
import tempfile
from pathlib import Path

import numpy as np

import zappy_arena

#: Short episodes of each game.
GAMES = {
    "zappy": {"size": (6, 6), "clients": 2, "max_players": 4, "max_ticks": 1300},
    "conquest": {"size": (10, 10), "turns": 3},
}
#: Matches side by side.
SIDE_BY_SIDE = 50


def megabytes() -> float:
    """What this process holds in memory, as Linux tells."""
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * 4096 / 1e6


def episodes(game: str, count: int) -> None:
    """So many random episodes, with a line for every tenth part of them."""
    env = zappy_arena.vector_env(SIDE_BY_SIDE, game, threads=1, **GAMES[game])
    board, rng, ended = env.reset(1), np.random.default_rng(1), 0
    sizes = env.settings.components
    starts = np.concatenate([[0], np.cumsum(sizes)[:-1]])
    while ended < count:
        actions = np.zeros(env.shape, np.int32)
        asked = board.states > 1
        for place, (start, size) in enumerate(zip(starts, sizes)):
            allowed = board.masks[asked, start : start + size]
            actions[asked, place] = (rng.random(allowed.shape) * allowed).argmax(1)
        board = env.step(actions)
        before, ended = ended, ended + int((board.ends[:, 0] > 0).sum())
        if ended * 10 // count > before * 10 // count:
            print(f"{game}: {ended} episodes, {megabytes():.1f} MB", flush=True)


def records(game: str, count: int) -> None:
    """So many random episodes with a record each, all of which are proved."""
    with tempfile.TemporaryDirectory() as folder:
        env = zappy_arena.parallel_env(game, record=Path(folder, "{seed}.zrec"), **GAMES[game])
        for seed in range(count):
            _, infos = env.reset(seed=seed)
            while env.agents:
                actions = {agent: env.action_space(agent).sample(infos[agent]["action_mask"]) for agent in env.agents}
                *_, infos = env.step(actions)
            env.close()
            if not zappy_arena.verify(Path(folder, f"{seed}.zrec"))[1]:
                raise SystemExit(f"{game}: the record of seed {seed} isn't whole")
    print(f"{game}: {count} records proved, {megabytes():.1f} MB", flush=True)


def main() -> None:
    """The command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--episodes", type=int, default=10_000, help="of each game")
    parser.add_argument("--records", type=int, default=100, help="of each game")
    options = parser.parse_args()
    for game in GAMES:
        episodes(game, options.episodes)
        records(game, options.records)


if __name__ == "__main__":
    main()
