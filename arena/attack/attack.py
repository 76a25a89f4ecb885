"""Plays hostile bots against an honest one, in every containment that this machine has, and prints what came of each trick.

python3 arena/attack/attack.py FOLDER_OF_PROGRAMS [--only TRICK|small-disk|tournament|loud] [--in none|landlock|bwrap]

Each trick is played in lockstep, which shows what came of it, and by the real clock, which shows how the honest player
fared meanwhile. At the end of each containment a tournament of one bot per trick, on a disk that fills if this is root, is
held against the same bots without their tricks: if the two rankings differ, or the report is silent about what it could see,
this ends with exit code 1. Needs no privilege. Nothing outside of this machine is reached, and every program that is
started here is ended.
"""
import argparse
import contextlib
import csv
import json
import os
import re
import selectors
import shlex
import shutil
import socket
import subprocess
import sys
import tempfile
import time

TRICKS = [
    "nothing", "unlinked", "memfd", "server", "arena", "term", "forge", "seed", "stranger", "datagram", "abstract", "files",
    "watch", "impersonate",
]
SMALL = "--width 10 --height 10 --clients 1 --seeds 1"
LOCKSTEP = "--max-ticks 300 --think-time 20000 --lobby-time 20"
LONG = "--max-ticks 1000 --think-time 20000 --lobby-time 20 --first 1"
REAL = "--clock real --freq 200 --max-ticks 400"
LIMITS = "limits = { team_memory_mib = 300, disk_mib = 100 }"
HERE = os.path.dirname(os.path.abspath(__file__))
LIMIT = 600
# What the report says of a bot of the tournament, in every containment, and where nothing contains it.
SEEN = {
    "watch": "broke the protocol",
    "impersonate": "broke the protocol",
}
SEEN_OPEN = {
    "memfd": "used more than its limits allow",
    "term": "broke the protocol",
    "server": "is suspicious",
    "arena": "is suspicious",
}


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


def bots(folder, programs, evil, victims, honest=(("honest", "expert"),)):
    """Our client under these names and at these levels, and a bot for each name of `evil` with its trick."""
    lines, python = [], os.path.realpath(sys.executable)
    for name, level in honest:
        os.makedirs(f"{folder}/{name}", exist_ok=True)
        with open(f"{folder}/{name}/bot", "w") as file:
            file.write(f'#!/bin/sh\nexec {shlex.quote(programs + "/zappy_ai")} --level {level} "$@"\n')
        os.chmod(f"{folder}/{name}/bot", 0o755)
        lines.append(f'[[bot]]\nname = "{name}"\ncommand = "./bot"\nfolder = "{name}"\n')
    environment = ", ".join(f"{key} = {json.dumps(value)}" for key, value in victims.names.items())
    for name, trick in evil.items():
        os.makedirs(f"{folder}/{name}", exist_ok=True)
        shutil.copy(f"{HERE}/bot.py", f"{folder}/{name}/bot.py")
        command = json.dumps(f"{shlex.quote(python)} -S -B bot.py {trick} {{host}} {{port}} {{team}} {name}")
        lines.append(f'[[bot]]\nname = "{name}"\ncommand = {command}\nfolder = "{name}"\n')
        lines.append(f"environment = {{ {environment} }}\n{LIMITS}\n")
    with open(f"{folder}/bots.toml", "w") as file:
        file.writelines(lines)


def call(words):
    return subprocess.run(words, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=LIMIT)


def read(path):
    try:
        with open(path, errors="replace") as file:
            return file.read()
    except OSError:
        return ""


def files(folder):
    """The names in a folder; none if there is no folder."""
    return sorted(os.listdir(folder)) if os.path.isdir(folder) else []


def plan(folder, programs, out, flags):
    words = [programs + "/zappy_arena", "tournament", "plan", "--bots", f"{folder}/bots.toml", "--out", out]
    planned = call(words + SMALL.split() + flags)
    if planned.returncode:
        sys.exit(planned.stderr)


def play(programs, containment, out):
    since = time.monotonic()
    run = call([programs + "/zappy_arena", "tournament", "run", out, "--sandbox", containment, "--quiet"])
    return run, time.monotonic() - since


def found(out):
    """What the bot said, and what the results and failures say."""
    said, ends, late = [], [], 0
    for name in files(out + "/matches"):
        said += re.findall(r"^attack: (.*)$", read(f"{out}/matches/{name}/logs/evil-1.log"), re.M)
    seeds = read(out + "/seeds").split()
    logs = [read(f"{out}/matches/{name}/logs/evil-1.log") for name in files(out + "/matches")]
    if any(seed in log for seed in seeds for log in logs):
        said.append("KNOWS THE SEED")
    for kind in ("results", "failed"):
        for name in files(f"{out}/{kind}"):
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


def fared(out):
    """The honest player's commands per second and the server's lateness by the real clock."""
    commands, seconds, median, most = 0, 0.0, 0, 0
    for name in files(out + "/matches"):
        text = read(f"{out}/matches/{name}/result.json")
        result = json.loads(text) if text else {}
        for team in result.get("teams", []):
            if team["name"] == "honest":
                commands += team["conduct"]["commands"]
                seconds += result["ticks"] / 200
                median = max(median, result["lateness"]["p99_us"])
                most = max(most, result["lateness"]["max_us"])
    return f"{commands / seconds:.1f}/s, {median / 1000:.1f} and {most / 1000:.1f} ms" if seconds else "-"


def row(trick, containment, *cells):
    print("| " + " | ".join(str(cell) for cell in (trick, containment, *cells)) + " |", flush=True)


def not_here(trick, containment, why):
    row(trick, containment, "-", f"not here: {why.strip().splitlines()[-1]}", "-", "-", "-")


def attack(programs, containment, trick, victims, label=None, place=None):
    """Plays a trick on both clocks; `place` is where, if it matters."""
    with contextlib.ExitStack() as stack:
        folder = place or stack.enter_context(tempfile.TemporaryDirectory(prefix="zappy-attack-"))
        bots(folder, programs, {"evil": trick}, victims)
        plan(folder, programs, folder + "/night", LOCKSTEP.split())
        victims.heard()
        run, seconds = play(programs, containment, folder + "/night")
        if run.returncode == 2:
            return not_here(trick, containment, run.stderr)
        said, ends, late = found(folder + "/night")
        if trick == "datagram":
            said.append(f"the outside heard {victims.heard()} datagrams")
        plan(folder, programs, folder + "/day", REAL.split())
        play(programs, containment, folder + "/day")
        last, came = said[-1] if said else "-", " / ".join(sorted(set(ends))) or "-"
        row(label or trick, containment, last, came, late, fared(folder + "/day"), f"{seconds:.1f} s")


@contextlib.contextmanager
def small_disk():
    """As root: a disk of 40 MiB."""
    with tempfile.TemporaryDirectory(prefix="zappy-attack-") as folder:
        mount = ["mount", "-t", "tmpfs", "-o", "size=40m,mode=755", "none", folder]
        mounted = subprocess.run(mount, capture_output=True, text=True)
        try:
            yield folder, mounted.stderr.strip()
        finally:
            if mounted.returncode == 0:
                subprocess.run(["umount", folder], check=True)


def ranking(programs, out):
    """The places of a tournament, and what its report says."""
    merged = call([programs + "/zappy_arena", "tournament", "merge", out])
    if merged.returncode:
        sys.exit(merged.stderr)
    rows = csv.DictReader(read(out + "/merged/ranking.csv").splitlines())
    return sorted((int(row["place"]), row["name"]) for row in rows), merged.stdout


def tournament(programs, containment, victims):
    """One bot per trick against two honest ones, twice: with the tricks and without. Whether all is as it should be."""
    evil, honest = [trick for trick in TRICKS if trick != "nothing"], (("honest", "expert"), ("second", "medium"))
    # Open seeds, so that both tournaments are the same but for the tricks; long enough for the honest to rise.
    against = [word for name, _ in honest for word in ("--against", name)] + LONG.split()
    since, places, runs, wrong = time.monotonic(), [], 0, []
    with small_disk() as (small, why), tempfile.TemporaryDirectory(prefix="zappy-attack-") as plain:
        disk = "a disk of 40 MiB" if not why else "an ordinary disk"
        for folder, tricks in ((small, {name: name for name in evil}), (plain, {name: "nothing" for name in evil})):
            bots(folder, programs, tricks, victims, honest)
            out = folder + "/night"
            plan(folder, programs, out, against)
            # What nothing proves is played again by the next run.
            for runs in range(1, 4):
                run, _ = play(programs, containment, out)
                if run.returncode == 2:
                    return not_here("tournament", containment, run.stderr)
                if run.returncode == 0:
                    break
            if run.returncode:
                wrong.append(run.stderr.strip().splitlines()[-1])
            places.append(ranking(programs, out))
            if tricks["unlinked"] == "unlinked":
                told, tried = places[0][1], runs
    if places[0][0] != places[1][0]:
        wrong.append(f"with tricks {places[0][0]}, without {places[1][0]}")
    expected = {**SEEN, **(SEEN_OPEN if containment == "none" else {})}
    for name, words in expected.items():
        if not any(line.strip().startswith(name) and words in line for line in told.splitlines()):
            wrong.append(f"the report is silent about {name}")
    starts = tuple(name + words for name in evil for words in (": ", " is suspicious"))
    named = [line.strip() for line in told.splitlines() if line.strip().startswith(starts)]
    came = "; ".join(wrong) or f"the same ranking with and without tricks; {tried} runs; named: {'; '.join(named)}"
    row("tournament", containment, disk, came, "-", "-", f"{time.monotonic() - since:.1f} s")
    return not wrong


def shout(port, teams, seconds):
    """200 players of two teams who broadcast all that the rules let them. How many broadcasts were answered, how many
    players the server ended."""
    answered, gone, line = 0, 0, b"Broadcast " + b"x" * 60 + b"\n"
    with contextlib.ExitStack() as stack:
        ready = stack.enter_context(selectors.DefaultSelector())
        for number in range(200):
            wire = stack.enter_context(socket.create_connection(("127.0.0.1", port), timeout=20))
            wire.sendall(teams[number % 2].encode() + b"\n" + line * 10)
            wire.setblocking(False)
            ready.register(wire, selectors.EVENT_READ)
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            for key, _ in ready.select(0.1):
                try:
                    came = key.fileobj.recv(1 << 18)
                    count = came.count(b"\nok\n") + came.startswith(b"ok\n")
                    key.fileobj.sendall(line * count)
                except OSError:
                    came, count = b"", 0
                answered += count
                if not came:
                    gone += 1
                    ready.unregister(key.fileobj)
    return answered, gone


def loud(programs):
    """A server with the default record and 200 loud players, told to stop while they shout."""
    with tempfile.TemporaryDirectory(prefix="zappy-attack-") as folder:
        words = [programs + "/zappy_server", "-p", "0", "--bind", "127.0.0.1", "-n", "red", "blue", "-c", "100", "--no-console"]
        words += ["--record", folder + "/match.zrec", "--result", folder + "/result.json"]
        streams = {"stdout": subprocess.PIPE, "stderr": subprocess.DEVNULL, "stdin": subprocess.DEVNULL}
        with subprocess.Popen(words, **streams) as server:
            port = int(server.stdout.readline().decode().rsplit(":", 1)[1])
            answered, gone = shout(port, ("red", "blue"), 10)
            since = time.monotonic()
            server.terminate()
            server.wait(LIMIT)
            seconds = time.monotonic() - since
        late = json.loads(read(folder + "/result.json"))["lateness"]
        whole = call([programs + "/zappy_server", "--verify", folder + "/match.zrec"]).returncode == 0
        size = os.path.getsize(folder + "/match.zrec") / 1e6
        came = f"record of {size:.0f} MB {'verifies' if whole else 'DOES NOT VERIFY'}; ended {seconds:.1f} s after SIGTERM"
        lateness = f"{late['p99_us'] / 1000:.1f} and {late['max_us'] / 1000:.1f} ms"
        row("loud", "-", f"{answered} broadcasts to 199 in 10 s; {gone} players ended", came, "-", lateness, "10 s")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("programs")
    parser.add_argument("--only", choices=[*TRICKS, "small-disk", "tournament", "loud"])
    parser.add_argument("--in", dest="containments", action="append", choices=["none", "landlock", "bwrap"])
    options = parser.parse_args()
    programs, root = os.path.abspath(options.programs), os.geteuid() == 0
    user = "root" if root else "an ordinary user"
    print(f"As {user}, on {os.cpu_count()} cores with a load of {os.getloadavg()[0]:.1f}; against our own client:\n")
    head = ["attack", "contained by", "what the bot got", "what came of it", "honest late", "honest rate, server late", "took"]
    print("| " + " | ".join(head) + " |\n|" + "---|" * len(head), flush=True)
    victims, good = Victims(programs), True
    try:
        for containment in options.containments or ["none", "landlock", "bwrap"]:
            for trick in [trick for trick in TRICKS if options.only in (None, trick)]:
                attack(programs, containment, trick, victims)
            if root and options.only in (None, "small-disk"):
                with small_disk() as (place, why):
                    if why:
                        not_here("small disk", containment, why)
                    else:
                        attack(programs, containment, "unlinked", victims, "small disk", place)
            if options.only in (None, "tournament"):
                good &= tournament(programs, containment, victims) is not False
        if options.only in (None, "loud"):
            loud(programs)
    finally:
        victims.end()
    print("\nBy the real clock of 200 ticks a second: the honest team's commands for each of its seconds, and how late the "
          "server was at 99 of 100 ticks, and at most.")
    sys.exit(0 if good else 1)


main()
