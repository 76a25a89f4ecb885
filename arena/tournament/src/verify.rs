//! `tournament verify`: proves a finished tournament again, from its records alone.
//!
//! Plays every record again and compares it with its `result.json`, that with the result that was ranked, and all of them
//! with plan, seed and bots. Names each file that contradicts the others, and changes nothing. Fouls, how programs ended and
//! which bots were late stand in `result.json` alone, and no record proves them: for that file, the bots and the report it
//! checks the lists that the arena signed with the key of this user. Tested in `arena/cli/tests/tournament/verify.rs`.

use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::fs;
use std::path::Path;

use serde_json::Value;
use zappy_play::proof::prove_bytes;
use zappy_play::result::ArenaResult;
use zappy_play::signature::{self, Key};
use zappy_play::text::io_words;
use zappy_play::world::Games;
use zappy_protocol::record::read_head;
use zappy_protocol::text::many;
use zappy_records::on_all_cores;
use zappy_server::record::{match_of, read_file};

use super::Error;
use super::identity::Id;
use super::judge::outcome_of;
use super::ladder::STANDINGS;
use super::merge::{MERGED, RECORD};
use super::outcome::Outcome;
use super::place::{BOTS, Place};
use super::plan::Planned;
use super::reading::{Basis, Misfit, REPORT, altered, altered_grade, own_key};
use super::seeds::seal;
use super::whole::{LINK, is_link};

/// What was proved of a tournament.
#[derive(Debug, Default)]
pub struct Proof {
    pub planned: usize,
    /// Matches with a record that proves the result.
    pub proved: usize,
    /// Matches that count for nothing, since nothing proved them when they were judged.
    pub unproved: usize,
    /// Matches that failed at each try, and so have no result.
    pub failed: usize,
    /// Matches with a file that contradicts the others.
    pub wrong: usize,
    /// The files that contradict others, in the order of their names, and why.
    pub misfits: Vec<Misfit>,
}

impl Proof {
    pub fn missing(&self) -> usize {
        self.planned.saturating_sub(self.proved + self.unproved + self.failed + self.wrong)
    }

    pub fn render(&self) -> String {
        let Proof { planned, proved, unproved, failed, wrong, .. } = self;
        let mut text = format!("{proved} of {} proved from their records", many(*planned as u64, "match"));
        for (count, words) in [
            (*wrong, "that don't fit"),
            (*unproved, "not scored, since nothing proves them"),
            (*failed, "void or tried in vain"),
            (self.missing(), "without a result"),
        ] {
            if count > 0 {
                text += &format!(", {count} {words}");
            }
        }
        text
    }
}

/// Verifies the tournament; `tell` is called with how many matches are done, and with how many there are.
///
/// # Errors
/// Bots, plan or the list of results can't be read, so there is nothing to compare anything with.
pub fn verify(folder: &Path, games: Games, mut tell: impl FnMut(usize, usize)) -> Result<Proof, Error> {
    let basis = Basis::read(folder, games)?;
    let Basis { place, plan, .. } = &basis;
    let failed: HashSet<Id> = place.failures()?.into_iter().map(|failure| failure.id).collect();
    let mut proof = Proof { planned: plan.len(), ..Proof::default() };
    let known: HashSet<Id> = plan.iter().map(|planned| planned.id).collect();
    let results = place.result_names()?.into_iter().map(|name| place.results().join(name));
    let matches = fs::read_dir(place.matches()).into_iter().flatten().flatten().map(|entry| entry.path());
    for path in results.chain(matches) {
        let name = path.file_name().unwrap_or_default();
        let id = name.to_str().and_then(|name| Id::parse(name.trim_end_matches(".json")));
        if !name.as_encoded_bytes().starts_with(b".") && id.is_none_or(|id| !known.contains(&id)) {
            proof.misfits.push((path, "no match of the plan has that id".to_owned()));
        }
    }
    // Bots of a ladder meet as they come, and its results have the seeds.
    if !folder.join(STANDINGS).is_file() {
        let mut pairs: BTreeMap<Id, BTreeSet<&[Id]>> = BTreeMap::new();
        for planned in plan {
            pairs.entry(planned.pair).or_default().insert(&planned.seats);
        }
        // The same bots play a seed once in each rotation of their seats.
        let alone = plan.iter().find(|planned| pairs[&planned.pair].len() != planned.seats.len());
        proof.misfits.extend(alone.map(|Planned { id, .. }| {
            let words = format!("the match {id} stands there without those in which its bots change seats");
            (place.path().join(super::place::PLAN), words)
        }));
        proof.misfits.extend(wrong_seeds(place, plan));
    }
    let key = own_key();
    proof.misfits.extend(altered(place.path(), key.as_ref(), |name| name == BOTS));
    proof.misfits.extend(altered(&place.path().join(MERGED), key.as_ref(), |_| true));
    proof.misfits.extend(altered_grade(place, key.as_ref()));
    let work = |line: usize| basis.judge(&plan[line], failed.contains(&plan[line].id), key.as_ref());
    on_all_cores(plan.len(), work, |done, next| match next {
        None => tell(done, plan.len()),
        Some((_, Ok(Judged::Proved))) => proof.proved += 1,
        Some((_, Ok(Judged::Unproved))) => proof.unproved += 1,
        Some((_, Ok(Judged::Failed))) => proof.failed += 1,
        Some((_, Ok(Judged::Missing))) => {}
        Some((_, Err(misfit))) => {
            proof.wrong += 1;
            proof.misfits.push(misfit);
        }
    });
    proof.misfits.sort();
    Ok(proof)
}

/// What is wrong with the file of seeds, if it doesn't hold exactly the seeds that the plan names by their hashes. A seed has 64
/// bits, so no other one has its hash.
fn wrong_seeds(place: &Place, plan: &[Planned]) -> Option<Misfit> {
    let sealed: BTreeSet<&String> = plan.iter().filter_map(|planned| planned.seed_sha256.as_ref()).collect();
    let path = place.seeds_file();
    if sealed.is_empty() && !path.exists() {
        return None;
    }
    let what = match place.sealed() {
        Err(Error::File(_, error)) => io_words(&error),
        Err(error) => error.to_string().replace(&format!("{}: ", path.display()), ""),
        Ok(seeds) => {
            let there: BTreeSet<String> = seeds.into_iter().map(seal).collect();
            let lost = sealed.iter().find(|hash| !there.contains(**hash));
            let other = there.iter().find(|hash| !sealed.contains(hash));
            let lost = lost.map(|hash| format!("the seed with the SHA-256 {hash} is missing"));
            lost.or(other
                .map(|hash| format!("it holds a seed that the plan doesn't name, of the SHA-256 {hash}")))?
        }
    };
    Some((path, what))
}

/// What a match turned out to be.
enum Judged {
    Proved,
    Unproved,
    Failed,
    Missing,
}

impl Basis {
    fn judge(&self, planned: &Planned, failed: bool, key: Option<&Key>) -> Result<Judged, Misfit> {
        let (place, id) = (&self.place, planned.id);
        let (result, folder) = (place.result(id), place.match_folder(id));
        let all = [result.clone(), folder.clone(), folder.join(REPORT), folder.join(RECORD)];
        if let Some(link) = all.into_iter().find(|path| is_link(path)) {
            return Err((link, LINK.to_owned()));
        }
        if !result.exists() {
            return match (failed, folder.exists()) {
                (true, _) => Ok(Judged::Failed),
                (false, false) => Ok(Judged::Missing),
                (false, true) => Err((result, "it isn't there, though the match was played".to_owned())),
            };
        }
        let wrong = |what: String| (result.clone(), what);
        let outcome = place.outcome(id).map_err(|error| match error {
            Error::BadResult(_, what) => wrong(what),
            error => wrong(error.to_string()),
        })?;
        outcome.check(planned).map_err(wrong)?;
        if outcome.is_unproved() {
            return Ok(Judged::Unproved);
        }
        let report = place.report(id).ok_or_else(|| {
            (folder.join(REPORT), "it isn't there, or can't be read for what it is".to_owned())
        })?;
        altered(&folder, key, |name| name == REPORT).pop().map_or(Ok(()), Err)?;
        let again = outcome_of(&report, self.game, planned, &self.book)
            .map_err(|what| (folder.join(REPORT), what))?;
        differing_keys(&again, &outcome).map_or(Ok(()), |keys| {
            Err(wrong(format!("it tells otherwise than {REPORT} of its match: {keys}")))
        })?;
        let proved = self.prove(planned, &outcome, &report);
        proved.map(|()| Judged::Proved).map_err(|what| (folder.join(RECORD), what))
    }

    /// Whether the record is the match's, and proves what `report` says.
    fn prove(&self, planned: &Planned, outcome: &Outcome, report: &ArenaResult) -> Result<(), String> {
        let record = self.place.match_folder(planned.id).join(RECORD);
        let bytes = read_file(&record).map_err(|error| io_words(&error))?;
        if outcome.record_sha256.as_ref().is_some_and(|said| *said != signature::hash(&bytes)) {
            return Err("its hash isn't the one in the result".to_owned());
        }
        let header = read_head(&bytes).map_err(|error| error.to_string())?.header;
        let teams = self.book.teams(&planned.seats).map_err(|error| error.to_string())?;
        let world = planned.world(self.games).map_err(|error| error.to_string())?;
        let played = match_of(&header, self.games.specs).map_err(|error| error.to_string())?;
        let config = &played.config;
        let other = [
            ("seed", !planned.is_of_seed(config.seed)),
            ("game", played.game.name != world.spec.game.name),
            ("options", played.options != world.spec.options),
            ("map", config.map != world.spec.config.map),
            ("teams", config.teams != teams),
            ("clock", config.clock.name() != planned.clock || config.frequency.get() != planned.freq),
            ("last tick", config.max_ticks != Some(planned.max_ticks)),
        ];
        if let Some((what, _)) = other.iter().find(|(_, differs)| *differs) {
            return Err(format!("its match has another {what} than was planned"));
        }
        let (Some(result), Some(arena)) = (report.played(), &report.arena) else {
            return Err(format!("{REPORT} doesn't say how the match went"));
        };
        let guilty = |name: &str| arena.teams.iter().any(|team| team.foul.is_some() && team.team == name);
        let verified =
            prove_bytes(&bytes, self.games.specs, result, &guilty).map_err(|why| format!("it {why}"))?;
        verified.touched.map_or(Ok(()), |touched| Err(format!("its match was {touched}")))
    }
}

/// The keys by which a result differs from the one that its match's `result.json` leads to; `None` if there are none.
fn differing_keys(again: &Outcome, outcome: &Outcome) -> Option<String> {
    let Outcome { earlier, gained, record_sha256, sha256, .. } = outcome.clone();
    let again = Outcome { earlier, gained, record_sha256, sha256, ..again.clone() };
    if again == *outcome {
        return None;
    }
    let [again, outcome] = [&again, outcome].map(|outcome| match serde_json::to_value(outcome) {
        Ok(Value::Object(map)) => map,
        _ => serde_json::Map::new(),
    });
    let keys: BTreeSet<&String> = again.keys().chain(outcome.keys()).collect();
    let keys = keys.into_iter().filter(|key| again.get(*key) != outcome.get(*key));
    Some(keys.map(String::as_str).collect::<Vec<_>>().join(", "))
}
