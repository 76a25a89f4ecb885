"""Records, rewards, opponents, vectors, copies, threads, and forks. What is refused is in `test_checks.py`."""

import copy
import os
import pickle
import resource
import shutil
import signal
import threading
import time

import numpy as np
import pytest
from conftest import program

import zappy_arena
from test_memory import draw
from zappy_arena._render import ansi

SMALL = {"size": (6, 6), "clients": 2, "max_ticks": 1500}


def play(env, rounds=10_000, seed=1):
    observations, infos = env.reset(seed=seed)
    rng, total = np.random.default_rng(seed), {}
    for _ in range(rounds):
        if not env.agents:
            break
        actions = {agent: draw(rng, infos[agent]["action_mask"]) for agent in env._asked()}
        observations, rewards, _, _, infos = env.step(actions)
        for agent, reward in rewards.items():
            total[agent] = total.get(agent, 0) + reward
    return total


@pytest.mark.parametrize("game, settings", [("zappy", SMALL), ("conquest", {"size": (10, 10), "turns": 9})])
def test_the_same_seed_and_actions_leave_the_same_record(tmp_path, game, settings):
    records = []
    for kind in ("one", "two"):
        env = zappy_arena.parallel_env(game, record=tmp_path / f"{kind}-{{seed}}.zrec", **settings)
        play(env, 300)
        env.close()
        records.append(tmp_path / f"{kind}-1.zrec")
        assert zappy_arena.verify(records[-1])[1]
    assert records[0].read_bytes() == records[1].read_bytes()


def test_a_record_that_cannot_be_written_is_named(tmp_path):
    env = zappy_arena.parallel_env("zappy", record=tmp_path / "no" / "where.zrec", **SMALL)
    with pytest.raises(ValueError, match=r"record: .*where\.zrec: .*; make its folder, or name a file in one that is there$"):
        env.reset(seed=1)


@pytest.mark.parametrize("record, words", [(".", "Is a directory.*; name a file"), ("/dev/full", "a device; give a file$")])
def test_what_a_record_cannot_be_is_said_with_its_own_remedy(tmp_path, record, words):
    env = zappy_arena.parallel_env("zappy", record=tmp_path / record, **SMALL)
    with pytest.raises(ValueError, match=f"record: .*{words}") as raised:
        env.reset(seed=1)
    assert "close the environment" not in str(raised.value)


@pytest.mark.parametrize("content", [b"my work", b"zr", b"PK\x03\x04" + bytes(100)])
def test_only_a_record_is_replaced(tmp_path, content):
    path = tmp_path / "match.zrec"
    path.write_bytes(content)
    env = zappy_arena.parallel_env("zappy", record=path, **SMALL)
    with pytest.raises(ValueError, match=r"record: .*match\.zrec: this is no record and isn't replaced; name another file, or remove"):
        env.reset(seed=1)
    assert path.read_bytes() == content
    for before in (b"", b"zrec 3\n"):
        path.write_bytes(before)
        env.reset(seed=1)
        env.close()
        assert zappy_arena.verify(path)[1]


def test_what_is_no_record_is_named(tmp_path):
    with pytest.raises(ValueError, match=r"none\.zrec: .*No such file"):
        zappy_arena.verify(tmp_path / "none.zrec")
    (tmp_path / "other.zrec").write_text("x\n")
    with pytest.raises(ValueError, match=r"other\.zrec: ."):
        zappy_arena.verify(str(tmp_path / "other.zrec"))


def test_a_disk_without_room_is_named(tmp_path):
    env = zappy_arena.parallel_env("zappy", record=tmp_path / "match.zrec", **SMALL)
    env.reset(seed=1)
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, ((tmp_path / "match.zrec").stat().st_size, limits[1]))
    try:
        env.step({agent: 1 for agent in env._asked()})
        with pytest.raises(ValueError, match=r"record: .*match\.zrec can't be written; name a file in a folder that has room"):
            env.close()
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)


def test_a_record_that_is_gone_at_the_end_is_named(tmp_path):
    env = zappy_arena.parallel_env("zappy", record=tmp_path / "match.zrec", **SMALL)
    env.reset(seed=1)
    (tmp_path / "match.zrec").unlink()
    with pytest.raises(ValueError, match=r"record: .*match\.zrec'; it was there when the match began"):
        env.close()


def test_a_record_has_one_environment_until_its_match_ends(tmp_path):
    one, other = (zappy_arena.parallel_env("zappy", record=tmp_path / "match.zrec", **SMALL) for _ in range(2))
    one.reset(seed=1)
    with pytest.raises(ValueError, match=r"record: .*match\.zrec: .*busy; close the environment that writes it, or name"):
        other.reset(seed=1)
    one.close()
    assert zappy_arena.verify(tmp_path / "match.zrec")[1]
    other.reset(seed=2)
    other.close()


@pytest.mark.parametrize("make", [zappy_arena.parallel_env, zappy_arena.aec_env])
def test_a_fork_leaves_the_record_alone(tmp_path, make):
    env = make("zappy", record=tmp_path / "match.zrec", **SMALL)
    env.reset(seed=1)
    child = os.fork()
    if child == 0:
        try:
            with pytest.raises(RuntimeError, match=rf"match\.zrec belong to process {os.getppid()}, .* is a fork; make one with another record"):
                env.step({} if make is zappy_arena.parallel_env else 1)
            env.close()
            make("zappy", record=tmp_path / "other.zrec", **SMALL).reset(seed=1)
            os._exit(0)
        finally:
            os._exit(1)
    assert os.waitpid(child, 0)[1] == 0
    env.close()
    assert zappy_arena.verify(tmp_path / "match.zrec")[1]


def test_a_fork_does_not_wait_for_threads_that_it_lacks():
    env = zappy_arena.vector_env(4, "zappy", threads=0, **SMALL)
    env.reset(1)
    child = os.fork()
    if child == 0:
        try:
            with pytest.raises(RuntimeError, match=r"its threads belong to process .*; call reset\(\) here"):
                env.step(np.zeros(env.shape, int))
            env.reset(1)
            os._exit(0)
        finally:
            os._exit(1)
    assert os.waitpid(child, 0)[1] == 0


@pytest.mark.parametrize("copied", [copy.copy, copy.deepcopy, lambda env: pickle.loads(pickle.dumps(env))])
@pytest.mark.parametrize(
    "make",
    [zappy_arena.aec_env, zappy_arena.parallel_env, zappy_arena.single_env, lambda game, **settings: zappy_arena.vector_env(2, game, **settings)],
)
def test_a_copy_has_the_arguments_and_no_match(make, copied):
    env = make("zappy", **SMALL, texts=["here"])
    env.reset(seed=1)
    other = copied(env)
    assert type(other) is type(env)
    with pytest.raises(RuntimeError, match=r"is a copy.*; call reset\(\)"):
        other.step({})
    other.reset(seed=1)
    assert "Broadcast here" in (getattr(other, "settings", None) or other._settings).actions
    env.step({} if make is zappy_arena.parallel_env else np.zeros(env.shape, int) if hasattr(env, "shape") else 1)


def test_an_environment_has_one_thread_at_a_time():
    env = zappy_arena.vector_env(500, "zappy", threads=1, **SMALL)
    env.reset(1)
    actions, refused, stop = np.zeros(env.shape, int), [], threading.Event()

    def step():
        while not stop.is_set():
            try:
                env.step(actions)
            except RuntimeError as error:
                refused.append(str(error))
                stop.set()

    threads = [threading.Thread(target=step) for _ in range(2)]
    [one.start() for one in threads]
    stop.wait(60)
    stop.set()
    [one.join() for one in threads]
    assert refused[0] == "another thread uses this environment: it belongs to one thread at a time"
    env.step(actions)


def test_parts_are_weighed():
    # One sum holds three counts: each of them stays below a thousand.
    weights = {"died": 1, "laid": 1e3, "ate": 1e6}
    total = sum(play(zappy_arena.parallel_env("zappy", rewards=weights, **SMALL)).values())
    ate, laid, died = total // 1e6, total // 1e3 % 1e3, total % 1e3
    assert died >= 4 and laid > 0
    assert sum(play(zappy_arena.parallel_env("zappy", rewards={"ate": 2}, **SMALL)).values()) == 2 * ate > 0


@pytest.mark.parametrize("game, settings", [("zappy", SMALL), ("conquest", {"size": (10, 10), "turns": 4})])
def test_all_that_are_left_at_the_end_have_won_or_lost(game, settings):
    env = zappy_arena.parallel_env(game, rewards={"won": 1, "lost": -1, "died": 9}, max_players=8, **settings)
    for seed in range(3):
        _, infos = env.reset(seed=seed)
        rng, rewards = np.random.default_rng(seed), {}
        while env.agents:
            left = env.agents
            _, rewards, _, _, infos = env.step({agent: draw(rng, infos[agent]["action_mask"]) for agent in env._asked()})
        standings = env.standings()
        best = {team for team, one in standings["teams"].items() if one["rank"] == 1}
        assert standings["won"] and left
        # In Zappy the match ends without a line to its players.
        assert all(rewards[agent] in (9, 1 if agent.split("_")[0] in best else -1) for agent in left)


@pytest.mark.parametrize("opponents", [[], ["easy"]])
def test_a_match_without_players_goes_on_to_its_end(tmp_path, opponents):
    shared = {"size": (8, 8), "clients": 1, "max_players": 8, "max_ticks": 3000, "rewards": {"won": 1, "lost": -1}, "opponents": opponents}
    one = zappy_arena.parallel_env("zappy", record=tmp_path / "match.zrec", **shared)
    many = zappy_arena.vector_env(1, "zappy", again=False, **shared)
    aec = zappy_arena.aec_env("zappy", **shared)
    actions, fork, laid = one.settings.actions, one.settings.actions.index("Fork"), set()

    def act(agent):
        action = actions.index("Look") if agent in laid else fork
        laid.add(agent)
        return action

    one.reset(seed=1)
    aec.reset(seed=1)
    board, last = many.reset(1), {}
    while one.agents:
        chosen, all_rows = {agent: act(agent) for agent in one._asked()}, np.zeros(many.shape, int)
        for agent, action in chosen.items():
            all_rows[0, one.possible_agents.index(agent)] = action
        _, last, terminations, _, _ = one.step(chosen)
        board = many.step(all_rows)
        assert {agent: board.rewards[0, one.possible_agents.index(agent)] for agent in last} == last
    assert all(terminations.values()) and laid == set(one.possible_agents)
    standings = one.standings()
    best = [team for team, of in standings["teams"].items() if of["rank"] == 1]
    assert standings["ticks"] == 3000 and standings["reason"] == "time" and standings["won"]
    assert board.ends.tolist() == [[1, one.settings.own.index(best[0]) if best[0] in one.settings.own else -1]]
    assert last and all(reward == (1 if agent.split("_")[0] in best else -1) for agent, reward in last.items())
    one.close()
    record = (tmp_path / "match.zrec").read_bytes()
    assert zappy_arena.verify(tmp_path / "match.zrec") == (3000, True) and b"seg " + best[0].encode() in record
    laid.clear()
    earned = {}
    for agent in aec.agent_iter():
        _, reward, terminated, truncated, _ = aec.last()
        earned[agent] = reward
        aec.step(None if terminated or truncated else act(agent))
    assert aec.standings() == standings and {agent: earned[agent] for agent in last} == last


def test_a_signal_interrupts_between_two_matches_that_begin():
    def interrupt(*_):
        raise KeyboardInterrupt

    env = zappy_arena.vector_env(400, "zappy")
    start = time.process_time()
    env.reset(1)
    whole = time.process_time() - start
    before = signal.signal(signal.SIGPROF, interrupt)
    try:
        start = time.process_time()
        signal.setitimer(signal.ITIMER_PROF, whole / 10)
        with pytest.raises(KeyboardInterrupt):
            env.reset(1)
        assert time.process_time() - start < whole / 2
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGPROF, before)


def test_new_players_appear_and_the_dead_leave():
    env = zappy_arena.parallel_env("zappy", max_players=5, **SMALL)
    assert len(env.possible_agents) == 10
    _, infos = env.reset(seed=1)
    fork, had = env.settings.actions.index("Fork"), set(env.agents)
    assert had == {"red_0", "red_1", "blue_0", "blue_1"}
    while env.agents:
        _, _, terminations, _, infos = env.step({agent: fork for agent in env._asked()})
        assert {agent for agent, done in terminations.items() if not done} == set(env.agents)
        had |= set(env.agents)
    assert had == set(env.possible_agents)
    closed = zappy_arena.parallel_env("zappy", max_players=5, auto_join=False, **SMALL)
    closed.reset(seed=1)
    for _ in range(10):
        closed.step({agent: fork for agent in closed._asked()})
    assert len(closed.agents) == 4


def test_what_is_not_asked_is_ignored_and_counted():
    env = zappy_arena.parallel_env("zappy", **SMALL)
    env.reset(seed=1)
    fork, left = env.settings.actions.index("Fork"), env.settings.actions.index("Left")
    _, _, _, _, infos = env.step({"red_0": fork, "red_1": left, "blue_0": left, "blue_1": left})
    assert "red_0" not in env._asked() and list(np.flatnonzero(infos["red_0"]["action_mask"])) == [0]
    _, _, _, _, infos = env.step({agent: left for agent in env.agents})
    assert infos["red_0"]["ignored"] == 1 and infos["red_1"]["ignored"] == 0


def test_lines_that_take_no_time_are_bounded_by_the_tick():
    env = zappy_arena.parallel_env("zappy", **SMALL)
    env.reset(seed=1)
    ask = env.settings.actions.index("Connect_nbr")
    ticks = []
    for _ in range(100):
        env.step({agent: ask for agent in env._asked()})
        ticks.append(env.standings()["ticks"])
    assert ticks[5] == 0 < ticks[-1]


@pytest.mark.parametrize("game", ["zappy", "conquest"])
def test_a_team_alone_against_a_level_and_a_policy(game):
    settings = {"zappy": {**SMALL, "max_ticks": 400}, "conquest": {"size": (12, 12), "turns": 6}}[game]
    rng = np.random.default_rng(1)
    env = zappy_arena.single_env(game, ["easy", lambda observation, mask: draw(rng, mask)], **settings)
    observation, infos = env.reset(seed=1)
    terminated = truncated = False
    while not (terminated or truncated):
        assert infos["agent"].startswith("red")
        np.testing.assert_array_equal(env.action_masks(), np.hstack(infos["action_mask"]) > 0)
        observation, reward, terminated, truncated, infos = env.step(draw(rng, infos["action_mask"]))
        assert env.observation_space.contains(observation)
    assert infos["standings"]["reason"] != "running" and set(infos["standings"]["teams"]) == {"red", "blue", "team3"}


@pytest.mark.parametrize("game, settings", [("zappy", SMALL), ("conquest", {"size": (10, 10), "turns": 4})])
def test_many_matches_are_the_same_on_any_number_of_threads(game, settings):
    sums = []
    for threads in (1, 2):
        env = zappy_arena.vector_env(6, game, threads=threads, max_cycles=150, rewards={"died": 1}, **settings)
        board, rng, told = env.reset(5), np.random.default_rng(1), []
        for _ in range(200):
            actions = rng.integers(0, env.settings.components, env.shape)
            board = env.step(actions)
            told.append((board.observations.sum(), board.rewards.sum(), board.masks.sum(), board.ends[:, 0].sum(), board.states.sum()))
        assert sum(ends for *_, ends, _ in told) > 0
        sums.append(told)
    assert sums[0] == sums[1]


def test_a_vector_shows_what_an_environment_shows():
    many = zappy_arena.vector_env(2, "zappy", max_players=4, **SMALL)
    one = zappy_arena.parallel_env("zappy", max_players=4, observation="flat", **SMALL)
    board, rng = many.reset(8), np.random.default_rng(1)
    seen, infos = one.reset(seed=9)
    for _ in range(150):
        for agent in one.agents:
            row = one.possible_agents.index(agent)
            np.testing.assert_array_equal(board.observations[1, row], seen[agent])
            np.testing.assert_array_equal(board.masks[1, row], infos[agent]["action_mask"])
        actions = np.zeros(many.shape, np.int32)
        chosen = {agent: draw(rng, infos[agent]["action_mask"]) for agent in one._asked()}
        for agent, action in chosen.items():
            actions[1, one.possible_agents.index(agent)] = action
        board, (seen, *_, infos) = many.step(actions), one.step(chosen)


def test_no_more_threads_play_than_cores_and_matches():
    assert zappy_arena.vector_env(2, threads=3000).threads <= min(2, os.cpu_count())
    assert zappy_arena.vector_env(5000, threads=3000, clients=1).threads <= os.cpu_count()


def test_what_is_done_to_the_views_of_a_vector_does_not_reach_its_matches():
    env = zappy_arena.vector_env(2, "zappy", **SMALL)
    board = env.reset(1)
    with pytest.raises(ValueError, match="does not own its data"):
        board.masks.resize((1,), refcheck=False)
    with pytest.raises(AttributeError):
        board.masks = board.masks[:1]
    assert not hasattr(board, "step")
    board.masks.shape = (-1,)
    board.states.setflags(write=False)
    after = env.step(np.zeros(env.shape, int))
    assert after.rewards.shape == (2, 4) and (after.states > 0).all()


def test_a_match_of_a_vector_stays_cut_off():
    env = zappy_arena.vector_env(2, "zappy", max_cycles=3, again=False, **SMALL)
    board, told = env.reset(1), []
    for _ in range(6):
        seen = board.observations.copy()
        board = env.step(np.ones(env.shape, int))
        told.append((board.ends[:, 0].tolist(), (board.states > 0).any(), board.rewards.any()))
    assert told == [([0, 0], True, False)] * 2 + [([2, 2], False, False)] * 4
    np.testing.assert_array_equal(board.observations, seen)


def test_a_team_that_is_cut_off_is_told_so():
    env = zappy_arena.single_env("zappy", max_cycles=2, auto_join=False, clients=1, size=(6, 6))
    env.reset(seed=1)
    assert [env.step(1)[3] for _ in range(2)] == [False, True]
    with pytest.raises(RuntimeError, match=r"is over for your team, or was cut off; call reset\(\)"):
        env.step(1)
    env.reset(seed=1)
    env.step(1)


@pytest.mark.parametrize("game", ["zappy", "conquest"])
def test_the_map_is_drawn_as_text(game):
    env = zappy_arena.parallel_env(game, size=(10, 12), render_mode="ansi")
    env.reset(seed=1)
    rows = env.render().split("\n")
    assert len(rows) == 12 and {len(row) for row in rows} == {20}


def test_each_tile_is_drawn_with_two_characters():
    assert ansi(b"msz 2 1\nbct 0 0 12 0 0 0 0 0 0\nbct 1 0 3 0 0 0 0 0 0\npnw #1 1 0 1 1 red\n") == "9 3r"
    names = b"".join(b"tna team%d\n" % number for number in range(12))
    assert ansi("msz 2 1\npnw #1 0 0 1 1 été\npnw #2 1 0 1 1 à\n".encode()) == ".é.à"
    assert ansi(b"msz 2 1\n" + names + b"loc 0 0 team11 plain ---- -\nloc 1 0 - plain ---- -\n") == "1 . "


def test_a_page_shows_a_match_that_goes_on(tmp_path, monkeypatch):
    env = zappy_arena.parallel_env("zappy", record=tmp_path / "match.zrec", render_mode="html", **SMALL)
    env.reset(seed=1)
    monkeypatch.setenv("PATH", "")
    monkeypatch.chdir(tmp_path)
    with pytest.raises(RuntimeError, match="needs the program zappy_arena with its viewer: .* make zappy_arena web"):
        env.render()
    monkeypatch.setenv("PATH", str(tmp_path))
    shutil.copy(program("zappy_arena"), tmp_path / "zappy_arena")
    with pytest.raises(RuntimeError, match="viewer.js: there is no viewer.* make web"):
        env.render()
    (tmp_path / "zappy_web").mkdir()
    (tmp_path / "zappy_web/viewer.js").write_text("const viewer = 1;")
    page = env.render()
    assert "const viewer = 1;" in page and page.startswith("<!doctype html>")
    env.step({agent: 1 for agent in env._asked()})
    assert env.agents and len(env.render()) > len(page)
    env.close()
    assert zappy_arena.verify(tmp_path / "match.zrec")[1]


@pytest.mark.filterwarnings("ignore")
def test_supersuit_wraps_flat_observations():
    supersuit = pytest.importorskip("supersuit", reason="SuperSuit isn't installed")
    env = zappy_arena.parallel_env("zappy", observation="flat", max_players=2, **SMALL)
    # It knows the agents that are there from the start, so none is left over for eggs.
    env = supersuit.frame_stack_v1(supersuit.black_death_v3(env), 2)
    many = supersuit.pettingzoo_env_to_vec_env_v1(env)
    many.reset(seed=1)
    for _ in range(700):
        many.step(np.array([many.action_space.sample() for _ in range(many.num_envs)]))
