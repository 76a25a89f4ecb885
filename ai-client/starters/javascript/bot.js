#!/usr/bin/env node
// A small Zappy player to continue: it eats, reaches level 2 alone, shouts where it is, and lays one egg.
//
// Every plan ends with a Look, and the answer to that Look makes the next plan. A few commands are sent ahead, so that
// the server never waits for the network. What it does depends on the lines it reads and on ZAPPY_SEED alone.
'use strict';

const fs = require('node:fs');
const net = require('node:net');
const { once } = require('node:events');
const { parseArgs } = require('node:util');

const AHEAD = 3; // commands sent and not answered, 2 at least; the server keeps ten, and drops what comes beyond
const HUNGRY = 6; // with less food, nothing else matters; a unit lasts 126 ticks
const ENOUGH = 30; // with more food, eating is a waste of time
const RICH = 20; // with so much, an egg is laid
const STEPS = [[0, -1], [1, 0], [0, 1], [-1, 0]]; // ahead when facing up, right, down, left

const repeat = (command, times) => Array(times).fill(command);

// Lines, in however many packets they come. Others may shout bytes that are no UTF-8, so a byte is a character.
async function* linesOf(socket) {
  let rest = '';
  for await (const chunk of socket) {
    const parts = (rest + chunk.toString('latin1')).split('\n');
    rest = parts.pop();
    yield* parts;
  }
}

// Chance that is the same each time: Math.random can't be given a seed. (FNV-1a, then mulberry32.)
function chanceOf(text) {
  let state = 2166136261;
  for (const byte of Buffer.from(text)) state = Math.imul(state ^ byte, 16777619);
  return (below) => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) % below;
  };
}

let players = 0; // of this process

// One player on one connection, from WELCOME to its end.
class Player {
  constructor(options, lays) {
    this.options = options;
    this.lays = lays;
    this.plan = []; // what to send, the next one first
    this.pending = []; // what was sent and not answered, the oldest first
    Object.assign(this, { level: 1, food: 9, frozen: false, looks: 0 });
    this.unit = 0; // what the server counts for a unit of food: 1, or 126 ticks; 0 until it is known
    // Counted from birth: the server doesn't tell a player where it stands, nor where north is.
    Object.assign(this, { x: 0, y: 0, facing: 0 });
    players += 1;
    // What it notes for you goes into the file in ZAPPY_NOTES, that of further players beside it.
    const path = process.env.ZAPPY_NOTES;
    this.notes = path && (players === 1 ? path : `${path}.${players}`);
    Object.assign(this, { sent: 0, heard: 0 }); // commands, and lines after WELCOME, by which notes count
  }

  // Notes something for you, which `zappy_arena show` and the observer tell: words, `tile X Y word` counted from birth as x
  // and y are, or `marker word` for the timeline. Opponents don't see it.
  note(words) {
    if (!this.notes) return;
    try {
      fs.appendFileSync(this.notes, `${this.sent}/${this.heard} ${words}\n`);
    } catch {
      this.notes = null;
    }
  }

  async connect() {
    this.socket = net.connect({ host: this.options.host, port: this.options.port, noDelay: true });
    await once(this.socket, 'connect');
    this.socket.on('error', () => {}); // Whoever reads sees the end.
    this.lines = linesOf(this.socket);
    if ((await this.lines.next()).done) throw new Error('it closed the connection'); // else WELCOME
    this.send(this.options.team);
  }

  send(line) {
    this.socket.write(`${line}\n`);
  }

  // Lives until it is dead or the match is over. False if there was no place for it.
  async play() {
    let end = 'the match is over';
    try {
      const { value: slots } = await this.lines.next();
      if (slots === 'ko') return false;
      await this.lines.next(); // The size of the map.
      // All processes of a team have the same seed; the number of slots left makes players differ.
      this.chance = chanceOf(`${process.env.ZAPPY_SEED ?? 0} ${slots}`);
      this.heard = 2;
      this.goOn();
      for await (const line of this.lines) {
        this.heard += 1;
        if (line === 'dead') {
          end = 'starved';
          break;
        }
        await this.handle(line);
        this.goOn();
      }
    } catch (error) {
      if (!error.syscall) throw error; // Else the match is over.
    } finally {
      this.socket.destroy();
    }
    console.error(end);
    return true;
  }

  // Sends what there is room for.
  goOn() {
    if (!this.plan.length && !this.pending.length) this.plan.push('Inventory', 'Look');
    while (this.plan.length && this.pending.length < AHEAD) {
      const command = this.plan.shift();
      this.pending.push(command);
      this.send(command);
      this.sent += 1;
    }
  }

  // What comes unasked first; a number answers Connect_nbr, and all else the oldest command.
  async handle(line) {
    if (line.startsWith('message ')) {
      const comma = line.indexOf(','); // Some servers send no blank behind it.
      this.hear(Number(line.slice('message '.length, comma)), line.slice(comma + 1).replace(/^ /, ''));
    } else if (line.startsWith('eject: ')) {
      // K is where the push came from; 5 is from behind, and moved us ahead.
      this.move((5 - Number(line.slice('eject: '.length))) / 2);
      this.plan = []; // It was made for another tile.
    } else if (line === 'Elevation underway') {
      // For 300 ticks there are no answers. Another player's incantation may have taken us along.
      this.frozen = true;
    } else if (line.startsWith('Current level: ') || (this.frozen && line === 'ko')) {
      // Some servers leave the line before it out.
      this.frozen = false;
      if (line !== 'ko') {
        this.level = Number(line.split(' ').pop());
        console.error(`level ${this.level}`);
        this.note(`marker level ${this.level}`);
      }
    } else if (/^\d+$/.test(line) && this.pending.includes('Connect_nbr')) {
      // The official server answers it at once, before commands that were sent earlier.
      this.pending.splice(this.pending.indexOf('Connect_nbr'), 1);
    } else {
      // An Incantation was answered by the lines above.
      if (this.pending[0] === 'Incantation' && line !== 'ko') this.pending.shift();
      await this.answer(this.pending.shift(), line);
    }
  }

  async answer(command, line) {
    if (command === 'Look' && !this.pending.length) {
      this.think(line.slice(1, -1).split(',').map((tile) => tile.split(' ').filter(Boolean)));
    } else if (command === 'Inventory') {
      const food = Number(line.match(/food (\d+)/)[1]);
      // At birth it is 9 or 10 units. A server with --rules strict tells ticks: more than 1000.
      this.unit ||= food > 100 ? 126 : 1;
      this.food = Math.floor(food / this.unit);
    } else if (command === 'Forward') {
      this.move(0);
    } else if (command === 'Left' || command === 'Right') {
      this.facing = (this.facing + (command === 'Right' ? 1 : 3)) % 4;
    } else if (command === 'Fork' && line === 'ok') {
      await this.hatch();
    }
  }

  move(turned) {
    const [dx, dy] = STEPS[(this.facing + turned + 4) % 4];
    this.x += dx;
    this.y += dy;
  }

  // TODO for you: direction is 0 here, 1 ahead, and on counter-clockwise to 8. Go there, or answer. Anybody can shout
  // anything: don't trust every text that begins with your team's name.
  hear(direction, text) {}

  // Makes a plan of what is seen. Tiles are arrays of words, the own one first.
  think(tiles) {
    this.looks += 1;
    const count = (thing) => tiles[0].filter((word) => word === thing).length;
    if (this.lays && this.food >= RICH) {
      // Nothing may be sent behind it: while the egg's connection is opened, no tick shall pass.
      this.lays = false;
      this.note('marker lays an egg');
      this.plan.push('Fork');
      return;
    }
    if (this.looks % 10 === 0) {
      this.plan.push(`Broadcast ${this.options.team}:level:${this.level}:at:${this.x}:${this.y}`);
    }
    const wanted = this.food < ENOUGH ? ['food'] : [];
    if (this.level === 1 && this.food >= HUNGRY) wanted.push('linemate');
    this.note(`level ${this.level}, food ${this.food}, here ${tiles[0].join(' ')}, wants ${wanted.join(' and ') || 'nothing'}`);
    // TODO for you: from level 2 on it takes several players of one level on a tile, and more stones; see the table in
    // protocol.md, chapter 12. Take the stones you will need, meet, Set them down, and begin.
    if (wanted.includes('linemate') && count('linemate') && count('player') === 1) {
      this.plan.push('Incantation', 'Connect_nbr');
    } else if (wanted.includes('food') && count('food')) {
      this.plan.push(...repeat('Take food', Math.min(count('food'), 3)));
    } else {
      this.walk(tiles, wanted);
    }
    this.plan.push('Inventory', 'Look');
  }

  // To the nearest tile that holds something wanted, or on. Tile d*d + i lies d ahead and i - d to the right.
  walk(tiles, wanted) {
    let best = null;
    for (let index = 1; index < tiles.length; index += 1) {
      const ahead = Math.floor(Math.sqrt(index));
      const right = index - ahead * ahead - ahead;
      const cost = ahead + Math.abs(right) + (right ? 1 : 0);
      const good = wanted.some((thing) => tiles[index].includes(thing));
      if (good && (!best || cost < best.cost)) best = { cost, ahead, right };
    }
    if (best) {
      const [on, side] = [STEPS[this.facing], STEPS[(this.facing + 1) % 4]];
      const goal = [0, 1].map((axis) => [this.x, this.y][axis] + best.ahead * on[axis] + best.right * side[axis]);
      this.note(`tile ${goal[0]} ${goal[1]} goal`);
      this.plan.push(...repeat('Forward', best.ahead));
      if (best.right) this.plan.push(best.right > 0 ? 'Right' : 'Left', ...repeat('Forward', Math.abs(best.right)));
    } else {
      if (this.chance(4) === 0) this.plan.push(this.chance(2) ? 'Left' : 'Right');
      this.plan.push(...repeat('Forward', this.level));
    }
  }

  // Opens the egg's connection: WELCOME is read and the team named before this player's next line, so that the child
  // comes in at the same tick each time. TODO for you: how many eggs does your team need, and where?
  async hatch() {
    const child = new Player(this.options, false);
    try {
      await child.connect();
    } catch {
      console.error('no connection for the egg');
      return;
    }
    child.play(); // Not awaited: both play on.
  }
}

const USAGE = `Usage: node bot.js -p PORT -n TEAM [-h HOST]

  -p PORT  the server's port
  -n TEAM  the team's name (ZAPPY_TEAM)
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
    console.error(`bot.js: ${words}`);
    process.exitCode = code;
  };
  let options;
  try {
    options = optionsOf(process.argv.slice(2));
  } catch (error) {
    return fail(2, `${error.message}\n${USAGE}`);
  }
  if (options.help) return console.log(USAGE);
  const player = new Player(options, true);
  try {
    await player.connect();
  } catch (error) {
    return fail(1, `no server on ${options.host}:${options.port}: ${error.message}`);
  }
  if (await player.play()) return;
  const [name] = options.team.split(':'); // What stands behind a colon is a ladder's token.
  const hint = 'on a ladder: no or a wrong token, a removed name, too many waiting, or no opponent';
  fail(1, `no place in team ${name}: no such team, or all its slots are taken (${hint})`);
}

main();
