//! What happens in a session, as plain numbers: drawn from a seed, read from bytes, and shortened.
//!
//! Every script can be played: numbers that name a client or an amount count modulo what there is.
//! Tested by the sessions in `tests`.

use zappy_game::chance::Chance;

/// Bytes of a step when it is written.
const STEP_BYTES: usize = 7;
/// The most steps of a script that is read from bytes.
const MAX_STEPS: usize = 2_000;

/// One thing that happens: on the network, to the clock, or by a client or the operator.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    /// A client asks for a connection and says a name, or not yet.
    Connect,
    /// Hundreds of clients ask for connections.
    Crowd,
    /// A client sends lines of its kind: commands, orders or requests.
    Say,
    /// Every player sends a line.
    Round,
    /// Several players, one after another, each with time to think.
    Play,
    /// A client sends random bytes.
    Junk,
    /// A client sends hundreds of lines at once.
    Flood,
    /// A client sends a line without an end.
    Endless,
    /// A client says a name, also if it is let in already.
    Name,
    /// A few of a client's bytes that are on their way arrive.
    Arrive,
    /// All bytes that are on their way arrive.
    ArriveAll,
    /// A client stops reading, or takes a few bytes.
    Stall,
    /// All clients read again, whatever they are sent.
    ReadAll,
    /// A client sends nothing more, but reads.
    HalfClose,
    Reset,
    /// A client is gone with something unread: its lines can still be read.
    BreakOff,
    /// A signal interrupts the next calls.
    Interrupt,
    /// No connection can be accepted.
    FailAccept,
    /// Time passes while the server is awake.
    Sleep,
    /// The server stands still for some time.
    StandStill,
    /// The operator types lines, some of them bad.
    Console,
    /// So many more bytes fit on the disk, or any number again.
    FillDisk,
    /// The server is killed and goes on from its record.
    Kill,
}

/// Each kind with how often it happens, in 1,000 steps or so.
const KINDS: [(Kind, u32); 23] = [
    (Kind::Connect, 90),
    (Kind::Crowd, 0),
    (Kind::Say, 180),
    (Kind::Round, 120),
    (Kind::Play, 60),
    (Kind::Junk, 25),
    (Kind::Flood, 10),
    (Kind::Endless, 5),
    (Kind::Name, 12),
    (Kind::Arrive, 50),
    (Kind::ArriveAll, 50),
    (Kind::Stall, 50),
    (Kind::ReadAll, 25),
    (Kind::HalfClose, 12),
    (Kind::Reset, 12),
    (Kind::BreakOff, 8),
    (Kind::Interrupt, 15),
    (Kind::FailAccept, 10),
    (Kind::Sleep, 180),
    (Kind::StandStill, 12),
    (Kind::Console, 40),
    (Kind::FillDisk, 5),
    (Kind::Kill, 3),
];

/// A step: what happens, to which of those that it may happen to, and how.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Step {
    pub(super) kind: Kind,
    pub(super) which: u16,
    pub(super) how: u32,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Script {
    /// What is played, and how, is drawn from this number.
    pub(super) seed: u64,
    pub(super) steps: Vec<Step>,
}

impl Script {
    /// The script of that seed. Each seed draws how often it does what, and leaves some things out, so that it comes
    /// to states that an even mixture never reaches.
    pub(super) fn of_seed(seed: u64) -> Script {
        let mut chance = Chance::new(seed, 1, 0, 0);
        let mut weights = KINDS.map(|(kind, weight)| match (kind, chance.below(8)) {
            // Without these nothing happens.
            (Kind::Connect | Kind::Sleep, _) => weight,
            (_, 0 | 1) => 0,
            (_, 2) => weight * 4,
            _ => weight,
        });
        let (mut steps, crowded) = (60 + chance.below(240), seed % 64 == 63);
        if crowded {
            weights[Kind::Crowd as usize] = 40;
            steps = 60;
        }
        let sum = weights.iter().sum();
        let mut step = || {
            let mut drawn = chance.below(sum);
            let place = weights.iter().position(|&weight| {
                let here = drawn < weight;
                drawn = drawn.saturating_sub(weight);
                here
            });
            let kind = KINDS[place.unwrap_or(0)].0;
            let which = u16::try_from(chance.below(1 << 16)).unwrap_or(0);
            Step { kind, which, how: chance.below(u32::MAX) }
        };
        Script { seed, steps: (0..steps).map(|_| step()).collect() }
    }

    /// The script that these bytes stand for: eight of a seed, then seven for each step. Any bytes will do.
    pub(super) fn of_bytes(bytes: &[u8]) -> Script {
        let (seed, rest) = bytes.split_at(bytes.len().min(8));
        let number = |bytes: &[u8]| bytes.iter().rev().fold(0, |sum, &byte| sum << 8 | u64::from(byte));
        let steps = rest.chunks_exact(STEP_BYTES).take(MAX_STEPS).map(|step| Step {
            kind: KINDS[usize::from(step[0]) % KINDS.len()].0,
            which: u16::from_le_bytes([step[1], step[2]]),
            how: u32::from_le_bytes([step[3], step[4], step[5], step[6]]),
        });
        Script { seed: number(seed), steps: steps.collect() }
    }

    /// The bytes that stand for the script.
    pub(super) fn bytes(&self) -> Vec<u8> {
        let mut bytes = self.seed.to_le_bytes().to_vec();
        for Step { kind, which, how } in &self.steps {
            bytes.push(*kind as u8);
            bytes.extend(which.to_le_bytes());
            bytes.extend(how.to_le_bytes());
        }
        bytes
    }

    /// A script that still fails and from which no step can be left out, or the best that was found in `tries`.
    #[cfg(test)]
    pub(super) fn shrunk(&self, mut tries: u32, fails: impl Fn(&Script) -> bool) -> Script {
        let mut best = self.clone();
        let mut length = best.steps.len().div_ceil(2);
        while length > 0 {
            let (mut at, mut shorter) = (0, false);
            while at < best.steps.len() && tries > 0 {
                tries -= 1;
                let mut steps = best.steps.clone();
                steps.drain(at..(at + length).min(steps.len()));
                let candidate = Script { seed: best.seed, steps };
                if fails(&candidate) {
                    (best, shorter) = (candidate, true);
                } else {
                    at += length;
                }
            }
            if !shorter || tries == 0 {
                length /= 2;
            }
        }
        best
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_script_is_read_as_it_is_written() {
        for (place, (kind, _)) in KINDS.iter().enumerate() {
            assert_eq!(*kind as usize, place, "{kind:?} stands elsewhere");
        }
        for seed in 0..20 {
            let script = Script::of_seed(seed);
            assert_eq!(Script::of_bytes(&script.bytes()), script);
        }
        assert_eq!(Script::of_bytes(b"\x07"), Script { seed: 7, steps: Vec::new() });
    }

    #[test]
    fn a_failure_is_shrunk_to_the_steps_that_it_needs() {
        let script = Script::of_seed(3);
        let needed = [script.steps[7], script.steps[40]];
        let fails = |script: &Script| {
            let mut left = needed.iter().peekable();
            script.steps.iter().for_each(|step| _ = left.next_if_eq(&step));
            left.peek().is_none()
        };
        assert_eq!(script.shrunk(10_000, fails).steps, needed);
    }
}
