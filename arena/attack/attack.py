"""Plays hostile bots against an honest one, in every containment that this machine has, and prints what came of each trick.

python3 arena/attack/attack.py FOLDER_OF_PROGRAMS [--only TRICK] [--in none|landlock|bwrap]

Needs no privilege. As root it also fills a small disk. Nothing outside of this machine is reached, and every program that
is started here is ended.
"""
import argparse
import json
import os
import re
import shlex
import shutil
import socket
import subprocess
import sys
import tempfile
import time

TRICKS = [
    "nothing", "unlinked", "memfd", "server", "arena", "seed", "stranger", "datagram", "abstract", "files", "watch",
    "impersonate",
]
SMALL = "--width 10 --height 10 --clients 1 --max-ticks 300 --seeds 1 --think-time 20000 --lobby-time 20"
LIMITS = "limits = { team_memory_mib = 300, disk_mib = 100 }"
HERE = os.path.dirname(os.path.abspath(__file__))
LIMIT = 240


class Victims:
    """Another server of this machine, and two services that must not hear of a bot."""

    def __init__(self, programs):
        words = [programs + "/zappy_server", "-p", "0", "--bind", "127.0.0.1", "-n", "victim", "--no-console"]
        self.server = subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, stdin=subprocess.DEVNULL)
        port = self.server.stdout.readline().decode().rsplit(":", 1)[1].strip()
        self.udp = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self.udp.bind(("127.0.0.1", 0))
        self.udp.setblocking(False)
        name = f"zappy-attack-{os.getpid()}"
        self.abstract = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self.abstract.bind("\0" + name)
        self.abstract.listen()
        self.names = {
            "VICTIM_PORT": port,
            "VICTIM_UDP": str(self.udp.getsockname()[1]),
            "VICTIM_ABSTRACT": name,
        }

    def heard(self):
        """How many datagrams came since this was asked last."""
        count = 0
        try:
            while self.udp.recv(64):
                count += 1
        except BlockingIOError:
            return count

    def end(self):
        self.server.kill()
        self.server.wait()


def bots(folder, programs, trick, victims):
    for name in ("honest", "evil"):
        os.makedirs(f"{folder}/{name}", exist_ok=True)
    shutil.copy(f"{HERE}/bot.py", f"{folder}/evil/bot.py")
    with open(f"{folder}/honest/bot", "w") as file:
        file.write(f'#!/bin/sh\nexec {shlex.quote(programs + "/zappy_ai")} "$@"\n')
    os.chmod(f"{folder}/honest/bot", 0o755)
    environment = ", ".join(f"{key} = {json.dumps(value)}" for key, value in victims.names.items())
    python = os.path.realpath(sys.executable)
    with open(f"{folder}/bots.toml", "w") as file:
        file.write(f'[[bot]]\nname = "honest"\ncommand = "./bot"\nfolder = "honest"\n')
        command = json.dumps(f"{shlex.quote(python)} -S -B bot.py {trick} {{host}} {{port}} {{team}}")
        file.write(f'[[bot]]\nname = "evil"\ncommand = {command}\nfolder = "evil"\nenvironment = {{ {environment} }}\n{LIMITS}\n')


def call(words):
    return subprocess.run(words, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=LIMIT)


def read(path):
    try:
        with open(path, errors="replace") as file:
            return file.read()
    except OSError:
        return ""


def play(folder, programs, containment, out):
    arena = programs + "/zappy_arena"
    plan = call([arena, "tournament", "plan", "--bots", f"{folder}/bots.toml", "--out", out, *SMALL.split()])
    if plan.returncode:
        sys.exit(plan.stderr)
    since = time.monotonic()
    run = call([arena, "tournament", "run", out, "--sandbox", containment, "--quiet"])
    return run, time.monotonic() - since


def found(out):
    """What the bot said, and what the results and failures say."""
    said, ends, late = [], [], 0
    for name in sorted(os.listdir(out + "/matches")):
        said += re.findall(r"^attack: (.*)$", read(f"{out}/matches/{name}/logs/evil-1.log"), re.M)
    seeds = [seed for seed in read(out + "/seeds").split()]
    logs = [read(f"{out}/matches/{name}/logs/evil-1.log") for name in os.listdir(out + "/matches")]
    if any(seed in log for seed in seeds for log in logs):
        said.append("KNOWS THE SEED")
    for kind in ("results", "failed"):
        for name in sorted(os.listdir(f"{out}/{kind}") if os.path.isdir(f"{out}/{kind}") else []):
            result = json.loads(read(f"{out}/{kind}/{name}"))
            if kind == "failed":
                ends.append("not scored: " + result["why"].split(";")[0][:90])
                continue
            evil = next(seat for seat in result["seats"] if seat["team"] == "evil")
            late += sum(seat["late"] for seat in result["seats"] if seat["team"] == "honest")
            detail = f" ({evil['end_detail']})" if evil["end_detail"] else ""
            again = "; played again contained" if result.get("earlier") else ""
            ends.append(f"{result['outcome']}, evil {evil['end']}{detail}, rank {evil['rank']}{again}")
    return said, ends, late


def row(trick, containment, said, ends, late, seconds):
    last = said[-1] if said else "-"
    came = " / ".join(sorted(set(ends))) or "-"
    print(f"| {trick} | {containment} | {last} | {came} | {late} | {seconds:.1f} s |", flush=True)


def attack(programs, containment, trick, victims):
    with tempfile.TemporaryDirectory(prefix="zappy-attack-") as folder:
        bots(folder, programs, trick, victims)
        out = folder + "/night"
        run, seconds = play(folder, programs, containment, out)
        if run.returncode == 2:
            return print(f"| {trick} | {containment} | - | not here: {run.stderr.strip().splitlines()[-1]} | - | - |", flush=True)
        said, ends, late = found(out)
        if trick == "datagram":
            said.append(f"the outside heard {victims.heard()} datagrams")
        row(trick, containment, said, ends, late, seconds)


def small_disk(programs, containment, victims):
    """As root: the whole tournament on a disk of 40 MiB."""
    with tempfile.TemporaryDirectory(prefix="zappy-attack-") as folder:
        mount = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=40m", "none", folder], capture_output=True, text=True)
        if mount.returncode:
            return print(f"| small disk | {containment} | - | not here: {mount.stderr.strip()} | - | - |", flush=True)
        try:
            bots(folder, programs, "unlinked", victims)
            run, seconds = play(folder, programs, containment, folder + "/night")
            said, ends, late = found(folder + "/night")
            row("small disk", containment, said, ends, late, seconds)
        finally:
            subprocess.run(["umount", folder], check=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("programs")
    parser.add_argument("--only", choices=[*TRICKS, "small-disk"])
    parser.add_argument("--in", dest="containments", action="append", choices=["none", "landlock", "bwrap"])
    options = parser.parse_args()
    programs = os.path.abspath(options.programs)
    user = "root" if os.geteuid() == 0 else "an ordinary user"
    print(f"As {user}, two matches each, against our own client:\n")
    print("| attack | contained by | what the bot got | what came of it | honest late | took |\n|---|---|---|---|---|---|", flush=True)
    victims = Victims(programs)
    try:
        for containment in options.containments or ["none", "landlock", "bwrap"]:
            for trick in [trick for trick in TRICKS if options.only in (None, trick)]:
                attack(programs, containment, trick, victims)
            if os.geteuid() == 0 and options.only in (None, "small-disk"):
                small_disk(programs, containment, victims)
    finally:
        victims.end()


main()
