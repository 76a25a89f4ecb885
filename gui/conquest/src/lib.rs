//! The screen of conquest: the torus with its owners, what the factions do on it turn by turn, and how they stand.
//!
//! `state` and `story` fold the lines that observers read, `deeds` counts what factions did, `words` puts incidents
//! into sentences; `scene` is what is seen at one moment; `draw`, `effects` and `pieces` draw that, `panels` all around
//! it. Tested in its modules and in `tests/conquest/`.

pub mod deeds;
pub mod draw;
mod effects;
pub mod keymap;
pub mod panels;
pub mod pieces;
pub mod scene;
pub mod state;
pub mod story;
pub mod view;
pub mod words;

use zappy_protocol::commentary::Remark;
use zappy_protocol::conquest::{FactionId, UnitId};
use zappy_protocol::{MapSize, Position, TeamName, Tick};

use deeds::{MatchMoment, MomentKind};
use state::{ConquestState, IncidentKind};
use story::{ConquestStory, Overview};
use view::{Choice, ConquestChoice, ConquestView, Panel, Selection, Shown};
use zappy_observer::app::action::Direction;
use zappy_observer::app::keymap::Binding;
use zappy_observer::app::link::position;
use zappy_observer::app::session;
use zappy_observer::director::Cue;
use zappy_observer::ink::Point;
use zappy_observer::map_screen::panels::Panels;
use zappy_observer::map_screen::{Destination, MapGame, MapScreen};
use zappy_observer::sound::{Sound, SoundCue};
use zappy_observer::timeline::dialogue::SpeakerSeats;

/// The sound of a moment; `None` if it makes none.
fn sound(kind: &MomentKind) -> Option<Sound> {
    Some(match kind {
        MomentKind::Fell(_) | MomentKind::Beaten(..) => Sound::Fall,
        MomentKind::Siege(..) | MomentKind::Bared(_) => Sound::Siege,
        MomentKind::Dominion(_, turns) => Sound::Hold(u8::try_from(*turns).unwrap_or(u8::MAX)),
        MomentKind::Unpaid(_) => Sound::Unpaid,
        MomentKind::Battle(_) => Sound::Battle,
        MomentKind::Leads(_, true) => Sound::Lead,
        MomentKind::Over => Sound::Fanfare,
        MomentKind::Took(_) | MomentKind::Leads(_, false) => return None,
    })
}

/// The match of conquest that is watched.
pub type Session = session::Session<ConquestStory>;

/// The screen of conquest, apart from its window.
pub type App = MapScreen<ConquestMap>;

/// Conquest, as a game on a torus.
#[derive(Debug)]
pub struct ConquestMap;

/// Goes to the next or previous tick at which an order of the selected faction was lost; in a record, to the tick at
/// which the faction reads why.
fn go_to_lost(app: &mut App, direction: Direction) {
    let mirror = &app.watch.session.fold().mirror;
    let Some(faction) = app.view.selection.and_then(|chosen| chosen.faction(mirror)) else {
        return app.watch.screen.say("select a faction, or something of it, first");
    };
    let (story, now) = (app.watch.session.overview(), app.watch.time.whole_tick());
    let live = app.watch.session.is_live();
    let is_lost = |what: &IncidentKind| matches!(what, IncidentKind::Lost(of, ..) if *of == faction);
    let lost = story.entries.iter().filter(|entry| is_lost(&entry.what));
    let lost = lost.map(|entry| if live { entry.tick } else { story.reported(entry.tick) });
    match direction.from(now, lost, |tick| *tick) {
        Some(tick) => {
            app.watch.stop_at(tick);
            app.view.selection = Some(Selection::Faction(faction));
            (app.view.dialogue_at, app.view.bare) = (0, false);
            if !live {
                app.view.panels.insert(Panel::Dialogue);
            }
        }
        None => app.watch.screen.say("no lost order in that direction"),
    }
}

impl MapGame for ConquestMap {
    type History = ConquestStory;
    type Selection = Selection;
    type Own = ConquestChoice;
    type Team = FactionId;
    type View = ConquestView;

    const PANELS: Panels<ConquestMap> = panels::PANELS;

    fn bindings() -> Vec<Binding<Choice>> {
        keymap::bindings()
    }

    fn teams(overview: &Overview) -> &[TeamName] {
        &overview.names
    }

    fn number(faction: FactionId) -> usize {
        faction.index()
    }

    fn size(known: &ConquestState) -> Option<MapSize> {
        known.mirror.size
    }

    fn place(known: &ConquestState, selection: Selection) -> Option<Position> {
        selection.place(&known.mirror)
    }

    fn tile(at: Position) -> Selection {
        Selection::Tile(at)
    }

    /// Reads `unit:N`, `city:X,Y`, `tile:X,Y` or `faction:N`.
    fn selection(text: &str) -> Option<Selection> {
        let (what, which) = text.split_once(':')?;
        match what {
            "unit" => which.strip_prefix('#').unwrap_or(which).parse().ok().map(UnitId).map(Selection::Unit),
            "faction" => which.parse().ok().map(FactionId).map(Selection::Faction),
            "city" => position(which).map(Selection::City),
            "tile" => position(which).map(Selection::Tile),
            _ => None,
        }
    }

    fn named(selection: Selection) -> String {
        match selection {
            Selection::Unit(unit) => format!("unit:{}", unit.0),
            Selection::City(at) => format!("city:{},{}", at.x, at.y),
            Selection::Tile(at) => format!("tile:{},{}", at.x, at.y),
            Selection::Faction(faction) => format!("faction:{}", faction.0),
        }
    }

    fn next(app: &App, direction: Direction) -> Option<Selection> {
        let selected = if let Some(Selection::Unit(unit)) = app.view.selection { Some(unit) } else { None };
        let units = app.watch.session.fold().mirror.units.keys().copied();
        direction.around(units, selected.as_ref()).map(Selection::Unit)
    }

    fn pick(app: &App, at: Point) -> Vec<Selection> {
        draw::pick(app.layout.scenery(), &app.shown(), at)
    }

    /// The next or previous incident that `words` calls important: units fall, bases are in danger, the match ends.
    fn key_moment(app: &App, direction: Direction) -> Option<Destination> {
        let (story, now) = (app.watch.session.overview(), app.watch.time.whole_tick());
        let key = story.entries.iter().filter(|entry| words::importance(&entry.what) > 0);
        direction.from(now, key, |entry| entry.tick).map(|entry| (entry.tick, entry.at))
    }

    fn entry(app: &App, number: usize) -> Option<Destination> {
        panels::entry(&app.shown(), number)
    }

    fn lead(_app: &App) -> Tick {
        state::TURN
    }

    /// Leaves out the lines that describe what a faction sees: the map shows that, and orders would be lost among them.
    fn speaker(app: &App) -> Option<SpeakerSeats> {
        let faction = app.view.selection?.faction(&app.watch.session.fold().mirror)?;
        let keeps =
            |text: &str| !["unit ", "tile ", "faction ", "city "].iter().any(|of| text.starts_with(of));
        Some(SpeakerSeats { seats: app.watch.session.overview().seats(faction), keeps })
    }

    fn cues(shown: &Shown<'_>) -> Vec<Cue> {
        let cue = |(number, one): (usize, &MatchMoment)| {
            let always = matches!(one.kind, MomentKind::Beaten(..));
            Cue {
                tick: one.tick,
                until: one.tick + state::TURN,
                at: one.at,
                score: one.score(),
                always,
                number,
            }
        };
        let mut cues: Vec<Cue> = shown.story.tally.moments.iter().enumerate().map(cue).collect();
        // Moments may be out of order: a battle is noted at the end of its turn, with the tick of its last fall.
        cues.sort_by_key(|cue| cue.tick);
        cues
    }

    fn sounds(overview: &Overview, size: Option<MapSize>, (after, until): (Tick, Tick)) -> Vec<SoundCue> {
        let passed = |one: &&MatchMoment| after < one.tick && one.tick <= until;
        let heard = |one: &MatchMoment| Some(SoundCue::at(one.tick, sound(&one.kind)?, one.at, size));
        overview.tally.moments.iter().filter(passed).filter_map(heard).collect()
    }

    fn remarks(overview: &Overview) -> &[Remark<FactionId>] {
        overview.commentary.remarks.all()
    }

    fn highlights(overview: &Overview) -> Vec<Tick> {
        overview.tally.highlights().iter().map(|moment| moment.tick).collect()
    }

    fn perform(app: &mut App, choice: ConquestChoice) {
        match choice {
            ConquestChoice::Turns(by) => {
                // To the tick at which a turn began; after the last turn, to the end.
                let (story, now) = (app.watch.session.overview(), app.watch.time.whole_tick());
                let turns: Vec<Tick> = story.turns().map(|(tick, _)| tick).collect();
                let begun = turns.partition_point(|&tick| if by > 0 { tick <= now } else { tick < now });
                let step = usize::try_from(by.unsigned_abs()).unwrap_or(usize::MAX);
                let end = story.finish.as_ref().map(|finish| finish.tick).filter(|&tick| tick > now);
                let found = match by {
                    1.. => {
                        turns.get(begun.saturating_add(step - 1)).copied().or(end).or(turns.last().copied())
                    }
                    _ => turns.get(begun.saturating_sub(step)).copied(),
                };
                match found {
                    Some(tick) if (tick > now) == (by > 0) && tick != now => app.watch.stop_at(tick),
                    _ => app.watch.screen.say("no turn in that direction"),
                }
            }
            ConquestChoice::Lost(direction) => go_to_lost(app, direction),
            ConquestChoice::ToggleTopic(topic) => app.view.filter(|own| {
                if !own.topics.remove(&topic) {
                    own.topics.insert(topic);
                }
            }),
            ConquestChoice::CycleFaction => {
                let next = FactionId(app.view.own.faction.map_or(0, |faction| faction.0.saturating_add(1)));
                let exists = next.index() < app.watch.session.overview().names.len();
                app.view.filter(|own| own.faction = exists.then_some(next));
            }
        }
    }

    fn selected(app: &mut App) {
        app.show_selection();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn selections_are_read_in_words() {
        let (selection, named) = (ConquestMap::selection, ConquestMap::named);
        assert_eq!(selection("unit:#7"), Some(Selection::Unit(UnitId(7))));
        assert_eq!(selection("city:3,4"), Some(Selection::City(Position { x: 3, y: 4 })));
        assert_eq!(selection("faction:1"), Some(Selection::Faction(FactionId(1))));
        for one in ["unit:7", "city:3,4", "tile:0,9", "faction:1"] {
            assert_eq!(selection(one).map(named).as_deref(), Some(one));
        }
        for bad in ["", "unit", "unit:x", "tile:3", "egg:3"] {
            assert_eq!(selection(bad), None, "{bad}");
        }
    }
}
