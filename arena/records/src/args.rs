//! The command line of what is done with records.
//!
//! Reads no file. Tested in `arena/cli/tests/records/`.

use std::path::PathBuf;

use clap::Args;
use clap::builder::{PossibleValuesParser, TypedValueParser as _};
use zappy_play::setup::PlayerName;
use zappy_protocol::Tick;
use zappy_protocol::record::RecordLevel;

pub const VERIFY_HELP: &str = "\
A record is verified when its inputs, played again, give every line that stands in it.
What is not verified is one line on stderr, in the order of the arguments; the last
line on stdout says how many are. A record that was cut off, because the server was
killed say, is told as such and counts as not verified.

Examples:
  All records below a folder:
    zappy_arena verify matches/

  Some, each with a line of its own:
    zappy_arena verify -v matches/1/match.zrec matches/2/match.zrec

Exit codes:
  0 all verified   1 some not, or not readable   2 wrong usage";

pub const SHOW_HELP: &str = "\
The story is of reasonable length: what is rare has its line, what is frequent is
counted from time to time. Of a record of inputs the rest is played again for it.
`show` proves nothing: a full record is believed as it is (see verify).

With --player or --team each line has its tick, `<` for what the player sent and `>` for what
it was sent. Answers have the ticks since their command was sent, and which command
that was. The reason of a refusal, which isn't sent to anybody, stands below it:

    123 <       Take food
    130 >   +7  ko                                        Take food
    130 ?       no food lies here
    130 :       going for the food at the left
    130 |       what the bot printed
    131 ?       late: no line came within the think time after `ko`

What the bot noted for its author (:) and what it printed (|), if that is known, stand where
it did so (docs/writing-a-client.md, Debugging), and in lockstep where it was late. Without
--player the markers are told, with --all all notes.

With --json each line is an object with a \"type\". The first is head, the last end; in
between stands everything that happened (as with --all) or, with --player or --team, the
dialogue, closed by an end for each player:
  head        file, rules_version, rules, seed, width, height, slots, frequency, clock,
              level (inputs, full), teams, max_ticks, last_tick, reason, winner, winners (all that
              come first), by_lot (as the result.json beside it tells, or what happened), complete,
              replayed, note
  joined      tick, player, team, at            at is [x, y]; players are their numbers
  gone        tick, player, team, level, fate (starved, left, killed, expelled), why
  level       tick, player, team, from, level
  first       tick, team, level, player         the team's first of that level
  rite_began  tick, team, at, level, players    level is the one they rise to
  rite_ended  tick, team, at, level, players, began, success, why
  lead        tick, team, levels                players at level 1 to 8
  pushed      tick, player, team, at, players, out_of_rite
  egg_laid    tick, egg, player, team, at       egg_hatched, egg_destroyed: egg, player
  broadcast   tick, player, team, text          console, server: text
  refused     tick, player, team, why           dropped alike, with lines; too_long without why
  took, put   tick, player, team, resource
  laying      tick, player, team                rate: rate, in ticks per second
  ended       tick, reason, winner              won: team
  line        tick, player, way (in, out, joined, too_long, dropped, ended, gone, expelled, closed),
              text, answers, asked_at, after, of_others, why
  note        tick, player, sent (commands sent before it), read (lines read before it), kind
              (text, tile, marker), text, at
  printed     tick, player, text                late: tick, player, text
  end         tick, reason, winner, resumed (the ticks at which the match was resumed), teams,
              players; of a dialogue tick, player, team, level, joined, ended, fate, lines, refused,
              dropped
Of a game in turns it is the story, in full; each object has tick, turn, type and text, as people read
it, and names teams. --all gives the lines of its record instead, as of games that `show` has no
story for.
  lead        team, score, land_teams, land_percent (the side with most land, by the arena's rules)
  battle      until (turn), at, base_of, goes_on, lost (of each team by kinds); desertion: until, lost
  danger      team, at, by, unit: it stands at the base; siege: team, at, by, left
  fallen      team, by_operator                 revived: team; lost_base: team, at
  unpaid      team, times                       starving: team; city: team, at
  converted   team, unit, kind, at, to          dominion: teams, holds (or no longer), need
  operator    line                              remark: team; note, late as above
  turn        teams: what each had then, and its balance of gold in a turn since the one before
  won         teams                             ended: reason, winner, winners, why
  end         tick, turn, reason, winner, winners, resumed, teams (by rank)
What isn't known is null.

Examples:
  What happened?
    zappy_arena show matches/last/match.zrec

  What happened between these ticks, all of it?
    zappy_arena show matches/last/match.zrec --all --from 1200 --to 1500

  Why did my player do nothing?
    zappy_arena show matches/last --player 3 | less
    zappy_arena show matches/last --player red-3 | less   # that of logs/red-3.log
    zappy_arena show matches/last --team red | grep ' [?] '

  What did player 3 see at tick 412?
    zappy_arena show matches/last --look 3@412            # or red-3@412

  A page to hand on, and a moment in it
    zappy_arena show matches/last --html match.html       # match.html#tick=1443&player=44

  Who was refused most? (with jq)
    zappy_arena show matches/last/match.zrec --json |
        jq -r 'select(.type == \"refused\") | .team' | sort | uniq -c

Exit codes:
  0 shown   1 not readable, or damaged, or no such player   2 wrong usage";

pub const EXPAND_HELP: &str = "\
A server with --record-level inputs keeps only what came in: a small file, enough to
play the match again. The full record, which can be watched, is byte for byte what the
same match would have left with --record-level full. The given record is verified on
the way; of one that doesn't verify, nothing is left. One that was cut off is expanded
up to there.

Examples:
  From match.zrec to match.full.zrec:
    zappy_arena expand matches/last/match.zrec

  Watched without a file of its own:
    zappy_arena expand matches/last/match.zrec --out - | grep ' [*] pbc '

  Many full records, made small for the archive:
    for f in matches/*/match.zrec; do zappy_arena expand --level inputs \"$f\"; done

Exit codes:
  0 written   1 it doesn't verify, or can't be read or written   2 wrong usage";

#[derive(Debug, Args)]
pub struct VerifyArgs {
    /// Records; a folder stands for all records (*.zrec) below it
    #[arg(value_name = "FILE", required = true)]
    pub files: Vec<PathBuf>,
    /// Say only which records are not verified
    #[arg(short, long, conflicts_with = "verbose")]
    pub quiet: bool,
    /// A line for each verified record, too
    #[arg(short, long)]
    pub verbose: bool,
}

#[derive(Debug, Clone, Args)]
pub struct ShowArgs {
    /// A record, or the folder of a match
    #[arg(value_name = "FILE")]
    pub file: PathBuf,
    /// What this player and the server said to each other, with the reasons of refusals: its number, or the name of its
    /// program's log, red-3 say
    #[arg(long, value_name = "N", value_parser =
          |text: &str| PlayerName::parse(text)
              .map_err(|words| format!("{words}; the players of a team are shown with --team")))]
    pub player: Option<PlayerName>,
    /// The same of all players of this team, one after another
    #[arg(long, value_name = "TEAM", conflicts_with = "player")]
    pub team: Option<String>,
    /// Of Zappy: draw what this player saw last by that tick, as a map: its last answer to Look. The player as with
    /// --player
    #[arg(long, value_name = "PLAYER@TICK", value_parser = parse_look,
          conflicts_with_all = ["player", "team", "all", "from", "to", "json", "html"])]
    pub look: Option<(PlayerName, Tick)>,
    /// Tell everything but steps and looks, each by itself
    #[arg(long, conflicts_with_all = ["player", "team"])]
    pub all: bool,
    /// Begin at this tick, or in a game in turns with this turn
    #[arg(long, value_name = "TICK")]
    pub from: Option<Tick>,
    /// End with this tick, or in a game in turns with this turn
    #[arg(long, value_name = "TICK")]
    pub to: Option<Tick>,
    /// One JSON object per line, for programs
    #[arg(long)]
    pub json: bool,
    /// Write one page on which the match is watched, in any browser, from disk, without a network; make web builds what
    /// it needs
    #[arg(long, value_name = "OUT.html", conflicts_with_all = ["player", "team", "all", "from", "to", "json"])]
    pub html: Option<PathBuf>,
}

#[derive(Debug, Args)]
pub struct ExpandArgs {
    /// A record, or the folder of a match
    #[arg(value_name = "FILE")]
    pub file: PathBuf,
    /// Where to write it; - is standard output [default: FILE with .full.zrec]
    #[arg(long, value_name = "FILE")]
    pub out: Option<PathBuf>,
    /// What the new record shall hold
    #[arg(long, default_value = "full",
          value_parser = PossibleValuesParser::new(["inputs", "full"])
              .map(|name| RecordLevel::parse(name.as_bytes()).unwrap_or(RecordLevel::Full)))]
    pub level: RecordLevel,
    /// Replace the file if it is there
    #[arg(long)]
    pub force: bool,
}

/// Reads `PLAYER@TICK`.
fn parse_look(text: &str) -> Result<(PlayerName, Tick), String> {
    let (player, tick) = text.rsplit_once('@').unwrap_or((text, ""));
    let tick = tick.replace(',', "").parse();
    let tick =
        tick.map_err(|_| "give a player and a tick with @ between them, such as 3@412 or red-1@412")?;
    Ok((PlayerName::parse(player)?, tick))
}
