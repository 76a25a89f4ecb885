"""PettingZoo's and Gymnasium's own tests."""

import types
import warnings
from functools import partial

import pytest
from gymnasium.utils.env_checker import check_env
from pettingzoo.test import api_test, parallel_api_test, parallel_seed_test, seed_test
from pettingzoo.test.max_cycles_test import max_cycles_test

import zappy_arena
from zappy_arena import conquest, zappy

SMALL = {
    "zappy": {"size": (8, 8), "clients": 3, "max_ticks": 3000, "max_players": 8},
    "conquest": {"size": (10, 10), "turns": 12},
}
MODULES = {"zappy": zappy, "conquest": conquest}
both = pytest.mark.parametrize("game", ["zappy", "conquest"])


@pytest.fixture(autouse=True)
def quiet():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield


@both
@pytest.mark.parametrize("observation", ["dict", "flat"])
def test_aec(game, observation):
    api_test(MODULES[game].env(observation=observation, **SMALL[game]), num_cycles=200)


# `api_test` asks each observation for its dtype, which text has not.
@both
@pytest.mark.parametrize("observation", ["dict", "flat", "text"])
def test_parallel(game, observation):
    parallel_api_test(MODULES[game].parallel_env(observation=observation, **SMALL[game]), num_cycles=200)


@both
def test_seeds(game):
    seed_test(partial(MODULES[game].env, **SMALL[game]), num_cycles=100)
    parallel_seed_test(partial(MODULES[game].parallel_env, **SMALL[game]))


@both
def test_max_cycles(game):
    # It takes the median over all possible agents, so none of them may be left over for eggs.
    settings = {**SMALL[game], "max_players": 3}
    module = types.SimpleNamespace(
        env=partial(MODULES[game].env, **settings), parallel_env=partial(MODULES[game].parallel_env, **settings)
    )
    max_cycles_test(module)


@both
@pytest.mark.parametrize("observation", ["dict", "flat"])
def test_gymnasium(game, observation):
    check_env(zappy_arena.single_env(game, observation=observation, **SMALL[game]), skip_render_check=True)
