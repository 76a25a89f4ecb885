//! The way to a tile as commands: straight lines with as few turns as possible.
//!
//! Tested in this module.

use zappy_protocol::zappy::Orientation;
use zappy_protocol::zappy::player::Command;

use super::BATCH;

/// The commands by which a player that faces `facing` goes the way `(dx, dy)`, as many as fit into a batch.
pub fn commands(facing: Orientation, way: (i32, i32)) -> Vec<Command> {
    let (ahead, right) = facing.from_map(way);
    let mut commands = Vec::new();
    let mut push = |command: Command, times: u32| {
        for _ in 0..times.min(BATCH as u32) {
            commands.push(command.clone());
        }
    };
    let turn = if right >= 0 { Command::Right } else { Command::Left };
    if ahead > 0 {
        push(Command::Forward, ahead.unsigned_abs());
    }
    if right != 0 {
        push(turn.clone(), 1);
        push(Command::Forward, right.unsigned_abs());
    } else if ahead < 0 {
        push(turn.clone(), 1);
    }
    if ahead < 0 {
        push(turn, 1);
        push(Command::Forward, ahead.unsigned_abs());
    }
    commands.truncate(BATCH);
    commands
}

/// The beginning of [`commands`], up to and including that many steps (at least 1).
pub fn first_steps(facing: Orientation, way: (i32, i32), steps: usize) -> Vec<Command> {
    let mut commands = commands(facing, way);
    let forward = commands.iter().enumerate().filter(|(_, command)| **command == Command::Forward);
    let last = forward.map(|(at, _)| at).nth(steps - 1);
    commands.truncate(last.map_or(commands.len(), |at| at + 1));
    commands
}

/// How many commands the whole way takes, turns included.
pub fn length(facing: Orientation, way: (i32, i32)) -> u32 {
    let (ahead, right) = facing.from_map(way);
    let turns = match (ahead < 0, right != 0) {
        (false, false) => 0,
        (false, true) => 1,
        (true, _) => 2,
    };
    ahead.unsigned_abs().saturating_add(right.unsigned_abs()).saturating_add(turns)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_way_leads_there() {
        for facing in Orientation::ALL {
            for (dx, dy) in (-3..=3).flat_map(|dx| (-2..=2).map(move |dy| (dx, dy))) {
                let (mut at, mut face) = ((0, 0), facing);
                let commands = commands(facing, (dx, dy));
                assert_eq!(commands.len() as u32, length(facing, (dx, dy)));
                for command in commands {
                    match command {
                        Command::Forward => at = (at.0 + face.step().0, at.1 + face.step().1),
                        Command::Right => face = face.right(),
                        _ => face = face.left(),
                    }
                }
                assert_eq!(at, (dx, dy));
            }
        }
    }

    #[test]
    fn a_far_way_fits_into_a_batch() {
        assert_eq!(commands(Orientation::North, (i32::MAX, i32::MIN + 1)).len(), BATCH);
    }
}
