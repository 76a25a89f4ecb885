"""What is refused, and by which words: every argument, of every environment."""

import math
import subprocess
import sys

import numpy as np
import pytest

import zappy_arena
from zappy_arena._base import Reader

SMALL = {"size": (6, 6), "clients": 2, "max_ticks": 1500}
MAKERS = {
    "aec_env": zappy_arena.aec_env,
    "parallel_env": zappy_arena.parallel_env,
    "single_env": zappy_arena.single_env,
    "vector_env": lambda **settings: zappy_arena.vector_env(2, **settings),
    "zappy.env": lambda game="zappy", **settings: zappy_arena.zappy.env(**settings) if game == "zappy" else zappy_arena.aec_env(game),
}
INTEGERS = [-1, 2.5, "a", "3", True, [3], math.nan, math.inf, 10**30, b"3", object(), np.float64(3)]
#: Values that no environment takes.
BAD = {
    "game": ["chess", "", 3, None, b"zappy", ["zappy"]],
    "teams": ["ab", "red", 3, None, [], [3, 4], ["a b", "c"], ["", "x"], ["x" * 65, "y"], ["\ud800", "b"], {"a": 1}, b"ab",
              [f"t{number}" for number in range(101)]],
    "size": [3, None, (0, 5), (5, 501), (10**9, 5), (5,), (5, 5, 5), "55", (2.5, 3), (True, 5), (math.nan, 5)],
    "max_ticks": [0, 10**16, *INTEGERS],
    "max_cycles": [0, *INTEGERS],
    "max_players": [0, None, 10_001, *INTEGERS],
    "auto_join": [3, 0, None, "yes", []],
    "texts": ["go", b"go", 3, None, [3], [""], [" "], ["a\nb"], ["x" * 513], ["\ud800"], {"a": 1}, ["a"] * 1001,
              ["a", "b", "a"], ["a\x00b"], ["a\tb"], ["a\x7f"], ["a\x85b"]],
    "opponents": ["easy", 3, None, ["brutal"], [3], ["--help"], [b"easy"], {"easy": 1}],
    "observation": ["pixels", 3, b"dict", ["dict"], True],
    "rewards": [3, "won", ["won"], {"wins": 1}, {"won": math.nan}, {"won": -math.inf}, {"won": 1e300}, {"won": "1"}, {"won": None},
                {"won": True}, {3: 1, "x": 2}, {"won": 1j}, {"won": 10**400}],
    "record": [5, True, b"x", "", "a\0b", ["x"], "\ud800/x", "/", "/dev/full"],
    "render_mode": ["human", 3, "", True, "html"],
    "clients": [0, 1001, 20_000, "a", None, {3}, "", "\ud800", *(one for one in INTEGERS if one != "3" and one != [3])],
    "rules": ["x", 3, None, True, b"strict", "", "\ud800", ["\ud800"]],
    "\ud800": [3],
    "turns": [3],
}


def refused(words, call):
    with pytest.raises(ValueError) as raised:
        call()
    # Of a text that isn't Unicode the codec tells nothing that helps.
    assert words in str(raised.value).replace("\\ud800", "\ud800") and not isinstance(raised.value, UnicodeError)


@pytest.mark.parametrize("maker", MAKERS)
@pytest.mark.parametrize("argument", BAD)
def test_each_argument_is_refused_by_its_name(maker, argument):
    for value in BAD[argument]:
        refused(argument, lambda: MAKERS[maker](**{argument: value}).reset())


@pytest.mark.parametrize("argument, values", [("turns", [0, "x", None, 2.5, True]), ("cities", [3, "x", None]), ("clients", [3])])
def test_so_are_those_of_conquest(argument, values):
    for value in values:
        refused(argument, lambda: zappy_arena.parallel_env("conquest", **{argument: value}))


@pytest.mark.parametrize(
    "settings, words",
    [
        ({"teams": ["red", "red"]}, "the team red is named twice"),
        ({"max_players": 2.5}, "max_players is 2.5; it takes an integer from 1 to 10000"),
        ({"clients": 0}, 'clients is "0", the range is 1 to 1000'),
        ({"cities": True}, "no option cities; its options are rules"),
        ({"opponents": ["brutal"]}, "opponents: 'brutal' is no level of zappy; the levels are easy, medium, hard, expert"),
        ({"opponents": [max]}, "opponents: <built-in function max> is no level of zappy"),
        ({"game": "conquest", "opponents": ["deaf-raider"]}, "is no level of conquest; the levels are easy"),
        ({"opponents": ["easy", "easy"]}, "leave one team"),
        ({"rewards": {"wins": 1}}, "there is no 'wins'; the parts are rose"),
        ({"render_mode": "html"}, "name a file by record="),
        ({"teams": [f"t{number}" for number in range(40)], "max_players": 1000}, "max_players is 1000; your 40 teams together"),
    ],
)
def test_the_words_say_what_to_do(settings, words):
    refused(words, lambda: zappy_arena.parallel_env(**settings))


def test_arguments_of_many_matches_are_refused_by_their_names():
    for n in (0, 10_001, None, *INTEGERS):
        refused("n is", lambda: zappy_arena.vector_env(n))
    for threads in (None, *INTEGERS):
        refused("threads is", lambda: zappy_arena.vector_env(2, threads=threads))
    for again in (1, None, "yes"):
        refused("again is", lambda: zappy_arena.vector_env(2, again=again))
    for name, value in {"observation": "flat", "record": "x", "render_mode": "ansi"}.items():
        refused(f"{name}: many matches", lambda: zappy_arena.vector_env(2, **{name: value}))
    refused("n is 10000; so many", lambda: zappy_arena.vector_env(10_000, "conquest", size=(500, 500)))


def test_integers_of_numpy_are_taken_for_integers():
    numbers = {name: np.int64(value) for name, value in {"clients": 2, "max_ticks": 1500, "max_cycles": 3, "max_players": 4}.items()}
    env = zappy_arena.vector_env(np.int64(3), threads=np.int8(1), size=(np.int32(6), np.int64(6)), **numbers)
    board = env.reset(np.int64(5))
    same = zappy_arena.vector_env(3, threads=1, size=(6, 6), **{name: int(value) for name, value in numbers.items()}).reset(5)
    assert type(env.n) is type(env.settings.max_players) is int
    np.testing.assert_array_equal(board.states, same.states)


def test_observations_of_another_shape_are_named():
    env = zappy_arena.vector_env(2, **SMALL)
    assert env.fields(env.reset().observations)["level"].shape == (2, 4, 1)
    for observations in (None, 3, "x", [[1.0]], np.zeros(3), np.zeros(()), np.zeros((2, 2, env.settings.size + 1))):
        refused(f"observations: they are an array whose last axis has {env.settings.size} numbers", lambda: env.fields(observations))


@pytest.mark.parametrize("maker", ["aec_env", "parallel_env", "single_env", "vector_env"])
def test_seeds_are_refused_by_their_name(maker):
    env = MAKERS[maker](**SMALL)
    for seed in [2**64, *INTEGERS]:
        refused("seed is", lambda: env.reset(seed=seed))
    env.reset(seed=np.uint64(3))


@pytest.mark.parametrize("maker", ["aec_env", "parallel_env", "single_env", "vector_env"])
def test_an_environment_without_a_match_says_so(maker):
    env = MAKERS[maker](**SMALL)
    for _ in range(2):
        for name, arguments in {"step": [{}], "render": [], "standings": [], "last": [], "observe": ["red_0"], "action_masks": []}.items():
            if hasattr(env, name):
                with pytest.raises(RuntimeError, match=r"closed, .* or was never begun; call reset\(\)"):
                    getattr(env, name)(*arguments)
        env.reset(seed=1)
        env.close()


@pytest.mark.parametrize("game", ["zappy", "conquest"])
def test_actions_outside_of_the_space_are_refused(game):
    settings = {**SMALL, "clients": 3} if game == "zappy" else {"size": (10, 10)}
    aec, parallel, single = (MAKERS[name](game=game, **settings) for name in ("aec_env", "parallel_env", "single_env"))
    for env in (aec, parallel, single):
        env.reset(seed=1)
    size = aec.settings.components[0]
    actions = [None, -1, size, 2.5, "Left", [], {}, object(), [[1, 2], 3], [1, 2], [None] * 3, np.array([1.0, 2, 3]), True, [0, 0, 2.5],
               [size, 0, 0], [True, 0, 0], 2**70, np.zeros(4, int)]
    reader = Reader(aec.settings)
    for action in actions:
        refused("action: ", lambda: reader.act(action))
        refused("action: ", lambda: aec.step(action))
        refused("action: ", lambda: single.step(action))
        refused("action: ", lambda: parallel.step({parallel._asked()[0]: action}))
    for given in (None, 3, "x", [1], object()):
        refused("actions is", lambda: parallel.step(given))
    for agent in ("nobody", 3, None, b"red_0"):
        refused("there is no agent", lambda: parallel.step({agent: 0}))
        for call in (aec.action_space, aec.observation_space, aec.observe, parallel.action_space):
            refused("there is no agent", lambda: call(agent))


@pytest.mark.parametrize("game", ["zappy", "conquest"])
def test_many_actions_are_integers_in_their_shape_and_range(game):
    env = zappy_arena.vector_env(3, game, size=(10, 10), max_players=1)
    env.reset()
    good = np.zeros(env.shape, np.int64)
    values = [None, "x", [[1], [2, 3]], 0.7, good + 0.7, good * 1.0, good + 2**32, good - 1, good + 99, good.astype(bool),
              good.astype(np.uint64) + np.uint64(2**63), good.astype(object), good.transpose(1, 0, 2), good[:1], good.ravel(), good[None]]
    values += [good[..., 0].T] if game == "zappy" else [good[..., 0]]
    for actions in values:
        refused("actions: ", lambda: env.step(actions))
    for actions in (good.astype(np.int8), good.astype(np.uint64), np.asfortranarray(good), good.tolist(), np.broadcast_to(0, env.shape)):
        env.step(actions)


def test_what_is_no_path_is_named():
    for path in (None, 3, b"/tmp/x", "", "a\0b", True):
        refused("path is", lambda: zappy_arena.verify(path))


def test_the_modules_of_the_games_come_with_the_package():
    program = "import zappy_arena; zappy_arena.zappy.env; zappy_arena.conquest.parallel_env"
    subprocess.run([sys.executable, "-c", program], check=True, timeout=60)
