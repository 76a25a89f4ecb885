"""Trains a policy that all players share by RLlib's PPO, and prints what a match earned after each iteration.

    pip install "ray[rllib]" torch supersuit
    python3 examples/rllib.py
"""

from ray.rllib.algorithms.ppo import PPOConfig
from ray.rllib.env.wrappers.pettingzoo_env import ParallelPettingZooEnv
from ray.tune.registry import register_env
from supersuit import black_death_v3
import zappy_arena

settings = {"clients": 2, "max_players": 2, "max_ticks": 1000, "observation": "flat", "rewards": {"ate": 1}}
register_env("zappy", lambda _: ParallelPettingZooEnv(black_death_v3(zappy_arena.parallel_env(**settings))))
config = PPOConfig().environment("zappy").training(train_batch_size_per_learner=1000, num_epochs=3)
algorithm = config.multi_agent(policies={"shared"}, policy_mapping_fn=lambda *_, **__: "shared").build_algo()
for _ in range(4):
    print(algorithm.train()["env_runners"]["episode_return_mean"])
