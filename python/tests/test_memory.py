"""An observation is a function of the lines that a player has read and of those that it sent."""

import numpy as np
import pytest

import zappy_arena
from zappy_arena import Settings
from zappy_arena._base import Reader

CASES = [
    ("zappy", {"size": (5, 5), "clients": 3, "texts": ["here", "go"]}),
    ("zappy", {"size": (5, 5), "clients": 3, "rules": "strict"}),
    ("zappy", {"size": (5, 5), "clients": 3, "rules": "official", "display_eggs": True}),
    ("conquest", {"size": (10, 10), "cities": True, "mode": "players"}),
    ("conquest", {"size": (10, 10), "placement": "draft", "rules": "classic"}),
]


def draw(rng, mask):
    masks = mask if isinstance(mask, tuple) else (mask,)
    chosen = [rng.choice(np.flatnonzero(one)) for one in masks]
    return np.array(chosen) if isinstance(mask, tuple) else int(chosen[0])


@pytest.mark.parametrize("game, settings", CASES)
def test_lines_alone_give_the_observations(game, settings):
    told = zappy_arena.parallel_env(game, observation="text", **settings)
    shown = zappy_arena.parallel_env(game, observation="flat", **settings)
    lines, _ = told.reset(seed=3)
    seen, infos = shown.reset(seed=3)
    readers, rng, compared = {}, np.random.default_rng(1), 0
    for _ in range(400):
        for agent, text in lines.items():
            if agent not in readers:
                readers[agent] = Reader(Settings(game, **settings))
            for line in text.encode("latin-1").splitlines():
                readers[agent].read(line)
            readers[agent].observe()
            mask = readers[agent].masks[0, 0]
            np.testing.assert_array_equal(readers[agent].observations[0, 0], seen[agent])
            asked = agent in shown.agents and agent in shown._asked()
            # Under the strict rules lines don't always tell whether a `ko` answers a command or ends an incantation.
            if agent in shown.agents and settings.get("rules") != "strict":
                assert readers[agent].states == (2 if asked else 1)
            if asked:
                np.testing.assert_array_equal(mask, np.concatenate(infos[agent]["action_mask"]) if game == "conquest" else infos[agent]["action_mask"])
            compared += 1
        actions = {agent: draw(rng, infos[agent]["action_mask"]) for agent in shown._asked()}
        for agent, action in actions.items():
            readers[agent].act(action)
        lines = told.step(actions)[0]
        seen, _, _, _, infos = shown.step(actions)
        if not shown.agents:
            break
    assert compared > 300


@pytest.mark.parametrize("mode", ["flat", "dict"])
@pytest.mark.parametrize(
    "game, settings, own, other",
    [("zappy", {"size": (20, 20), "clients": 1, "max_players": 1}, "Left", "Forward"),
     ("conquest", {"size": (20, 20), "turns": 12}, "Done {turn}", "Unit {unit} travel {there}")],
)
def test_matches_that_differ_out_of_sight_are_observed_alike(game, settings, own, other, mode):
    def of_red(other):
        """What red has read, what it observed, and the world, each time that it was asked."""
        shown = zappy_arena.parallel_env(game, observation=mode, **settings)
        told = zappy_arena.parallel_env(game, observation="text", **settings)
        names, moments, read = shown.settings.actions, [], ""
        red, blue = shown.possible_agents
        (observations, _), (lines, _) = shown.reset(seed=4), told.reset(seed=4)
        for step in range(40):
            if red not in shown.agents:
                break
            read += lines[red]
            if red in shown._asked():
                moments.append((read, observations[red], shown._board.core.snapshot()))
            chosen = {red: own, blue: other if step % 2 else own}
            actions = {agent: names.index(chosen[agent]) for agent in shown._asked()}
            if game == "conquest":
                actions = {agent: np.array([action, 0, 13]) for agent, action in actions.items()}
            observations, lines = shown.step(actions)[0], told.step(actions)[0]
        return moments

    differ = 0
    for (read, seen, world), (also_read, also_seen, other_world) in zip(of_red(own), of_red(other)):
        if read == also_read:
            np.testing.assert_equal(also_seen, seen)
            differ += world != other_world
    assert differ > 5


def reader(game="zappy", **settings):
    settings = Settings(game, **settings)
    return Reader(settings), settings


def view(reader, settings):
    reader.observe()
    return {name: value[0, 0].copy() for name, value in settings.fields_of(reader.observations).items()}


def allowed(reader):
    reader.observe()
    return reader.masks[0, 0].copy()


def test_a_look_is_a_cone_that_ages_and_stays_where_it_was_seen():
    one, settings = reader()
    for line in [b"WELCOME", b"5", b"10 10"]:
        one.read(line)
    look, forward, right = (settings.actions.index(name) for name in ("Look", "Forward", "Right"))
    assert one.act([look]) == b"Look"
    one.read(b"[ player food,, linemate, food food ]")
    seen = view(one, settings)
    assert seen["look"][0, 0, 8] == 1 and seen["look"][7, 0, 8] == 1 and seen["look"][1, 1, 8] == 1
    assert seen["look"][0, 1, 9] == 2 and seen["look"][9].sum() == 4 and seen["look_age"] == [0]
    for action in (right, forward):
        one.act([action])
        one.read(b"ok")
    seen = view(one, settings)
    assert seen["look_age"] == [14] and list(seen["look_offset"]) == [0, 1, 1] and seen["age"] == [21]
    one.read(b"eject: 5")
    assert list(view(one, settings)["look_offset"]) == [0, 2, 1]


def test_what_can_not_succeed_is_masked():
    one, settings = reader()
    for line in [b"WELCOME", b"5", b"10 10"]:
        one.read(line)
    named = {name: place for place, name in enumerate(settings.actions)}
    mask = allowed(one)
    assert not mask[0] and not mask[named["Set linemate"]] and mask[named["Incantation"]] and mask[named["Take food"]]
    one.act([named["Take linemate"]])
    assert list(allowed(one).nonzero()[0]) == [0]
    one.read(b"ok")
    assert allowed(one)[named["Set linemate"]]
    one.act([named["Look"]])
    one.read(b"[ player,,, ]")
    assert not allowed(one)[named["Incantation"]]


def test_any_bytes_are_taken():
    rng = np.random.default_rng(1)
    for game in ("zappy", "conquest"):
        one, settings = reader(game)
        for _ in range(2000):
            one.read(rng.bytes(rng.integers(30)))
        for line in ("ok", "ko", "message 9, x", "eject: 9", "Current level: 9", "[ x ]", "tile 999 999 9 plain ----", "go 1", "dead"):
            one.read(line.encode())
        one.observe()
        assert settings.observation_space.contains(settings.observations(one.observations[0], one.masks[0], [])[0])
