//! The cards of incantations that are under way or ended just now, the two that decide most on a card each.
//!
//! An incantation is called doomed from the moment at which it is. A pure function of what is shown; never draws. Tested in
//! `panels/card.rs`.

use zappy_protocol::Position;
use zappy_protocol::text::possessive;
use zappy_protocol::zappy::constants::{INCANTATION_TICKS, WINNING_PLAYERS};
use zappy_protocol::zappy::mirror::MirrorIncantation;
use zappy_protocol::zappy::story::{Roster, name};
use zappy_protocol::zappy::{Level, PlayerId};

use crate::timeline::attempt::{self, AttemptOutcome, Flaw, Stake};
use crate::view::Shown;
use zappy_observer::panels::kit::count;

/// Cards at the same time.
const CARDS: usize = 2;
/// Ticks for which an incantation that has ended may have a card, and seconds at the pace of the view if that is longer.
const TOLD: (f64, f64) = (150.0, 1.5);
/// After this part of that time an incantation that has ended makes room for those under way.
const FRESH: f64 = 3.0;

/// The state of an incantation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum CardState {
    /// Nothing is missing, as far as is known.
    Running,
    /// It fails if nothing changes; why.
    Doomed(String),
    Risen,
    /// It has failed; in capitals how, and why as far as it was seen.
    Over(&'static str, String),
}

#[derive(Debug, Clone, PartialEq)]
pub struct Card {
    pub at: Position,
    /// The level that its players have.
    pub level: Level,
    /// The player that began it; its team's look and name are the card's.
    pub initiator: Option<PlayerId>,
    /// Participants on the tile, and players that it needs.
    pub players: (usize, usize),
    /// Ticks to its end, if its beginning was seen.
    pub left: Option<f64>,
    /// What it brings if it works.
    pub brings: String,
    /// Whether its team wins by it.
    pub wins: bool,
    /// Players that took part when it began.
    pub participants: usize,
    /// The player that has pushed a participant away, if it fails by that.
    pub culprit: Option<PlayerId>,
    pub state: CardState,
}

/// The incantations that ended just now, each with whether that is news still; the last one first.
pub fn ended<'a>(shown: &Shown<'a>) -> impl Iterator<Item = (bool, Card)> + use<'a> {
    let (tick, roster) = (shown.time.tick, &shown.story.roster);
    let told = TOLD.0.max(TOLD.1 * shown.time.pace);
    let attempts = &shown.story.chronicle.attempts;
    let before = attempts.partition_point(|attempt| attempt.ended as f64 <= tick);
    let ended = attempts.range(..before).rev().take_while(move |attempt| attempt.ended as f64 + told > tick);
    ended.map(move |attempt| {
        let (state, flaw) = match attempt.outcome {
            AttemptOutcome::Risen => (CardState::Risen, None),
            AttemptOutcome::Failed(why) => {
                let broken = matches!(why, Some(Flaw::Pushed { .. } | Flaw::Gone(_)));
                let says = why.map(|flaw| flaw_words(flaw, roster)).unwrap_or_default();
                (CardState::Over(if broken { "BROKEN" } else { "FAILED" }, says), why)
            }
        };
        let fresh = attempt.ended as f64 + told / FRESH > tick;
        (fresh, card(&attempt.running, attempt.stake, attempt.present, (state, flaw)))
    })
}

/// The incantations under way, the one that decides most first, as headline and cards have them.
pub fn running(shown: &Shown<'_>) -> Vec<Card> {
    let tick = shown.time.tick;
    // After the end nothing is under way any more.
    let running = shown.state.incantations().iter().filter(|_| !shown.is_over()).map(|running| {
        let flaw = attempt::flaw(shown.state, running);
        let state =
            flaw.map_or(CardState::Running, |flaw| CardState::Doomed(flaw_words(flaw, &shown.story.roster)));
        let stake = Stake::of(shown.state.mirror(), &shown.story.roster, running);
        let there = attempt::present(shown.state.mirror(), running);
        let card = card(running, stake, there, (state, flaw));
        let left = running.began.map(|began| ((began + INCANTATION_TICKS) as f64 - tick).max(0.0));
        Card { left, ..card }
    });
    let mut found: Vec<Card> = running.collect();
    found.sort_by_key(|card| card.weight(true));
    found
}

/// The cards of the moment, those that decide most, the one that began first at the left. The first of those under way always
/// has one.
pub fn cards(shown: &Shown<'_>) -> Vec<Card> {
    let mut found: Vec<(bool, Card)> = running(shown).into_iter().map(|card| (true, card)).collect();
    let under_way = found.first().cloned();
    found.extend(ended(shown));
    found.sort_by_key(|(fresh, card)| card.weight(*fresh));
    // Incantations that ended a while ago are shown as long as there is nothing newer.
    if found.first().is_some_and(|(fresh, _)| *fresh) {
        found.retain(|(fresh, _)| *fresh);
    }
    found.truncate(CARDS);
    if let Some(under_way) = under_way.filter(|under_way| !found.contains(under_way)) {
        found.truncate(CARDS - 1);
        found.push(under_way);
    }
    let mut found: Vec<Card> = found.into_iter().map(|(_, card)| card).collect();
    found.sort_by(|one, other| one.left.unwrap_or(0.0).total_cmp(&other.left.unwrap_or(0.0)));
    found
}

impl Card {
    /// Sorts what decides most to the front.
    pub fn weight(&self, fresh: bool) -> impl Ord + use<> {
        std::cmp::Reverse((self.wins, fresh, self.level, self.participants))
    }
}

fn card(
    running: &MirrorIncantation,
    stake: Option<Stake>,
    there: usize,
    (state, flaw): (CardState, Option<Flaw>),
) -> Card {
    let wins = stake.is_some_and(|stake| stake.wins());
    let brings = match stake {
        Some(stake) if wins => format!("{} at level 8 ({WINNING_PLAYERS} needed): it wins", stake.at_top),
        Some(stake) if stake.to == Level::MAX => format!("{} of {WINNING_PLAYERS} at level 8", stake.at_top),
        _ => format!("{WINNING_PLAYERS} at level 8 win"),
    };
    let needed = attempt::needed(running.level);
    Card {
        at: running.at,
        level: running.level,
        initiator: running.players.first().copied(),
        players: (there, needed),
        left: None,
        brings,
        wins,
        participants: running.players.len(),
        culprit: flaw.and_then(|flaw| if let Flaw::Pushed { by, .. } = flaw { Some(by) } else { None }),
        state,
    }
}

/// Why an incantation fails, in a few words.
pub fn flaw_words(flaw: Flaw, roster: &Roster) -> String {
    match flaw {
        Flaw::Pushed { by, .. } => {
            let team = roster.team_of(by).map(|team| format!("{} ", possessive(&name(roster, team))));
            format!("pushed by {}{by}", team.unwrap_or_default())
        }
        Flaw::Gone(player) => format!("{player} is gone"),
        Flaw::Players(short) => format!("{} short", count(short as u64, "player", "players")),
        Flaw::Stones(stone, short) => format!("{short} {stone} short"),
    }
}
