//! The games as the sessions play them: each with a warden around it that panics when the shell breaks its promises, when
//! an invariant of the rules doesn't hold, or when the messages differ from the world.
//!
//! The wardens stand in a table of games, so that a match that was resumed has one, too.
//! Tested by the sessions in `tests`.

use std::collections::BTreeSet;

use zappy_protocol::text::is_terminal_control;
use zappy_protocol::zappy::mirror::Misfit;

use super::answers::Answers;
use super::observer_view::ObserverView;
use zappy_game::config::MatchConfig;
use zappy_game::{Game, GameSpec, Input, Line, Output, SeatId, Tick, hand_on};
use zappy_game_conquest::Conquest;
use zappy_game_zappy::{Zappy, ZappyOptions};

/// After this many steps a crowded world is checked: to check thousands of players after each step would take hours.
const CROWDED_STEPS: u32 = 64;
/// Open seats above which a world counts as crowded.
const CROWD_SEATS: usize = 60;
/// After this many steps the world is compared with a snapshot.
const SNAPSHOT_STEPS: u32 = 16;

/// The games as they are; the worked example stands for any other game.
pub(super) static PLAYED: [GameSpec; 3] =
    [zappy_game_zappy::SPEC, zappy_game_conquest::SPEC, zappy_game_snakes::SPEC];

/// The games of [`zappy_server::games::GAMES`] in its order, then the worked example, each with its warden.
pub(super) static WATCHED: [GameSpec; 3] = [
    GameSpec {
        begin: |config, options| {
            let game = Zappy::new(config, ZappyOptions::read(options));
            Ok(Box::new(Warden::new(game, config, Some(Answers::new(options)))))
        },
        ..zappy_game_zappy::SPEC
    },
    GameSpec {
        begin: |config, options| Ok(Box::new(Warden::new(Conquest::new(config, options)?, config, None))),
        ..zappy_game_conquest::SPEC
    },
    GameSpec {
        begin: |config, options| {
            let game = (zappy_game_snakes::SPEC.begin)(config, options)?;
            Ok(Box::new(Warden::new(game, config, None)))
        },
        ..zappy_game_snakes::SPEC
    },
];

/// A game that can be looked into.
trait Guest: Game {
    /// The name by which observers know the game.
    const NAME: &'static str;

    /// Panics if an invariant doesn't hold. `operated`: the operator has interfered; `due`: what was due has run.
    fn check(&self, open: &BTreeSet<SeatId>, operated: bool, due: bool);

    /// The world as observers should know it. Parts that the game's world doesn't have come from `published`.
    fn projected(&self, published: &ObserverView) -> ObserverView;
}

impl Guest for Zappy {
    const NAME: &'static str = zappy_game_zappy::SPEC.name;

    fn check(&self, open: &BTreeSet<SeatId>, _operated: bool, due: bool) {
        self.assert_invariants(open, due);
    }

    fn projected(&self, _published: &ObserverView) -> ObserverView {
        ObserverView::Zappy(Box::new(self.projection()))
    }
}

impl Guest for Conquest {
    const NAME: &'static str = zappy_game_conquest::SPEC.name;

    fn check(&self, open: &BTreeSet<SeatId>, operated: bool, _due: bool) {
        self.assert_invariants(open, operated);
    }

    fn projected(&self, published: &ObserverView) -> ObserverView {
        let mut world = self.projection();
        if let ObserverView::Conquest(known) = published {
            (world.turn, world.phase, world.acting) = (known.turn, known.phase, known.acting.clone());
            world.winners.clone_from(&known.winners);
        }
        ObserverView::Conquest(Box::new(world))
    }
}

/// Any game, known by its messages alone: those published so far agree with those of a snapshot now.
impl Guest for Box<dyn Game> {
    const NAME: &'static str = "";

    fn check(&self, _open: &BTreeSet<SeatId>, _operated: bool, _due: bool) {}

    fn projected(&self, _published: &ObserverView) -> ObserverView {
        ObserverView::snapshot(Self::NAME, self, true)
    }
}

/// A game that is watched.
struct Warden<G> {
    game: G,
    now: Tick,
    /// Whether all outputs of the last step were taken.
    drained: bool,
    /// Whether the running step runs what is due at its tick; otherwise it handles an input.
    due: bool,
    open: BTreeSet<SeatId>,
    /// Open seats that send nothing more.
    ended: BTreeSet<SeatId>,
    /// The seat that was opened last.
    last: Option<SeatId>,
    /// Whether the operator has interfered with the world.
    operated: bool,
    over: bool,
    steps: u32,
    /// The digest before the console line that is played, which a refused line doesn't change; `None` if time has passed
    /// since the step before, which counts in digests.
    before_console: Option<u64>,
    /// The world by all messages so far, withheld ones included; `None` if there are none while no observer watches.
    published: Option<ObserverView>,
    /// Whether it can't be known from messages any more which incantations run: under `official` a new frequency keeps
    /// seconds, so of two on a tile the later one may have ended first.
    blurred: bool,
    /// The answers that players should get, for games of which these are known.
    answers: Option<Answers>,
}

impl<G: Guest> Warden<G> {
    fn new(game: G, config: &MatchConfig, answers: Option<Answers>) -> Warden<G> {
        let published = config.publish.then(|| ObserverView::snapshot(G::NAME, &game, true));
        let (open, ended) = (BTreeSet::new(), BTreeSet::new());
        Warden {
            game,
            now: 0,
            drained: true,
            due: false,
            open,
            ended,
            last: None,
            operated: false,
            over: false,
            steps: 0,
            before_console: None,
            published,
            blurred: false,
            answers,
        }
    }

    fn begin_step(&mut self, now: Tick, due: bool) {
        assert!(self.drained, "the last step wasn't drained");
        assert!(!self.over, "called after the end");
        assert!(now >= self.now, "time goes back from {} to {now}", self.now);
        let next = self.game.poll_timeout();
        if due {
            assert_eq!(next, Some(now), "nothing is due at that tick");
        } else {
            assert!(next.is_none_or(|next| next > now), "{next:?} was due before an input at {now}");
        }
        (self.now, self.due, self.drained) = (now, due, false);
        if let Some(answers) = &mut self.answers {
            answers.begin_step(now);
        }
    }

    fn note_input(&mut self, seat: SeatId, input: Input<'_>) {
        if let Some(answers) = &mut self.answers {
            answers.note_input(seat, input);
        }
        if seat == SeatId::CONSOLE {
            let harmless: [&[u8]; 6] = [b"/start", b"/pause", b"/quit", b"/clients", b"/map", b"/resume"];
            self.operated |= !matches!(input, Input::Line(line) if harmless.contains(&line));
            return;
        }
        if input == Input::Open {
            assert!(self.last.is_none_or(|last| last < seat), "{seat} is opened again");
            self.last = Some(seat);
            self.open.insert(seat);
            return;
        }
        assert!(self.open.contains(&seat), "{input:?} of {seat}, which isn't open");
        match input {
            Input::Line(_) | Input::Overflow => assert!(!self.ended.contains(&seat), "a line after the end"),
            Input::End => assert!(self.ended.insert(seat), "{seat} has ended twice"),
            Input::Closed => {
                self.open.remove(&seat);
            }
            Input::Open | Input::Expelled(_) => {}
        }
    }

    fn note_output(&mut self, output: &Output) {
        match output {
            Output::Send(seat, _) => {
                assert!(
                    *seat == SeatId::CONSOLE || self.open.contains(seat),
                    "a line for {seat}, which isn't open"
                );
            }
            Output::Close(seat, _) => assert!(self.open.remove(seat), "{seat} is closed twice"),
            Output::Publish(line) | Output::Withhold(line) => {
                if let Some(published) = &mut self.published {
                    let timed = self.answers.as_ref().is_none_or(|answers| answers.timed);
                    if !timed
                        && line.text().starts_with(b"pie ")
                        && let ObserverView::Zappy(mirror) = &*published
                    {
                        // If two incantations run on one tile, the message that one has ended doesn't say which.
                        let mut tiles: Vec<_> =
                            mirror.incantations.iter().map(|running| running.at).collect();
                        tiles.sort_unstable();
                        self.blurred |= tiles.windows(2).any(|two| two[0] == two[1]);
                    }
                    let excused = |misfit| self.blurred && matches!(misfit, Misfit::NoIncantation(_));
                    line.lines().for_each(|line| published.apply(line, excused));
                }
            }
            Output::Finished(_) => self.over = true,
            Output::Why(seat, why) => {
                assert!(!why.trim().is_empty() && !why.contains(is_terminal_control), "{why:?}");
                let changes = |before| *seat == SeatId::CONSOLE && self.game.digest() != before;
                assert!(
                    !self.before_console.is_some_and(changes),
                    "a console line was refused and changed something: {why}"
                );
            }
            _ => {}
        }
        if let Some(answers) = &mut self.answers {
            let mirror = match &self.published {
                Some(ObserverView::Zappy(mirror)) => Some(&**mirror),
                _ => None,
            };
            answers.note_output(output, self.due, mirror);
        }
    }

    fn check_step(&mut self) {
        self.steps += 1;
        if self.over || self.open.len() > CROWD_SEATS && !self.steps.is_multiple_of(CROWDED_STEPS) {
            return;
        }
        let done = self.due && self.game.poll_timeout() != Some(self.now);
        self.game.check(&self.open, self.operated, done);
        let Some(published) = &self.published else { return };
        let projected = self.game.projected(published);
        if self.blurred {
            let published = published.clone().without_incantations();
            published.assert_shows(&projected.without_incantations(), "the messages differ from the world");
        } else {
            published.assert_shows(&projected, "the messages differ from the world");
        }
        if self.steps.is_multiple_of(SNAPSHOT_STEPS) {
            let snapshot = ObserverView::snapshot(G::NAME, &self.game, true);
            snapshot.assert_shows(&self.game.projected(&snapshot), "a snapshot differs from the world");
        }
    }
}

impl<G: Guest> Game for Warden<G> {
    fn handle_input(&mut self, now: Tick, seat: SeatId, input: Input<'_>) {
        self.before_console = (seat == SeatId::CONSOLE && now == self.now).then(|| self.game.digest());
        self.begin_step(now, false);
        self.note_input(seat, input);
        self.game.handle_input(now, seat, input);
    }

    fn handle_timeout(&mut self, now: Tick) {
        self.begin_step(now, true);
        self.game.handle_timeout(now);
    }

    fn poll_output(&mut self) -> Option<Output> {
        let output = self.game.poll_output();
        match &output {
            Some(output) => self.note_output(output),
            None if !std::mem::replace(&mut self.drained, true) => self.check_step(),
            None => {}
        }
        output
    }

    fn owing(&self, out: &mut Vec<SeatId>) {
        let before = out.len();
        self.game.owing(out);
        let owing: BTreeSet<SeatId> = out[before..].iter().copied().collect();
        assert_eq!(owing.len(), out.len() - before, "a seat owes twice");
        assert!(owing.is_subset(&self.open), "a seat owes that isn't open");
    }

    fn snapshot(&self, missed_from: Option<u64>, out: &mut Vec<Line>) {
        assert!(self.drained, "a snapshot in the middle of a step");
        self.game.snapshot(missed_from, out);
    }

    hand_on!(self => self.game);
}

#[cfg(test)]
#[test]
fn no_game_of_the_house_is_left_out() {
    let games = zappy_server::games::GAMES.iter().map(|game| game.name);
    assert!(games.eq(WATCHED[..WATCHED.len() - 1].iter().map(|game| game.name)));
}
