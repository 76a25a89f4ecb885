"""The same policy in process and over sockets: the same match, to the byte."""

import socket
import subprocess
import sys

import numpy as np
import pytest
from conftest import program

import zappy_arena
from zappy_arena.play import load

#: Seconds after which a program that hangs is ended.
DEADLINE = 120


def any_policy(seed):
    """Draws by what is known alone, so that it doesn't matter which player it plays for."""

    def policy(observation, mask):
        rng = np.random.default_rng([int(seed), *(int(value.sum()) % 2**32 for value in observation.values())])
        masks = mask if isinstance(mask, tuple) else (mask,)
        chosen = [rng.choice(np.flatnonzero(one)) for one in masks]
        return chosen if isinstance(mask, tuple) else int(chosen[0])

    return policy


def any_zappy(words):
    seed, rules = words.split()
    return any_policy(seed), {"game": "zappy", "rules": rules, "clients": 2, "max_players": 4, "texts": ["here"]}


def any_conquest(seed):
    return any_policy(seed), {"game": "conquest", "size": (10, 10)}


def port():
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return free.getsockname()[1]


def over_sockets(tmp_path, flags, weights, maker):
    record, at = tmp_path / "sockets.zrec", str(port())
    server = [program("zappy_server"), "-p", at, "-n", "red", "blue", "--clock", "lockstep", "--record", str(record), "--think-time", "60000"]
    server += ["--record-level", "full", *flags]
    running = [subprocess.Popen(server, stdin=subprocess.DEVNULL, stderr=subprocess.PIPE)]
    try:
        for team in ("red", "blue"):
            words = [sys.executable, "-m", "zappy_arena.play", weights, "-p", at, "-n", team, "-h", "127.0.0.1", "--policy", maker, "--players", "2" if "zappy" in maker else "1"]
            running.append(subprocess.Popen(words, cwd=__file__.rpartition("/")[0]))
        ends = [one.wait(DEADLINE) for one in running[1:]] + [running[0].wait(DEADLINE)]
    finally:
        said = [one.kill() for one in running]
        said = running[0].stderr.read().decode()
    assert ends == [0, 0, 0], said
    return record.read_bytes()


def in_process(tmp_path, policy, settings, seed, **more):
    record = tmp_path / "process.zrec"
    env = zappy_arena.parallel_env(**{**settings, **more}, record=record)
    observations, infos = env.reset(seed=seed)
    while env.agents:
        actions = {agent: policy(observations[agent], infos[agent]["action_mask"]) for agent in env._asked()}
        observations, _, _, _, infos = env.step(actions)
    env.close()
    assert zappy_arena.verify(record)[1]
    return record.read_bytes()


@pytest.mark.parametrize("rules", ["subject", "strict", "official"])
def test_zappy_is_the_same_over_sockets(tmp_path, rules):
    flags = ["-x", "6", "-y", "6", "-c", "2", "--seed", "7", "--max-ticks", "1500", "--rules", rules]
    there = over_sockets(tmp_path, flags, f"5 {rules}", "test_play:any_zappy")
    policy, settings = any_zappy(f"5 {rules}")
    here = in_process(tmp_path, policy, settings, 7, size=(6, 6), max_ticks=1500)
    assert here.count(b"\n") > 100
    assert here == there


def test_conquest_is_the_same_over_sockets(tmp_path):
    flags = ["--game", "conquest", "-x", "10", "-y", "10", "--seed", "7", "--turns", "8", "--max-ticks", "20000"]
    there = over_sockets(tmp_path, flags, "5", "test_play:any_conquest")
    policy, settings = any_conquest(5)
    here = in_process(tmp_path, policy, settings, 7, turns=8, max_ticks=20000)
    assert here == there


def test_a_file_without_weights_is_named(tmp_path):
    np.savez(tmp_path / "other.npz", weights=np.zeros(3))
    with pytest.raises(ValueError, match="other.npz holds no weights"):
        load(str(tmp_path / "other.npz"), "zappy_arena.policy:load")
