//! What the examples of Zappy ask for on the command line: the seeds, the map and the rules.

use clap::Args;
use zappy_game_zappy::RuleSet;

use crate::sim::Table;

/// The seeds, the map and the rules.
#[derive(Debug, Clone, Args)]
pub struct Field {
    /// How many seeds.
    #[arg(long, default_value_t = 50)]
    pub seeds: u64,
    /// The first seed.
    #[arg(long, default_value_t = 1)]
    pub first: u64,
    #[arg(long, default_value_t = 20)]
    pub width: u16,
    #[arg(long, default_value_t = 20)]
    pub height: u16,
    #[arg(long, default_value_t = 6)]
    pub slots: u32,
    /// Plays by the strict rules.
    #[arg(long)]
    pub strict: bool,
    /// Plays by the official server's rules.
    #[arg(long, conflicts_with = "strict")]
    pub official: bool,
    /// Whatever the rules: with the official server's eggs, resources, sounds and queue
    #[arg(long)]
    pub mixed: bool,
}

impl Field {
    /// The set-up of a seed's match by these options.
    pub fn table(&self, seed: u64) -> Table {
        let Field { width, height, slots, .. } = *self;
        let rules = match (self.strict, self.official) {
            (true, _) => RuleSet::STRICT,
            (_, true) => RuleSet::OFFICIAL,
            _ => RuleSet::SUBJECT,
        };
        let rules = if self.mixed { rules.with_official_habits() } else { rules };
        Table { width, height, slots, seed, rules, ..Table::default() }
    }
}
