//! Sentences: what happened, in one plain line, and why it matters.
//!
//! Must never say more than was told. Tested in this module.

use zappy_protocol::Text;
use zappy_protocol::zappy::constants::WINNING_PLAYERS;
use zappy_protocol::zappy::{Level, PlayerId, Resource};

use crate::ink::{Canvas, Color, Style};
use crate::panels::kit::count;
use crate::theme;
use crate::zappy::timeline::happening::{Happening, What};
use crate::zappy::timeline::roster::{Roster, TeamIndex};

/// Characters of a broadcast that a sentence quotes at most; a line of the feed has fewer.
const QUOTE_LIMIT: usize = 120;
/// Characters of a team's name within a sentence at most; names may have 64 bytes.
const NAME_LIMIT: usize = 24;

/// Characters at a name's end that stay when it is shortened.
const NAME_END: usize = 4;

/// What happened, in one line.
#[must_use]
pub fn say(happening: &Happening, roster: &Roster) -> String {
    match &happening.what {
        What::Joined(player) => match roster.team_of(*player) {
            Some(team) => format!("{player} joins {}", name(roster, team)),
            None => format!("{player} joins"),
        },
        What::Died(player, last) => died(*player, last.inventory.get(Resource::Food), last.level),
        What::Level { player, from, to } if to > from => format!("{player} rises to level {to}"),
        What::Level { player, to, .. } => format!("{player} falls to level {to}"),
        What::RiteBegan { level, players } => {
            format!(
                "{}rite for {} begins: {}",
                of_team(players, roster),
                next(*level),
                take_part(players.len())
            )
        }
        What::RiteEnded { level, players, success, .. } => ended(*level, players, *success, roster),
        What::Broadcast(player, text) => format!("{player} says {}", quoted(text)),
        What::Ejected { player, victims } => pushed(*player, victims),
        What::Laying(player) => format!("{player} begins to lay an egg"),
        What::EggLaid(egg, Some(layer)) => format!("{layer} laid egg {egg}"),
        What::EggLaid(egg, None) => format!("Egg {egg} lies there"),
        What::EggHatched(egg) => format!("Egg {egg} hatches"),
        What::EggDestroyed(egg) => format!("Egg {egg} is destroyed"),
        What::Took(player, resource) => format!("{player} takes {resource}"),
        What::Dropped(player, resource) => format!("{player} puts {resource} down"),
        What::Rate(rate) => format!("The server now runs {rate} ticks per second"),
        What::Said(text) => format!("The server says {}", quoted(text)),
        What::Won(team) => format!("{} has won", short_name(team.as_str(), NAME_LIMIT)),
    }
}

/// The same as news: with the team that it is about.
#[must_use]
pub fn headline(happening: &Happening, roster: &Roster) -> String {
    let says = say(happening, roster);
    let Some(team) = team_of(&happening.what, roster).map(|team| name(roster, team)) else { return says };
    match &happening.what {
        What::Died(player, last) => {
            let how = if last.inventory.get(Resource::Food) == 0 { "starved" } else { "it is gone" };
            let level =
                if last.level == Level::MIN { String::new() } else { format!(" of level {}", last.level) };
            format!("{team} lost {player}{level}: {how}")
        }
        What::Joined(_) | What::Won(_) | What::RiteBegan { .. } | What::RiteEnded { .. } => says,
        _ => format!("{team}: {says}"),
    }
}

/// Why it matters, for what is big enough; spoken to somebody who does not know the rules.
#[must_use]
pub fn why(what: &What) -> Option<String> {
    match what {
        What::RiteBegan { level, .. } | What::RiteEnded { level: Some(level), success: true, .. } => {
            Some(worth(*level))
        }
        What::RiteEnded { success: false, .. } => {
            Some("A stone or a player was missing at the end; 300 ticks are lost.".to_owned())
        }
        What::Died(_, last) if last.inventory.get(Resource::Food) == 0 => {
            Some("Who runs out of food dies; its levels are lost.".to_owned())
        }
        What::Died(..) => Some("It had food left: its program has gone.".to_owned()),
        What::EggLaid(..) => Some("An egg is room for one more player.".to_owned()),
        What::Ejected { .. } => {
            Some("Who is pushed off a rite's tile has no part in it any more.".to_owned())
        }
        _ => None,
    }
}

/// What a rite of players of that level is worth.
fn worth(level: Level) -> String {
    match level.get() {
        7 => format!("Who takes part rises to the top; {WINNING_PLAYERS} of a team up there win."),
        8 => format!("{WINNING_PLAYERS} players at level 8 win."),
        level => format!("Each of them rises to level {}; {WINNING_PLAYERS} at level 8 win.", level + 1),
    }
}

/// How important it is to somebody who just looks: 0 is never said by itself.
#[must_use]
pub fn importance(what: &What) -> u32 {
    match what {
        What::Won(_) => 1000,
        What::RiteEnded { success: true, level, .. } => 40 + rank(*level) * 10,
        What::RiteEnded { success: false, level, .. } => 30 + rank(*level) * 8,
        What::RiteBegan { level, .. } => 20 + u32::from(level.get()) * 8,
        What::Died(_, last) => 25 + u32::from(last.level.get()) * 8,
        What::EggHatched(_) | What::EggLaid(..) => 8,
        What::Ejected { victims, .. } => {
            // One who is pushed is seldom news; a whole rite that is, always.
            if victims.is_empty() { 4 } else { 16 + 8 * victims.len().min(8) as u32 }
        }
        What::EggDestroyed(_) => 15,
        What::Joined(_) => 10,
        What::Broadcast(..) => 2,
        What::Said(_) => 60,
        What::Rate(_) => 5,
        // A rite that succeeds says it better.
        What::Level { .. } | What::Laying(_) | What::Took(..) | What::Dropped(..) => 0,
    }
}

/// The colour of what went well or badly; none of everything else.
#[must_use]
pub fn tone(what: &What) -> Option<Color> {
    match what {
        What::RiteEnded { success: true, .. } | What::Level { .. } => Some(theme::GOOD),
        What::RiteEnded { success: false, .. } | What::Died(..) | What::EggDestroyed(_) => Some(theme::BAD),
        What::Won(_) | What::RiteBegan { .. } => Some(theme::ACCENT),
        _ => None,
    }
}

/// A team's name, short enough for a sentence.
#[must_use]
pub fn name(roster: &Roster, team: TeamIndex) -> String {
    short_name(roster.name(team), NAME_LIMIT)
}

/// The team that something is about.
#[must_use]
pub fn team_of(what: &What, roster: &Roster) -> Option<TeamIndex> {
    match what {
        What::Won(team) => roster.team(team),
        What::EggLaid(egg, _) | What::EggHatched(egg) | What::EggDestroyed(egg) => roster.team_of_egg(*egg),
        _ => what.player().and_then(|player| roster.team_of(player)),
    }
}

fn died(player: PlayerId, food: u32, level: Level) -> String {
    let how = if food == 0 { "starved" } else { "is gone" };
    if level == Level::MIN { format!("{player} {how}") } else { format!("{player} {how} at level {level}") }
}

fn ended(level: Option<Level>, players: &[PlayerId], success: bool, roster: &Roster) -> String {
    let of = of_team(players, roster);
    let outcome = if success { "succeeded" } else { "failed" };
    match level {
        Some(level) => format!("{of}rite for {} {outcome}: {}", next(level), took_part(players.len())),
        None => format!("{of}a rite {outcome}"),
    }
}

fn pushed(player: PlayerId, victims: &[PlayerId]) -> String {
    match victims {
        [] => format!("{player} pushes"),
        [one] => format!("{player} pushes {one} away"),
        [one, other] => format!("{player} pushes {one} and {other} away"),
        many => format!("{player} pushes {} players away", many.len()),
    }
}

fn of_team(players: &[PlayerId], roster: &Roster) -> String {
    let team = players.first().and_then(|first| roster.team_of(*first));
    team.map(|team| format!("{}: ", name(roster, team))).unwrap_or_default()
}

fn rank(level: Option<Level>) -> u32 {
    level.map_or(1, |level| u32::from(level.get()))
}

/// The level that a rite of this level's players is for.
#[must_use]
pub fn next(level: Level) -> String {
    level.next().map_or_else(|| "nothing higher".to_owned(), |next| format!("level {next}"))
}

fn take_part(players: usize) -> String {
    if players == 1 { "1 takes part".to_owned() } else { format!("{players} take part") }
}

fn took_part(players: usize) -> String {
    format!("{players} took part")
}

/// What was said, between quotation marks.
#[must_use]
pub fn quoted(text: &Text) -> String {
    format!("“{}”", shortened(&text.to_string(), QUOTE_LIMIT))
}

/// The beginning of a text.
#[must_use]
pub fn shortened(text: &str, limit: usize) -> String {
    match text.char_indices().nth(limit) {
        Some((cut, _)) => format!("{}…", text[..cut].trim_end()),
        None => text.to_owned(),
    }
}

/// A name of at most so many characters with its end kept: names often differ by a number there.
#[must_use]
pub fn short_name(name: &str, limit: usize) -> String {
    let all = name.chars().count();
    if all <= limit.max(NAME_END + 2) {
        return name.to_owned();
    }
    let start: String = name.chars().take(limit.max(NAME_END + 2) - NAME_END - 1).collect();
    let end: String = name.chars().skip(all - NAME_END).collect();
    format!("{start}…{end}")
}

/// A name that fits into so many points, its end kept.
#[must_use]
pub fn fitting_name(canvas: &Canvas, name: &str, style: Style, width: f32) -> String {
    let all = name.chars().count();
    if all <= NAME_END || canvas.measure(name, style.face, style.size) <= width {
        return name.to_owned();
    }
    let start: String = name.chars().take(all - NAME_END).collect();
    let end: String = name.chars().skip(all - NAME_END).collect();
    let room = width - canvas.measure(&end, style.face, style.size);
    let start = canvas.ellipsis(&start, style.face, style.size, room.max(0.0)).into_owned();
    if start.chars().count() < 2 { name.to_owned() } else { format!("{start}{end}") }
}

/// `3 of red`, for lists of players by team.
#[must_use]
pub fn players(number: u32) -> String {
    count(number, "player", "players")
}

#[cfg(test)]
mod tests {
    use zappy_protocol::zappy::observer::Message;

    use super::*;
    use crate::zappy::timeline::chronicle::Chronicler;

    /// What the newest of these lines says.
    fn said(lines: &[&str]) -> String {
        let mut chronicler = Chronicler::new();
        let before =
            ["msz 9 9", "tna red", "tna blue", "ppo #99 0 0 1", "pnw #4 1 1 1 2 red", "pnw #7 1 2 1 2 red"];
        let mut last = String::new();
        for line in before.iter().chain(lines) {
            let told = chronicler.take(9, &Message::parse(line.as_bytes()).unwrap());
            if let Some(happening) = told.happening {
                last = say(&happening, &chronicler.overview.roster);
            }
        }
        last
    }

    #[test]
    fn every_happening_is_a_plain_sentence() {
        assert_eq!(said(&[]), "#7 joins red");
        assert_eq!(said(&["pdi #4"]), "#4 starved at level 2");
        assert_eq!(said(&["pin #4 1 1 3 0 0 0 0 0 0", "pdi #4"]), "#4 is gone at level 2");
        assert_eq!(said(&["plv #4 3"]), "#4 rises to level 3");
        assert_eq!(said(&["pic 1 1 2 #4 #7"]), "red: rite for level 3 begins: 2 take part");
        assert_eq!(said(&["pic 1 1 2 #4 #7", "pie 1 1 0"]), "red: rite for level 3 failed: 2 took part");
        assert_eq!(said(&["pic 1 1 2 #4", "pie 1 1 1"]), "red: rite for level 3 succeeded: 1 took part");
        assert_eq!(said(&["pie 1 1 1"]), "a rite succeeded");
        assert_eq!(said(&["pbc #7 come here"]), "#7 says “come here”");
        assert_eq!(said(&["pfk #7"]), "#7 begins to lay an egg");
        assert_eq!(said(&["enw #3 #7 1 2"]), "#7 laid egg #3");
        assert_eq!(said(&["pgt #7 0"]), "#7 takes food");
        assert_eq!(said(&["seg blue"]), "blue has won");
        assert_eq!(said(&["ppo #7 2 2 2", "pex #4"]), "#4 pushes");
    }

    #[test]
    fn long_names_and_long_speeches_are_shortened() {
        assert_eq!(shortened("höhöhö", 3), "höh…");
        let speech = quoted(&Text::new(&[b'a'; 500]));
        assert_eq!(speech.chars().count(), QUOTE_LIMIT + 3);
    }

    #[test]
    fn long_names_keep_their_ends_apart() {
        let name = |number: u32| format!("a_team_with_a_very_long_name_{number}");
        assert_eq!(short_name("wolves", 24), "wolves");
        assert_eq!(short_name(&name(12), 24).chars().count(), 24);
        assert_ne!(short_name(&name(12), 24), short_name(&name(13), 24));
        let canvas = Canvas::new();
        let style = Style::strong(13.0, theme::TEXT);
        let fits = |number| fitting_name(&canvas, &name(number), style, 100.0);
        assert!(fits(12).ends_with("e_12") && fits(12).contains('…') && fits(12) != fits(13));
        assert!(canvas.measure(&fits(12), style.face, style.size) <= 100.0);
        assert_eq!(fitting_name(&canvas, "wolves", style, 100.0), "wolves");
    }

    #[test]
    fn the_higher_the_rite_the_bigger_the_news() {
        let rite = |level| What::RiteBegan { level: Level::new(level).unwrap(), players: Vec::new() };
        assert!((1..8).all(|level| importance(&rite(level)) < importance(&rite(level + 1))));
        assert!(
            importance(&What::Won(zappy_protocol::TeamName::parse(b"x").unwrap())) > importance(&rite(8))
        );
        let push =
            |many: u32| What::Ejected { player: PlayerId(99), victims: (0..many).map(PlayerId).collect() };
        assert!(importance(&push(1)) < importance(&rite(1)));
        assert!(importance(&push(8)) > importance(&rite(3)));
        assert!(why(&rite(7)).unwrap().contains("6 of a team"));
    }
}
