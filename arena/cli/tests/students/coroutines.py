"""Plays in coroutines: one reads, one plays."""
import asyncio
import random

import student


async def play(options):
    reader, writer = await asyncio.open_connection(options.h, options.p, limit=1 << 20)

    async def read():
        line = await reader.readline()
        if not line.endswith(b"\n"):
            raise EOFError
        return line.decode("latin-1").rstrip("\n")

    async def ask(command):
        writer.write(command.encode() + b"\n")
        await writer.drain()
        frozen = False
        while True:
            line = await read()
            if line == "dead":
                raise EOFError
            if line == "Elevation underway":
                frozen = True
            elif frozen and (line == "ko" or line.startswith("Current level")):
                frozen = False
            elif not line.startswith(("message ", "eject: ")):
                return line

    await read()
    writer.write(options.n.encode() + b"\n")
    if await read() == "ko":
        raise SystemExit("no place in the team")
    await read()
    while True:
        tiles = (await ask("Look")).strip("[]").split(",")
        if "food" in tiles[0]:
            await ask("Take food")
        else:
            await ask(random.choice(["Forward", "Forward", "Left"]))


try:
    asyncio.run(play(student.arguments()))
except (EOFError, ConnectionError):
    pass
