//! `tournament status`: how far a tournament is, what failed, and which bots misbehaved.
//!
//! Changes nothing. Tested in `arena/cli/tests/tournament/`.

use std::collections::{BTreeMap, HashMap};

use serde_json::{Value, json};
use zappy_game::GameSpec;
use zappy_play::world::Games;
use zappy_protocol::text::many;

use super::Error;
use super::bots::Bot;
use super::identity::Id;
use super::outcome::{BotEnd, Cause, Outcome};
use super::place::{Failure, MERGED, Place};
use super::plan::Planned;
use super::reading::{Misfit, altered, checked_outcome, own_key, refuse_altered};
use super::run::Shard;

/// How many failed matches people are shown.
const SHOWN: usize = 20;

/// A bot of the tournament.
#[derive(Debug)]
struct Row {
    name: String,
    id: Id,
    /// How many of its matches have a result.
    matches: usize,
    /// For each end: the number of these matches that ended so for the bot.
    ends: BTreeMap<BotEnd, usize>,
    /// Matches that something other than the arena ended, when the bot stood behind and could have done it.
    suspicious: usize,
}

/// A warning that `count` results have no hash, so that a change wouldn't be seen; `None` if `count` is 0.
pub fn unsealed(count: usize) -> Option<String> {
    let words = "without the hash of when they were judged, so that a change wouldn't be seen; zappy_arena tournament verify proves \
                 them";
    (count > 0).then(|| format!("results {words}: {count}"))
}

/// A warning about a bot that may have ended `count` matches from outside.
pub fn suspicion(name: &str, count: u64) -> String {
    let matches = many(count, "match");
    format!("{name} is suspicious: it stood behind when something else than the arena ended {matches}")
}

/// The state of a tournament, or of a part of it.
#[derive(Debug, Default)]
pub struct Status {
    planned: usize,
    played: usize,
    disturbed: usize,
    /// Results without a hash by which a change would be seen.
    unsealed: usize,
    failed: Vec<Failure>,
    /// Matches with a result of which an earlier try failed.
    suspicious: usize,
    /// Matches that nothing proves, with the reasons.
    unproved: Vec<Failure>,
    /// The numbers of matches by their cause, with its place among the game's reasons as the first part of the key.
    causes: BTreeMap<(usize, Cause), usize>,
    bots: Vec<Row>,
    /// Files of the report that aren't what the arena signed.
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
        let (book, played) = (place.book()?, place.played()?);
        let plan = place.plan(|line| shard.has_line(line))?;
        let ends = BTreeMap::new();
        let row =
            |bot: Bot| Row { name: bot.name, id: bot.id, matches: 0, ends: ends.clone(), suspicious: 0 };
        let bots = book.bots.into_iter().map(row).collect();
        let altered = altered(&place.path().join(MERGED), key.as_ref(), |_| true);
        let mut status = Status { planned: plan.len(), bots, altered, ..Status::default() };
        let mut failures: HashMap<Id, Failure> =
            place.failures()?.into_iter().map(|failure| (failure.id, failure)).collect();
        for planned in &plan {
            if played.contains(&planned.id) {
                let outcome = checked_outcome(place, planned.id, key.as_ref())?;
                status.count(&outcome, games.find(planned.game()).ok());
                status.suspect(planned, &outcome.gained);
            } else if let Some(failure) = failures.remove(&planned.id) {
                status.suspect(planned, &failure.gained);
                status.failed.push(failure);
            }
        }
        status.failed.sort_by_key(|failure| failure.id);
        Ok(status)
    }

    /// Counts a match as suspicious for the bots in the seats that gained by its end.
    fn suspect(&mut self, planned: &Planned, gained: &[usize]) {
        for row in &mut self.bots {
            row.suspicious +=
                usize::from(gained.iter().any(|&seat| planned.seats.get(seat) == Some(&row.id)));
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
                row.matches += 1;
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
        let (played, missing, failed) = (self.played, self.missing(), self.failed.len());
        let planned = many(self.planned as u64, "match");
        let mut lines =
            vec![format!("{planned} planned: {played} played, {missing} missing, {failed} failed")];
        let causes = self.causes.iter().map(|((_, cause), count)| format!("{} {count}", cause.word()));
        let causes = causes.collect::<Vec<_>>().join(", ");
        lines.extend((!causes.is_empty()).then(|| format!("ended by {causes}")));
        for (count, what, detail) in [
            (self.disturbed, "disturbed", "by what"),
            (self.suspicious, "played in vain before they were played", "why"),
        ] {
            lines.extend((count > 0).then(|| format!("{what}: {count} (the results say {detail})")));
        }
        lines.extend(unsealed(self.unsealed));
        for Row { name, ends, matches, suspicious, .. } in &self.bots {
            let bad = ends.iter().filter(|(end, _)| **end != BotEnd::Played);
            let bad =
                bad.map(|(end, count)| format!("{} {count}", end.word())).collect::<Vec<_>>().join(", ");
            let of = many(*matches as u64, "match");
            lines.extend((!bad.is_empty()).then(|| format!("{name} misbehaved: {bad} of {of}")));
            lines.extend((*suspicious > 0).then(|| suspicion(name, *suspicious as u64)));
        }
        let altered = self.altered.iter();
        lines.extend(altered.map(|(path, what)| {
            format!("{}: {what}; zappy_arena tournament merge makes it anew", path.display())
        }));
        lines.extend(self.unproved.iter().take(SHOWN).map(|Failure { id, why, .. }| {
            format!("match {id} is not scored, and is played again by the next run: {why}")
        }));
        let shown = self.failed.iter().take(SHOWN);
        lines.extend(shown.map(|Failure { id, why, .. }| format!("match {id} failed: {why}")));
        lines.extend((failed > SHOWN).then(|| format!("and {} more; --json tells them all", failed - SHOWN)));
        lines.join("\n") + "\n"
    }

    pub fn json(&self) -> Value {
        let bot = |Row { name, id, matches, ends, suspicious }: &Row| {
            let ends: BTreeMap<&str, usize> = ends.iter().map(|(end, n)| (end.word(), *n)).collect();
            json!({ "id": id, "name": name, "matches": matches, "ends": ends, "suspicious": suspicious })
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
