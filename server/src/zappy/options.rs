//! Zappy's own options: the rule set and two values.
//!
//! Plain values. Tested in `spec`, which reads them from text.

/// The most slots per team at the start.
pub const MAX_SLOTS: u32 = 1_000;
/// Slots per team at the start, by default.
pub const DEFAULT_SLOTS: u32 = 6;

/// Which rules are played.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RuleSet {
    /// As the reference server plays.
    Reference,
    /// Only idle players take part in an incantation, none of them may be moved during it, and `Inventory` shows food
    /// in ticks.
    Strict,
}

impl RuleSet {
    /// Its name on the command line and in records.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            RuleSet::Reference => "reference",
            RuleSet::Strict => "strict",
        }
    }

    /// Whether it is [`RuleSet::Strict`].
    #[must_use]
    pub const fn is_strict(self) -> bool {
        matches!(self, RuleSet::Strict)
    }

    /// The rule set of that name.
    #[must_use]
    pub fn parse(name: &str) -> Option<RuleSet> {
        [RuleSet::Reference, RuleSet::Strict].into_iter().find(|rules| rules.name() == name)
    }
}

/// Zappy's own options, beside what every game's match has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ZappyOptions {
    /// Which rules are played.
    pub rules: RuleSet,
    /// Slots per team at the start, 1 to [`MAX_SLOTS`].
    pub slots: u32,
    /// Whether `Look` shows eggs.
    pub display_eggs: bool,
}

impl Default for ZappyOptions {
    fn default() -> ZappyOptions {
        ZappyOptions { rules: RuleSet::Reference, slots: DEFAULT_SLOTS, display_eggs: false }
    }
}
