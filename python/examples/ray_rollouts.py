"""Rollouts on a cluster of Ray, where one machine is too small: each worker plays matches of its own seeds.

    pip install ray
    python3 examples/ray_rollouts.py --workers 2 --matches 8        a cluster on this machine
    python3 examples/ray_rollouts.py --address auto                 the cluster that this machine belongs to
"""

from __future__ import annotations

import argparse
import sys

import numpy as np

import zappy_arena
from zappy_arena.policy import DEEDS, FEATURES, decide


def rollout(weights: np.ndarray, seed: int, matches: int) -> tuple[float, int]:
    """What matches with these seeds earned on average, and how many were played."""
    env = zappy_arena.vector_env(
        matches, "zappy", threads=1, size=(10, 10), clients=2, max_ticks=1500, again=False, opponents=["easy"],
        rewards={"rose": 5, "ate": 0.15, "died": -2},
    )
    board, earned = env.reset(seed), 0.0
    while not board.ends[:, 0].all():
        match, row = np.nonzero(board.states > 1)
        actions = np.zeros(board.states.shape, np.int32)
        if len(match):
            fields = env.fields(board.observations[match, row])
            actions[match, row] = decide(weights, fields, board.masks[match, row])
        board = env.step(actions)
        earned += float(board.rewards.sum())
    return earned / matches, matches


def main() -> int:
    """The command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--address", help="of a cluster; without it one is started on this machine")
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--matches", type=int, default=8, help="matches of each worker")
    options = parser.parse_args()
    try:
        import ray
    except ImportError:
        print("ray_rollouts.py: Ray isn't installed; pip install ray", file=sys.stderr)
        return 2
    cores = None if options.address else options.workers
    ray.init(address=options.address, num_cpus=cores, include_dashboard=False, log_to_driver=False)
    worker = ray.remote(rollout)
    weights = np.random.default_rng(1).standard_normal((FEATURES, len(DEEDS))).astype(np.float32)
    shared = ray.put(weights)
    tasks = [worker.remote(shared, seed * options.matches, options.matches) for seed in range(options.workers)]
    results = ray.get(tasks, timeout=600)
    for number, (earned, matches) in enumerate(results):
        print(f"worker {number}: {matches} matches earned {earned:.2f} each")
    ray.shutdown()
    return 0


if __name__ == "__main__":
    sys.exit(main())
