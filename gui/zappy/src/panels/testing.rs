//! Matches for the tests of the panels, from lines with their ticks.

use zappy_protocol::Tick;
use zappy_protocol::record::dialogue::Spoken;
use zappy_protocol::zappy::observer::Message;

use crate::timeline::chronicle::Chronicler;
use crate::timeline::state::ZappyState;
use crate::view::{Shown, View};
use zappy_observer::app::origin::Origin;
use zappy_observer::app::playback::Playback;
use zappy_observer::director::ViewPace;
use zappy_observer::theme::TeamLook;
use zappy_observer::timeline::fold::Oddities;
use zappy_observer::timeline::fold::{Fold as _, History as _};
use zappy_observer::timeline::notes::Notebook;

/// A match from lines, and how it is shown.
pub struct ScriptedMatch {
    /// What the lines make known.
    pub chronicler: Chronicler,
    /// The moment that is shown and how it moves; `show` sets its tick and pace.
    pub time: Playback,
    /// What the spectator has chosen.
    pub view: View,
    /// Where the match comes from.
    pub origin: Origin,
    /// The lines that weren't understood.
    pub oddities: Oddities,
    /// What the inspected player said and heard.
    pub dialogue: Vec<Spoken>,
    /// What bots noted.
    pub notes: Notebook,
    /// What the notice says about the spectator's last action, such as a picture that was saved.
    pub notice: Option<String>,
    lines: Vec<(Tick, Message)>,
}

const SMALL_MATCH: [&str; 16] = [
    "0 msz 10 10",
    "0 tna red",
    "0 tna blue",
    "0 ppo #99 0 0 1",
    "1 pnw #0 1 1 1 1 red",
    "1 pnw #1 2 2 1 1 blue",
    "50 pgt #0 0",
    "60 pgt #1 1",
    "300 plv #0 2",
    "300 pie 1 1 1",
    "400 plv #1 2",
    "500 pbc #1 over here",
    "600 pnw #2 3 3 1 1 blue",
    "700 pdi #2",
    "900 plv #1 3",
    "950 seg blue",
];

impl ScriptedMatch {
    /// A match from lines: a tick and a message each.
    pub fn of(lines: &[&str]) -> ScriptedMatch {
        let parse = |line: &&str| {
            let (tick, message) = line.split_once(' ').expect("a tick and a message");
            (tick.parse().expect("a tick"), Message::parse(message.as_bytes()).expect("a message"))
        };
        let lines: Vec<(Tick, Message)> = lines.iter().map(parse).collect();
        let mut chronicler = Chronicler::default();
        for (tick, message) in &lines {
            let _ = chronicler.take(*tick, message);
        }
        let origin = Origin::Record { name: "match.zrec".to_owned(), read: 1.0, trouble: None };
        let (view, oddities, dialogue) = (View::default(), Oddities::default(), Vec::new());
        let notes = Notebook::default();
        ScriptedMatch {
            chronicler,
            time: Playback::default(),
            view,
            origin,
            oddities,
            dialogue,
            notes,
            notice: None,
            lines,
        }
    }

    /// Two teams, three players, a death, a broadcast, and blue wins at 950.
    pub fn small_match() -> ScriptedMatch {
        ScriptedMatch::of(&SMALL_MATCH)
    }

    /// Calls `inspect` with what is shown of the match at a tick.
    pub fn show<R>(&self, tick: f64, inspect: impl FnOnce(&Shown<'_>) -> R) -> R {
        let mut state = ZappyState::default();
        for (at, message) in self.lines.iter().filter(|(at, _)| *at as f64 <= tick) {
            state.apply(*at, message);
        }
        state.advance(tick as Tick);
        let looks = TeamLook::of_all(self.chronicler.overview.roster.teams());
        inspect(&Shown {
            time: Playback { tick, pace: 100.0, ..self.time },
            state: &state,
            story: &self.chronicler.overview,
            looks: &looks,
            view: &self.view,
            origin: &self.origin,
            oddities: &self.oddities,
            range: (0, self.chronicler.overview.chronicle.until),
            waited: None,
            dialogue: &self.dialogue,
            notes: &self.notes,
            notice: self.notice.as_deref(),
            director: false,
            muted: false,
            pace: ViewPace {
                rate: 100.0,
                foresees: !self.view.own.unspoiled,
                whole_between: false,
                calm: false,
            },
            led: None,
        })
    }
}
