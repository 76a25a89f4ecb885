//! The cards of incantations that are under way or ended just now, the two that decide most on a card each.
//!
//! An incantation is called doomed as soon as it would fail if nothing changed. A pure function of what is shown; never
//! draws. Tested in `panels/card.rs`.

use zappy_protocol::Position;
use zappy_protocol::text::possessive;
use zappy_protocol::zappy::constants::{INCANTATION_TICKS, WINNING_PLAYERS};
use zappy_protocol::zappy::mirror::MirrorIncantation;
use zappy_protocol::zappy::story::{Roster, name};
use zappy_protocol::zappy::{Level, PlayerId};

use crate::timeline::attempt::{self, AttemptOutcome, Flaw, Stake};
use crate::view::Shown;
use zappy_observer::panels::kit::count;

/// Cards at the same time at most.
const CARD_LIMIT: usize = 2;
/// Ticks for which an incantation that has ended may have a card, and seconds at the view's pace if that is longer.
const ENDED_FOR: (f64, f64) = (150.0, 1.5);
/// For the first of so many parts of that time its end is news; then its card makes room for those under way.
const NEWS_PART: f64 = 3.0;

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
    /// What it brings if it succeeds, in a few words.
    pub brings: String,
    /// Whether its team wins by it.
    pub wins: bool,
    /// Players that took part when it began.
    pub participants: usize,
    /// The player that has pushed a participant away, if it fails by that.
    pub culprit: Option<PlayerId>,
    pub state: CardState,
}

/// The incantations that ended just now, the last one first, each with whether its end is still news.
pub fn ended<'a>(shown: &Shown<'a>) -> impl Iterator<Item = (bool, Card)> + use<'a> {
    let (tick, roster) = (shown.time.tick, &shown.story.roster);
    let ticks = ENDED_FOR.0.max(ENDED_FOR.1 * shown.time.pace);
    let attempts = &shown.story.chronicle.attempts;
    let before = attempts.partition_point(|attempt| attempt.ended as f64 <= tick);
    let ended = attempts.range(..before).rev().take_while(move |attempt| attempt.ended as f64 + ticks > tick);
    ended.map(move |attempt| {
        let (state, flaw) = match attempt.outcome {
            AttemptOutcome::Risen => (CardState::Risen, None),
            AttemptOutcome::Failed(why) => {
                let broken = matches!(why, Some(Flaw::Pushed { .. } | Flaw::Gone(_)));
                let says = why.map(|flaw| flaw_words(flaw, roster)).unwrap_or_default();
                (CardState::Over(if broken { "BROKEN" } else { "FAILED" }, says), why)
            }
        };
        let is_news = attempt.ended as f64 + ticks / NEWS_PART > tick;
        (is_news, card(&attempt.running, attempt.stake, attempt.present, (state, flaw)))
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
        let present = attempt::present(shown.state.mirror(), running);
        let card = card(running, stake, present, (state, flaw));
        let left = running.began.map(|began| ((began + INCANTATION_TICKS) as f64 - tick).max(0.0));
        Card { left, ..card }
    });
    let mut found: Vec<Card> = running.collect();
    found.sort_by_key(|card| card.weight(true));
    found
}

/// The cards of the moment, those that decide most, in the order in which they end. The incantation under way that
/// decides most always has a card.
pub fn cards(shown: &Shown<'_>) -> Vec<Card> {
    let mut found: Vec<(bool, Card)> = running(shown).into_iter().map(|card| (true, card)).collect();
    let under_way = found.first().cloned();
    found.extend(ended(shown));
    found.sort_by_key(|(is_news, card)| card.weight(*is_news));
    // Incantations that ended a while ago are shown as long as there is nothing newer.
    if found.first().is_some_and(|(is_news, _)| *is_news) {
        found.retain(|(is_news, _)| *is_news);
    }
    found.truncate(CARD_LIMIT);
    if let Some(under_way) = under_way.filter(|under_way| !found.contains(under_way)) {
        found.truncate(CARD_LIMIT - 1);
        found.push(under_way);
    }
    let mut found: Vec<Card> = found.into_iter().map(|(_, card)| card).collect();
    found.sort_by(|one, other| one.left.unwrap_or(0.0).total_cmp(&other.left.unwrap_or(0.0)));
    found
}

impl Card {
    /// A key that sorts what decides most to the front.
    pub fn weight(&self, is_news: bool) -> impl Ord + use<> {
        std::cmp::Reverse((self.wins, is_news, self.level, self.participants))
    }
}

fn card(
    running: &MirrorIncantation,
    stake: Option<Stake>,
    present: usize,
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
        players: (present, needed),
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
        Flaw::Players(missing) => format!("{} short", count(missing as u64, "player", "players")),
        Flaw::Stones(stone, missing) => format!("{missing} {stone} short"),
    }
}
