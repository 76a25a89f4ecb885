"""Counts agent steps per second of processor time on one core, beside two environments that PettingZoo's authors bring, and beside sockets.

    pip install mpe2 'pettingzoo[butterfly]'
    python3 examples/bench.py --programs .      with zappy_server in that folder; without it sockets are left out

An agent step is an action that an agent was asked for. Actions are drawn beforehand, so that only environments count.
"""

from __future__ import annotations

import argparse
import importlib
import os
import resource
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np

import zappy_arena
from zappy_arena.play import load
from zappy_arena.policy import DEEDS, FEATURES

ZAPPY = {"size": (20, 20), "clients": 6, "max_players": 6, "observation": "flat"}
CONQUEST = {"size": (20, 20), "observation": "flat"}
#: Turns that each measurement is split into.
TURNS = 20
#: The two to compare with: their modules and arguments.
OTHERS = {
    "simple_spread": ("mpe2.simple_spread_v3", {"max_cycles": 10**6}),
    "knights_archers_zombies": ("pettingzoo.butterfly.knights_archers_zombies_v11", {"max_cycles": 10**6}),
}


def rates(steps: dict[str, Callable[[], int]], seconds: float) -> dict[str, float]:
    """Agent steps per second of functions that tell how many they took. They take turns, so that all share what else
    the machine does."""
    spent, count = dict.fromkeys(steps, 0.0), dict.fromkeys(steps, 0)
    [step() for step in steps.values()]
    for turn in range(1, TURNS + 1):
        for name, step in steps.items():
            begin = time.process_time()
            while spent[name] + time.process_time() - begin < seconds * turn / TURNS:
                count[name] += step()
            spent[name] += time.process_time() - begin
    return {name: count[name] / spent[name] for name in steps}


def parallel(env, asked: Callable[[], list[str]]) -> Callable[[], int]:
    """A step of a parallel environment, begun anew whenever it is over."""
    env.reset(seed=1)
    drawn, place = {}, 0
    rng = np.random.default_rng(1)

    def step() -> int:
        nonlocal place
        if not env.agents:
            env.reset(seed=place)
        place = (place + 1) % 1000
        agents = asked()
        for agent in agents:
            if agent not in drawn:
                space = env.action_space(agent)
                drawn[agent] = [rng.integers(space.nvec) if hasattr(space, "nvec") else int(rng.integers(space.n)) for _ in range(1000)]
        env.step({agent: drawn[agent][place] for agent in agents})
        return len(agents)

    return step


def vector(n: int) -> Callable[[], int]:
    """A step of many matches of Zappy."""
    env = zappy_arena.vector_env(n, "zappy", threads=1, **{name: value for name, value in ZAPPY.items() if name != "observation"})
    board, rng = env.reset(1), np.random.default_rng(1)
    drawn, place = rng.integers(1, env.settings.components[0], (64, *env.shape)).astype(np.int32), 0

    def step() -> int:
        nonlocal place
        place = (place + 1) % 64
        asked = int((board.states > 1).sum())
        env.step(drawn[place])
        return asked

    return step


def sockets(programs: Path, ticks: int) -> tuple[float, float]:
    """Agent steps per second of one bot of random weights: in process, and over sockets."""
    with tempfile.TemporaryDirectory() as folder:
        weights = str(Path(folder, "random.npz"))
        np.savez(weights, weights=np.random.default_rng(1).standard_normal((FEATURES, len(DEEDS))), clients=6, max_players=6)

        def match(most: int) -> float:
            with socket.socket() as free:
                free.bind(("127.0.0.1", 0))
                port = str(free.getsockname()[1])
            begin = resource.getrusage(resource.RUSAGE_CHILDREN)
            server = [programs / "zappy_server", "-p", port, "-n", "red", "blue", "-x", "20", "-y", "20", "-c", "6", "--seed", "1"]
            bot = [sys.executable, "-m", "zappy_arena.play", weights, "-p", port, "--players", "6", "-n"]
            words = [[*server, "--clock", "lockstep", "--max-ticks", str(most)], [*bot, "red"], [*bot, "blue"]]
            running = [subprocess.Popen(one, stdin=subprocess.DEVNULL, stderr=subprocess.DEVNULL) for one in words]
            try:
                if any([one.wait(600) for one in running]):
                    raise SystemExit("bench.py: a match over sockets failed")
            finally:
                [one.kill() for one in running]
            end = resource.getrusage(resource.RUSAGE_CHILDREN)
            return end.ru_utime + end.ru_stime - begin.ru_utime - begin.ru_stime

        policy, settings = load(weights, "zappy_arena.policy:load")
        env = zappy_arena.parallel_env(**settings, size=(20, 20), max_ticks=ticks)
        observations, infos = env.reset(seed=1)
        begin, count = time.process_time(), 0
        while env.agents:
            actions = {agent: policy(observations[agent], infos[agent]["action_mask"]) for agent in env._asked()}
            observations, _, _, _, infos = env.step(actions)
            count += len(actions)
        here = time.process_time() - begin
        # What a match of one tick takes is the programs' own start.
        return count / here, count / (match(ticks) - match(1))


def main() -> None:
    """The command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seconds", type=float, default=5, help="of each measurement")
    parser.add_argument("--programs", type=Path, help="the folder of zappy_server")
    parser.add_argument("--ticks", type=int, default=3000, help="of the match over sockets")
    options = parser.parse_args()
    if hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
    steps = {}
    for name, (module, settings) in OTHERS.items():
        try:
            env = importlib.import_module(module).parallel_env(**settings)
        except ImportError as error:
            print(f"{name} is left out: {error}")
            continue
        steps[name] = parallel(env, lambda env=env: env.agents)
    for game, settings in (("zappy", ZAPPY), ("conquest", CONQUEST)):
        env = zappy_arena.parallel_env(game, **settings)
        steps[f"{game} parallel_env"] = parallel(env, env._asked)
    steps["zappy vector_env, 256 matches"] = vector(256)
    table = rates(steps, options.seconds)
    if options.programs is not None:
        table["zappy, a bot in process"], table["zappy, the same bot over sockets"] = sockets(options.programs.resolve(), options.ticks)
    for name, steps in table.items():
        print(f"{name:34} {steps:12,.0f} agent steps/s")


if __name__ == "__main__":
    main()
