//! Which means of containment this machine lacks, in one line for the grader.
//!
//! Asks the system and decides nothing. Tested in this module and in `arena/cli/tests/tournament/limits.rs`.

use std::path::Path;

use crate::os;
use crate::programs::bubblewrap::Sandbox;
use crate::programs::fence;
use crate::programs::group::Delegated;
use crate::programs::sandbox::Containment;

/// What this machine has for containment.
#[derive(Debug)]
struct Machine {
    /// Whether the arena is root's.
    root: bool,
    /// Whether bubblewrap works, or why not.
    bubblewrap: Result<(), String>,
    /// What Landlock can hold a program to, or why it doesn't work.
    landlock: Result<String, String>,
    /// Whether teams have control groups, or why not.
    groups: Result<(), String>,
    /// Whether no other user can enter the folder for the results.
    closed: bool,
}

/// Warns of what is missing to contain bots in that way, if the results go into that folder.
pub fn tell(containment: Containment, folder: &Path) {
    let machine = Machine {
        root: os::is_root(),
        bubblewrap: Sandbox::find().and_then(Sandbox::try_out).map(drop),
        landlock: fence::find(),
        groups: Delegated::find().map(drop),
        closed: os::is_closed(folder).unwrap_or(true),
    };
    match missing(containment, &machine, folder) {
        None => log::info!("nothing is missing here of what docs/security.md promises"),
        Some(words) => log::warn!("missing here: {words}; docs/security.md says what that means"),
    }
}

/// What is missing, in words; `None` if nothing is.
fn missing(containment: Containment, machine: &Machine, folder: &Path) -> Option<String> {
    let mut words: Vec<String> = Vec::new();
    if containment == Containment::None {
        let what = if machine.root { "everything, since the arena is root's" } else { "what you may" };
        words.push(format!("anything around the bots (--sandbox none): they and their builds may do {what}"));
    }
    if containment == Containment::Landlock {
        words.extend(machine.bubblewrap.as_ref().err().map(|why| format!("bubblewrap ({why})")));
        let held = machine.landlock.as_deref().unwrap_or_default();
        for (what, since) in [("connections", "6.7"), ("signals", "6.12")] {
            if !held.contains(what) {
                words.push(format!("a hold on {what} to others (Linux {since})"));
            }
        }
    }
    if containment == Containment::Bubblewrap {
        let why = machine.landlock.as_ref().err();
        words.extend(why.map(|why| format!("Landlock, in which bots are checked ({why})")));
    }
    if containment != Containment::None && !machine.root {
        words.push("a user of its own for each team (the arena isn't root's)".to_owned());
    }
    let why = machine.groups.as_ref().err();
    words.extend(
        why.map(|why| format!("control groups, which hold a team's memory and tasks together ({why})")),
    );
    if !machine.closed {
        let folder = folder.display();
        words.push(format!(
            "a folder that is yours alone, since others may enter {folder} (chmod 700 {folder})"
        ));
    }
    (!words.is_empty()).then(|| words.join("; "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_missing_is_told_for_each_kind_of_walls() {
        let machine = |root, closed| Machine {
            root,
            bubblewrap: Err("bwrap is not installed".to_owned()),
            landlock: Ok("files, connections".to_owned()),
            groups: Ok(()),
            closed,
        };
        let told = |containment, machine: &Machine| missing(containment, machine, Path::new("/out"));
        let all = told(Containment::Landlock, &machine(false, false)).unwrap();
        for words in [
            "bubblewrap (bwrap is not installed); ",
            "a hold on signals to others (Linux 6.12)",
            "a user of its own for each team",
            "others may enter /out (chmod 700 /out)",
        ] {
            assert!(all.contains(words), "{all}");
        }
        assert!(!all.contains("connections") && !all.contains("control groups"), "{all}");
        assert_eq!(told(Containment::Bubblewrap, &machine(true, true)), None);
        let none = told(Containment::None, &machine(true, true)).unwrap();
        assert!(none.ends_with("may do everything, since the arena is root's"), "{none}");
        let groups = Machine { groups: Err("none".to_owned()), ..machine(true, true) };
        assert!(told(Containment::Bubblewrap, &groups).unwrap().starts_with("control groups"));
    }
}
