//! Time in turns: the headline, and the timeline with its marks.

use zappy_protocol::Tick;
use zappy_protocol::conquest::FactionId;
use zappy_protocol::conquest::commentary::lacks;
use zappy_protocol::conquest::constants::DEFAULT_TURNS;

use super::super::deeds::{MatchMoment, MomentKind};
use super::super::keymap::STEP;
use super::super::state::{Incident, IncidentKind, TURN};
use super::super::story::{acting, leader, threatened};
use super::super::view::{Choice, Shown};
use super::super::words::{dominion, faction_of_moment, importance, moment, sentence};
use super::Ui;
use super::closing::why;
use zappy_observer::app::origin::Origin;
use zappy_observer::ink::{Point, Rect};
use zappy_observer::panels::gold;
use zappy_observer::panels::kit::{number, signed};
use zappy_observer::panels::now::{self, HeadlineState, Now};
use zappy_observer::panels::transport::{self, Bar, Marks, Strip};
use zappy_observer::theme;
use zappy_observer::torus::cross;

/// From so many turns behind the newest one on, the headline says how many.
const BEHIND_TURNS: Tick = 4;
/// Points of the timeline that share their marks.
const BUCKET: f32 = 3.0;

fn turn_name(shown: &Shown<'_>, tick: Tick) -> String {
    match shown.story.phase(tick).map(|phase| phase.turn) {
        None => "before turn 1".to_owned(),
        Some(0) => "draft".to_owned(),
        Some(turn) => format!("turn {}", number(turn)),
    }
}

/// What is happening at the view's moment.
pub fn headline(shown: &Shown<'_>) -> Now<FactionId> {
    let mirror = &shown.state.mirror;
    let (tick, over) = (shown.tick(), shown.is_over());
    let first = leader(mirror);
    // That a faction took the lead is no news once it has lost it again.
    let is_current = |one: &&MatchMoment| !matches!(one.kind, MomentKind::Leads(of, _) if first != Some(of));
    let best = shown.headline().and_then(|number| shown.story.tally.moments.get(number)).filter(is_current);
    let leads = match first.map(|first| &mirror.factions[first.index()]) {
        Some(known) => format!("{} leads with {} points", known.name, signed(known.holdings.score)),
        None if mirror.factions.is_empty() => "Waiting for factions".to_owned(),
        None => "The first factions have the same score".to_owned(),
    };
    let is_news = best.is_none_or(|best| matches!(best.kind, MomentKind::Dominion(..)));
    // The side that has held enough land for the longest is the news, unless there is other news.
    let held = mirror.dominion.as_ref().and_then(|dominion| dominion.held.iter().max_by_key(|held| held.1));
    let held = held.filter(|_| is_news).and_then(|(name, turns)| Some((mirror.faction(name)?, *turns)));
    let dominion_news = held.map(|(faction, turns)| {
        let side = mirror.side(faction);
        (side.first().copied(), dominion(&side, turns, shown.story))
    });
    let (team, news) = match (&shown.story.finish, best) {
        (Some(finish), _) if over => {
            (finish.winners.first().copied(), gold::victory(&shown.story.names_of(&finish.winners)))
        }
        (_, _) if dominion_news.is_some() => dominion_news.unwrap_or_default(),
        (_, Some(best)) => (faction_of_moment(best, shown.story), moment(best, shown.story)),
        (_, None) => {
            match (0..).map(FactionId).take(mirror.factions.len()).find(|one| threatened(mirror, *one)) {
                Some(one) => (Some(one), format!("{}’s base is in danger; {leads}", shown.story.name(one))),
                None => (first, leads.clone()),
            }
        }
    };
    let state = match now::state(shown.origin, &shown.time, over) {
        // A server stops when its match is over; a view some turns behind still shows what came before.
        HeadlineState::Lost if shown.story.finish.is_some() => HeadlineState::Past,
        state => state,
    };
    let also = match &shown.story.finish {
        Some(finish) if over => why(shown, finish).into_iter().next().unwrap_or(leads),
        _ if turns_behind(shown) >= BEHIND_TURNS => phase_words(shown),
        _ => {
            let remark = shown.remark().map(|remark| remark.says.clone());
            let lacks = || {
                lacks(mirror).map(|(_, says)| says).filter(|_| matches!(shown.origin, Origin::Record { .. }))
            };
            remark.or_else(lacks).unwrap_or_else(|| phase_words(shown))
        }
    };
    let last = mirror.options.as_ref().map_or(DEFAULT_TURNS, |options| options.turns);
    let turn = format!("{} / {}", shown.story.turn(tick), last);
    Now::of(shown.origin, (state, !shown.time.playing), turn, (team, news), also)
}

/// What the factions do in this phase: `red and blue give orders; 0.6 s left`, then `Carried out: red’s orders, then
/// blue’s`. Of more than two factions not all are named: the scoreboard shows each one's place.
fn phase_words(shown: &Shown<'_>) -> String {
    let mirror = &shown.state.mirror;
    let names = shown.story.names_of(&acting(mirror));
    let Some((first, others)) = names.split_first() else {
        return if mirror.turn == 0 { "Before the first turn" } else { "Between two turns" }.to_owned();
    };
    let began = shown.story.phase(shown.tick()).map_or(0, |phase| phase.tick);
    let mut recent = shown.state.recent.iter().rev().take_while(|one| one.tick >= began);
    let says = if recent.any(|one| !matches!(one.what, IncidentKind::Turn(_))) {
        match others {
            [] => format!("Carried out: {first}’s orders"),
            [other] => format!("Carried out: {first}’s orders, then {other}’s"),
            [.., last] => format!("Carried out: {first}’s orders first, {last}’s last"),
        }
    } else {
        // Only the newest phase can have time left, and only if the match limits the time of a phase.
        let limit = mirror.options.as_ref().map(|options| options.time).filter(|time| *time > 0);
        let newest = shown.story.phases.back().is_some_and(|phase| phase.tick <= shown.tick());
        let waited = shown.waited.filter(|_| newest && mirror.phase.is_some());
        let left = limit.zip(waited).map(|(limit, waited)| ((f64::from(limit) - waited) / 1_000.0).max(0.0));
        let left = left.map(|left| format!("; {left:.1} s left")).unwrap_or_default();
        match others {
            [] => format!("{first} gives its orders{left}"),
            [other] => format!("{first} and {other} give orders{left}"),
            _ => format!("{} factions give orders{left}", names.len()),
        }
    };
    match turns_behind(shown) {
        0..BEHIND_TURNS => says,
        turns => format!("{} turns behind the newest (End). {says}", number(turns)),
    }
}

/// Turns between the moment shown and the newest one of a live match; 0 unless the view follows the match.
fn turns_behind(shown: &Shown<'_>) -> Tick {
    let follows = shown.waited.is_some() && shown.time.at_now;
    if follows { shown.range.1.saturating_sub(shown.tick()) / TURN } else { 0 }
}

/// Draws the bar of time.
pub fn draw_transport(ui: &mut Ui<'_>, rect: Rect, shown: &Shown<'_>) {
    let name = |tick| turn_name(shown, tick);
    let step = (STEP, ["A step back (,)", "A step ahead (.)"]);
    // A tick of conquest is a millisecond: the server has no frequency to be asked for.
    let bar = Bar { step, asks: false, ..shown.bar(&name) };
    transport::draw(ui, rect, &bar, &TurnMarks(shown));
}

/// The marks of the timeline: which faction leads, where units fall, defeats and the end.
struct TurnMarks<'a>(&'a Shown<'a>);

impl Marks<Choice> for TurnMarks<'_> {
    fn draw(&self, ui: &mut Ui<'_>, strip: &Strip) {
        let (shown, base) = (self.0, strip.base);
        for pair in shown.story.samples.windows(2) {
            let Some(leads) = pair[1].leads else { continue };
            let (from, to) = (strip.share(pair[0].tick), strip.share(pair[1].tick));
            let color = shown.look(Some(leads)).color;
            let alpha = if to <= strip.now { 1.0 } else { 0.38 };
            let part = Rect::new(base.x + base.w * from, base.y, base.w * (to - from), base.h);
            ui.canvas.rect(part, color.alpha(alpha));
        }
        let mut until = f32::NEG_INFINITY;
        for entry in &shown.story.entries {
            let x = strip.x(entry.tick);
            match &entry.what {
                // Where units fall close to each other, one mark is enough.
                IncidentKind::Gone { .. } if importance(&entry.what) > 0 && x >= until => {
                    until = x + BUCKET;
                    ui.canvas.rect(Rect::new(x - 1.0, base.bottom() + 2.5, 2.0, 4.0), theme::TEXT_SOFT);
                }
                IncidentKind::Beaten(beaten) => {
                    let color = shown.look(Some(*beaten)).color;
                    ui.canvas.rect(Rect::new(x - 1.0, base.y - 13.0, 2.0, 12.0), color);
                    cross(ui.canvas, Point::new(x, base.y - 14.0), 3.0, 1.5, color);
                }
                _ => {}
            }
        }
        let look = |seat| shown.look(shown.story.at_seat(seat)).color;
        transport::draw_notes(ui, strip, shown.notes, look);
        if let Some(finish) = &shown.story.finish {
            transport::draw_end(ui, strip, strip.x(finish.tick));
        }
    }

    fn hover(&self, strip: &Strip, tick: Tick) -> String {
        let near = ((strip.span.1 - strip.span.0) as f32 * 2.0 * BUCKET / strip.rect.w.max(1.0)) as Tick;
        let story = self.0.story;
        let from = story.entries.partition_point(|entry| entry.tick + near < tick);
        let there = story.entries.range(from..).take_while(|entry| entry.tick <= tick + near);
        let falls = there.filter(|entry| importance(&entry.what) > 0);
        let (mut many, mut best) = (0_u64, None::<&Incident>);
        for entry in falls {
            many += 1;
            best = best.filter(|known| importance(&known.what) >= importance(&entry.what)).or(Some(entry));
        }
        let turn = turn_name(self.0, tick);
        let says = match best {
            Some(one) if many == 1 => format!("{turn}: {}", sentence(one, story)),
            Some(one) => format!("{turn}: the greatest of {many} moments here: {}", sentence(one, story)),
            None => turn,
        };
        transport::with_notes(says, strip, self.0.notes, tick)
    }
}
