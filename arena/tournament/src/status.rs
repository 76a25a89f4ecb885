//! How far a tournament is, what failed, and which bots misbehaved.
//!
//! Reads what is there and changes nothing. Tested in `arena/cli/tests/tournament/`.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

use serde_json::{Value, json};
use zappy_game::GameSpec;
use zappy_play::world::Games;
use zappy_protocol::text::many;

use super::Error;
use super::identity::Id;
use super::outcome::{BotEnd, Cause, Outcome};
use super::place::{Failure, MERGED, Place};
use super::plan::Planned;
use super::reading::{Misfit, altered, outcome, own_key, refuse_altered};
use super::run::Shard;

/// Failed matches that are told to people.
const TOLD: usize = 20;

#[derive(Debug)]
struct Row {
    name: String,
    id: Id,
    seats: usize,
    ends: BTreeMap<BotEnd, usize>,
    /// Matches that something else than the arena ended when the bot stood behind and could have done it.
    suspicious: usize,
}

/// What is to be known where so many results have no hash of when they were judged.
pub fn unsealed(count: usize) -> Option<String> {
    let words = "without the hash of when they were judged, so that a change wouldn't be seen; zappy_arena tournament verify proves \
                 them";
    (count > 0).then(|| format!("results {words}: {count}"))
}

/// What is to be known of a bot that may have ended so many matches from outside.
pub fn suspicion(name: &str, count: u64) -> String {
    let matches = many(count, "match");
    format!("{name} is suspicious: it stood behind when something else than the arena ended {matches}")
}

/// What there is of a tournament, or of a part of it.
#[derive(Debug, Default)]
pub struct Status {
    planned: usize,
    played: usize,
    disturbed: usize,
    /// Results that have no hash of when they were judged.
    unsealed: usize,
    failed: Vec<Failure>,
    /// Matches that count although another program ended their servers when they were played before.
    suspicious: usize,
    /// Matches that nothing proves, and why.
    unproved: Vec<Failure>,
    /// How often a match was over for which cause, in the order of the game's reasons.
    causes: BTreeMap<(usize, Cause), usize>,
    bots: Vec<Row>,
    /// What of the report isn't what the arena signed.
    altered: Vec<Misfit>,
}

impl Status {
    /// Looks at all results.
    ///
    /// # Errors
    /// When something can't be read.
    pub fn read(place: &Place, shard: Shard, games: Games) -> Result<Status, Error> {
        let key = own_key();
        refuse_altered(place, key.as_ref())?;
        let (book, there) = (place.book()?, place.played()?);
        let plan = place.plan(|line| shard.takes(line))?;
        let row = |bot: &super::bots::Bot| Row {
            name: bot.name.clone(),
            id: bot.id,
            seats: 0,
            ends: BTreeMap::new(),
            suspicious: 0,
        };
        let bots = book.bots.iter().map(row).collect();
        let altered = altered(&place.path().join(MERGED), key.as_ref(), |_| true);
        let mut status = Status { planned: plan.len(), bots, altered, ..Status::default() };
        for planned in plan.iter().filter(|planned| there.contains(&planned.id)) {
            let outcome = outcome(place, planned.id, key.as_ref())?;
            status.count(&outcome, games.find(planned.game()).ok());
            status.suspect(planned, &outcome.gained);
        }
        let missing: BTreeMap<_, _> =
            plan.iter().filter(|one| !there.contains(&one.id)).map(|one| (one.id, one)).collect();
        for failure in place.failures()? {
            if let Some(planned) = missing.get(&failure.id) {
                status.suspect(planned, &failure.gained);
                status.failed.push(failure);
            }
        }
        Ok(status)
    }

    fn suspect(&mut self, planned: &Planned, gained: &[usize]) {
        let ids: BTreeSet<&Id> = gained.iter().filter_map(|&seat| planned.seats.get(seat)).collect();
        for row in self.bots.iter_mut().filter(|row| ids.contains(&row.id)) {
            row.suspicious += 1;
        }
    }

    fn count(&mut self, outcome: &Outcome, game: Option<&GameSpec>) {
        self.played += usize::from(!outcome.is_unproved());
        self.disturbed += usize::from(!outcome.disturbed.is_empty());
        self.unsealed += usize::from(outcome.sha256.is_none());
        self.suspicious += usize::from(outcome.earlier.is_some());
        if outcome.is_unproved() {
            let why = outcome.unproved.clone().unwrap_or_default();
            self.unproved.push(Failure::new(outcome.id, why, outcome.spoiled_by.clone()));
        }
        let reasons = game.map(|game| game.reasons).unwrap_or_default();
        let place = reasons.iter().position(|(word, _)| *word == outcome.cause.word());
        *self.causes.entry((place.unwrap_or(reasons.len()), outcome.cause.clone())).or_default() += 1;
        for seat in &outcome.seats {
            if let Some(row) = self.bots.iter_mut().find(|row| row.id == seat.bot) {
                row.seats += 1;
                *row.ends.entry(seat.end).or_default() += 1;
            }
        }
    }

    fn missing(&self) -> usize {
        self.planned - self.played - self.failed.len()
    }

    /// Whether any bot did not play as it should.
    pub fn misbehaved(&self) -> bool {
        self.bots.iter().any(|row| row.ends.keys().any(|&end| end != BotEnd::Played))
    }

    pub fn render(&self) -> String {
        let (planned, played, failed) = (self.planned, self.played, self.failed.len());
        let mut text = format!(
            "{} planned: {played} played, {} missing, {failed} failed\n",
            many(planned as u64, "match"),
            self.missing()
        );
        let causes = self.causes.iter().map(|((_, cause), count)| format!("{} {count}", cause.word()));
        let causes: Vec<String> = causes.collect();
        if !causes.is_empty() {
            text += &format!("ended by {}\n", causes.join(", "));
        }
        if self.disturbed > 0 {
            text += &format!("disturbed: {} (the results say by what)\n", self.disturbed);
        }
        if self.suspicious > 0 {
            let count = self.suspicious;
            text += &format!("played in vain before they were played: {count} (the results say why)\n");
        }
        if let Some(words) = unsealed(self.unsealed) {
            let _ = writeln!(text, "{words}");
        }
        for row in &self.bots {
            let bad = row.ends.iter().filter(|(end, _)| **end != BotEnd::Played);
            let bad: Vec<String> = bad.map(|(end, count)| format!("{} {count}", end.word())).collect();
            if !bad.is_empty() {
                let (name, seats) = (&row.name, many(row.seats as u64, "match"));
                // Writing to a string cannot fail.
                let _ = writeln!(text, "{name} misbehaved: {} of {seats}", bad.join(", "));
            }
            if row.suspicious > 0 {
                let _ = writeln!(text, "{}", suspicion(&row.name, row.suspicious as u64));
            }
        }
        for (path, what) in &self.altered {
            let _ = writeln!(text, "{}: {what}; zappy_arena tournament merge makes it anew", path.display());
        }
        for Failure { id, why, .. } in self.unproved.iter().take(TOLD) {
            let _ = writeln!(text, "match {id} is not scored, and is played again by the next run: {why}");
        }
        for failure in self.failed.iter().take(TOLD) {
            let _ = writeln!(text, "match {} failed: {}", failure.id, failure.why);
        }
        if failed > TOLD {
            let _ = writeln!(text, "and {} more; --json tells them all", failed - TOLD);
        }
        text
    }

    pub fn json(&self) -> Value {
        let bot = |Row { name, id, seats, ends, suspicious }: &Row| {
            let ends: BTreeMap<&str, usize> = ends.iter().map(|(end, n)| (end.word(), *n)).collect();
            json!({ "id": id, "name": name, "matches": seats, "ends": ends, "suspicious": suspicious })
        };
        let outcomes: BTreeMap<&str, usize> =
            self.causes.iter().map(|((_, cause), count)| (cause.word(), *count)).collect();
        json!({
            "planned": self.planned,
            "played": self.played,
            "missing": self.missing(),
            "failed": self.failed,
            "unproved": self.unproved,
            "suspicious": self.suspicious,
            "disturbed": self.disturbed,
            "unsealed": self.unsealed,
            "altered": self.altered.iter().map(|(path, _)| path).collect::<Vec<_>>(),
            "outcomes": outcomes,
            "bots": self.bots.iter().map(bot).collect::<Vec<_>>(),
        })
    }
}
