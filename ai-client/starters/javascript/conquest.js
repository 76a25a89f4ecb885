#!/usr/bin/env node
// A small faction of conquest to continue: pioneers take land, a worker earns, and a unit stays on the base.
//
// It reads a snapshot up to `go N`, sends an order for its base and for each unit, and ends with `Done N`. What it orders
// depends on the lines it reads alone.
'use strict';

const fs = require('node:fs');
const net = require('node:net');
const { once } = require('node:events');
const { parseArgs } = require('node:util');

// The price, what it costs each turn, and how many turns of the base it takes.
const KINDS = { pioneer: { gold: 200, upkeep: 25, turns: 2 }, worker: { gold: 350, upkeep: 45, turns: 3 } };
const DAMAGE = 2; // of a pioneer's attack
const SETTLED = 4; // units before the worker is built
const ALARM = 3; // an enemy so near to the base is met, and the base isn't left
const NEUTRAL = -1; // the owner of a tile that has none
const LATER = 9; // turns until the next unit appears, if none is being built
const UNSEEN = { owner: NEUTRAL, flags: '----' };

// What one faction knows, and what it orders. A tile's place `at` is x * height + y.
class Faction {
  constructor(width, height, me) {
    Object.assign(this, { width, height, me });
    this.tiles = new Map(); // by place, as last seen
    this.units = []; // in sight now, by number
    // The ways from a tile to all others, the nearest first: the tile itself, the 8 around, and so on.
    this.ways = [];
    for (let x = 0; x < width; x += 1) {
      for (let y = 0; y < height; y += 1) {
        const [dx, dy] = [x - Math.floor(width / 2), y - Math.floor(height / 2)];
        const [right, down] = [Math.abs(dx), Math.abs(dy)];
        this.ways.push({ dx, dy, far: Math.max(right, down), sum: right + down });
      }
    }
    this.ways.sort((a, b) => a.far - b.far || a.sum - b.sum || a.dx - b.dx || a.dy - b.dy);
  }

  place(x, y) {
    return Number(x) * this.height + Number(y);
  }

  words(at) {
    return `${Math.floor(at / this.height)} ${at % this.height}`;
  }

  // Takes a line of the snapshot. What it doesn't know is left out.
  read(words) {
    if (words[0] === 'turn') {
      this.units = [];
    } else if (words[0] === 'faction' && Number(words[1]) === this.me) {
      // faction I NAME alive gold G food F wood W bombs B land L pop P cap C kills K score S upkeep U base X Y slot TYPE
      // LEFT, or slot - if nothing is being built.
      [this.gold, this.pop, this.cap, this.upkeep] = [5, 15, 17, 23].map((at) => Number(words[at]));
      this.base = this.place(words[25], words[26]);
      this.slot = words.slice(28);
    } else if (words[0] === 'unit') {
      const [number, owner, x, y, health] = [1, 2, 4, 5, 6].map((at) => Number(words[at]));
      this.units.push({ number, owner, kind: words[3], at: this.place(x, y), health, state: words[7] });
    } else if (words[0] === 'tile') {
      const owner = words[3] === '-' ? NEUTRAL : Number(words[3]);
      this.tiles.set(this.place(words[1], words[2]), { owner, flags: words[5] });
    }
  }

  owner(at) {
    return (this.tiles.get(at) ?? UNSEEN).owner;
  }

  // TODO for you: allies, if the match has any, are no enemies; the line of the options names them.
  isEnemys(owner) {
    return owner !== NEUTRAL && owner !== this.me;
  }

  // Whether a worker can earn most there.
  isSite(at) {
    return (this.tiles.get(at) ?? UNSEEN).flags.includes('r') && !this.isEnemys(this.owner(at));
  }

  // Steps between two tiles: a diagonal is one, and the map has no edge.
  distance(a, b) {
    const dx = Math.abs(Math.floor(a / this.height) - Math.floor(b / this.height));
    const dy = Math.abs((a % this.height) - (b % this.height));
    return Math.max(Math.min(dx, this.width - dx), Math.min(dy, this.height - dy));
  }

  // So many tiles, the nearest first, without the first few.
  * around(from, first = 0, end = this.ways.length) {
    const [x, y] = [Math.floor(from / this.height), from % this.height];
    for (let i = first; i < end; i += 1) {
      const { dx, dy } = this.ways[i];
      yield this.place((x + dx + this.width) % this.width, (y + dy + this.height) % this.height);
    }
  }

  orders() {
    const mine = this.units.filter((unit) => unit.owner === this.me);
    this.enemies = this.units.filter((unit) => this.isEnemys(unit.owner));
    this.taken = new Set(this.units.map((unit) => unit.at)); // two units can't stand on one tile
    this.goals = new Set(); // and needn't go to one
    this.threat = this.enemies.find((unit) => this.distance(unit.at, this.base) <= ALARM)?.at ?? null;
    const [base, left] = this.baseOrder(mine.some((unit) => unit.kind === 'worker'));
    // The base acts before the units: the one on it makes room a turn before the next one appears.
    this.makesRoom = left <= 1 && this.threat === null;
    this.poor = this.gold < 2 * this.upkeep;
    const orders = [base];
    for (const unit of mine) {
      // By the rules `arena` a unit that has changed sides takes no order at first.
      const order = unit.state === 'c' ? null : this.unitOrder(unit);
      if (order) orders.push(`Unit ${unit.number} ${order}`);
    }
    return orders;
  }

  // The order, and how many turns the next unit takes after it.
  baseOrder(hasWorker) {
    if (this.slot[0] !== '-') {
      // What can't be paid costs score, and by the rules `arena` a unit.
      return this.gold >= this.upkeep ? ['Base continue', Number(this.slot[1]) - 1] : ['Base income', LATER];
    }
    const site = [...this.tiles.keys()].some((at) => this.isSite(at));
    const kind = site && !hasWorker && this.pop >= SETTLED ? 'worker' : 'pioneer';
    const { gold, upkeep, turns } = KINDS[kind];
    if (this.pop >= this.cap || this.gold < gold + 2 * (this.upkeep + upkeep)) return ['Base income', LATER];
    this.gold -= gold;
    return [`Base build ${kind}`, turns - 1];
  }

  // TODO for you: fighters, clerics and sappers, which this faction doesn't build.
  unitOrder(unit) {
    const onGuard = unit.at === this.base && !this.makesRoom;
    if (unit.kind === 'pioneer') return this.attack(unit) ?? (onGuard ? 'gold' : this.pioneerOrder(unit));
    if (unit.kind === 'worker') return onGuard ? 'gold' : this.workerOrder(unit);
    return null;
  }

  // TODO for you: strike. A faction whose base tile isn't its own is beaten, but a single unit seldom takes it.
  pioneerOrder(unit) {
    const owner = this.owner(unit.at);
    if (owner !== this.me) return this.isEnemys(owner) ? 'neutralize' : 'conquer';
    if (this.threat !== null && this.distance(unit.at, this.base) <= 2 * ALARM) return this.step(unit, this.threat);
    if (this.poor && unit.at !== this.base) return 'gold';
    return this.go(unit, (at) => this.owner(at) !== this.me);
  }

  workerOrder(unit) {
    if (this.isSite(unit.at)) return this.owner(unit.at) === this.me ? 'gold' : 'conquer';
    return this.go(unit, (at) => this.isSite(at));
  }

  // An enemy beside the unit, if the others before it have left it alive. TODO for you: which one first?
  attack(unit) {
    const enemy = this.enemies.find(({ at, health }) => health > 0 && this.distance(unit.at, at) === 1);
    if (!enemy) return null;
    enemy.health -= DAMAGE;
    if (enemy.health <= 0) this.taken.delete(enemy.at);
    return `attack ${enemy.number}`;
  }

  // Towards the nearest good tile to which no other unit goes.
  go(unit, good) {
    for (const at of this.around(unit.at)) {
      if (!this.taken.has(at) && !this.goals.has(at) && good(at)) {
        this.goals.add(at);
        return this.step(unit, at);
      }
    }
    if (unit.at === this.base) return this.step(unit, unit.at);
    return this.owner(unit.at) === this.me ? 'gold' : 'idle';
  }

  step(unit, to) {
    let best = null;
    for (const at of this.around(unit.at, 1, 9)) {
      if (!this.taken.has(at) && (best === null || this.distance(at, to) < this.distance(best, to))) best = at;
    }
    if (best === null) return 'idle';
    this.taken.delete(unit.at);
    this.taken.add(best);
    return `travel ${this.words(best)}`;
  }
}

// Lines from the server and to it, and notes for you.
class Server {
  constructor(socket) {
    this.socket = socket;
    this.sent = -1; // The faction's name is no order.
    this.notes = process.env.ZAPPY_NOTES;
  }

  // The words of each line, in however many packets it comes. Names may have any bytes, so a byte is a character.
  async* lines() {
    let rest = '';
    for await (const chunk of this.socket) {
      const parts = (rest + chunk.toString('latin1')).split('\n');
      rest = parts.pop();
      for (const line of parts) yield line.split(/[ \t\r]+/).filter(Boolean);
    }
  }

  send(lines) {
    this.socket.write(lines.map((line) => `${line}\n`).join(''));
    this.sent += lines.length;
  }

  // Notes something for you, which `zappy_arena show` and the observer tell: words, `tile X Y word`, or `marker word` for the
  // timeline. Opponents don't see it.
  note(words) {
    if (!this.notes) return;
    try {
      fs.appendFileSync(this.notes, `${this.sent} ${words}\n`);
    } catch {
      this.notes = null;
    }
  }
}

// Plays until the match is over, which ends the connection. False if there was no place for it.
async function play(server, name) {
  const lines = server.lines();
  const next = async () => (await lines.next()).value ?? [];
  await next(); // WELCOME
  server.send([name]);
  if ((await next())[0] === 'ko') return false;
  const [width, height] = (await next()).map(Number);
  const options = await next();
  const faction = new Faction(width, height, Number(options[options.indexOf('you') + 1]));
  let [place, alarm] = [[], null];
  for await (const words of lines) {
    if (words[0] === 'start') {
      if (!place.length) place = [`Place ${words[1]}`]; // TODO for you: the best one, not the first.
    } else if (words[0] === 'go' && words[1] === '0') {
      server.send([...place, 'Done 0']);
    } else if (words[0] === 'go') {
      const orders = faction.orders();
      server.note(`gold ${faction.gold}, population ${faction.pop} of ${faction.cap}`);
      if (faction.threat !== null && alarm === null) {
        server.note('marker alarm');
        server.note(`tile ${faction.words(faction.threat)} enemy`);
      }
      alarm = faction.threat;
      server.send([...orders, `Done ${words[1]}`]);
    } else if (words[0] === 'dead' || words[0] === 'over') {
      console.error(words.join(' '));
    } else {
      faction.read(words);
    }
  }
  return true;
}

const USAGE = `Usage: node conquest.js -p PORT -n TEAM [-h HOST]

  -p PORT  the server's port
  -n TEAM  the faction's name (ZAPPY_TEAM)
  -h HOST  the server's host (localhost)
  --help   this`;

function optionsOf(args) {
  // -h is the host here, so help is only --help.
  const text = (short) => ({ type: 'string', short });
  const options = { port: text('p'), team: text('n'), host: text('h'), help: { type: 'boolean' } };
  const { values } = parseArgs({ args, options });
  // On a ladder NAME:TOKEN, which other users of this machine shall not see.
  values.team ??= process.env.ZAPPY_TEAM;
  if (!values.help && !(values.port && values.team)) throw new Error('-p and -n are needed');
  return { host: 'localhost', ...values };
}

async function main() {
  const fail = (code, words) => {
    console.error(`conquest.js: ${words}`);
    process.exitCode = code;
  };
  let options;
  try {
    options = optionsOf(process.argv.slice(2));
  } catch (error) {
    return fail(2, `${error.message}\n${USAGE}`);
  }
  if (options.help) return console.log(USAGE);
  const { host, port, team } = options;
  let socket;
  try {
    socket = net.connect({ host, port, noDelay: true });
    await once(socket, 'connect');
  } catch (error) {
    return fail(1, `no server on ${host}:${port}: ${error.message}`);
  }
  socket.on('error', () => {}); // What is read sees the end.
  try {
    if (!(await play(new Server(socket), team))) {
      const [name] = team.split(':'); // What stands behind a colon is a ladder's token.
      const hint = 'on a ladder: no or a wrong token, a removed name, too many waiting, or no opponent';
      return fail(1, `no place for ${name}: no such faction, or its seat is taken (${hint})`);
    }
  } catch (error) {
    if (!error.syscall) throw error; // Else the connection has ended.
  } finally {
    socket.destroy();
  }
  console.error('the match is over');
}

main();
