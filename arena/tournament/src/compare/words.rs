//! The findings of a comparison in plain words and as JSON.
//!
//! The words claim no more than the test allows. Tested in this module.

use std::fmt::Write as _;

use serde_json::{Value, json};
use zappy_play::text::round;
use zappy_protocol::text::many;

use super::sprt::{Answer, Question, elo_of, share_of};
use super::{Findings, NAMES};

impl Findings {
    pub fn render(&self) -> String {
        let mut text = format!("{}\n", self.verdict());
        let (count, [won, drawn, lost]) = (&self.count, self.count.matches);
        let (pairs, (low, high)) = (count.tally.count(), self.count.question.bounds());
        let kinds = ["0", "0.5", "1", "1.5", "2"].into_iter().zip(count.tally.pentanomial);
        let kinds = kinds.map(|(points, pairs)| format!("{points}: {pairs}"));
        // Writing to a string cannot fail.
        let _ = writeln!(
            text,
            "  points    {} of {} for the new version: {won} won, {lost} lost, {drawn} drawn",
            count.tally.points(),
            2 * pairs
        );
        let _ = writeln!(
            text,
            "  pairs     {pairs} played in both seats, seeds {}; by points of the new version:\n            {}",
            self.first_seed.map_or("drawn".to_owned(), |first| format!("from {first} on")),
            kinds.collect::<Vec<_>>().join(", ")
        );
        if let Some((share, (low, high))) = count.tally.share().zip(count.tally.interval()) {
            let [elo, low, high] = [share, low, high].map(elo_words);
            let _ = writeln!(
                text,
                "  strength  {elo} Elo (logistic: 400 are ten points for each lost), with 95 % between {low} and {high}\n            \
                 (not adjusted for stopping as soon as it was clear, which exaggerates)"
            );
        }
        let ratio = count.question.ratio(&count.tally);
        let Question { elo0, elo1, alpha, beta } = self.count.question;
        let [alpha, beta] = [alpha, beta].map(|chance| round(chance * 100.0, 2));
        let _ = writeln!(
            text,
            "  test      LLR {ratio:.2}, ends at {low:.2} (no) and {high:.2} (yes)\n            a version that is {elo0} Elo \
             better gets a yes in about {alpha} % of such comparisons,\n            one that is {elo1} Elo better a no in about \
             {beta} %"
        );
        text + &self.notes().iter().map(|note| format!("  note      {note}\n")).collect::<String>()
    }

    /// The answer in a sentence.
    pub fn verdict(&self) -> String {
        let (elo0, elo1) = (self.count.question.elo0, self.count.question.elo1);
        match self.answer {
            Some(Answer::Yes) if elo0 == 0.0 => "The new version is stronger.".to_owned(),
            Some(Answer::Yes) if elo0 > 0.0 => {
                format!("The new version is stronger by more than {elo0} Elo.")
            }
            Some(Answer::Yes) => format!("The new version is not weaker by {} Elo.", -elo0),
            Some(Answer::No) if elo1 > 0.0 => format!("The new version is not stronger by {elo1} Elo."),
            Some(Answer::No) if elo1 == 0.0 => "The new version is weaker.".to_owned(),
            Some(Answer::No) => format!("The new version is weaker by more than {} Elo.", -elo1),
            None => {
                let Some((low, high)) = self.count.tally.interval() else {
                    return "Not decided: no pair was counted.".to_owned();
                };
                let version = if low > share_of(elo0) && high > share_of(elo1) {
                    "the new version looks stronger"
                } else if high < share_of(elo1) && low < share_of(elo0) {
                    "the new version looks no stronger"
                } else {
                    "so few pairs tell too little"
                };
                let share = self.count.tally.share().unwrap_or(0.5);
                let [share, low, high] = [share, low, high].map(elo_words);
                format!(
                    "Not decided: {version} ({share}, between {low} and {high} Elo), but the pairs are used up before that is as \
                     sure as --alpha and --beta ask. Raise --max-pairs."
                )
            }
        }
    }

    /// Remarks on the pairs and on how the bots behaved.
    fn notes(&self) -> Vec<String> {
        let (count, mut notes) = (&self.count, Vec::new());
        if count.tally.count() > 0 && count.tally.pentanomial[2] == count.tally.count() {
            notes.push("every pair was split: both may play the very same".to_owned());
        }
        if count.void > 0 {
            notes.push(format!("not counted, since they say nothing: {}", many(count.void, "pair")));
        }
        notes.extend(count.ends.iter().map(|(&(version, end), times)| {
            format!("{} {}: in {}", NAMES[version], end.word().replace('_', " "), many(*times, "match"))
        }));
        if count.disturbed > 0 {
            let words = "touched by time, so that they may end otherwise when played again";
            notes.push(format!("{words}: {}", many(count.disturbed, "match")));
        }
        notes
    }

    pub fn json(&self) -> Value {
        let (count, question) = (&self.count, &self.count.question);
        let (low, high) = question.bounds();
        let interval = count.tally.interval();
        let elo = |share| elo_of(share).map(|elo| round(elo, 1));
        let mut misbehaved = json!({ (NAMES[0]): {}, (NAMES[1]): {} });
        for ((version, end), times) in &count.ends {
            misbehaved[NAMES[*version]][end.word()] = json!(times);
        }
        let answer = match self.answer {
            Some(Answer::Yes) => "yes",
            Some(Answer::No) => "no",
            None => "not decided",
        };
        json!({
            "answer": answer,
            "verdict": self.verdict(),
            "elo0": question.elo0,
            "elo1": question.elo1,
            "alpha": question.alpha,
            "beta": question.beta,
            "first_seed": self.first_seed,
            "pairs": count.tally.count(),
            "pairs_by_half_points": count.tally.pentanomial,
            "pairs_not_counted": count.void,
            "won": count.matches[0],
            "drawn": count.matches[1],
            "lost": count.matches[2],
            "llr": round(question.ratio(&count.tally), 4),
            "llr_bounds": [round(low, 4), round(high, 4)],
            "share": count.tally.share().map(|share| round(share, 4)),
            "share_interval_95_unadjusted": interval.map(|(low, high)| [round(low, 4), round(high, 4)]),
            "elo": count.tally.share().and_then(elo),
            "elo_interval_95_unadjusted": interval.map(|(low, high)| [elo(low), elo(high)]),
            "misbehaved": misbehaved,
            "disturbed_matches": count.disturbed,
        })
    }
}

fn elo_words(share: f64) -> String {
    // Adding 0.0 makes 0 of the -0 to which a small negative number rounds.
    elo_of(share).map_or("no bound".to_owned(), |elo| format!("{:+.0}", elo.round() + 0.0))
}

#[cfg(test)]
mod tests {
    use super::super::count::{Count, Half};
    use super::*;
    use crate::outcome::BotEnd;
    use crate::verdict::PairResult::{Draw, Win};

    fn findings(elo0: f64, elo1: f64, answer: Option<Answer>) -> Findings {
        let question = Question { elo0, elo1, alpha: 0.05, beta: 0.1 };
        Findings { count: Count::new(question, 100), answer, interrupted: false, first_seed: Some(7) }
    }

    #[test]
    fn an_answer_says_what_was_asked_and_no_more() {
        for (elo0, elo1, yes, no) in [
            (0.0, 50.0, "is stronger.", "is not stronger by 50 Elo."),
            (10.0, 50.0, "is stronger by more than 10 Elo.", "is not stronger by 50 Elo."),
            (-30.0, 0.0, "is not weaker by 30 Elo.", "is weaker."),
            (-30.0, -10.0, "is not weaker by 30 Elo.", "is weaker by more than 10 Elo."),
        ] {
            for (answer, words) in [(Answer::Yes, yes), (Answer::No, no)] {
                assert_eq!(findings(elo0, elo1, Some(answer)).verdict(), format!("The new version {words}"));
            }
        }
        assert!(findings(0.0, 50.0, None).verdict().starts_with("Not decided"));
    }

    #[test]
    fn without_an_answer_the_verdict_says_to_which_side_the_pairs_lean() {
        for (pairs, words) in [
            ([0, 0, 3, 2, 6], "the new version looks stronger (+261, between"),
            ([6, 2, 3, 0, 0], "the new version looks no stronger (-261, between"),
            ([0, 0, 3, 0, 0], "so few pairs tell too little (+0, between"),
        ] {
            let mut found = findings(0.0, 50.0, None);
            found.count.tally.pentanomial = pairs;
            let verdict = found.verdict();
            assert!(verdict.starts_with(&format!("Not decided: {words}")), "{verdict}");
            assert!(verdict.ends_with("Raise --max-pairs.") && !verdict.contains("either"), "{verdict}");
        }
        assert_eq!(findings(0.0, 50.0, None).verdict(), "Not decided: no pair was counted.");
    }

    #[test]
    fn figures_and_notes_are_told() {
        let mut found = findings(0.0, 50.0, None);
        let nothing = found.render();
        assert!(nothing.contains("points    0 of 0") && !nothing.contains("strength"), "{nothing}");
        for _ in 0..3 {
            found.count.add(&[Win, Draw].map(Half::scored)).unwrap();
        }
        let absent = Half { points: None, ends: vec![(0, BotEnd::Late, None)], reproducible: false };
        found.count.add(&[absent, Half::scored(Draw)]).unwrap();
        let text = found.render();
        for words in [
            "4.5 of 6 for the new version: 3 won, 0 lost, 3 drawn",
            "3 played in both seats, seeds from 7 on",
            "0: 0, 0.5: 0, 1: 0, 1.5: 3, 2: 0",
            "+191 Elo (logistic: 400 are ten points for each lost), with 95 % between ",
            "a version that is 0 Elo better gets a yes in about 5 % of such comparisons,",
            "one that is 50 Elo better a no in about 10 %",
            "not counted, since they say nothing: 1 pair",
            "old late: in 1 match\n",
            "when played again: 1 match\n",
        ] {
            assert!(text.contains(words), "{words}\n{text}");
        }
        let json = found.json();
        assert_eq!(json["pairs_by_half_points"], serde_json::json!([0, 0, 0, 3, 0]));
        assert_eq!((&json["answer"], &json["misbehaved"]["old"]["late"]), (&"not decided".into(), &1.into()));
    }
}
