//! `tournament verify`: proves a finished tournament again, from its records alone.
//!
//! Plays every record again and compares it with the `result.json` beside it, this file with the result that was
//! ranked, and all of them with plan, seed and bots. Names each file that contradicts the others, and changes nothing.
//! Fouls, how programs ended and which bots were late stand in `result.json` alone, and no record proves them. That
//! file, the bots and the report are compared with the lists that the arena signed with the key of this user. Tested in
//! `arena/cli/tests/tournament/verify.rs`.

use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::fs;
use std::path::Path;

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
use super::reading::{ARENA_RESULT, Basis, Misfit, altered, altered_grade, own_key};
use super::seeds::seal;
use super::variants::differing_keys;
use super::whole::{LINK_MESSAGE, is_link};

/// What was proved of a tournament.
#[derive(Debug, Default)]
pub struct Proof {
    /// The number of matches in the plan.
    planned: usize,
    /// The numbers of matches for each [`Judged`].
    counts: [usize; 5],
    /// The files that contradict others, in the order of their names, and why.
    pub misfits: Vec<Misfit>,
}

impl Proof {
    /// The number of matches without a result.
    pub fn missing(&self) -> usize {
        self.counts[Judged::Missing as usize]
    }

    pub fn render(&self) -> String {
        let count = |judged: Judged| self.counts[judged as usize];
        let (proved, planned) = (count(Judged::Proved), many(self.planned as u64, "match"));
        let mut text = format!("{proved} of {planned} proved from their records");
        for (judged, words) in [
            (Judged::Wrong, "that don't fit"),
            (Judged::Unproved, "not scored, since nothing proves them"),
            (Judged::Failed, "void or tried in vain"),
            (Judged::Missing, "without a result"),
        ] {
            if count(judged) > 0 {
                text += &format!(", {} {words}", count(judged));
            }
        }
        text
    }
}

/// Verifies the tournament; `progress` is called with the number of matches that are verified, and the number of all.
///
/// # Errors
/// Bots, plan or the list of results can't be read, so there is nothing to compare anything with.
pub fn verify(folder: &Path, games: Games, mut progress: impl FnMut(usize, usize)) -> Result<Proof, Error> {
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
    // In a ladder bots meet as they come, in one order of seats, and the results hold the seeds.
    if !folder.join(STANDINGS).is_file() {
        let mut pairs: BTreeMap<Id, BTreeSet<&[Id]>> = BTreeMap::new();
        for planned in plan {
            pairs.entry(planned.pair).or_default().insert(&planned.seats);
        }
        // The same bots play a seed once in each rotation of their seats.
        let unrotated = plan.iter().find(|planned| pairs[&planned.pair].len() != planned.seats.len());
        proof.misfits.extend(unrotated.map(|Planned { id, .. }| {
            let words = format!("the match {id} stands there without those in which its bots change seats");
            (place.path().join(super::place::PLAN), words)
        }));
        proof.misfits.extend(wrong_seeds(place, plan));
    }
    let key = own_key();
    proof.misfits.extend(altered(place.path(), key.as_ref(), |name| name == BOTS));
    proof.misfits.extend(altered(&place.path().join(MERGED), key.as_ref(), |_| true));
    proof.misfits.extend(altered_grade(place, key.as_ref()));
    let judge = |line: usize| basis.judge(&plan[line], failed.contains(&plan[line].id), key.as_ref());
    on_all_cores(plan.len(), judge, |done, next| match next {
        None => progress(done, plan.len()),
        Some((_, judged)) => {
            let judged = judged.unwrap_or_else(|misfit| {
                proof.misfits.push(misfit);
                Judged::Wrong
            });
            proof.counts[judged as usize] += 1;
        }
    });
    proof.misfits.sort();
    Ok(proof)
}

/// Checks that the file of seeds holds exactly the seeds that the plan names by their hashes. A seed has 64 bits, so no other one
/// has its hash.
fn wrong_seeds(place: &Place, plan: &[Planned]) -> Option<Misfit> {
    let sealed: BTreeSet<&String> = plan.iter().filter_map(|planned| planned.seed_sha256.as_ref()).collect();
    let path = place.seeds_file();
    if sealed.is_empty() && !path.exists() {
        return None;
    }
    let what = match place.sealed_seeds() {
        Err(Error::File(_, error)) => io_words(&error),
        Err(error) => error.to_string().replace(&format!("{}: ", path.display()), ""),
        Ok(seeds) => {
            let found: BTreeSet<String> = seeds.into_iter().map(seal).collect();
            let lost = sealed.iter().find(|hash| !found.contains(**hash));
            let lost = lost.map(|hash| format!("the seed with the SHA-256 {hash} is missing"));
            let mut others = found.iter().filter(|hash| !sealed.contains(hash));
            let words = "it holds a seed that the plan doesn't name, of the SHA-256";
            lost.or_else(|| others.next().map(|hash| format!("{words} {hash}")))?
        }
    };
    Some((path, what))
}

/// What a match turned out to be.
#[derive(Clone, Copy)]
enum Judged {
    /// The record proves the result.
    Proved,
    /// The match counts for nothing, since nothing proved it when it was judged.
    Unproved,
    /// The match failed at each try, and so has no result.
    Failed,
    Missing,
    /// A file of the match contradicts the others.
    Wrong,
}

impl Basis {
    /// Compares the files of a match with each other, and proves its record. `failed`: whether a failure of it is
    /// noted.
    fn judge(&self, planned: &Planned, failed: bool, key: Option<&Key>) -> Result<Judged, Misfit> {
        let (place, id) = (&self.place, planned.id);
        let (result, folder) = (place.result(id), place.match_folder(id));
        let all = [result.clone(), folder.clone(), folder.join(ARENA_RESULT), folder.join(RECORD)];
        if let Some(link) = all.into_iter().find(|path| is_link(path)) {
            return Err((link, LINK_MESSAGE.to_owned()));
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
        let report = place.arena_result(id).ok_or_else(|| {
            (folder.join(ARENA_RESULT), "it isn't there, or can't be read for what it is".to_owned())
        })?;
        altered(&folder, key, |name| name == ARENA_RESULT).pop().map_or(Ok(()), Err)?;
        let again = outcome_of(&report, self.game, planned, &self.book)
            .map_err(|what| (folder.join(ARENA_RESULT), what))?;
        // These values aren't made from `result.json`.
        let Outcome { earlier, gained, record_sha256, sha256, .. } = outcome.clone();
        let again = Outcome { earlier, gained, record_sha256, sha256, ..again };
        if again != outcome {
            let maps = [&again, &outcome].map(|outcome| serde_json::to_value(outcome).unwrap_or_default());
            let [again, outcome] = maps.map(|map| map.as_object().cloned().unwrap_or_default());
            let keys = differing_keys(&again, &outcome).join(", ");
            return Err(wrong(format!("it tells otherwise than {ARENA_RESULT} of its match: {keys}")));
        }
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
            return Err(format!("{ARENA_RESULT} doesn't say how the match went"));
        };
        let guilty = |name: &str| arena.teams.iter().any(|team| team.foul.is_some() && team.team == name);
        let verified =
            prove_bytes(&bytes, self.games.specs, result, &guilty).map_err(|why| format!("it {why}"))?;
        verified.touched.map_or(Ok(()), |touched| Err(format!("its match was {touched}")))
    }
}
