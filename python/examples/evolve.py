"""Learns to live, rise and beat a level of zappy_ai by evolution; numpy is all it takes.

    python3 examples/evolve.py --minutes 10 --out team.npz

An evolution strategy: each generation, teams play whole matches with weights around the mean, in pairs that differ from it
in opposite directions, and the mean moves along these by how the teams were ranked.
Leaves the weights, and the curve of what was earned beside them as SVG. Then the team plays 100 matches on seeds that it
hasn't seen.
"""

from __future__ import annotations

import argparse
import time
from pathlib import Path

import numpy as np

import zappy_arena
from zappy_arena.policy import DEEDS, FEATURES, decide

#: Where the seeds of training and of the test begin.
TRAINING, TEST = 1_000_000, 0
#: How far teams are from the mean, how far it moves, and how much of its last move goes on.
SPREAD, RATE, MOMENTUM = 1.0, 1.0, 0.5
#: Rounds after which a match is lost: teams that mostly ask what takes no time play slowly.
ROUNDS = 2500


def world(options: argparse.Namespace, n: int) -> zappy_arena.VectorArena:
    """n matches against the opponent."""
    return zappy_arena.vector_env(
        n, "zappy", size=(options.size, options.size), clients=options.clients, max_players=2 * options.clients,
        max_ticks=options.ticks, max_cycles=ROUNDS, opponents=[options.level], again=False,
        rewards={"won": 1, "rose": 5, "ate": 0.02, "died": -2},
    )


def play(env: zappy_arena.VectorArena, weights: np.ndarray, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """What the team of each match earned, and whether it won; ``weights`` (n, FEATURES, deeds)."""
    board = env.reset(seed)
    n, rows = board.states.shape
    earned, won, done = np.zeros(n), np.zeros(n, bool), np.zeros(n, bool)
    actions = np.zeros((n, rows), np.int32)
    while not done.all():
        match, row = np.nonzero((board.states > 1) & ~done[:, None])
        actions[:] = 0
        if len(match):
            fields = env.fields(board.observations[match, row])
            actions[match, row] = decide(weights[match], fields, board.masks[match, row])
        board = env.step(actions)
        earned += np.where(done, 0, board.rewards.sum(1))
        ended = ~done & (board.ends[:, 0] > 0)
        won |= ended & (board.ends[:, 1] == 0)
        done |= ended
    return earned, won


def draw(curve: list[tuple[float, float, float]], path: Path) -> None:
    """The curve as SVG: what a match earned, and the share of matches won, over the minutes of processor time."""
    minutes, earned, won = np.array(curve).T
    span = max(float(np.ptp(earned)), 1e-9)
    x = 50 + 540 * minutes / max(minutes[-1], 1e-9)
    lines = [(x, 260 - 230 * (earned - earned.min()) / span, "#1f77b4"), (x, 260 - 230 * won, "#d62728")]
    points = [(" ".join(f"{a:.1f},{b:.1f}" for a, b in zip(xs, ys)), colour) for xs, ys, colour in lines]
    text = "".join(f'<polyline points="{line}" fill="none" stroke="{colour}" stroke-width="2"/>' for line, colour in points)
    legend = [
        (50, 18, f"blue: earned, {earned.min():.0f} to {earned.max():.0f}; red: won, 0 to 100 %"),
        (50, 290, f"processor time, 0 to {minutes[-1]:.1f} minutes"),
    ]
    words = "".join(f'<text x="{x}" y="{y}" font-family="sans-serif" font-size="13">{said}</text>' for x, y, said in legend)
    axes = '<path d="M50 30V260H590" fill="none" stroke="#888"/>'
    path.write_text(f'<svg xmlns="http://www.w3.org/2000/svg" width="620" height="300">{axes}{text}{words}</svg>\n')


def save(path: Path, mean: np.ndarray, options: argparse.Namespace) -> None:
    """The file that ``zappy_arena.play`` plays."""
    np.savez(path, weights=mean, clients=options.clients, max_players=2 * options.clients)


def learn(options: argparse.Namespace) -> np.ndarray:
    """The mean of the weights after the time."""
    random, n = np.random.default_rng(options.seed), 2 * options.pairs
    env, mean = world(options, n), np.zeros((FEATURES, len(DEEDS)), np.float32)
    begin, curve, move = time.process_time(), [], np.zeros_like(mean)
    while True:
        directions = random.standard_normal((options.pairs, *mean.shape), np.float32)
        teams = mean + SPREAD * np.concatenate([directions, -directions])
        earned, won = play(env, teams, TRAINING + n * len(curve))
        # Ranks from -0.5 to 0.5, so that a single match counts no more than it should.
        ranks = earned.argsort().argsort() / (n - 1) - 0.5
        step = np.tensordot(ranks[: options.pairs] - ranks[options.pairs :], directions, 1) / options.pairs
        move = MOMENTUM * move + step
        mean = mean + RATE * move.astype(np.float32)
        minutes = (time.process_time() - begin) / 60
        curve.append((minutes, float(earned.mean()), float(won.mean())))
        left = options.minutes - minutes
        print(
            f"generation {len(curve)}: earned {earned.mean():.1f}, best {earned.max():.1f}, won {won.mean():.0%} of {n}; "
            f"{minutes:.1f} of {options.minutes} minutes of processor time, {max(left, 0):.1f} left", flush=True,
        )
        draw(curve, options.out.with_suffix(".svg"))
        save(options.out, mean, options)
        if left <= minutes / len(curve) or len(curve) >= options.generations:
            return mean


def main() -> None:
    """The command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--minutes", type=float, default=10, help="processor time in minutes")
    parser.add_argument("--out", type=Path, default=Path("team.npz"))
    parser.add_argument("--level", default="easy")
    parser.add_argument("--clients", type=int, default=4)
    parser.add_argument("--size", type=int, default=10)
    parser.add_argument("--ticks", type=int, default=2000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--pairs", type=int, default=128, help="pairs of teams in a generation; each team plays a match")
    parser.add_argument("--generations", type=int, default=10**9)
    parser.add_argument("--test", type=int, default=100, help="matches on seeds that it hasn't seen")
    options = parser.parse_args()
    mean = learn(options)
    if options.test:
        _, won = play(world(options, options.test), np.repeat(mean[None], options.test, 0), TEST)
        print(f"on {options.test} seeds that it hasn't seen it beat {options.level} {int(won.sum())} times")


if __name__ == "__main__":
    main()
