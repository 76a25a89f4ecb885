//! The mirror: our bot plays itself in every seat, over many seeds. Where wins are spread less evenly than chance allows, the game
//! isn't fair.
//!
//! Three things that must not matter are tested together: the seat (the team's place on the command line), the
//! team's name, and the order in which players were admitted. Names are shuffled over the seats anew for each
//! seed, so that names and seats are independent. Tested in `arena/cli/tests/in_process.rs`.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::io::Sink;
use std::ops::Range;
use std::sync::atomic::AtomicBool;
use std::time::Instant;

use serde_json::{Value, json};
use zappy_play::Error;
use zappy_play::display::Display;
use zappy_play::local::bot::LocalBot;
use zappy_play::local::in_process::Played;
use zappy_play::local::plan::Plan;
use zappy_play::local::series::quartiles;
use zappy_play::programs::environment::bot_seed;
use zappy_play::programs::signals::Signals;
use zappy_play::text::round;
use zappy_play::world::World;
use zappy_protocol::record::RecordLevel;
use zappy_protocol::{TeamName, Tick};

use crate::compare::fairness::{LEAST_P, Spread};
use crate::compare::inside::{self, Counter};
use crate::rating::wilson;

/// The names of teams, in the order of the alphabet; a match uses the first ones.
const TEAM_NAMES: [&str; 16] = [
    "alder", "beech", "cedar", "elm", "fir", "hazel", "juniper", "larch", "maple", "oak", "pine", "rowan",
    "spruce", "tamarisk", "willow", "yew",
];
pub const MAX_TEAMS: usize = TEAM_NAMES.len();

/// The matches that are to be played.
#[derive(Debug, Clone)]
pub struct Mirror {
    pub teams: usize,
    /// The seeds, one match each.
    pub seeds: Range<u64>,
    /// The game with its options, and the map.
    pub world: World,
    /// The tick at which a match ends.
    pub max_ticks: Tick,
    pub jobs: usize,
}

/// The results of the matches.
#[derive(Debug)]
pub struct MirrorFindings {
    /// Whether the operator ended it.
    pub interrupted: bool,
    mirror: Mirror,
    /// The numbers of matches by their winners: each with its seat and its name's place in [`TEAM_NAMES`]. Several if
    /// allies win together; none if no team won, or only by lot, or all did.
    won: BTreeMap<Vec<(usize, usize)>, u64>,
    /// For each place in the order of admission: how often the team of the player in that place has won.
    wins_by_place: Vec<u64>,
    /// For each place in the order of admission: how often a player of each seat was admitted in that place.
    admitted: Vec<Vec<u64>>,
    ticks: Vec<Tick>,
    seconds: f64,
}

/// For each seat the place of its name in [`TEAM_NAMES`], in the match of this seed.
fn shuffled_names(seed: u64, teams: usize) -> Vec<usize> {
    let mut names: Vec<usize> = (0..teams).collect();
    // The seed itself gives the bots their chance, so names are drawn from its complement.
    names.sort_by_key(|&name| bot_seed(!seed, name));
    names
}

impl Mirror {
    fn plan(&self, seed: u64) -> Result<Plan, Error> {
        let guest = self.world.guest.ok_or(Error::NoBots(self.world.spec.game.name))?;
        let team = |name: usize| TeamName::parse(TEAM_NAMES[name].as_bytes()).expect("plain words are names");
        let bots =
            shuffled_names(seed, self.teams).into_iter().map(|name| LocalBot::plain(team(name), guest));
        Ok(Plan {
            bots: bots.collect(),
            seeds: self.seeds.clone(),
            world: self.world.clone(),
            procs: self.world.slots,
            freq: self.world.rate(None)?,
            max_ticks: self.max_ticks,
            level: RecordLevel::Inputs,
            jobs: self.jobs,
        })
    }

    /// Checks that the values go together.
    ///
    /// # Errors
    /// The first thing that is wrong, with its remedy.
    pub fn validate(&self) -> Result<(), Error> {
        self.plan(self.seeds.start)?.validate()
    }

    /// Plays all matches.
    ///
    /// # Errors
    /// One could not be played.
    pub fn play(&self, signals: &mut Signals, display: &mut Display) -> Result<MirrorFindings, Error> {
        let start = Instant::now();
        let mut findings = MirrorFindings {
            interrupted: false,
            mirror: self.clone(),
            won: BTreeMap::new(),
            wins_by_place: vec![0; self.teams * self.world.slots],
            admitted: vec![vec![0; self.teams]; self.teams * self.world.slots],
            ticks: Vec::new(),
            seconds: 0.0,
        };
        let play = |seed, stop: &AtomicBool| {
            Ok(inside::play_one(&self.plan(seed)?, seed, stop)?.map(|played| (seed, played)))
        };
        let plan = self.plan(self.seeds.start)?;
        findings.interrupted = inside::play_until(&plan, signals, display, play, &mut findings)?;
        findings.seconds = start.elapsed().as_secs_f64();
        Ok(findings)
    }
}

impl Counter for MirrorFindings {
    /// The seed, and its match.
    type Outcome = (u64, Played<Sink>);

    fn count_next(&mut self, (seed, played): (u64, Played<Sink>)) -> Result<bool, Error> {
        let (teams, verdict) = (self.mirror.teams, &played.verdict);
        let names = shuffled_names(seed, teams);
        let winners: Vec<&str> = verdict.winners().filter(|_| !verdict.by_lot).collect();
        let won = (0..teams).filter(|&seat| winners.contains(&TEAM_NAMES[names[seat]]));
        let mut won: Vec<(usize, usize)> = won.map(|seat| (seat, names[seat])).collect();
        if won.len() == teams {
            won.clear();
        }
        for (seat, team) in played.result.teams.iter().enumerate() {
            let has_won = won.iter().any(|&(winner, _)| winner == seat);
            let players = team.details.get("players").and_then(Value::as_array);
            for place in players.into_iter().flatten().filter_map(|player| player["player"].as_u64()) {
                if let Some(count) = self.wins_by_place.get_mut(place as usize) {
                    *count += u64::from(has_won);
                    self.admitted[place as usize][seat] += 1;
                }
            }
        }
        self.ticks.push(played.ticks);
        *self.won.entry(won).or_default() += 1;
        Ok(false)
    }

    fn progress(&self) -> String {
        let Range { start, end } = self.mirror.seeds;
        format!("{} of {} matches | wins by seat: {:?}", self.ticks.len(), end - start, self.wins_by_seat())
    }
}

impl MirrorFindings {
    /// How many teams win a match: one, or as many as are allied; most matches have so many winners. The others decide
    /// nothing.
    fn winners_per_match(&self) -> usize {
        let mut matches: BTreeMap<usize, u64> = BTreeMap::new();
        self.won.iter().for_each(|(won, count)| *matches.entry(won.len()).or_default() += count);
        matches.remove(&0);
        matches.into_iter().rev().max_by_key(|&(_, count)| count).map_or(1, |(winners, _)| winners)
    }

    /// The decided matches: all sets of winners, each with the number of its matches.
    fn decided(&self) -> impl Iterator<Item = (&[(usize, usize)], u64)> {
        let winners = self.winners_per_match();
        self.won.iter().filter(move |(won, _)| won.len() == winners).map(|(won, &count)| (&won[..], count))
    }

    /// Matches without a winner, or with another number of winners than most.
    fn undecided(&self) -> u64 {
        self.ticks.len() as u64 - self.decided().map(|(_, count)| count).sum::<u64>()
    }

    /// How often each seat was among the winners.
    fn wins_by_seat(&self) -> Vec<u64> {
        let mut seats = vec![0; self.mirror.teams];
        for (won, count) in self.decided() {
            won.iter().for_each(|&(seat, _)| seats[seat] += count);
        }
        seats
    }

    /// How often each name won, or each set of names that win together.
    fn wins_by_name(&self) -> BTreeMap<Vec<usize>, u64> {
        let alone = (0..self.mirror.teams).filter(|_| self.winners_per_match() == 1);
        let mut names: BTreeMap<Vec<usize>, u64> = alone.map(|name| (vec![name], 0)).collect();
        for (won, count) in self.decided() {
            let mut together: Vec<usize> = won.iter().map(|&(_, name)| name).collect();
            together.sort_unstable();
            *names.entry(together).or_default() += count;
        }
        names
    }

    /// The keys of [`MirrorFindings::wins_by_name`] as people read them.
    fn labels(&self) -> Vec<String> {
        let join =
            |names: &Vec<usize>| names.iter().map(|&name| TEAM_NAMES[name]).collect::<Vec<_>>().join(",");
        self.wins_by_name().keys().map(join).collect()
    }

    /// The tests, each with the thing that must not matter.
    fn spreads(&self) -> [(&'static str, Spread); 3] {
        let (winners, slots) = (self.winners_per_match() as u64, self.mirror.world.slots as u64);
        let names: Vec<u64> = self.wins_by_name().into_values().collect();
        [
            ("seats", Spread::new(&self.wins_by_seat(), winners)),
            ("names", Spread::new(&names, 1)),
            ("order of admission", Spread::new(&self.wins_by_place, winners * slots)),
        ]
    }

    /// What must not matter and is shown to matter: seats, names, order of admission.
    fn unfair_factors(&self) -> Vec<&'static str> {
        let spreads = self.spreads();
        let unfair = spreads.iter().filter(|(_, spread)| spread.is_fair() == Some(false));
        unfair.map(|(what, _)| *what).collect()
    }

    /// Whether neither seats nor names nor order are shown to matter, and enough was played to say so of the seats.
    pub fn is_clean(&self) -> bool {
        let [(_, seats), ..] = self.spreads();
        seats.visible_share().is_some() && self.unfair_factors().is_empty()
    }

    pub fn json(&self) -> Value {
        let [(_, seats), (_, names), (_, places)] = self.spreads();
        let Mirror { teams, seeds, world, max_ticks, .. } = &self.mirror;
        json!({
            "seeds": { "first": seeds.start, "count": seeds.end - seeds.start },
            "width": world.spec.config.map.width(),
            "height": world.spec.config.map.height(),
            "teams": teams,
            "clients": world.slots,
            "rules": world.spec.options.get("rules"),
            "max_ticks": max_ticks,
            "matches": self.ticks.len(),
            "without_winner": self.undecided(),
            "ticks": quartiles(&self.ticks),
            "least_p": LEAST_P,
            "matter": self.unfair_factors(),
            "margin_95": round(seats.margin(), 4),
            "visible_share": seats.visible_share().map(|share| round(share, 4)),
            "seats": seats.json(),
            "names": { "names": self.labels(), "test": names.json() },
            "order_of_admission": places.json(),
            "admitted_by_seat": self.admitted,
        })
    }

    pub fn render(&self) -> String {
        let [(_, seats), (_, names), (_, places)] = self.spreads();
        let Mirror { teams, seeds, world, .. } = &self.mirror;
        let (count, last) = (self.ticks.len(), seeds.end - 1);
        let [_, first, median, third, _] = quartiles(&self.ticks);
        let mut text = format!(
            "{} in all {teams} seats: {count} matches, seeds {} to {last}, {world}, {} players per team\n\
             {} without a winner, or with one by lot; ticks: quartiles {first} {median} {third}; {:.1} s\n\n",
            world.guest.map_or("no bot", |guest| guest.program),
            seeds.start,
            world.slots,
            self.undecided(),
            self.seconds,
        );
        text.push_str("seat       wins  share            expected\n");
        table(&mut text, &seats, |seat| (seat + 1).to_string());
        text.push_str(
            "\nname       wins  share            expected   (shuffled over the seats for each seed)\n",
        );
        let labels = self.labels();
        table(&mut text, &names, |name| labels[name].clone());
        let _ = writeln!(
            text,
            "\norder of admission: of the first {} players admitted, how often each one's team won\n  {}",
            places.counts.len(),
            places.describe(),
        );
        let unfair = self.unfair_factors().join(" and ");
        let conclusion = match seats.visible_share() {
            _ if !unfair.is_empty() => {
                format!("NOT FAIR: {unfair} matter more than chance explains (p <= {LEAST_P})")
            }
            None => "too few decided matches to say whether seats matter; raise --seeds".to_owned(),
            Some(visible) => format!(
                "nothing is shown to matter (p > {LEAST_P}). What could have been seen: each seat's share is known to ± {:.1} \
                 points,\nand a seat that wins {:.1} % of {} decided matches is found in nine of ten runs",
                seats.margin() * 100.0,
                visible * 100.0,
                self.ticks.len() as u64 - self.undecided(),
            ),
        };
        let _ = writeln!(text, "\n{conclusion}");
        text
    }
}

fn table(text: &mut String, spread: &Spread, name: impl Fn(usize) -> String) {
    let all = spread.counts.iter().sum::<u64>().max(1) as f64;
    for (i, &wins) in spread.counts.iter().enumerate() {
        let (name, share) = (name(i), wins as f64 / all);
        let (low, high) = wilson(share, all);
        let (share, margin) = (share * 100.0, (high - low) * 50.0);
        // Writing to a string cannot fail.
        let _ = writeln!(text, "{name:<8} {wins:>6}  {share:4.1} ± {margin:4.1} %  {:8.1}", spread.expected);
    }
    let _ = writeln!(text, "  {}", spread.describe());
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_name_comes_to_every_seat_equally_often() {
        for teams in [2, 3, 8] {
            let mut counts = vec![vec![0u64; teams]; teams];
            for seed in 0..2_000 {
                shuffled_names(seed, teams)
                    .into_iter()
                    .enumerate()
                    .for_each(|(seat, name)| counts[seat][name] += 1);
            }
            for seat in counts {
                assert_eq!(Spread::new(&seat, 1).is_fair(), Some(true), "{seat:?}");
            }
        }
    }
}
