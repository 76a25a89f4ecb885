"""The five steps of docs/training.md, as they stand there."""

import os
import re
import shlex
import subprocess
import sys
import textwrap

from conftest import ROOT, program

#: Seconds after which a step that hangs is ended.
DEADLINE = 300


def blocks(language):
    text = (ROOT / "docs/training.md").read_text()
    return [textwrap.dedent(block).strip() for block in re.findall(rf"```{language}\n(.*?)```", text, re.S)]


def run(words, folder):
    environment = {**os.environ, "PATH": f"{os.path.dirname(sys.executable)}:{os.environ['PATH']}"}
    done = subprocess.run(words, cwd=folder, capture_output=True, text=True, timeout=DEADLINE, env=environment)
    assert done.returncode == 0, f"{words}\n{done.stdout}\n{done.stderr}"
    return done.stdout


def test_the_five_steps(tmp_path):
    install, learn, play = blocks("sh")
    match, (entry,) = blocks("python")[0], blocks("toml")
    # The package under test is installed already.
    assert install == "pip install ./python" and (ROOT / "python/pyproject.toml").exists()
    assert "True" in run([sys.executable, "-c", match], tmp_path)
    flags = "--minutes 0.01 --pairs 1 --ticks 200 --test 0 --clients 2"
    learn = learn.replace("python/examples", shlex.quote(str(ROOT / "python/examples"))).replace("--minutes 10", flags)
    assert "generation 1: earned" in run(["sh", "-c", learn.replace("python3", shlex.quote(sys.executable), 1)], tmp_path)
    assert (tmp_path / "team.svg").read_text().startswith("<svg")
    for name in ("zappy_arena", "zappy_server", "zappy_ai"):
        (tmp_path / name).symlink_to(program(name))
    out = run(["sh", "-c", play.replace("--players 6", "--players 2") + " --clients 2 --max-ticks 200 --quiet"], tmp_path)
    assert (tmp_path / "matches/learned/match.zrec").exists(), out
    assert zappy_verify(tmp_path / "matches/learned/match.zrec")
    easy = '[[bot]]\nname = "easy"\ncommand = "./zappy_ai --level easy -p {port} -n {team} -h {host}"\n'
    entry = entry.replace("--players 6", "--players 1")
    (tmp_path / "bots.toml").write_text(entry + "\n\n" + easy)
    flags = ["--seeds", "1", "--clients", "1", "--max-ticks", "200"]
    run(["./zappy_arena", "tournament", "plan", "--bots", "bots.toml", "--out", "t", *flags], tmp_path)
    run(["./zappy_arena", "tournament", "run", "t", "--sandbox", "none"], tmp_path)


def test_the_bench_prints_its_table(tmp_path):
    out = run([sys.executable, str(ROOT / "python/examples/bench.py"), "--seconds", "0.01"], tmp_path)
    for name in ("zappy parallel_env", "conquest parallel_env", "zappy vector_env"):
        assert re.search(rf"^{name}.* [1-9][\d,]* agent steps/s$", out, re.M), out


def zappy_verify(record):
    import zappy_arena

    return zappy_arena.verify(record)[1]
